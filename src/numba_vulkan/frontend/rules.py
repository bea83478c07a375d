"""All typing and lowering rules that hold for kernels, in one place.

Importing this imports Numba's rules for built-ins as well, some 80 ms in all; like Numba's own targets do, the target
imports it with the first compilation.
"""

from __future__ import annotations

from typing import Any

import numba.core.typing.arraydecl
import numba.core.typing.builtins
import numba.cpython.builtins
import numba.cpython.enumimpl
import numba.cpython.iterators
import numba.cpython.numbers
import numba.cpython.rangeobj
import numba.cpython.slicing
import numba.cpython.tupleobj
import numba.misc.literal
import numba.np.arrayobj
import numba.np.npdatetime
import numba.np.types.datetime_registry  # noqa: F401 - each of these fills Numba's registry of built-ins
from numba.core.typing import enumdecl, npydecl

from . import (
    arithmetic,
    array_functions,  # noqa: F401 - registers overloads
    array_like,  # noqa: F401 - registers overloads
    arrays,
    atomics,
    comparisons,
    complex_functions,
    conversions,
    float_operations,
    half,
    ids,
    indexing,
    local,  # noqa: F401 - registers overloads
    math_functions,
    math_primitives,
    operations,
    products,  # noqa: F401 - registers overloads
    records,
    reductions,  # noqa: F401 - registers overloads
    reinterpreted,
    scalar_functions,
    shared,
    subgroups,
    texts,
    ufuncs,
    view_functions,  # noqa: F401 - registers overloads
    views,
    votes,
)

__all__ = ["LOWERING", "TYPING", "override", "resolve_setattr"]

TYPING: tuple[Any, ...] = (
    atomics.typing,
    comparisons.typing,
    complex_functions.typing,
    half.typing,
    ids.typing,
    math_functions.typing,
    math_primitives.typing,
    operations.typing,
    records.typing,
    reinterpreted.typing,
    scalar_functions.typing,
    shared.typing,
    ufuncs.typing,
    subgroups.typing,
    texts.typing,
    views.typing,
    votes.typing,
    enumdecl.registry,
    npydecl.registry,
)
LOWERING: tuple[Any, ...] = (
    arrays.lowering,
    atomics.lowering,
    complex_functions.lowering,
    conversions.lowering,
    ids.lowering,
    half.lowering,
    indexing.lowering,
    math_functions.lowering,
    math_primitives.device_lowering,
    ufuncs.lowering,
    shared.lowering,
    subgroups.lowering,
    texts.lowering,
    operations.lowering,
    records.lowering,
    reinterpreted.lowering,
    views.lowering,
    votes.lowering,
)
ufuncs.register_untyped()


def resolve_setattr(context: Any, target: Any, attr: str, value: Any) -> Any:
    """Return the signature of an assignment to an attribute that differs from Numba's, or None."""
    return records.resolve_setattr(context, target, attr, value) or reinterpreted.resolve_setattr(
        context, target, attr, value
    )


def override(function: Any, sig: Any) -> Any:
    """Return what replaces Numba's lowering of a function for a signature, or None."""
    return (
        float_operations.override(function, sig)
        or complex_functions.override(function, sig)
        or arithmetic.override(function, sig)
        or operations.override(function, sig)
    )
