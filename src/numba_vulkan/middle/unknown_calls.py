"""What to tell a user whose kernel calls something that a shader cannot call."""

from __future__ import annotations

from ..llvmir.build import Builder
from ..llvmir.model import Instruction, Value
from .intrinsics import intrinsic_stem
from .passes import Context
from .rewriting import unsupported

__all__ = ["refuse"]

_MATH = frozenset(
    (
        "acos acosh asin asinh atan atan2 atanh cbrt cos cosh cospi erf erfc exp exp10 exp2 expm1 fmod frexp hypot "
        "ldexp lgamma log log10 log1p log2 modf nextafter pow powi remainder sin sincos sincospi sinh sinpi tan "
        "tanh tgamma"
    ).split()
)
# Beginnings of the names of functions that Numba's lowering calls, and what in Python leads to them.
_FAMILIES = {
    "NRT_": "use memory allocated at run time, as lists, sets, texts and arrays of a size known only then need",
    "numba_list": "use lists: use a tuple, or an array",
    "numba_dict": "use dicts: use a tuple, or an array",
    "numba_get_py_random": "draw random numbers: pass an array of them, or compute them from the global id",
    "numba_get_np_random": "draw random numbers: pass an array of them, or compute them from the global id",
    "numba_": "do this, for which Numba calls a library of the CPU",
    "Py": "use Python objects: use numbers, tuples and arrays",
    "nv.": "use a function of numba_vulkan that this version does not know",
    "_Py": "use Python objects: use numbers, tuples and arrays",
}


def refuse(builder: Builder, call: Instruction, context: Context) -> Value:
    """Raise the error for a call of an unknown function."""
    raise unsupported(_explanation(call.callee), call, context)


def _explanation(name: str) -> str:
    math = math_function(name)
    if math:
        return f"kernels cannot call '{name}' of C or LLVM: call '{math}' of math, numpy or nv.math"
    if name.startswith("llvm."):
        return f"LLVM's intrinsic '{name}' is not available in kernels"
    for beginning, meaning in _FAMILIES.items():
        if name.startswith(beginning):
            return f"kernels cannot {meaning}"
    return f"kernels cannot call the function '{name}', which lies outside the kernel"


def math_function(name: str) -> str:
    """Return the name that a C function or an intrinsic has in `math`, '' if it is none of them."""
    plain = intrinsic_stem(name).removeprefix("llvm.").removeprefix("numba_").removeprefix("__nv_")
    for candidate in (plain, plain[:-1]):
        if candidate in _MATH and plain[len(candidate) :] in ("", "f", "l"):
            return candidate
    return ""
