"""Numba types of kernel arguments: `VulkanArray` and the conversions from Numba's and Python's own."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numba.core import types
from numba.core.typeconv import Conversion
from numba.np.numpy_support import as_dtype, from_dtype

from .. import abi
from ..errors import VulkanUnsupportedError
from .record_types import VulkanRecord, largest_unit, record_of

__all__ = [
    "VulkanArray",
    "VulkanArrayIterator",
    "VulkanExpression",
    "VulkanText",
    "argument_type",
    "array_type",
    "element_of",
    "is_array",
    "itemsize_of",
    "members_of",
    "parameter_of",
    "parts_of",
    "record_type",
    "refuse_wide",
    "scalar_type_of",
]


class VulkanArray(types.Array):
    """An array that a shader reaches through a descriptor binding instead of a pointer.

    It is a `numba.types.Array` so that Numba's typing of indexing, shapes and ufuncs holds; its value is described by
    `models.VulkanArrayModel`.

    Attributes
    ----------
    unit : int
        The bytes that offset and steps count: a power of two that divides the size of an element. It is that size for
        numbers, unless they lie in records that do not keep them at multiples of it.
    is_wide : bool
        Whether extents, steps and positions have 64 bits: the array has more than 2**31 - 1 units.
    """

    def __init__(
        self,
        dtype: types.Type,
        ndim: int,
        layout: str,
        readonly: bool = False,
        unit: int | None = None,
        is_wide: bool = False,
    ) -> None:
        kind = ("readonly " if readonly else "") + ("wide " if is_wide else "")
        self.is_wide = is_wide
        itemsize = itemsize_of(dtype)
        self.unit = largest_unit(itemsize) if unit is None else unit
        if isinstance(dtype, VulkanRecord):
            dtype = dtype.at(self.unit, readonly)
        steps = "" if self.unit == largest_unit(itemsize) else f", in units of {self.unit} byte(s)"
        name = f"{kind}vulkan array({dtype}, {ndim}d, {layout}{steps})"
        parts: Any = (dtype, ndim, layout)
        super().__init__(*parts, readonly=readonly, name=name)

    def copy(
        self,
        dtype: types.Type | None = None,
        ndim: int | None = None,
        layout: str | None = None,
        readonly: bool | None = None,
        unit: int | None = None,
        is_wide: bool | None = None,
    ) -> VulkanArray:
        """Return the type with some of its parts replaced, as Numba's typing of views asks for."""
        return VulkanArray(
            self.dtype if dtype is None else dtype,
            self.ndim if ndim is None else ndim,
            self.layout if layout is None else layout,
            (not self.mutable) if readonly is None else readonly,
            self.unit if dtype is None and unit is None else unit,
            self.is_wide if is_wide is None else is_wide,
        )

    @property
    def itemsize(self) -> int:
        """The bytes of an element."""
        return itemsize_of(self.dtype)

    @property
    def is_in_words(self) -> bool:
        """Whether a buffer with such elements is an array of words, as it holds records, or numbers out of place."""
        return isinstance(self.dtype, VulkanRecord) or self.unit != self.itemsize

    @property
    def element(self) -> str:
        """What the buffer is an array of: one of `abi.ELEMENTS`, or `abi.WORDS`."""
        element = abi.WORDS if self.is_in_words else element_of(self.dtype)
        assert element is not None
        return element

    @property
    def element_form(self) -> object:
        """What two arrays have in common whose elements are of one type."""
        return self.dtype.form if isinstance(self.dtype, VulkanRecord) else self.dtype

    @property
    def key(self) -> tuple[object, ...]:
        """What makes two such types equal."""
        return self.dtype, self.ndim, self.layout, self.mutable, self.unit, self.is_wide

    def can_convert_to(self, typingctx: Any, other: types.Type) -> Conversion | None:
        """Return how an array becomes one of another type: it may lose the order of its elements, and writing."""
        if not isinstance(other, VulkanArray) or not self._resembles(other) or self.unit % other.unit:
            return None
        is_safe = other.layout in ("A", self.layout) and (self.mutable or not other.mutable)
        return Conversion.safe if is_safe and other.is_wide >= self.is_wide else None

    def unify(self, typingctx: Any, other: types.Type) -> VulkanArray | None:
        """Return the type of a variable that holds arrays of two types."""
        if not isinstance(other, VulkanArray) or not self._resembles(other):
            return None
        layout = self.layout if self.layout == other.layout else "A"
        readonly = not (self.mutable and other.mutable)
        is_wide = self.is_wide or other.is_wide
        return self.copy(layout=layout, readonly=readonly, unit=min(self.unit, other.unit), is_wide=is_wide)

    def _resembles(self, other: VulkanArray) -> bool:
        return (other.ndim, other.element_form) == (self.ndim, self.element_form)

    @property
    def iterator_type(self) -> VulkanArrayIterator:
        """What a loop over the array steps through."""
        return VulkanArrayIterator(self)

    def __array_ufunc__(self, function: Any, method: str, *args: types.Type, **kws: types.Type) -> type:
        """Return what makes the type of an operation on arrays, as Numba's typing of ufuncs asks for."""
        return _expression_maker(function, args)

    @property
    def mangling_args(self) -> tuple[str, tuple[object, ...]]:
        """Name and parameters for symbol names."""
        mutable = "mutable" if self.mutable else "readonly"
        wide = "wide" if self.is_wide else ""
        return self.__class__.__name__, (self.dtype, self.ndim, self.layout, mutable, self.unit, wide)


