"""The public names and signatures, as a golden file: a change of it is a change for users."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from types import ModuleType

import numba_vulkan
import numba_vulkan.codegen
import numba_vulkan.dispatcher
import numba_vulkan.errors
import numba_vulkan.kernel
import numba_vulkan.narrowing
import numba_vulkan.runtime
import numba_vulkan.stubs
import numba_vulkan.stubs.atomic
import numba_vulkan.stubs.local
import numba_vulkan.stubs.shared
import numba_vulkan.stubs.subgroup

MODULES = [
    numba_vulkan,
    numba_vulkan.codegen,
    numba_vulkan.dispatcher,
    numba_vulkan.errors,
    numba_vulkan.narrowing,
    numba_vulkan.runtime,
    numba_vulkan.stubs,
    numba_vulkan.stubs.atomic,
    numba_vulkan.stubs.local,
    numba_vulkan.stubs.shared,
    numba_vulkan.stubs.subgroup,
]


def signature(value: object) -> str:
    try:
        return str(inspect.signature(value)).replace("numba_vulkan.", "")
    except (TypeError, ValueError):
        return ""


def describe_class(name: str, value: type) -> list[str]:
    lines = [f"class {name}{signature(value) if not issubclass(value, BaseException) else ''}"]
    bases = ", ".join(b.__name__ for b in value.__mro__[1:-1] if b.__module__.startswith("numba_vulkan"))
    lines += [f"    bases: {bases}"] if bases else []
    for member, found in sorted(vars(value).items()):
        if member.startswith("_") and member not in ("__call__", "__getitem__", "__len__", "__array__"):
            continue
        if isinstance(found, property):
            lines.append(f"    {member}")
        elif isinstance(found, staticmethod | classmethod) or inspect.isfunction(found):
            lines.append(f"    {member}{signature(getattr(value, member))}")
    return lines


def describe(module: ModuleType) -> str:
    lines = [f"# {module.__name__}"]
    for name in sorted(module.__all__):
        value = getattr(module, name)
        if inspect.ismodule(value):
            lines.append(f"{name}  (module)")
        elif (
            getattr(value, "__module__", module.__name__).startswith("numba_vulkan")
            and module is numba_vulkan
        ):
            lines.append(f"{name}  ({value.__module__.removeprefix('numba_vulkan.')})")
        elif inspect.isclass(value):
            lines += describe_class(name, value)
        else:
            lines.append(f"{name}{signature(value)}")
    return "\n".join(lines) + "\n"


def test_public_names_and_signatures(golden):
    golden("api/public.txt", "\n".join(describe(module) for module in MODULES))


def test_everything_public_is_documented():
    for module in MODULES:
        assert module.__doc__
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isclass(value) or inspect.isfunction(value):
                assert inspect.getdoc(value), f"{module.__name__}.{name} has no docstring"


def test_helpers_of_the_package_are_no_public_names():
    public = {name for name, value in vars(numba_vulkan).items() if not name.startswith("_")}
    modules = {name for name in public if inspect.ismodule(getattr(numba_vulkan, name))}
    assert public - modules == {n for n in numba_vulkan.__all__ if n not in modules}
    assert all(getattr(numba_vulkan, name).__name__.startswith("numba_vulkan.") for name in modules)


def test_every_warning_is_in_the_package():
    warnings = {
        n for n in numba_vulkan.errors.__all__ if issubclass(getattr(numba_vulkan.errors, n), Warning)
    }
    assert warnings <= set(numba_vulkan.__all__)


def test_the_guide_lists_every_public_name():
    guide = (Path(__file__).parents[2] / "docs" / "guide.md").read_text()
    table = guide.partition("## All names")[2].partition("\n## ")[0]
    names = [line.rstrip("| ").rpartition("|")[2] for line in table.splitlines() if line.endswith(" |")]
    listed = [name for row in names for name in re.findall(r"`(\w+)`", row)]
    assert sorted(listed) == sorted(["nv", *numba_vulkan.__all__])
