"""Kernels that cannot work: the body of each, with the fragments that its error has."""

from __future__ import annotations

import collections
import ctypes
import enum
import functools
import itertools
import math
import random
import time
from typing import Any

import numba
import numba.cuda
import numpy as np

import numba_vulkan as nv

__all__ = ["INTERNAL", "NAMES", "REFUSED"]


class Thing:
    """An object, of which kernels know nothing."""

    v = 1


class Color(enum.IntEnum):
    RED = 1


class Mixed(enum.Enum):
    ONE = 1
    TWO = "two"


def plain(v: Any) -> Any:
    return v + 1


@numba.njit
def lists(v):
    found = [v]
    return found[0]


@nv.jit
def added(v, w):
    return v + w


@nv.jit
def by_keyword(v, *, w=3):
    return v + w


@nv.jit
def factorial(n):
    return 1 if n <= 1 else n * factorial(n - 1)


@nv.jit
def even(n):
    return n == 0 or odd(n - 1)


@nv.jit
def odd(n):
    return n != 0 and even(n - 1)


@nv.jit
def numbers(n):
    yield n
    yield 2 * n


@nv.jit
def sized(n):
    return np.zeros(n)[0]


@nv.jit
def outer(v):
    return norm_of(v)


@nv.jit
def norm_of(v):
    return np.heaviside(v[0], 1)


@nv.jit
def either(n):
    return 1 if n else None, 2


@nv.jit
def one_or_other(v, n):
    if n:
        return v
    return n


@nv.jit
def other_kernel(x):
    x[0] = 1


Point = collections.namedtuple("Point", "x y")

NAMES: dict[str, Any] = {
    "A_LIST": [1, 2, 3],
    "A_SET": {1, 2},
    "A_DICT": {1: 2},
    "TABLE": np.arange(4),
    "OBJECTS": np.array([None, 1], dtype=object),
    "NAMED": np.zeros(2, [("a", "i4"), ("s", "U3")]),
    "BIG": 2**70,
    "generator": np.random.default_rng(1),
    "thing": Thing(),
    "labs": ctypes.CDLL(None).labs,
    "cached": functools.lru_cache(plain),
    "cuda": numba.cuda,
    "grid": numba.cuda.grid,
    "itertools": itertools,
    "math": math,
    "random": random,
    "time": time,
    **{f.__name__: f for f in (Color, Mixed, Point, Thing, plain)},
    **{
        f.py_func.__name__: f
        for f in (
            added,
            by_keyword,
            either,
            even,
            factorial,
            lists,
            norm_of,
            numbers,
            odd,
            one_or_other,
            other_kernel,
            outer,
            sized,
        )
    },
}

_SIZE = "known only at run time"
_CONSTANT = "the shape of an array that a kernel makes must be constant"
_COMPREHENSIONS = "comprehensions and generator expressions are not supported"
_TEXTS = "texts are supported in print and raise only"
_TRY = "try/except is not supported in kernels: test the condition"
_INDEX = "an array is indexed with integers and slices, not with"
_HOST = "works on the host only"