class VulkanExpression(types.Array):
    """An operation on arrays that is computed element by element where it is used.

    Attributes
    ----------
    function : callable
        The ufunc.
    operands : tuple of numba type
        Arrays, expressions and scalars.
    """

    def __init__(self, function: Any, operands: tuple[types.Type, ...], dtype: types.Type, ndim: int) -> None:
        for operand in operands:
            if isinstance(operand, VulkanArray):
                refuse_wide(operand, "operations on whole arrays")
        self.function = function
        self.operands = operands
        name = f"{function.__name__}({', '.join(map(str, operands))}) -> {dtype}"
        parts: Any = (dtype, ndim, "A")
        super().__init__(*parts, readonly=True, name=name)

    @property
    def key(self) -> tuple[object, ...]:
        """What makes two such types equal."""
        return self.function, self.operands, self.dtype, self.ndim

    @property
    def mangling_args(self) -> tuple[str, tuple[object, ...]]:
        """Name and parameters for symbol names."""
        return self.function.__name__, (self.dtype, self.ndim, *self.operands)

    @property
    def iterator_type(self) -> NoReturn:
        """Refuse iteration."""
        raise VulkanUnsupportedError(f"{_USE_OF_EXPRESSIONS}: loop over range(len(x)) and index it")

    def copy(self, *_args: Any, **_kws: Any) -> NoReturn:
        """Refuse views."""
        raise VulkanUnsupportedError(f"{_USE_OF_EXPRESSIONS}: slice the arrays in it instead")

    def can_convert_to(self, typingctx: Any, other: types.Type) -> None:
        """Expressions are no values of other types."""

    def unify(self, typingctx: Any, other: types.Type) -> None:
        """Variables hold expressions of one type."""

    def __array_ufunc__(self, function: Any, method: str, *args: types.Type, **kws: types.Type) -> type:
        """Return what makes the type of an operation on arrays, as Numba's typing of ufuncs asks for."""
        return _expression_maker(function, args)


def is_array(kind: Any) -> bool:
    """Return whether a type is that of an array or of an operation on arrays."""
    return isinstance(kind, VulkanArray | VulkanExpression)


