"""Kernels of one invocation against the same function run by Python and NumPy."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

import numba_vulkan as nv


def function_of(body: str, parameters: str, **names: Any) -> Callable[..., None]:
    """Make a function of statements."""
    lines = "\n".join(f"    {line}" for line in body.strip("\n").splitlines())
    namespace = {"nv": nv, "np": np, **names}
    exec(f"def body({parameters}):\n{lines}\n", namespace)
    return namespace["body"]


def check(
    function: Callable[..., None], make_arguments: Callable[[], tuple[Any, ...]], **tolerance: float
) -> None:
    """Assert that a kernel leaves the arrays among its arguments as Python does.

    Parameters
    ----------
    function : callable
        The kernel's Python function; it uses nothing that only kernels have.
    make_arguments : callable
        Makes the arguments anew, views of arrays included.
    **tolerance : float
        As for numpy.testing.assert_allclose; without it, values must be equal.
    """
    expected, got = make_arguments(), make_arguments()
    with np.errstate(all="ignore"):
        function(*copy.copy(expected))
    nv.jit(function)[1, 1](*got)
    for k, (e, g) in enumerate(zip(expected, got, strict=True)):
        if not isinstance(e, np.ndarray):
            continue
        if tolerance and e.dtype.names is None:
            np.testing.assert_allclose(g, e, **tolerance, err_msg=f"argument {k}")
        else:
            np.testing.assert_array_equal(g, e, err_msg=f"argument {k}")
