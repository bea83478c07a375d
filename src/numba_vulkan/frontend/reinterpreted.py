"""Views of an array's bytes as other elements: real and imaginary parts, and ``view`` of another dtype.

Of operations, which are not in memory, parts are operations again; views there are none.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.imputils import Registry
from numba.core.typing.templates import AttributeTemplate, bound_function, signature
from numba.core.typing.templates import Registry as TypingRegistry
from numba.extending import overload

from ..errors import VulkanUnsupportedError
from . import arrays, assignment
from .arrays import View
from .dtypes import dtype_of
from .expressions import PARTS, make, shape_of
from .record_types import VulkanRecord, largest_unit
from .types import VulkanArray, VulkanExpression, element_of, itemsize_of, refuse_wide

__all__ = ["lowering", "resolve_setattr", "typing"]

typing = TypingRegistry()
lowering = Registry()
_I32 = ir.IntType(32)
_WITH_PARTS = types.Number | VulkanArray | VulkanExpression
_LARGEST_INDEX = 2**31 - 1


# ---- real and imaginary parts


def _is_complex(kind: object) -> bool:
    return isinstance(kind, types.Array) and isinstance(kind.dtype, types.Complex)


def _part_type(kind: Any, name: str) -> Any:
    """Return the type of a part: a view if there is one in memory, else an operation."""
    if not isinstance(kind.dtype, types.Number):
        raise VulkanUnsupportedError(f".{name} is a part of numbers, and this array is of {kind.dtype}")
    if _is_complex(kind) and isinstance(kind, VulkanArray):
        part = kind.dtype.underlying_float
        return kind.copy(dtype=part, layout="A", unit=math.gcd(kind.unit, itemsize_of(part)))
    if not _is_complex(kind) and name == "real":
        return kind
    part = kind.dtype.underlying_float if _is_complex(kind) else kind.dtype
    return VulkanExpression(PARTS[name], (kind,), part, kind.ndim)


class _Parts(AttributeTemplate):
    """Types ``real`` and ``imag``."""

    def resolve_real(self, array: Any) -> Any:
        """Type ``real``."""
        return _part_type(array, "real")

    def resolve_imag(self, array: Any) -> Any:
        """Type ``imag``."""
        return _part_type(array, "imag")


for _class in (VulkanArray, VulkanExpression):
    typing.register_attr(type(f"PartsOf{_class.__name__}", (_Parts,), {"key": _class}))


def _part_view(context: Any, builder: ir.IRBuilder, kind: Any, value: ir.Value, name: str) -> View:
    """Return where a part of each element of a complex array lies."""
    part = _part_type(kind, name)
    offset = itemsize_of(part.dtype) // part.unit if name == "imag" else 0
    return arrays.view_of(context, builder, kind, value).in_units(builder, kind.unit // part.unit, offset)


def _register_part(name: str) -> None:
    def lower(context: Any, builder: ir.IRBuilder, kind: Any, value: ir.Value) -> ir.Value:
        part = _part_type(kind, name)
        if part == kind:
            return value
        if isinstance(part, VulkanArray):
            return _part_view(context, builder, kind, value, name).value(context, builder, part)
        return make(context, builder, part, [value], shape_of(context, builder, kind, value))

    def assign(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> None:
        kind, source = sig.args
        target = _part_type(kind, name), _part_view(context, builder, kind, args[0], name)
        assignment.assign(context, builder, target, (source, args[1]))

    for kind in (VulkanArray, VulkanExpression):
        lowering.lower_getattr(kind, name)(lower)
    lowering.lower_setattr(VulkanArray, name)(assign)


for _name in PARTS:
    _register_part(_name)


def resolve_setattr(context: Any, target: Any, attr: str, value: Any) -> Any:
    """Return the signature of an assignment to a part of a complex array, None if it is none."""
    if attr not in PARTS or not (isinstance(target, VulkanArray) and _is_complex(target)):
        return None
    given = value.dtype if isinstance(value, types.Array) else value
    if (
        not target.mutable
        or isinstance(given, types.Complex)
        or context.can_convert(given, target.dtype) is None
    ):
        raise VulkanUnsupportedError(f"a value of type {value} cannot be assigned to .{attr} of {target}")
    return signature(types.void, target, value)


# Annotations would have to be repeated in the implementations: hence not strict.
@overload(np.real, target="vulkan", strict=False)
def _real(val: Any) -> Any:
    """Return real parts: views of arrays."""
    return (lambda val: val.real) if isinstance(val, _WITH_PARTS) else None


@overload(np.imag, target="vulkan", strict=False)
def _imag(val: Any) -> Any:
    """Return imaginary parts: views of complex arrays."""
    return (lambda val: val.imag) if isinstance(val, _WITH_PARTS) else None


@overload(np.angle, target="vulkan", prefer_literal=True, strict=False)
def _angle(z: Any, deg: Any = False) -> Any:
    """Compute angles of whole arrays in the precision of the elements, as NumPy does."""
    if not isinstance(z, VulkanArray | VulkanExpression):
        return None
    given = getattr(z.dtype, "underlying_float", z.dtype)
    kind = given if isinstance(given, types.Float) else types.float64
    to_degrees = getattr(deg, "literal_value", getattr(deg, "value", deg))
    if not isinstance(to_degrees, bool):
        raise VulkanUnsupportedError("np.angle of an array takes a constant deg")
    if to_degrees:
        return lambda z, deg=False: np.arctan2(z.imag, z.real) * kind(180 / np.pi)
    return lambda z, deg=False: np.arctan2(z.imag, z.real)


# ---- other dtypes


def _viewed_type(array: VulkanArray, kind: Any) -> VulkanArray:
    """Return the type of a view with another dtype."""
    if not isinstance(kind, VulkanRecord) and element_of(kind) is None:
        raise VulkanUnsupportedError(f"kernels cannot view arrays as {kind}")
    size = itemsize_of(kind)
    if size != array.itemsize:
        refuse_wide(array, "views with a dtype of another size")
        if array.ndim == 0 or (array.layout == "F" and array.ndim > 1):
            raise VulkanUnsupportedError(
                f"a view with a dtype of another size changes the last axis, which must be contiguous: {array} has "
                f"no such axis"
            )
    unit = math.gcd(array.unit, largest_unit(size))
    viewed = VulkanArray(kind, array.ndim, array.layout, not array.mutable, unit, array.is_wide)
    if viewed.is_in_words:
        refuse_wide(viewed, "views whose elements do not lie at multiples of their size")
    return viewed


@typing.register_attr
class _View(AttributeTemplate):
    key = VulkanArray

    @bound_function("array.view")
    def resolve_view(self, array: VulkanArray, args: Any, kws: Any) -> Any:
        """Type ``view``."""
        kind: Any = dtype_of(args[0]) if len(args) == 1 and not kws else None
        if kind is None:
            raise VulkanUnsupportedError("view takes one dtype in kernels")
        return signature(_viewed_type(array, kind), *args)


@typing.register_attr
class _NoView(AttributeTemplate):
    key = VulkanExpression

    @bound_function("array.view")
    def resolve_view(self, array: VulkanExpression, args: Any, kws: Any) -> Any:
        """Refuse views of what is not in memory."""
        raise VulkanUnsupportedError(
            "an operation on whole arrays has no bytes to view: view its elements, as in (x + y)[i].view(np.int32)"
        )


@lowering.lower("array.view", VulkanArray, types.DTypeSpec)  # Numba has one for its arrays too
@lowering.lower("array.view", VulkanArray, types.Any)
def _view(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
    """Return the view; raise where NumPy does."""
    given, wanted = sig.args[0], sig.return_type
    view = arrays.view_of(context, builder, given, args[0])
    factor = given.unit // wanted.unit
    if factor > 1:
        _refuse_far(context, builder, view, factor)
        view = view.in_units(builder, factor)
    if wanted.itemsize != given.itemsize:
        view = _with_other_size(context, builder, view, given, wanted)
    return view.value(context, builder, wanted)


def _raise_if(context: Any, builder: ir.IRBuilder, condition: ir.Value, message: str) -> None:
    with builder.if_then(condition, likely=False):
        context.call_conv.return_user_exc(builder, ValueError, (message,), loc=None)


def _refuse_far(context: Any, builder: ir.IRBuilder, view: View, factor: int) -> None:
    """Raise if positions in smaller units do not fit into 32 bits."""
    zero, one = ir.Constant(_I32, 0), ir.Constant(_I32, 1)
    highest = view.offset
    for extent, step in zip(view.extents, view.steps, strict=True):
        reach = builder.mul(builder.sub(extent, one), step)
        highest = builder.add(highest, builder.select(builder.icmp_signed(">", reach, zero), reach, zero))
    is_far = builder.icmp_signed(">=", highest, ir.Constant(_I32, _LARGEST_INDEX // factor))
    message = "cannot view: the array has more than 2**31 - 1 units of the size of the new dtype"
    _raise_if(context, builder, is_far, message)


def _with_other_size(
    context: Any, builder: ir.IRBuilder, view: View, given: VulkanArray, wanted: VulkanArray
) -> View:
    """Return a view, in units of the wanted type, with as many elements along its last axis as its bytes hold."""
    extent, step = view.extents[-1], view.steps[-1]
    size, unit = ir.Constant(_I32, given.itemsize), wanted.unit
    is_packed = builder.icmp_signed("==", step, ir.Constant(_I32, given.itemsize // unit))
    is_single = builder.icmp_signed("==", extent, ir.Constant(_I32, 1))
    message = "cannot view: to change to a dtype of another size, the last axis must be contiguous"
    _raise_if(context, builder, builder.not_(builder.or_(is_packed, is_single)), message)
    bytes_of_axis, new_size = builder.mul(extent, size), ir.Constant(_I32, wanted.itemsize)
    count = builder.udiv(bytes_of_axis, new_size)
    rest = builder.sub(bytes_of_axis, builder.mul(count, new_size))
    message = "cannot view: the size of the new dtype must divide the bytes of the last axis"
    _raise_if(context, builder, builder.icmp_unsigned("!=", rest, ir.Constant(_I32, 0)), message)
    steps = [*view.steps[:-1], ir.Constant(_I32, wanted.itemsize // unit)]
    return View(view.binding, view.offset, [*view.extents[:-1], count], steps)
