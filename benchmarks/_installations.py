"""The two installations that are compared: this package, and numba-vulkan 0.1.0, an earlier one, from the index.

The published one goes into a virtual environment of its own, `.published`, made on first use. Each runs in a process of
its own that stays, so that times can be taken in turn.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PUBLISHED = ROOT / ".published"
REQUIREMENT = "numba-vulkan==0.1.0"


def published_python() -> Path | None:
    """Python with the published package, installed first if need be; None, and a line, if it cannot be."""
    python = PUBLISHED / "bin" / "python"
    complete = PUBLISHED / "complete"
    if not complete.exists():
        print(f"installing {REQUIREMENT} into {PUBLISHED.name}", flush=True)
        commands = [
            [sys.executable, "-m", "venv", "--clear", PUBLISHED],
            [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", REQUIREMENT],
        ]
        for command in commands:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                last = (done.stderr or done.stdout).strip().splitlines()[-1:]
                print(
                    f"compared with nothing: {REQUIREMENT} cannot be installed: {' '.join(last)}", flush=True
                )
                return None
        complete.touch()
    return python


def environment(python: Path) -> dict[str, str]:
    """Variables under which an installation is measured."""
    # Without bytecode files every import would compile this package again, but not the installed one.
    left_out = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
    variables = {key: value for key, value in os.environ.items() if key not in left_out}
    if python == Path(sys.executable):
        variables["PYTHONPATH"] = os.pathsep.join((str(ROOT / "src"), os.environ.get("PYTHONPATH", "")))
    # Nothing may come out of a cache, and nothing may be checked that users do not have checked.
    return variables | {"NUMBA_VULKAN_CACHE": "0", "NUMBA_VULKAN_VALIDATE": "0", "NUMBA_VULKAN_WARNINGS": "0"}


class Worker:
    """A process that measures one installation; see `_worker`."""

    def __init__(self, name: str, python: Path, device: str = "", **settings: str) -> None:
        self.name = name
        variables = environment(python) | ({"NUMBA_VULKAN_DEVICE": device} if device else {}) | settings
        command = [str(python), str(Path(__file__).with_name("_worker.py"))]
        self._process = subprocess.Popen(
            command, env=variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.device = str(self.ask("hello")["device"])

    def ask(self, measurement: str, *arguments: object) -> dict:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([measurement, *arguments]) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(
                f"the process of {self.name} ended while measuring {[measurement, *arguments]}"
            )
        return json.loads(answer)

    def close(self) -> None:
        """End the process; it ends by itself when this one does."""
        self._process.communicate()


def workers() -> list[Worker]:
    """This package's worker, and the published one's on the same device where it can be installed."""
    ours = Worker("ours", Path(sys.executable))
    python = published_python()
    if python is None:
        return [ours]
    theirs = Worker("published", python, ours.device)
    if theirs.device != ours.device:
        raise RuntimeError(f"ours runs on '{ours.device}', published on '{theirs.device}'")
    return [ours, theirs]
