"""What kernels cannot do is refused in the user's terms: the line, what to do instead, no names of Numba's own code."""

import numpy as np
import pytest
from numba.core import types
from numba.core.errors import NumbaError

import numba_vulkan as nv
from device.against_python import function_of
from numba_vulkan import codegen
from numba_vulkan.errors import VulkanUnsupportedError
from numba_vulkan.frontend import entry
from numba_vulkan.frontend.types import argument_type
from numba_vulkan.kernel import TargetProfile, Variant

VARIANT = Variant(TargetProfile())


@nv.jit
def factorial(n):
    return 1 if n <= 1 else n * factorial(n - 1)


@nv.jit
def numbers(n):
    yield n
    yield 2 * n


@nv.jit
def sized(n):
    return np.zeros(n)[0]


_SIZE = "known only at run time"
# The body of a kernel of an array a and an integer n; what the error says.
REFUSED = {
    "t = np.zeros(n)": "the shape of an array that a kernel makes must be constant",
    "a[0] = sized(n)": "the shape of an array that a kernel makes must be constant",
    "t = np.empty_like(a)": f"np.empty_like gives an array whose size is {_SIZE}",
    "a[0] = np.concatenate((a, a))[0]": f"np.concatenate gives an array whose size is {_SIZE}",
    "a[0] = np.cumsum(a)[1]": f"np.cumsum gives an array whose size is {_SIZE}",
    "a[0] = a.flatten()[1]": f".flatten gives an array whose size is {_SIZE}",
    "a.sort()": ".sort is not supported in kernels: sort on the host",
    "a[0] = np.sort(a)[0]": "np.sort is not supported in kernels: sort on the host",
    "a[0] = factorial(n)": "recursion is not supported in kernels",
    "try:\n    a[0] = 1\nexcept ValueError:\n    a[0] = 2": "try/except is not supported in kernels",
    "try:\n    a[0] = 1\nfinally:\n    a[0] = 2": "try/except is not supported in kernels",
    "with open('x') as f:\n    a[0] = 1": "with blocks are not supported in kernels",
    "yield n": "'body' is a generator: kernels cannot yield",
    "for k in numbers(3):\n    a[k] = k": "'numbers' is a generator: kernels cannot yield",
    "a[0] = sum(v for v in a)": "comprehensions and generator expressions are not supported",
    "b = [v for v in range(n)]\na[0] = b[0]": "comprehensions and generator expressions are not supported",
    "b = []\nfor k in range(n):\n    b.append(k)\na[0] = len(b)": "lists are not supported in kernels",
    "b = [1, 2]\na[0] = b[n]": "lists are not supported in kernels",
    "b = list(range(3))\na[0] = b[n]": "lists are not supported in kernels",
    "b = np.array([1, 2])": "lists are not supported in kernels",
    "b = {1, 2}\na[0] = len(b)": "sets are not supported in kernels",
    "b = set()": "sets are not supported in kernels",
    "b = {1: 2}\na[0] = b[1]": "dicts are not supported in kernels",
    "b = {}": "dicts are not supported in kernels",
    "b = dict()": "dicts are not supported in kernels",
    "s = 'x'\nif n:\n    s = 'y'\na[0] = s == 'x'": "texts are supported in print and raise only",
    "a[0] = a[a][0]": "indexing an array with an array is not supported in kernels: loop over the indices",
    "a[a > 0] = 3": "indexing an array with an array is not supported in kernels: loop over the indices",
    "a[0] = nosuchname": "the name 'nosuchname' is not defined",
    "import math\na[0] = math.floor(2.5)": "import at the top of the module",
    "global g\ng = 3": "kernels cannot assign to globals",
    "a[0] = 1180591620717411303424": "the integer 1180591620717411303424 does not fit into 64 bits",
    "b = a[0]\ndel b": "del is not supported in kernels: leave it out",
    "b = np.array((1, 2))": "np.array makes an array of a list or a tuple",
    "b = np.where(a)": "np.where of a condition alone gives an array",
    "b = a if n else n\na[0] = 1": "a variable holds either of two arrays with different dtypes or numbers of axes",
    "b = a if n else a[None]\nb[0] = 1": "a variable holds either of two arrays with different dtypes",
    "b = a[None].T[:, 0:1].T.reshape(3, n)": "this reshape would need a copy",
    "raise": "raise needs an exception",
    "return a[0]": "kernels return nothing; write the result into an array argument",
}
_INTERNAL = ("site-packages", "unicode_type", "$", "numba/core", "<function ", "vulkan array(", "Failed in")


def build(body):
    kernel = nv.jit(function_of(body, "a, n", factorial=factorial, numbers=numbers, sized=sized))
    return codegen.build(entry.lower(kernel, (argument_type(types.int32[::1]), types.int64)), VARIANT)


@pytest.mark.parametrize("body", REFUSED)
def test_refusals(body):
    with pytest.raises(VulkanUnsupportedError) as caught:
        build(body)
    text = str(caught.value)
    assert REFUSED[body] in text
    assert not [name for name in _INTERNAL if name in text]
    if caught.value.loc is None:  # refused when all is inlined
        assert "<string>:2: " in text or "test_refusals.py:" in text
    elif "test_refusals" not in caught.value.loc.filename:
        # Line 1 is the def of the kernel.
        assert 1 <= caught.value.loc.line <= 1 + len(body.splitlines())


def test_the_line_of_a_refusal():
    body = "k = 0\nfor v in a:\n    k += v\na[0] = np.median(a)\na[1] = k"
    with pytest.raises(VulkanUnsupportedError) as caught:
        build(body)
    assert caught.value.loc.line == 5


def test_what_numba_says_best_stays():
    with pytest.raises(NumbaError, match="Unknown attribute 'foo'"):
        build("a[0] = a.foo")
