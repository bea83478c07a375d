"""The math library: plain Python functions over typed scalars, compiled like any function that a kernel calls.

`sources` has one file per family and precision, `primitives` what they are written with, `table` which name is which
function, `library` the compiled functions.
"""