# The body of a kernel of an array a and an integer n. The first fragment is said of the second line of the file.
REFUSED: dict[str, tuple[str, ...]] = {
    # sizes known only at run time
    "t = np.zeros(n)": (_CONSTANT, "pass an array as an argument"),
    "t = np.zeros(a.shape)": (_CONSTANT,),
    "t = np.empty((n, 2), np.int32)": (_CONSTANT,),
    "t = nv.local.array(n, np.int32)": (_CONSTANT,),
    "t = np.arange(n)": (_CONSTANT,),
    "a[0] = sized(n)": (_CONSTANT,),
    "t = np.zeros(2.5)": ("np.zeros does not take a float64", "a constant integer or a tuple of them"),
    "t = np.ones(3, dtype=n)": ("a dtype is a type, and this is an int64: write np.float64",),
    "a[0] = a.astype(n)[0]": ("a dtype is a type, and this is an int64: write np.float64",),
    "a[0] = a.view(str)[0]": ("a dtype is a type, and this is", "write np.float64"),
    "a[0] = a.sum(dtype=n)": ("a dtype is a type, and this is an int64: write np.float64",),
    "t = nv.shared.array(3, n)": ("a dtype is a type, and this is an int64: write np.float64",),
    "t = nv.local.array(3, n)": ("a dtype is a type, and this is an int64: write np.float64",),
    "a[0] = a.astype('nosuch')[0]": ("kernels have no dtype 'nosuch': write np.float64",),
    "t = np.empty_like(a)": (f"np.empty_like gives an array whose size is {_SIZE}",),
    "a[0] = np.concatenate((a, a))[0]": (f"np.concatenate gives an array whose size is {_SIZE}",),
    "a[0] = np.cumsum(a)[1]": (f"np.cumsum gives an array whose size is {_SIZE}",),
    "a[0] = a.flatten()[1]": (f".flatten gives an array whose size is {_SIZE}",),
    "a.resize(3)": (f".resize gives an array whose size is {_SIZE}",),
    "b = [1, 2]\na[0] = b[n]": ("lists are not supported in kernels", "use a tuple"),
    "b = []\nfor k in range(n):\n    b.append(k)\na[0] = len(b)": ("lists are not supported in kernels",),
    "b = list(range(3))\na[0] = b[n]": ("lists are not supported in kernels",),
    "b = np.array([1, 2])": ("lists are not supported in kernels",),
    "t = np.zeros(2, [])": ("lists are not supported in kernels",),
    "a[[0, 1]] = 3": ("lists are not supported in kernels",),
    "a[0] = lists(n)": ("lists are not supported in kernels",),
    "b = {1, 2}\na[0] = len(b)": ("sets are not supported in kernels",),
    "b = set()": ("sets are not supported in kernels",),
    "b = {1: 2}\na[0] = b[1]": ("dicts are not supported in kernels",),
    "b = {}": ("dicts are not supported in kernels",),
    "b = dict()": ("dicts are not supported in kernels",),
    "a[0] = A_LIST[n]": ("global 'A_LIST' is a list", "use a tuple"),
    "for v in A_LIST: a[0] += v": ("global 'A_LIST' is a list",),
    "a[0] = 1 in A_SET": ("global 'A_SET' is a set",),
    "a[0] = A_DICT[1]": ("global 'A_DICT' is a dict",),
    "a[0] = sum(v for v in a)": (_COMPREHENSIONS,),
    "b = [v for v in range(n)]\na[0] = b[0]": ("are not supported in kernels",),
    "b = {v: v for v in range(n)}": ("are not supported in kernels",),
    "a.append(3)": ("arrays, unlike lists, keep their size",),
    "del a[0]": ("del is not supported in kernels", "keeps its size"),
    # functions of NumPy
    "a.sort()": (".sort is not supported in kernels: sort on the host",),
    "a[0] = np.sort(a)[0]": ("np.sort is not supported in kernels: sort on the host",),
    "a[0] = sorted((3, 1))[0]": ("sorted is not available in kernels: sort on the host",),
    "a[0] = np.heaviside(n, 1)": ("np.heaviside is not available in kernels",),
    "a[0] = outer(a)": ("np.heaviside is not available in kernels",),
    "a[0] = np.einsum('i,i', a, a)": ("np.einsum is not available in kernels: write the sum as loops",),
    "a[0] = np.fft.fft(a)[0]": ("np.fft.fft is not available in kernels",),
    "a[0] = np.random.rand()": ("np.random is not available in kernels: pass an array of random numbers",),
    "a[0] = random.random()": ("random is not available in kernels: pass an array of random numbers",),
    "a[0] = np.nosuch(a)": ("np.nosuch does not exist",),
    "a[0] = math.nosuch(3)": ("math.nosuch does not exist",),
    "a[0] = math.factorial(n)": ("math.factorial is not available in kernels", "gamma"),
    "a[0] = np.where(a)[0][0]": ("np.where of a condition alone gives an array",),
    "b = np.array(((1, 2), (3, 4)))": ("np.array takes a tuple of numbers in kernels: use np.empty",),
    "a[0] = np.add.reduce(a)": ("np.add.reduce is not available in kernels: use x.sum()",),
    "a[0] = np.dot(a, n)": ("np.dot does not take an array of int32 with 1 axis and an int64",),
    "a[0] = abs(a)": ("abs does not take an array of int32 with 1 axis in kernels: np.abs takes arrays",),
    "a[0] = max(a, 3)": ("max does not take", "x.max()"),
    "a[0] = math.sqrt(a)": ("math.sqrt does not take an array", "np has them for arrays"),
    "a[0] = sum(a, axis=0)": ("sum cannot be called with the keyword axis",),
    "a[0] = np.sin()": ("np.sin: missing a required argument",),
    "a.fill()": ("a.fill cannot be called without arguments",),
    # control flow
    "try:\n    a[0] = 1\nexcept ValueError:\n    a[0] = 2": (_TRY,),
    "try:\n    a[0] = 1\nexcept ValueError as e:\n    raise": (_TRY,),
    "try:\n    a[0] = 1\nfinally:\n    a[0] = 2": (_TRY,),
    "with open('x') as f:\n    a[0] = 1": ("with blocks are not supported in kernels",),
    "yield n": ("'body' is a generator: kernels cannot yield; write the loop",),
    "for k in numbers(3):\n    a[k] = k": ("'numbers' is a generator: kernels cannot yield",),
    "f = lambda: (yield)": ("is a generator: kernels cannot yield",),
    "async def f():\n    pass": ("kernels cannot await",),
    "a[0] = factorial(n)": ("recursion is not supported in kernels", "write a loop"),
    "a[0] = even(n)": ("recursion is not supported in kernels", "write a loop"),
    "f = lambda v: 1 if v <= 1 else v * f(v - 1)\na[0] = f(n)": ("cannot call itself", "write a loop"),
    "raise": ("raise needs an exception in kernels",),
    "raise n": ("kernels raise exceptions whose class is known",),
    "raise 'x'": ("kernels raise subclasses of Exception",),
    "raise thing": ("kernels raise subclasses of Exception, not a value of type Thing",),
    "raise ValueError('x') from None": ("raise with `from` is not supported in kernels", "leave `from` out"),
    "raise ValueError(a)": ("not an array of int32 with 1 axis",),
    "class X:\n    pass": ("kernels cannot define classes",),
    "import math\na[0] = math.floor(2.5)": ("import at the top of the module",),
    "global g\ng = 3": ("kernels cannot assign to globals: write into an array argument",),
    "TABLE += 1": ("variable 'TABLE' has no value yet", "pass as an argument"),
    "b = a[0]\ndel b": ("del is not supported in kernels: leave it out",),
    "x, *y = (1, 2, 3)": ("assignments with a star are not supported in kernels: slice the tuple",),
    "x, y = (1, 2, 3)": ("3 value(s) cannot be assigned to 2 names",),
    "for v in n: a[0] = v": ("a for loop cannot run over an integer: write range(n)",),
    "for v in (1, (2, 3)): a[0] = 1": ("a for loop over a tuple needs members of one type", "literal_unroll"),
    "for v in zip(a, n): a[0] = 1": ("zip does not take", "zip takes arrays, tuples and ranges"),
    "for v in map(plain, a): a[0] = v": ("map is not available in kernels: call the function in a loop",),
    "for v in filter(None, a): a[0] = v": (
        "filter is not available in kernels: test the condition in a loop",
    ),
    "return a[0]": ("kernels return nothing; write the result into an array argument",),
    "return a[0] if n else None": ("kernels return nothing",),
    # texts
    "s = 'x'\nif n:\n    s = 'y'\na[0] = s == 'x'": (_TEXTS,),
    "s = 'abc'\na[0] = s[n] == 'a'": (_TEXTS,),
    "a[0] = 'a' < 'b'": (_TEXTS,),
    "a[0] = ord('a')": (_TEXTS,),
    "a[0] = int('3')": (_TEXTS,),
    "s = 'abc'.upper()": (_TEXTS,),
    "s = '%d' % n": ("texts are formatted by f-strings in kernels",),
    "s = '{}'.format(n)": ("texts are formatted by f-strings in kernels",),
    "s = str(n)\na[0] = len(s)": (_TEXTS,),
    "a[0] = 'x'": ("the text 'x' cannot be assigned to elements of an array of int32",),
    "print('x', file=None)": ("print in kernels has the keywords sep and end, not file",),
    "print(a)": ("not of whole arrays: print their elements in a loop",),
    # objects
    "a[0] = thing.v": ("'thing' is of type Thing, and kernels know no objects", "named tuples"),
    "a[0] = generator.random()": ("'generator' is of type Generator, and kernels know no objects",),
    "a[0] = Thing().v": ("kernels cannot use the class 'Thing'",),
    "a[0] = OBJECTS[0]": ("global 'OBJECTS': arrays of dtype object are not supported", "float32"),
    "a[0] = NAMED[0].a": ("global 'NAMED': field 's' of records holds text", "without the field"),
    "a[0] = Mixed.ONE.value": ("the members of enumeration 'Mixed' have values of different types",),
    "a[0] = Color.BLUE": ("the enumeration Color has no attribute 'BLUE' in kernels: it has RED",),
    "a[0] = Point(1, 2).z": ("has no attribute 'z' in kernels: it has x, y",),
    "a[0] = Point(1)": ("Point(x, y): missing a required argument: 'y'",),
    "a[0] = nosuchname": ("the name 'nosuchname' is not defined",),
    "a[0] = BIG": ("does not fit into 64 bits",),
    "a[0] = 1180591620717411303424": ("the integer 1180591620717411303424 does not fit into 64 bits",),
    "a[0] = input()": ("input is not available in kernels",),
    "a[0] = eval('3')": ("eval is not available in kernels",),
    "a[0] = time.time()": ("time.time is not available in kernels", "pass it as an argument"),
    "for v in itertools.count(): a[0] = v": ("itertools.count is not available in kernels",),
    # functions
    "a[0] = plain(n)": ("'plain' is an ordinary Python function: decorate it with @nv.jit",),
    "a[0] = labs(n)": ("'labs' is not available in kernels", "@nv.jit"),
    "a[0] = cached(n)": ("'cached' is not available in kernels", "@nv.jit"),
    "a[0] = added(n)": ("added(v, w): missing a required argument: 'w'",),
    "a[0] = added(n, 2, 3)": ("added(v, w): too many positional arguments, 3 for 2",),
    "a[0] = added(n, ww=2)": ("added(v, w) has no parameter 'ww'",),
    "a[0] = added(n, v=2)": ("added(v, w): multiple values for argument 'v'",),
    "a[0] = by_keyword(n, w=2)": ("given by keyword only", "make 'w' an ordinary parameter"),
    "f = added if n else factorial\na[0] = f(n)": (
        "the function added or the function factorial",
        "call each in a branch",
    ),
    "f = np.sin if n else np.cos\na[0] = f(n)": (
        "the function sin or the function cos",
        "call each in a branch",
    ),
    "a[0] = one_or_other(a, n)": (
        "'one_or_other' returns an array of int32 with 1 axis or an int64",
        "one type",
    ),
    "a[0] = n(3)": ("an int64 cannot be called",),
    "a[0] = isinstance(n, thing)": ("'thing' is of type Thing",),
    "other_kernel[1, 1](a)": ("kernels cannot launch kernels: call other_kernel(...)",),
    "other_kernel.forall(3)(a)": ("kernels cannot launch kernels: call other_kernel(...)",),
    "nv.synchronize()": (f"nv.synchronize {_HOST}",),
    "a[0] = nv.to_device(a)[0]": (f"nv.to_device {_HOST}",),
    "a[0] = nv.nosuch": ("nv.nosuch does not exist",),
    "a[0] = nv.global_size(0)": (
        "nv.global_size does not exist: write nv.num_groups(axis) * nv.local_size(axis)",
    ),
    "i = cuda.grid(1)": ("cuda.grid belongs to numba.cuda: write nv.global_id(axis)",),
    "i = grid(1)": ("grid belongs to numba.cuda: write nv.global_id(axis)",),
    "a[0] = cuda.threadIdx.x": ("cuda.threadIdx belongs to numba.cuda: write nv.local_id(axis)",),
    "cuda.syncthreads()": ("cuda.syncthreads belongs to numba.cuda: write nv.barrier()",),
    "s = cuda.shared.array(3, np.int32)": ("belongs to numba.cuda: write nv.shared.array(shape, dtype)",),
    "cuda.atomic.add(a, 0, 1)": ("belongs to numba.cuda: write nv.atomic",),
    "nv.barrier(n)": ("nv.barrier(): too many positional arguments",),
    "nv.atomic.add(a, 0)": ("nv.atomic.add(array, index, value): missing a required argument: 'value'",),
    "nv.atomic.add(a, 0.5, 1)": ("one integer for each of 1 axes, not a float64",),
    "nv.atomic.add(n, 0, 1)": ("atomic.add works on elements of arrays, not on an int64",),
    "s = nv.shared.array(4)": ("nv.shared.array(shape, dtype): missing a required argument: 'dtype'",),
    "a[0] = nv.subgroup.sum('x')": ("subgroup.sum does not take a text",),
    "a[nv.global_id()] = 1": ("global_id(axis) takes one argument, the axis: 0, 1 or 2",),
    "a[0] = nv.globalid(0)": ("nv.globalid does not exist: did you mean nv.global_id?",),
    "a[0] = nv.grid(1)": ("nv.grid does not exist: write nv.global_id(axis)",),
    "a[0] = nv.thread_id(0)": ("nv.thread_id does not exist: write nv.global_id(axis)",),
    "t = nv.shared_array(3, np.int32)": ("did you mean nv.shared.array?",),
    "a[0] = np.sinn(n)": ("np.sinn does not exist: did you mean np.sin?",),
    "a[0] = math.sqr(n)": ("math.sqr does not exist: did you mean math.sqrt?",),
    "i = nv.global_id\nif i < 3: a[0] = 1": ("call it, as in nv.global_id(axis)",),
    "a[nv.global_id] = 1": ("call it, as in nv.global_id(axis)",),
    "a[0] = math.log(8.0, 2.0)": ("math.log takes 1 argument", "not 2", "math.log(x) / math.log(b)"),
    "a[0] = math.hypot(1.0, 2.0, 3.0)": ("math.hypot takes 2 arguments in kernels, not 3",),
    "a[0] = math.gcd(1, 2, 3)": ("math.gcd takes 2 arguments", "math.gcd(math.gcd(x, y), z)"),
    "a[0] = np.maximum(1, 2, 3)": ("np.maximum takes 2 arguments", "np.maximum(np.maximum(x, y), z)"),
    "a[0] = np.sin(1.0, a, a)": ("np.sin takes 1 argument in kernels, not 3",),
    "d = np.datetime64('2020-01-01')": ("make the date a global, or an argument",),
    "d = np.timedelta64(3, 'D')": ("make the duration a global, or an argument",),
    # arrays
    "if a > 0: a[0] = 1": ("(x > 0).any()",),
    "if a > 0 and a < 3: a[0] = 1": ("(x > 0) & (x < 3)",),
    "if 0 < a < 3: a[0] = 1": ("(x > 0) & (x < 3)",),
    "while a > 0: a[0] = 1": ("(x > 0).any()",),
    "a[0] = a[a][0]": ("indexing an array with an array is not supported in kernels: loop over the indices",),
    "a[a > 0] = 3": ("indexing an array with a mask is not supported in kernels: write np.where",),
    "a[0] = a[0, 0]": ("2 indices for an array with 1 axis",),
    "a[0, 0] = 1": ("2 indices for an array with 1 axis",),
    "a[0.5] = 1": (f"{_INDEX} a float64: convert it with int(...)",),
    "a[0] = a[n * 0.5]": (f"{_INDEX} a float64: convert it with int(...)",),
    "a[True] = 1": (f"{_INDEX} a bool",),
    "a[...,...] = 1": ("an index has one ellipsis at most",),
    "a[0] = a.nosuch": ("'a' is an array, and arrays have no attribute 'nosuch'",),
    "a[0] = a.nosuch(3)": ("arrays have no attribute 'nosuch'",),
    "a.shape = (2, 2)": (
        "attribute 'shape' of an array of int32 with 1 axis cannot be assigned: use x.reshape(...)",
    ),
    "a.dtype = np.int64": ("attribute 'dtype' of an array of int32 with 1 axis cannot be assigned",),
    "a.nosuch = 3": ("attribute 'nosuch' of an array of int32 with 1 axis cannot be assigned",),
    "a[0] = n.nosuch": ("an int64 has no attribute 'nosuch' in kernels",),
    "a[0] = a": ("an array cannot be assigned to an element of an array of int32",),
    "a[0] = None": ("None cannot be assigned to elements of an array of int32",),
    "a[0] = (1, 2)": ("a tuple (int64, int64) cannot be assigned to elements",),
    "a[0] = 1j": ("a complex128 cannot be assigned to elements of an array of int32",),
    "a[0] = np": ("the module numpy cannot be assigned",),
    "TABLE[0] = 1": ("'TABLE' is a global array, and those are constant in kernels: pass it as an argument",),
    "o = a.copy()\no[0] = 1": ("'o' is an operation on arrays, or a copy, which has no memory",),
    "b = a if n else n\na[0] = 1": ("an array of int32 with 1 axis or an int64", "use a variable for each"),
    "b = a if n else a[None]\nb[0] = 1": (
        "1 axis or an array of int32 with 2 axes",
        "use a variable for each",
    ),
    "b = a[None].T[:, 0:1].T.reshape(3, n)": ("this reshape would need a copy",),
    "a[0] = not a": ("'not' does not take an array", "x.any()"),
    "a[0] = n << 0.5": ("'<<' does not take an int64 and a float64", "int(...)"),
    "a[0] = n @ n": ("'@' does not take an int64 and an int64", "numbers are multiplied with *"),
    "b = (1, 2)\nb[0] = 3": ("a tuple cannot be changed: make a new one",),
    "a[0] = (1, (2, 3))[n]": ("the members of this tuple are of different types", "literal_unroll"),
    "a[0] = (1, 2)[5]": ("index 5 of a tuple that has 2 members",),
    "a[0] = n[0]": ("an int64 cannot be indexed in kernels: 'n' is one",),
    "a[0] = a.sum(axis=3)": ("sum along axis 3 of an array with 1 axes",),
}

# What is not said to users: names of Numba's and this package's own code, and types as these write them.
INTERNAL = (
    "$",
    "(int64)",
    "<class",
    "<function",
    "<numba",
    "<built-in",
    "Failed in",
    "Function(",
    "Literal[",
    "NUMBA_DEVELOPER_MODE",
    "Optional",
    "Overload",
    "Tuple(",
    "Type(",
    "TypingError",
    "UniTuple",
    "VulkanArray",
    "_rule",
    "builtin_function",
    "dispatcher",
    "frontend",
    "impl",
    "ir.",
    "lowering",
    "nopython",
    "numba/",
    "numba_vulkan.",
    "opcode",
    "phi",
    "pipeline",
    "site-packages",
    "unicode_type",
    "vulkan array(",
)
