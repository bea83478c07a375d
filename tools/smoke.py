"""Import the package and run one kernel on every other supported Python that this machine has.

Each gets a virtual environment below .venv/smoke, which later runs use again.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSIONS = ("3.12", "3.13")
PROGRAM = """
import sys
import numpy as np
import numba_vulkan as nv

@nv.jit
def saxpy(a, x, y):
    i = nv.global_id(0)
    if i < x.shape[0]:
        y[i] = a * x[i] + y[i]

devices = nv.list_devices()
assert devices, "no Vulkan device"
x = np.arange(1000, dtype=np.float32)
for info in devices:
    y = np.ones(1000, dtype=np.float32)
    saxpy.forall(x.size, device=info.name)(np.float32(2.0), x, y)
    assert np.array_equal(y, 2 * x + 1), info.name
    print(f"Python {sys.version.split()[0]}: saxpy is right on {info.name}")
"""


def find_python(version: str) -> Path | None:
    """Path of a Python of this version: from pyenv if there, else from PATH."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = sorted(pyenv.glob(f"{version}.*/bin/python{version}"))
    on_path = shutil.which(f"python{version}")
    # The shims of pyenv are on PATH for versions that are installed but not selected, and fail then.
    if on_path and Path(on_path).parent.name != "shims":
        candidates.append(Path(on_path))
    return candidates[-1] if candidates else None


def environment(version: str, python: Path) -> Path:
    """Make the virtual environment if need be and return its interpreter."""
    folder = ROOT / ".venv" / "smoke" / version
    interpreter = folder / "bin" / "python"
    stamp = folder / "stamp"
    if not stamp.exists() or stamp.stat().st_mtime < (ROOT / "pyproject.toml").stat().st_mtime:
        subprocess.run([python, "-m", "venv", folder], check=True)
        pip = [interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--editable", ROOT], check=True)
        stamp.touch()
    return interpreter


def main() -> int:
    failed = 0
    for version in VERSIONS:
        python = find_python(version)
        if python is None:
            print(f"Python {version} was not found: not tested")
            continue
        script = ROOT / ".venv" / "smoke" / "saxpy.py"
        script.parent.mkdir(parents=True, exist_ok=True)
        script.write_text(PROGRAM)
        done = subprocess.run([environment(version, python), "-W", "error", script], check=False)
        failed += done.returncode != 0
    return failed


if __name__ == "__main__":
    sys.exit(main())