def refuse_wide(array: VulkanArray, what: str) -> None:
    """Raise for an array with 64-bit positions where only 32-bit ones are known."""
    if array.is_wide:
        raise VulkanUnsupportedError(
            f"{what} are not supported for arrays of more than 2**31 - 1 elements: loop over the elements"
        )


_USE_OF_EXPRESSIONS = (
    "operations on whole arrays are computed where their elements are used, and this needs them in memory"
)


def _expression_maker(function: Any, args: tuple[types.Type, ...]) -> type:
    operands = tuple(types.unliteral(t) for t in args)

    class Maker(types.Array):
        def __new__(cls, dtype: types.Type, ndim: int, layout: str) -> VulkanExpression:
            return VulkanExpression(function, operands, _in_its_unit(function, operands, dtype), ndim)

    return Maker


def _in_its_unit(function: Any, operands: tuple[types.Type, ...], dtype: types.Type) -> types.Type:
    """Return the type of the elements of an operation; Numba leaves out the unit of most dates and times."""
    if not isinstance(dtype, types.NPDatetime | types.NPTimedelta):
        return dtype
    return from_dtype(function(*(np.empty(0, as_dtype(getattr(t, "dtype", t))) for t in operands)).dtype)


class VulkanArrayIterator(types.ArrayIterator):
    """Steps through the first axis of an array."""


class VulkanText(types.Type):
    """A text of which all but the numbers in it is known.

    Attributes
    ----------
    template : str
        The text, for `str.format`.
    numbers : tuple of numba type
        What stands in its braces.
    """

    def __init__(self, template: str, numbers: tuple[types.Type, ...]) -> None:
        self.template = template
        self.numbers = numbers
        super().__init__(f"text({template!r}, {', '.join(map(str, numbers))})")


_ELEMENT = {
    types.boolean: "i8",
    types.int8: "i8",
    types.uint8: "i8",
    types.int16: "i16",
    types.uint16: "i16",
    types.int32: "i32",
    types.uint32: "i32",
    types.int64: "i64",
    types.uint64: "i64",
    types.float16: "i16",  # its bits, which `half` computes with
    types.float32: "f32",
    types.float64: "f64",
    types.complex64: "f32",
    types.complex128: "f64",
}
_SUPPORTED = (
    "bool, int8 to int64, uint8 to uint64, float16, float32, float64, complex64, complex128, datetime64, timedelta64 "
    "and records of these"
)


def element_of(dtype: types.Type) -> str | None:
    """Return the `abi` element of an array's dtype, or None when arrays of it are not supported."""
    return "i64" if isinstance(dtype, types.NPDatetime | types.NPTimedelta) else _ELEMENT.get(dtype)


def parts_of(dtype: types.Type) -> int:
    """Return how many elements of the buffer make one of the array: real and imaginary part of complex numbers."""
    return 2 if isinstance(dtype, types.Complex) else 1


def itemsize_of(dtype: types.Type) -> int:
    """Return the bytes of an element; 1 for types of which there are no arrays."""
    if isinstance(dtype, VulkanRecord):
        return dtype.size
    element = element_of(dtype)
    return abi.ELEMENT_BYTES[element] * parts_of(dtype) if element else 1


def parameter_of(given: types.Type) -> str | None:
    """Return the type of the parameter, or the two, in which a scalar travels; None for what is no scalar."""
    if given is types.float16:
        return "f32"
    element = element_of(given)
    return "i32" if element in ("i8", "i16") else element


