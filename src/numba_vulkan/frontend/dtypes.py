"""What kernels may write where a dtype is wanted: types of NumPy and Numba, Python's own, and texts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.core.errors import NumbaError
from numba.core.typing.npydecl import parse_dtype
from numba.np.numpy_support import from_dtype

from ..errors import VulkanUnsupportedError
from .record_types import record_of
from .wording import noun

__all__ = ["KINDS", "dtype_of"]

# The kinds of arguments that mean dtypes.
KINDS = (types.DTypeSpec, types.TypeRef, types.Function, types.StringLiteral)
# Numba types these as functions: of the types that they are, NumPy has its own for each.
_PYTHON: dict[Any, Any] = {
    bool: types.boolean,
    int: types.int64,
    float: types.float64,
    complex: types.complex128,
}


def dtype_of(given: Any) -> Any:
    """Return the type of elements that an argument of this type means; raise if it means none."""
    if isinstance(given, types.StringLiteral):
        return _of_text(given.literal_value)
    if isinstance(given, types.Function) and given.typing_key in _PYTHON:
        return _PYTHON[given.typing_key]
    found: Any = parse_dtype(given)
    if found is None:
        raise VulkanUnsupportedError(
            f"a dtype is a type, and this is {noun(given)}: write np.float64, or another"
        )
    return found


def _of_text(text: str) -> Any:
    try:
        named = np.dtype(text)
        return record_of(named) if named.fields is not None else from_dtype(named)
    except (TypeError, NumbaError) as error:
        raise VulkanUnsupportedError(
            f"kernels have no dtype '{text}': write np.float64, or another type"
        ) from error
