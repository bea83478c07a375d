"""The sources of the math library on Numba's CPU target."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numba
import numpy as np
from numba.core import cpu
from numba.core.registry import cpu_target

from numba_vulkan.frontend import math_primitives
from numba_vulkan.mathlib import primitives
from numba_vulkan.mathlib.precision import specialise
from numba_vulkan.mathlib.table import FUNCTIONS

_known: dict[Any, Any] = {}
FLOATS = {"f32": np.float32, "f64": np.float64}


@cache
def _install() -> type[cpu.CPUContext]:
    """Teach Numba's CPU target the primitives of the library.

    After its own: Numba 0.68 puts the implementations of intrinsics into the registry that was installed first.
    """
    cpu_target.target_context.refresh()
    cpu_target.typing_context.install_registry(math_primitives.typing)
    cpu_target.target_context.install_registry(math_primitives.host_lowering)
    return cpu.CPUContext


@cache
def compiled(name: str, precision: str) -> Any:
    """Return one function of the library for single numbers."""
    _install()
    function = FUNCTIONS[name]
    source = function.single if precision == "f32" else function.double
    return specialise(source, FLOATS[precision], numba.njit(error_model="numpy"), _known)


@cache
def twin(name: str, precision: str) -> Callable[..., Any]:
    """Return one function of the library for arrays, with one array per result."""
    function = compiled(name, precision)
    row = FUNCTIONS[name]
    parameters = ", ".join(f"x{i}" for i in range(len(row.operands)))
    elements = ", ".join(
        f"x{i}[i]" if kind == "f" else f"as_int(x{i}[i])" for i, kind in enumerate(row.operands)
    )
    results = ", ".join(f"r{i}" for i in range(len(row.results)))
    targets = ", ".join(f"r{i}[i]" for i in range(len(row.results)))
    values = ", ".join(f"v{i}" for i in range(len(row.results)))
    stored = ", ".join(f"plain(v{i})" if kind == "i" else f"v{i}" for i, kind in enumerate(row.results))
    source = f"""def loop({parameters}, {results}):
    for i in range(x0.size):
        {values} = function({elements})
        {targets} = {stored}
"""
    namespace = {"function": function, "as_int": primitives.as_int, "plain": primitives.plain}
    exec(source, namespace)
    loop = numba.njit(namespace["loop"])
    kinds = [FLOATS[precision] if kind == "f" else np.int32 for kind in row.results]

    def run(*operands: np.ndarray) -> Any:
        outputs = [np.empty(operands[0].size, kind) for kind in kinds]
        loop(*operands, *outputs)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    return run