def array_type(
    dtype: np.dtype, ndim: int, layout: str, readonly: bool, unit: int | None = None, is_wide: bool = False
) -> VulkanArray:
    """Return the type of an array argument whose steps and offset count ``unit`` bytes, elements by default.

    Raises
    ------
    VulkanUnsupportedError
        If kernels cannot hold elements of ``dtype``; the message lists those they can.
    """
    element = _type_of(dtype)
    if element is None:
        if dtype.fields is not None:
            made = VulkanArray(record_of(dtype), ndim, layout, readonly, unit, is_wide)
            refuse_wide(made, "records")
            return made
        if not dtype.isnative and _type_of(dtype.newbyteorder("=")) is not None:
            raise VulkanUnsupportedError(
                f"arrays of dtype {dtype.str!r} have foreign byte order: convert with "
                f"x.astype(x.dtype.newbyteorder('='))"
            )
        raise VulkanUnsupportedError(
            f"arrays of dtype {dtype} are not supported by kernels; use {_SUPPORTED}"
        )
    made = VulkanArray(element, ndim, layout, readonly, unit, is_wide)
    if made.is_in_words:
        refuse_wide(made, "elements that do not lie at multiples of their size")
    return made


_FROM_NUMPY = {np.dtype(str(t) if t is not types.boolean else "bool"): t for t in _ELEMENT}
_SCALAR_OF_PYTHON = {bool: types.boolean, float: types.float64, complex: types.complex128}


def _type_of(dtype: np.dtype) -> types.Type | None:
    """Return the Numba type of a dtype, None if it is not supported."""
    return from_dtype(dtype) if dtype.kind in "mM" and dtype.isnative else _FROM_NUMPY.get(dtype)


def record_type(dtype: np.dtype, unit: int) -> VulkanRecord:
    """Return the type of an argument that is one record, which kernels read, at a multiple of ``unit`` bytes.

    Raises
    ------
    VulkanUnsupportedError
        If kernels cannot hold one of its fields; the message names it.
    """
    return record_of(dtype).at(unit, readonly=True)


def scalar_type_of(value: object) -> types.Type | None:
    """Return the Numba type of a scalar argument, or None when it is no supported scalar.

    Python integers are int64, or uint64 when they only fit there, as in Numba.

    Raises
    ------
    OverflowError
        If an integer needs more than 64 bits.
    """
    if isinstance(value, np.generic):
        return _type_of(value.dtype)
    python_type = type(value)
    if python_type in _SCALAR_OF_PYTHON:
        return _SCALAR_OF_PYTHON[python_type]
    if not isinstance(value, int):
        return None
    if -(2**63) <= value < 2**63:
        return types.int64
    if 0 <= value < 2**64:
        return types.uint64
    raise OverflowError(f"the integer {value} does not fit into 64 bits")


def members_of(tuple_type: types.Type) -> tuple[types.Type, ...]:
    """Return the types of the members of a tuple type."""
    return tuple(tuple_type.types)


def argument_type(given: Any) -> types.Type:
    """Return the type as which a kernel takes an argument that the user declared with a Numba type.

    Raises
    ------
    VulkanUnsupportedError
        If kernels cannot take such an argument.
    """
    if isinstance(given, VulkanArray | VulkanRecord | types.NoneType) or parameter_of(given) is not None:
        return given
    if isinstance(given, types.BaseTuple):
        parts = tuple(argument_type(t) for t in members_of(given))
        build: Any = types.BaseTuple.from_types
        return build(parts, getattr(given, "instance_class", None))
    if isinstance(given, types.EnumMember):
        argument_type(given.dtype)
        return given
    if isinstance(given, types.Omitted):
        raise VulkanUnsupportedError("declare the type of arguments with defaults too")
    if isinstance(given, types.Record):
        return record_type(given.dtype, largest_unit(given.size))
    if isinstance(given, types.Array):
        if isinstance(given.dtype, types.Record):
            return array_type(given.dtype.dtype, given.ndim, given.layout, not given.mutable)
        if element_of(given.dtype) is None:
            raise VulkanUnsupportedError(
                f"arrays of {given.dtype} are not supported by kernels; use {_SUPPORTED}"
            )
        return VulkanArray(given.dtype, given.ndim, given.layout, not given.mutable)
    if isinstance(given, types.Literal):
        return argument_type(types.unliteral(given))
    raise VulkanUnsupportedError(
        f"kernels cannot take arguments of type {given}; use arrays or scalars of {_SUPPORTED}"
    )
