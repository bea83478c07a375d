"""``np.dot`` and ``@`` of vectors and matrices."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload
from numba.np.numpy_support import as_dtype, from_dtype

from ..errors import VulkanUnsupportedError
from .gathering import MatrixProduct, gathering
from .types import is_array

__all__: list[str] = []


def _of_vectors(left: Any, right: Any) -> Any:
    """Return the function that multiplies two vectors, in the type that NumPy gives the product."""
    total: Any = from_dtype(np.result_type(as_dtype(left.dtype), as_dtype(right.dtype)))

    def of_numbers(a: Any, b: Any) -> Any:
        if a.shape[0] != b.shape[0]:
            raise ValueError("vectors of different sizes are multiplied", a.shape[0], b.shape[0])
        result = total(0)
        for k in range(a.shape[0]):
            result = total(result + total(total(a[k]) * total(b[k])))
        return result

    def of_booleans(a: Any, b: Any) -> Any:
        if a.shape[0] != b.shape[0]:
            raise ValueError("vectors of different sizes are multiplied", a.shape[0], b.shape[0])
        result = False
        for k in range(a.shape[0]):
            result = result or (a[k] and b[k])
        return result

    return of_booleans if isinstance(total, types.Boolean) else of_numbers


@overload(operator.matmul, target="vulkan")
def _product(a: Any, b: Any) -> Any:
    """Multiply two arrays of one or two axes."""
    if not (is_array(a) and is_array(b)):
        return None
    if not {a.ndim, b.ndim} <= {1, 2}:
        raise VulkanUnsupportedError(
            "products of arrays in kernels are those of vectors and matrices: use views with one or two axes"
        )
    if a.ndim == b.ndim == 1:
        return _of_vectors(a, b)
    multiply = gathering(MatrixProduct(operator.matmul))

    def implementation(a: Any, b: Any) -> Any:
        return multiply(a, b)

    return implementation


def _into(function: Any) -> Any:
    """Return the rule of a function that multiplies two arrays, and may write the product to a third."""

    def rule(a: Any, b: Any, out: Any = None) -> Any:
        if not (is_array(a) and is_array(b)):
            return None
        if out is None or isinstance(out, types.Omitted | types.NoneType):
            return lambda a, b, out=None: a @ b
        if from_dtype(np.result_type(as_dtype(a.dtype), as_dtype(b.dtype))) != out.dtype:
            raise VulkanUnsupportedError(f"the output of {function} has the type of the product")

        def implementation(a: Any, b: Any, out: Any = None) -> Any:
            out[...] = a @ b
            return out

        return implementation

    return rule


overload(np.dot, target="vulkan", strict=False)(_into("np.dot"))
overload(np.matmul, target="vulkan", strict=False)(_into("np.matmul"))
