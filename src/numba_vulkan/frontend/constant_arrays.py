"""Arrays of globals and closures: small ones become arrays of the invocation that the function fills once."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils

from .. import abi
from ..errors import VulkanUnsupportedError
from . import arrays, placeholders
from .types import VulkanArray, array_type, element_of, parts_of

__all__ = ["make", "type_of"]

_I32, _I64 = ir.IntType(32), ir.IntType(64)
_LARGEST_COUNT = 256


def type_of(array: np.ndarray) -> VulkanArray:
    """Return the type of a global array: in C order, and not to be written."""
    return array_type(array.dtype, array.ndim, "C", readonly=True)


def make(context: Any, builder: ir.IRBuilder, numba_type: VulkanArray, array: np.ndarray) -> ir.Value:
    """Return an array with these elements.

    Raises
    ------
    VulkanUnsupportedError
        If it has too many elements, or none that can be constants.
    """
    if array.size > _LARGEST_COUNT or array.dtype.kind not in "biufc":
        raise VulkanUnsupportedError(
            f"the kernel reads a global array of {array.dtype} with shape {array.shape}: pass it as an argument "
            f"(numbers, and no more than {_LARGEST_COUNT} of them, can stay global)"
        )
    element = element_of(numba_type.dtype)
    assert element is not None
    # Where the function begins, so that a loop does not fill it again.
    with builder.goto_entry_block():
        count = ir.Constant(_I64, array.size * parts_of(numba_type.dtype))
        binding = placeholders.call(builder, abi.local_name(element), count)
        for position, value in enumerate(array.ravel().tolist()):
            number = context.get_constant_generic(builder, numba_type.dtype, value)
            arrays.store(context, builder, numba_type, binding, ir.Constant(_I32, position), number)
    made = cgutils.create_struct_proxy(numba_type)(context, builder)
    made.binding, made.offset = binding, ir.Constant(_I32, 0)
    made.shape = cgutils.pack_array(builder, [ir.Constant(_I64, extent) for extent in array.shape], _I64)
    return made._getvalue()
