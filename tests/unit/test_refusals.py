"""What kernels cannot do is refused in the user's terms: the line, what to do instead, no names of Numba's own code."""

import numba
import numpy as np
import pytest
from numba.core import types

import numba_vulkan as nv
from device.against_python import function_of
from numba_vulkan import codegen
from numba_vulkan.errors import VulkanUnsupportedError
from numba_vulkan.frontend import entry
from numba_vulkan.frontend.types import argument_type
from numba_vulkan.kernel import TargetProfile, Variant
from unit.refused_kernels import INTERNAL, NAMES, REFUSED

VARIANT = Variant(TargetProfile())


def build(body):
    kernel = nv.jit(function_of(body, "a, n", **NAMES))
    return codegen.build(entry.lower(kernel, (argument_type(types.int32[::1]), types.int64)), VARIANT)


@pytest.mark.parametrize("body", REFUSED)
def test_refusals(body):
    with pytest.raises(VulkanUnsupportedError) as caught:
        build(body)
    error = caught.value
    missing = [fragment for fragment in REFUSED[body] if fragment not in error.msg]
    assert not missing, error.msg
    assert not [name for name in INTERNAL if name in error.msg], error.msg
    if error.loc is None:  # refused when all is inlined
        assert "<string>:2: " in error.msg or "refused_kernels.py:" in error.msg
    elif "refused_kernels" not in error.loc.filename:
        # Line 1 is the def of the kernel.
        assert 1 <= error.loc.line <= 1 + len(body.splitlines())
        assert "\n" in body or error.loc.line == 2 or "return" in body
    assert "\n" not in error.msg


@pytest.mark.slow
def test_refusals_where_the_cpu_target_was_used():
    """What Numba has loaded for the CPU makes other statements fail, or the same ones later."""

    @numba.njit
    def uses(x):
        return np.random.rand() + len([x]) + (x in np.arange(3)) + np.sort(np.arange(3))[0] + len("a".upper())

    assert uses(2) > 0
    for body in REFUSED:
        test_refusals(body)


@pytest.mark.parametrize("line", range(2, 6))
def test_the_line_of_a_refusal(line):
    statements = ["k = 0", "for v in a:", "    k += v", "a[0] = k", "a[1] = n"]
    statements[line - 1] = f"{statements[line - 1][:-1]}np.median(a){':' if line == 2 else ''}"
    with pytest.raises(VulkanUnsupportedError) as caught:
        build("\n".join(statements))
    assert caught.value.loc.line == line + 1


@pytest.mark.parametrize("launch", ["[1, 1](a, n)", ".forall(3)(a, n)"])
def test_a_kernel_that_launches_itself(launch):
    kernel = nv.jit(function_of(f"again{launch}", "a, n"))
    kernel.py_func.__globals__["again"] = kernel
    with pytest.raises(VulkanUnsupportedError, match="nor themselves: launch again from the host"):
        entry.lower(kernel, (argument_type(types.int32[::1]), types.int64))


def test_an_error_of_numbas_own_code():
    with pytest.raises(VulkanUnsupportedError, match="AttributeError: module 'math' has no attribute 'sinc'"):
        build("a[0] = 3 if hasattr(math, 'sinc') else 4")


def test_the_line_of_a_returned_value():
    with pytest.raises(VulkanUnsupportedError, match="kernels return nothing") as caught:
        build("if n > 3:\n    return\na[0] = n\nreturn a[0]")
    assert caught.value.loc.line == 5


@pytest.mark.parametrize(
    ("launch", "text"),
    [
        (lambda kernel, x: kernel.forall(x)(x, 1), "not an array: write x.size or x.shape"),
        (lambda kernel, x: kernel.forall(3)(x, m=1), "no parameter 'm'"),
        (
            lambda kernel, x: kernel.forall(3)(x, 1, 2),
            "too many positional arguments .3 arguments for 2 parameters",
        ),
    ],
)
def test_launches_with_other_arguments(launch, text):
    with pytest.raises(TypeError, match=text):
        launch(nv.jit(function_of("a[0] = n", "a, n")), np.zeros(3))
