"""What kernels do not have, and what to write instead: tables of names, for error messages."""

from __future__ import annotations

import numpy as np

__all__ = [
    "ARRAY_ATTRIBUTES",
    "BUILTINS",
    "COMPREHENSION",
    "CONTAINERS",
    "CUDA",
    "FORMATS",
    "NO_IMPLEMENTATION",
    "NUMPY",
    "RANDOM",
    "TEXTS",
    "TRUTH",
    "USE_OF_ARRAY",
    "VAGUE",
    "is_array_attribute",
]

CONTAINERS = (
    "are not supported in kernels, where nothing has a size known only at run time: use a tuple, or an array"
)
COMPREHENSION = f"comprehensions and generator expressions {CONTAINERS} that a loop fills"
TEXTS = "texts are supported in print and raise only: kernels cannot compare or index them, or choose between them"
TRUTH = (
    "an operation on arrays has many truth values: write (x > 0).any() or (x > 0).all(), and combine comparisons as in "
    "(x > 0) & (x < 3)"
)
FORMATS = "texts are formatted by f-strings in kernels: write f'{x} items' for '%d items' % x"

# What Numba does with arrays on the CPU that arrays without pointers cannot do; the line's own names say more.
USE_OF_ARRAY = (
    "this use of an array is not supported in kernels: index and slice it, loop over it or over range(x.shape[axis]), "
    "or reduce it"
)
# What Numba's lowering asks a target for that only its CPU target has: memory management, Python objects.
NO_IMPLEMENTATION = "this uses what kernels do not have: write it with arrays, numbers, tuples and loops"
VAGUE = (USE_OF_ARRAY, NO_IMPLEMENTATION)
_RUN_TIME_SIZE = (
    "gives an array whose size is known only at run time, which kernels cannot have: write into an array "
    "argument"
)
_SORTS = "is not supported in kernels: sort on the host, or write the sort as loops"
RANDOM = "is not available in kernels: pass an array of random numbers, or compute them from the global id"
# Functions of NumPy and methods of arrays, by their last name.
NUMPY: dict[str, str] = dict.fromkeys(
    "empty_like zeros_like ones_like full_like concatenate stack vstack hstack column_stack append unique nonzero "
    "flatnonzero argwhere repeat tile roll flatten tolist compress take cumsum cumprod diff kron convolve "
    "resize".split(),
    _RUN_TIME_SIZE,
)
NUMPY |= dict.fromkeys(
    "sort argsort partition argpartition lexsort median nanmedian percentile quantile nanpercentile "
    "nanquantile".split(),
    _SORTS,
)
NUMPY |= {
    "array": "takes a tuple of numbers in kernels: use np.empty of a constant shape, and assign to its parts",
    "asarray": "makes an array of something else: pass an array as an argument",
    "arange": "is supported for constants only: compute start + k * step in a loop",
    "einsum": "is not available in kernels: write the sum as loops",
    "allclose": "is not available in kernels: write (np.abs(x - y) <= limit).all()",
    "datetime64": "is not available in kernels: make the date a global, or an argument",
    "timedelta64": "is not available in kernels: make the duration a global, or an argument",
    "dtype": "is not available in kernels: name the type, such as np.float32",
}
# Attributes of other names that users try on arrays.
ARRAY_ATTRIBUTES: dict[str, str] = dict.fromkeys(
    "append extend insert remove pop clear".split(),
    "arrays, unlike lists, keep their size: write to elements, and count them in a variable",
)
# Built-in functions of Python.
BUILTINS: dict[str, str] = {
    "input": "kernels read nothing from the terminal: pass values as arguments",
    "open": "kernels have no files: read and write on the host",
    "eval": "kernels are compiled as they are written: write the expression itself",
    "exec": "kernels are compiled as they are written: write the statements themselves",
    "compile": "kernels are compiled as they are written: write the statements themselves",
    "breakpoint": "kernels cannot be stopped: print from them, or run the function in Python",
    "id": "values in kernels have no identity: compare them with ==",
    "callable": "types are known when a kernel is compiled: write what the answer would lead to",
    "setattr": "write the attribute, as in r.x = value",
    "vars": "types are known when a kernel is compiled: write the names themselves",
    "locals": "types are known when a kernel is compiled: write the names themselves",
    "globals": "types are known when a kernel is compiled: write the names themselves",
    "sorted": "sort on the host, or write the sort as loops",
    "map": "call the function in a loop",
    "filter": "test the condition in a loop",
    "super": "kernels have no classes: write functions",
    "object": "kernels have no objects: use numbers, tuples and records",
    "memoryview": "slice the array itself",
}
BUILTINS |= dict.fromkeys(
    "bin oct hex ascii repr".split(), "texts are made by print and f-strings: print(f'{x:b}')"
)
BUILTINS |= dict.fromkeys("bytes bytearray".split(), "pass an array of uint8")
# What numba.cuda's names, and those of other ways to number threads, are here.
CUDA: dict[str, str] = {
    "grid": "nv.global_id(axis)",
    "thread_id": "nv.global_id(axis), or nv.local_id(axis) in its workgroup",
    "gridsize": "nv.num_groups(axis) * nv.local_size(axis)",
    "global_size": "nv.num_groups(axis) * nv.local_size(axis)",
    "group_count": "nv.num_groups(axis)",
    "group_size": "nv.local_size(axis)",
    "threadIdx": "nv.local_id(axis)",
    "blockIdx": "nv.group_id(axis)",
    "blockDim": "nv.local_size(axis)",
    "gridDim": "nv.num_groups(axis)",
    "laneid": "nv.subgroup.lane()",
    "syncthreads": "nv.barrier()",
    "syncwarp": "nv.subgroup functions, which need none",
    "threadfence": "nv.fence_device()",
    "threadfence_block": "nv.fence_workgroup()",
    "shared": "nv.shared.array(shape, dtype)",
    "local": "nv.local.array(shape, dtype)",
    "const": "nv.const.array_like(array)",
    "atomic": "nv.atomic",
    "jit": "nv.jit",
}


def is_array_attribute(name: str) -> bool:
    """Return whether NumPy's arrays have an attribute."""
    return hasattr(np.ndarray, name)
