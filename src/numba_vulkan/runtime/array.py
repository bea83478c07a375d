"""Arrays that live on a device."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from . import geometry
from .buffer import Buffer
from .current import DeviceSelector, get_device
from .device import Device, require_device
from .geometry import Extents
from .memory import MemoryKind
from .stream import Stream, check_stream

__all__ = ["DeviceArray"]


class DeviceArray:
    """An array that lives on a Vulkan device, with the bytes that it has on the host.

    Indexing works as on NumPy arrays: an integer for every axis reads or writes one element; slices, integers, ``...``
    and None give views that share the memory, which kernels take like any other array, and so does the name of a field
    that lies at multiples of its size. Masks and arrays of positions go through the host. ``.T``, `transpose`,
    `reshape` and `ravel` give views where the layout allows it.

    Parameters
    ----------
    device : Device
        The device that holds the array.
    shape : int or tuple of int
        Extents of the array.
    dtype : numpy.dtype
        Element type.

    Attributes
    ----------
    device : Device
        The device that holds the array.
    shape : tuple of int
        Extents of the array.
    dtype : numpy.dtype
        Element type.
    buffer : Buffer
        The memory that holds the elements.
    offset : int
        Position of the first element in the buffer, in elements.
    element_strides : tuple of int
        Steps between neighbours along each axis, in elements.

    Raises
    ------
    ValueError
        If an extent is negative.
    TypeError
        If the element type holds Python objects.
    MemoryError
        If the device has not enough memory.

    Examples
    --------
    >>> x = nv.to_device(np.arange(8, dtype=np.float32))
    >>> out = nv.device_array_like(x)
    >>> kernel.forall(8)(x, out)
    >>> out.copy_to_host()
    >>> out[2:6].copy_to_host()     # a view of four elements
    >>> out[0] = 1                  # writes one element
    """

    __slots__ = (
        "__weakref__",
        "buffer",
        "device",
        "dtype",
        "element_strides",
        "key",
        "native",
        "offset",
        "parameters",
        "record",
        "shape",
    )

    def __init__(self, device: Device, shape: int | tuple[int, ...], dtype: DTypeLike) -> None:
        self._create(device, shape, dtype, MemoryKind.DEVICE)

    @classmethod
    def of_kind(
        cls,
        device: Device,
        shape: int | tuple[int, ...],
        dtype: DTypeLike,
        kind: MemoryKind,
        strides: Extents | None = None,
    ) -> DeviceArray:
        """Create an array in memory of a kind, C-contiguous or with steps in elements, and what lies between them."""
        extents = geometry.extents_of(shape)
        steps = geometry.contiguous_strides(extents) if strides is None else strides
        low, high = geometry.span(extents, steps)
        whole = cls.__new__(cls)
        whole._create(device, high - low, dtype, kind)
        return whole._view(extents, steps, -low)

    @classmethod
    def from_host(cls, device: Device, host: np.ndarray) -> DeviceArray:
        """Create an array with the elements of a host array; raises nothing that kernels have raised."""
        array = cls(device, host.shape, host.dtype)
        device.transfer.upload(array.buffer, host)
        return array

    def _create(
        self, device: Device, shape: int | tuple[int, ...], dtype: DTypeLike, kind: MemoryKind
    ) -> None:
        require_device(device)
        dtype = geometry.plain_dtype(dtype)
        extents = geometry.extents_of(shape)
        buffer = device.create_buffer(math.prod(extents) * dtype.itemsize, kind)
        self._set(device, buffer, dtype, extents, geometry.contiguous_strides(extents), 0)

    def _set(
        self, device: Device, buffer: Buffer, dtype: np.dtype, shape: Extents, strides: Extents, offset: int
    ) -> None:
        self.device = device
        self.buffer = buffer
        self.dtype = dtype
        self.shape = shape
        self.element_strides = strides
        self.offset = offset
        # For launch plans: the number they are found by, and what they pass. Native code reads both at the address
        # `native`, in the memory of `record`.
        self.key = self.native = 0
        self.parameters = b""
        self.record: Any = None

    def _view(self, shape: Extents, strides: Extents, offset: int) -> DeviceArray:
        view = DeviceArray.__new__(DeviceArray)
        view._set(self.device, self.buffer, self.dtype, shape, strides, offset)
        return view

    def _view_of(self, view: np.ndarray) -> DeviceArray:
        """Return the view of this array that a view of its phantom stands for."""
        return self._view(view.shape, view.strides, self.offset + geometry.place_of(view))

    def _phantom(self) -> np.ndarray:
        return geometry.phantom(self.shape, self.element_strides)

    # ------------------------------------------------------------ what it is like

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Size of the elements in bytes."""
        return self.size * self.dtype.itemsize

    @property
    def itemsize(self) -> int:
        """Size of an element in bytes."""
        return self.dtype.itemsize

    @property
    def strides(self) -> Extents:
        """Steps between neighbours along each axis in bytes, as in NumPy."""
        return tuple(stride * self.dtype.itemsize for stride in self.element_strides)

    @property
    def is_contiguous(self) -> bool:
        """Whether the elements lie one after the other in C order."""
        return geometry.is_contiguous(self.shape, self.element_strides)

    @property
    def layout(self) -> str:
        """'C' if the elements fill the buffer from its start in C order, else 'A'."""
        return "C" if not self.offset and self.is_contiguous else "A"

    @property
    def _offset_bytes(self) -> int:
        return self.offset * self.dtype.itemsize

    # ------------------------------------------------------------ views

    @property
    def T(self) -> DeviceArray:
        """The array with its axes reversed, as a view."""
        return self.transpose()

    def transpose(self, *axes: Any) -> DeviceArray:
        """Permute the axes, as a view.

        Parameters
        ----------
        *axes : int or tuple of int
            The new order of the axes; reversed by default.

        Returns
        -------
        DeviceArray
            A view.
        """
        return self._view_of(self._phantom().transpose(*axes))

    def reshape(self, *shape: Any) -> DeviceArray:
        """Give the array a new shape without copying.

        Parameters
        ----------
        *shape : int or tuple of int
            The new shape; one extent may be -1, as in NumPy.

        Returns
        -------
        DeviceArray
            A view.

        Raises
        ------
        ValueError
            If the number of elements differs, or the layout does not allow the shape without copying.
        """
        wanted = shape[0] if len(shape) == 1 else shape
        try:
            return self._view_of(self._phantom().reshape(wanted, copy=False))
        except ValueError as error:
            if "copy" in str(error):
                raise ValueError(
                    f"an array of shape {self.shape} and strides {self.strides} cannot be seen in shape {wanted}: "
                    "copy it first (x.copy())"
                ) from None
            raise

    def ravel(self) -> DeviceArray:
        """Return the array in one dimension: a view where the layout allows it, else a copy."""
        return (self if self.is_contiguous else self.copy()).reshape(-1)

    def __getitem__(self, index: Any) -> Any:
        if geometry.is_advanced(index):
            return DeviceArray.from_host(self.device, self.copy_to_host()[index])
        view = self._selected(index)
        parts = index if isinstance(index, tuple) else (index,)
        is_view = view.shape or isinstance(index, str) or Ellipsis in parts or None in parts
        return view if is_view else view.copy_to_host()[()]

    def _selected(self, index: Any) -> DeviceArray:
        """Return the view that basic indexing or the name of a field gives."""
        if isinstance(index, str):
            dtype, extents, strides, offset = geometry.field_of(
                self.dtype, index, self.element_strides, self.offset
            )
            view = DeviceArray.__new__(DeviceArray)
            view._set(self.device, self.buffer, dtype, self.shape + extents, strides, offset)
            return view
        parts = index if isinstance(index, tuple) else (index,)
        # With `...` NumPy gives an array also for a single element, and reads nothing.
        return self._view_of(self._phantom()[parts if Ellipsis in parts else (*parts, ...)])

    def __setitem__(self, index: Any, value: Any) -> None:
        if geometry.is_advanced(index):
            host = self.copy_to_host()
            host[index] = value.copy_to_host() if isinstance(value, DeviceArray) else value
            self.copy_to_device(host)
            return
        target = self._selected(index)
        if isinstance(value, DeviceArray):
            target._assign(value)
        elif np.ndim(value) == 0:
            target.fill(value)
        else:
            target._upload(np.broadcast_to(np.asarray(value, target.dtype), target.shape))

    def _assign(self, source: DeviceArray, stream: Stream | None = None) -> None:
        """Copy the elements of another array, broadcast to this one; on a stream where the device alone can do it."""
        if source.dtype != self.dtype:
            source = source.astype(self.dtype)
        if source.device is not self.device:
            source = source.copy_to(self.device)
        strides = np.broadcast_to(source._phantom(), self.shape).strides
        places = (source.buffer, source.offset, strides), (self.buffer, self.offset, self.element_strides)
        if stream is None or source.buffer.block is self.buffer.block:
            self.device.copy_elements(self.shape, self.dtype.itemsize, *places)
        else:
            stream.copy(self, *places)

    def __bool__(self) -> bool:
        """Return the truth of the only element, as NumPy does."""
        return bool(self.copy_to_host())

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a 0-d array")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        if not self.shape:
            raise TypeError("iteration over a 0-d array")
        if self.ndim == 1:
            return iter(self.copy_to_host())
        return (self[i] for i in range(self.shape[0]))

    # ------------------------------------------------------------ copies

    def copy(self) -> DeviceArray:
        """Return a contiguous copy on the same device."""
        result = DeviceArray(self.device, self.shape, self.dtype)
        result._assign(self)
        return result

    def copy_to(self, device: DeviceSelector) -> DeviceArray:
        """Return a contiguous copy on a device, another one or the same.

        Parameters
        ----------
        device : int, str, DeviceInfo or Device
            The device, as in `get_device`.
        """
        target = get_device(device)
        if target is self.device:
            return self.copy()
        return DeviceArray.from_host(target, self.copy_to_host())

    def astype(self, dtype: DTypeLike) -> DeviceArray:
        """Return a copy with another element type, converted as NumPy does.

        Parameters
        ----------
        dtype : numpy.dtype
            The element type.
        """
        if np.dtype(dtype) == self.dtype:
            return self.copy()
        return DeviceArray.from_host(self.device, self.copy_to_host().astype(dtype))

    def fill(self, value: Any) -> None:
        """Set all elements to a value.

        Parameters
        ----------
        value : scalar
            The value, converted to the element type.
        """
        pattern = np.empty((), self.dtype)
        pattern[()] = value
        if self.is_contiguous and self.device.fill(
            self.buffer, self._offset_bytes, self.nbytes, pattern.tobytes()
        ):
            return
        self._upload(np.broadcast_to(pattern, self.shape))

    def copy_to_host(self, out: np.ndarray | None = None, stream: Stream | None = None) -> np.ndarray:
        """Copy the contents to a NumPy array; without a stream, wait for kernels that write them.

        Parameters
        ----------
        out : numpy.ndarray, optional
            C-contiguous, writable array of the same shape and element type to fill; a new one by default.
        stream : Stream, optional
            Enqueue the copy and return at once: ``out`` holds the data after ``stream.synchronize()``.

        Returns
        -------
        numpy.ndarray
            The filled array.

        Raises
        ------
        ValueError
            If ``out`` does not match.
        Exception
            What a kernel launched before has raised.
        """
        if out is None:
            out = np.empty(self.shape, self.dtype)
        else:
            self._check_out(out)
        if stream is not None:
            check_stream(stream, self.device, "the array")
            stream.download((self.buffer, self.offset, self.element_strides), out)
        elif self.is_contiguous:
            self.device.download(self.buffer, out, self._offset_bytes)
        else:
            self.device.download_elements(self.buffer, self.offset, self.element_strides, out)
        return out

    def _check_out(self, out: np.ndarray) -> None:
        if not isinstance(out, np.ndarray):
            raise TypeError(f"out must be a NumPy array, not {type(out).__name__}")
        if out.shape != self.shape or out.dtype != self.dtype:
            raise ValueError(
                f"out has shape {out.shape} and type {out.dtype}, but the device array has shape {self.shape} and "
                f"type {self.dtype}"
            )
        if not (out.flags.c_contiguous and out.flags.writeable):
            raise ValueError(
                f"out must be C-contiguous and writable: its shape is {out.shape}, its strides are {out.strides}, and "
                f"it is {'' if out.flags.writeable else 'not '}writable"
            )

    def copy_to_device(self, array: ArrayLike | DeviceArray, stream: Stream | None = None) -> DeviceArray:
        """Overwrite the contents with those of a host array or of another device array.

        Parameters
        ----------
        array : array_like or DeviceArray
            Values of the same shape, converted to the element type.
        stream : Stream, optional
            Enqueue the copy and return at once; a pinned array must not change before the stream has done it.

        Returns
        -------
        DeviceArray
            The array itself.

        Raises
        ------
        ValueError
            If the shapes differ.
        Exception
            What a kernel launched before has raised that used the array. A copy of another device array, and one on a
            stream, leave that to the next synchronisation.
        """
        source = array if isinstance(array, DeviceArray) else np.asarray(array, self.dtype)
        if source.shape != self.shape:
            raise ValueError(
                f"an array of shape {source.shape} cannot be copied to one of shape {self.shape}"
            )
        if stream is not None:
            check_stream(stream, self.device, "the array")
        if isinstance(source, DeviceArray):
            self._assign(source, stream)
        elif stream is not None:
            stream.upload((self.buffer, self.offset, self.element_strides), source)
        else:
            self._upload(source)
        return self

    def _upload(self, host: np.ndarray) -> None:
        if self.is_contiguous:
            self.device.upload(self.buffer, host, self._offset_bytes)
        else:
            self.device.upload_elements(self.buffer, self.offset, self.element_strides, host)

    # ------------------------------------------------------------ Python and NumPy

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError(
                "a device array cannot become a NumPy array without a copy: call np.asarray(x) or x.copy_to_host()"
            )
        host = self.copy_to_host()
        return host if dtype is None else host.astype(dtype, copy=False)

    def __eq__(self, other: object) -> Any:
        """Compare the elements on the host, as NumPy does."""
        return self.copy_to_host() == (other.copy_to_host() if isinstance(other, DeviceArray) else other)

    def __ne__(self, other: object) -> Any:
        """Compare the elements on the host, as NumPy does."""
        return self.copy_to_host() != (other.copy_to_host() if isinstance(other, DeviceArray) else other)

    # Sets and dicts hold the arrays themselves, as their elements may change.
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"DeviceArray(shape={self.shape}, dtype={self.dtype}, device={self.device.info.name!r})"

    def __deepcopy__(self, memo: dict[int, Any]) -> DeviceArray:
        return self.copy()

    def __copy__(self) -> DeviceArray:
        return self.copy()

    def sum(self, *args: Any, **kws: Any) -> Any:
        """Return the sum of the elements, computed on the host; takes what ``numpy.ndarray.sum`` takes."""
        return self.copy_to_host().sum(*args, **kws)

    def min(self, *args: Any, **kws: Any) -> Any:
        """Return the smallest element, computed on the host; takes what ``numpy.ndarray.min`` takes."""
        return self.copy_to_host().min(*args, **kws)

    def max(self, *args: Any, **kws: Any) -> Any:
        """Return the largest element, computed on the host; takes what ``numpy.ndarray.max`` takes."""
        return self.copy_to_host().max(*args, **kws)

    def mean(self, *args: Any, **kws: Any) -> Any:
        """Return the mean of the elements, computed on the host; takes what ``numpy.ndarray.mean`` takes."""
        return self.copy_to_host().mean(*args, **kws)
