"""Names of LLVM's intrinsics: `llvm.` + stem + the types that it is overloaded for."""

from __future__ import annotations

from functools import cache

__all__ = ["FLOAT_STEMS", "MEMORY_STEMS", "intrinsic_stem", "scalar_name"]

# Exact float operations; `expand_floats` has their rules.
FLOAT_STEMS = frozenset(
    f"llvm.{name}"
    for name in (
        "fabs floor ceil trunc rint nearbyint round roundeven copysign minnum maxnum minimum maximum minimumnum "
        "maximumnum is.fpclass fmuladd fma sqrt"
    ).split()
)
MEMORY_STEMS = frozenset(
    ("llvm.memcpy", "llvm.memcpy.inline", "llvm.memmove", "llvm.memset", "llvm.memset.inline")
)


@cache
def intrinsic_stem(name: str) -> str:
    """Return the name without the types: ``llvm.fma.v2f32`` is ``llvm.fma``."""
    parts = name.split(".")
    while len(parts) > 2 and _is_type(parts[-1]):
        parts.pop()
    return ".".join(parts)


@cache
def scalar_name(name: str) -> str:
    """Return the name of an intrinsic of vectors for their elements: ``llvm.fma.v2f32`` becomes ``llvm.fma.f32``."""
    stem = intrinsic_stem(name)
    types = name[len(stem) :].split(".")
    return stem + ".".join(
        type.lstrip("v").lstrip("0123456789") if type[:1] == "v" else type for type in types
    )


def _is_type(text: str) -> bool:
    if text[0] == "v" and text[1:2].isdigit():
        text = text[1:].lstrip("0123456789")
    return text == "bf16" or (text[:1] in ("i", "f", "p") and text[1:].isdigit())
