"""Arrays that live on a device."""

from __future__ import annotations

import operator

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from .buffer import Buffer
from .device import Device

__all__ = ["DeviceArray"]


class DeviceArray:
    """An array that lives on a Vulkan device, with the bytes that it has on the host.

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
    """

    def __init__(self, device: Device, shape: int | tuple[int, ...], dtype: DTypeLike) -> None:
        self.device = device
        self.shape = _extents(shape)
        self.dtype = np.dtype(dtype)
        if self.dtype.hasobject:
            raise TypeError(f"elements of type {self.dtype} are Python objects, which devices cannot hold")
        self.offset = 0
        self.element_strides = _contiguous_strides(self.shape)
        self.buffer: Buffer = device.create_buffer(self.nbytes)

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        size = 1
        for extent in self.shape:
            size *= extent
        return size

    @property
    def nbytes(self) -> int:
        """Size of the elements in bytes."""
        return self.size * self.dtype.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        """Steps between neighbours along each axis in bytes, as in NumPy."""
        return tuple(stride * self.dtype.itemsize for stride in self.element_strides)

    @property
    def is_contiguous(self) -> bool:
        """Whether the elements lie one after the other in C order."""
        expected = _contiguous_strides(self.shape)
        steps = zip(self.shape, self.element_strides, expected, strict=True)
        return self.size <= 1 or all(n == 1 or stride == want for n, stride, want in steps)

    def copy_to_host(self, out: np.ndarray | None = None) -> np.ndarray:
        """Copy the contents to a NumPy array; waits for kernels that write them.

        Parameters
        ----------
        out : numpy.ndarray, optional
            C-contiguous, writable array of the same shape and element type to fill; a new one by default.

        Returns
        -------
        numpy.ndarray
            The filled array.

        Raises
        ------
        ValueError
            If ``out`` does not match.
        """
        if out is None:
            out = np.empty(self.shape, self.dtype)
        else:
            self._check_out(out)
        self.device.download(self.buffer, out, self.offset * self.dtype.itemsize)
        return out

    def _check_out(self, out: np.ndarray) -> None:
        if out.shape != self.shape or out.dtype != self.dtype:
            raise ValueError(
                f"out has shape {out.shape} and type {out.dtype}, but the device array has shape {self.shape} and "
                f"type {self.dtype}"
            )
        if not (out.flags.c_contiguous and out.flags.writeable):
            raise ValueError("out must be C-contiguous and writable")

    def copy_to_device(self, array: ArrayLike) -> DeviceArray:
        """Overwrite the contents with those of a host array.

        Parameters
        ----------
        array : array_like
            Values of the same shape, converted to the element type.

        Returns
        -------
        DeviceArray
            The array itself.

        Raises
        ------
        ValueError
            If the shapes differ.
        """
        host = np.asarray(array, self.dtype)
        if host.shape != self.shape:
            raise ValueError(f"an array of shape {host.shape} cannot be copied to one of shape {self.shape}")
        self.device.upload(self.buffer, host, self.offset * self.dtype.itemsize)
        return self

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a 0-d array")
        return self.shape[0]

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("a device array cannot become a NumPy array without a copy")
        host = self.copy_to_host()
        return host if dtype is None else host.astype(dtype, copy=False)

    def __repr__(self) -> str:
        return f"DeviceArray(shape={self.shape}, dtype={self.dtype}, device={self.device.info.name!r})"


def _extents(shape: int | tuple[int, ...]) -> tuple[int, ...]:
    """Return a shape as a tuple of Python integers."""
    if isinstance(shape, (tuple, list)):
        extents = tuple(operator.index(extent) for extent in shape)
    else:
        extents = (operator.index(shape),)
    if any(extent < 0 for extent in extents):
        raise ValueError(f"shape {extents} has a negative extent")
    return extents


def _contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides: list[int] = []
    step = 1
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides))
