"""The command line: ``python -m numba_vulkan devices``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence

from .errors import VulkanError
from .runtime import DeviceInfo, ProbeAnswers, get_device, list_devices

__all__ = ["main"]

# Every device has the first two.
_TYPES = ("int32", "float32", "float64", "int64", "int16", "int8", "float16")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows the name of the program; that of the process if it is missing.

    Returns
    -------
    int
        0 if all went well, 1 if there is no device or a driver fails, 2 for arguments that mean nothing.
    """
    parser = argparse.ArgumentParser(prog="python -m numba_vulkan", description="Tools of numba_vulkan.")
    commands = parser.add_subparsers(metavar="command", required=True)
    devices = commands.add_parser(
        "devices", help="list the devices and what running kernels tells of their drivers"
    )
    devices.set_defaults(run=list_all)
    options = parser.parse_args(arguments)
    run: Callable[[], int] = options.run
    try:
        return run()
    except VulkanError as error:
        print(f"numba_vulkan: {error}", file=sys.stderr)
        return 1


def list_all() -> int:
    """Print every device; the default one is marked."""
    infos = list_devices()
    # Raises, naming the remedy, if there is none.
    default = get_device().info
    for info in infos:
        mark = " (default)" if info == default else ""
        print(f"{info.index}: {info.name}{mark}")
        for label, text in _described(get_device(info).info):
            print(f"   {label + ':':<13}{text}")
    return 0


def _described(info: DeviceInfo) -> list[tuple[str, str]]:
    """Return what is shown of a device, as labels and texts."""
    version = ".".join(map(str, info.api_version))
    native = [name for name in _TYPES if getattr(info, name, True)]
    others = "" if len(native) == len(_TYPES) else "; other types are computed with these"
    driver = " ".join(filter(None, (info.driver_name, info.driver_info)))
    rows = [
        ("kind", info.kind),
        ("driver", f"{driver}, Vulkan {version}"),
        ("native", f"{', '.join(native)}{others}"),
        ("subgroups", f"{info.subgroup_size} invocations"),
    ]
    if info.probes is None:
        return rows
    faults = ", ".join(info.probes.float64_faults)
    if info.float64:
        rows.append(("float64", f"{faults} wrong" if faults else "rounded as it should be"))
    return rows + _answers(info.probes)


def _answers(answers: ProbeAnswers) -> list[tuple[str, str]]:
    """Return what the probes have found."""
    rows = [
        ("corrected", ", ".join(answers.corrected) or "nothing needs to be"),
        ("denormals", "float32 denormals become zeros" if answers.flushes_denormals else "kept in float32"),
        ("fused", "Fma rounds once" if answers.has_fused_fma else "Fma rounds twice and is not used"),
    ]
    if answers.uncorrected:
        rows.append(("WRONG", ", ".join(answers.uncorrected)))
    if answers.loop_limit:
        rows.append(
            ("loops", "end silently after some 65 000 iterations: kernels raise an error where they would")
        )
    if answers.fences_end_loops:
        rows.append(("fences", "are taken for barriers: kernels order memory by atomic operations instead"))
    return rows


if __name__ == "__main__":
    sys.exit(main())
