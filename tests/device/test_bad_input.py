"""What users get wrong ends in an error that names the thing, the place and the remedy, and nothing is written."""

import numpy as np
import pytest
from numba.core.errors import NumbaError

import numba_vulkan as nv


@nv.jit
def fill(x, value):
    i = nv.global_id(0)
    if i < x.size:
        x[i] = value


@pytest.mark.parametrize("extent", [-1, (3, -1), np.int64(-5)])
def test_negative_extents(device, extent):
    with pytest.raises(ValueError, match="extent of forall must not be less than 0"):
        fill.forall(extent)


@pytest.mark.parametrize("extent", [1.0, "3", None, (2, 3.5), True])
def test_extents_that_are_no_integers(device, extent):
    with pytest.raises(TypeError, match="extent of forall must be an integer"):
        fill.forall(extent)


@pytest.mark.parametrize("extent", [(1, 2, 3, 4), ()])
def test_grids_of_too_many_axes(device, extent):
    with pytest.raises(ValueError, match="1 to 3 axes"):
        fill.forall(extent)


@pytest.mark.parametrize("size", [0, -1, (4, 0)])
def test_local_sizes_below_one(device, size):
    with pytest.raises(ValueError, match="local_size must not be less than 1"):
        fill.forall(4, local_size=size)
    with pytest.raises(ValueError, match="local_size must not be less than 1"):
        fill[1, size]


def test_local_sizes_beyond_the_device(device):
    x = np.zeros(4, np.int32)
    with pytest.raises(nv.VulkanSupportError) as caught:
        fill.forall(4, local_size=1 << 20)(x, 1)
    assert str(1 << 20) in str(caught.value)
    assert str(device.info.max_local_invocations) in str(caught.value)
    assert (x == 0).all()


@pytest.mark.parametrize("configuration", [3, (1,), (1, 2, None, 4, 5)])
def test_launch_configurations_of_the_wrong_length(device, configuration):
    with pytest.raises(ValueError, match=r"kernel\[groups, local_size\]"):
        fill[configuration]


def test_calls_without_a_launch_configuration(device):
    with pytest.raises(TypeError, match=r"'fill'.*forall\(extent\)"):
        fill(np.zeros(1), 1)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([1, 2], "list: pass np.array(x)"),
        ("text", "str: kernels take no texts"),
        ({1: 2}, "dict: pass its members as an array or a tuple"),
        ({1, 2}, "set: pass its members"),
        (fill, "a function: kernels call functions that are globals"),
        (len, "a function: kernels call functions that are globals"),
        (slice(2), "slice: pass NumPy arrays"),
        (np.array(["a"]), "<U1"),
        (np.array([object()]), "object"),
        (np.zeros(2, [("a", np.int32), ("name", "U4")]), "field 'name'"),
        (np.zeros(2, [("p", [("a", np.int32), ("b", ">f4")])]), "field 'p.b'"),
        (np.zeros(2, [("a", np.int32), ("o", object)]), "field 'o'"),
        (np.zeros(2, [("x", np.longdouble, (2,))]), "field 'x'"),
        (np.zeros(2, ">i4"), "byte order"),
        (np.ma.masked_array(np.zeros(3), [0, 1, 0]), "filled"),
        (2**64, "64 bits"),
        (-(2**63) - 1, "64 bits"),
    ],
)
def test_arguments_of_unsupported_types(device, value, message):
    x = np.zeros(4, np.int32)
    with pytest.raises(nv.KernelArgumentError) as caught:
        fill.forall(4)(x, value)
    text = str(caught.value)
    assert "'value'" in text
    assert "'fill'" in text
    assert "test_bad_input.py:" in text
    assert message in text
    assert (x == 0).all()


@pytest.mark.parametrize("args", [(), (np.zeros(3),), (np.zeros(3), 1, 2)])
def test_the_wrong_number_of_arguments(device, args):
    with pytest.raises(TypeError, match="'fill'"):
        fill.forall(3)(*args)


def test_unknown_devices(device):
    for which in ("no such device", 99, -99):
        with pytest.raises(nv.VulkanSupportError) as caught:
            fill.forall(3, device=which)(np.zeros(3, np.int32), 1)
        assert str(which) in str(caught.value)
        assert device.info.name in str(caught.value)


def compile_error(kernel, *args):
    """Launch a kernel that must not compile; return the error's text."""
    with pytest.raises(NumbaError) as caught:
        kernel.forall(3)(*args)
    return str(caught.value)


def test_kernels_return_nothing(device):
    @nv.jit
    def returns(x):
        return x[0]

    text = compile_error(returns, x := np.zeros(3, np.float32))
    assert "'returns' returns a float32" in text
    assert "test_bad_input.py" in text
    assert (x == 0).all()


def test_refused_kernels_stay_usable(device):
    @nv.jit
    def first(x, values):
        x[0] = values[1] + 1

    x = np.zeros(3, np.int32)
    says = "an int64 cannot be indexed in kernels"
    for _ in range(2):
        assert says in compile_error(first, x, 3)
        first[1, 1](x, np.arange(3, dtype=np.int32))
        assert x[0] == 2
    first[1, 1](x, (5, 6))
    assert x[0] == 7


def test_a_refusal_ends_when_its_cause_does(device):
    names = {"nv": nv}
    exec("@nv.jit\ndef calls(x):\n    x[0] = missing(x[1])", names)
    x = np.arange(3, dtype=np.int32)
    assert "the name 'missing' is not defined" in compile_error(names["calls"], x)
    names["missing"] = lambda v: v + 4
    assert "'missing' is an ordinary Python function: decorate it" in compile_error(names["calls"], x)
    names["missing"] = nv.jit(names["missing"])
    names["calls"][1, 1](x)
    assert x[0] == 5


def test_recursion(device):
    @nv.jit
    def factorial(n):
        if n <= 1:
            return 1
        return n * factorial(n - 1)

    @nv.jit
    def kernel(x):
        x[0] = factorial(x[1])

    text = compile_error(kernel, np.ones(3, np.int64))
    assert "factorial" in text
    assert "recursion is not supported in kernels" in text
    assert "write a loop" in text


def test_try_except(device):
    @nv.jit
    def tries(x):
        try:
            x[0] = 1
        except Exception:
            x[0] = 2

    text = compile_error(tries, np.zeros(3))
    assert "try/except is not supported" in text
    assert "test_bad_input.py" in text


def test_functions_of_numba_that_manage_memory(device):
    @nv.jit
    def hashes(x):
        x[0] = hash(x[0])

    assert "whose size is known only at run time, which kernels do not have" in compile_error(
        hashes, np.zeros(3, np.int32)
    )


def test_generators(device):
    @nv.jit
    def yields(x):
        yield x[0]

    text = compile_error(yields, np.zeros(3, np.float32))
    assert "'yields'" in text or "yields' is a generator" in text
    assert "generator" in text


def test_lists(device):
    @nv.jit
    def builds(x):
        values = [1, 2, 3]
        x[0] = values[1]

    assert "lists are not supported in kernels" in compile_error(builds, np.zeros(3, np.int32))


def test_math_that_does_not_exist(device):
    import math

    @nv.jit
    def combinations(x):
        x[0] = math.comb(x[0], 2)

    text = compile_error(combinations, np.zeros(3, np.int32))
    assert "math.comb is not available in kernels" in text
    assert "sqrt" in text


def test_an_axis_chosen_at_run_time(device):
    @nv.jit
    def sizes(axis, x):
        x[0] = nv.local_size(axis)

    for axis, expected in enumerate((2, 3, 4)):
        sizes[1, (2, 3, 4)](axis, x := np.zeros(1, np.int32))
        assert x[0] == expected
    for axis in (3, -1):
        with pytest.raises(ValueError, match="axis of an id must be 0, 1 or 2"):
            sizes[1, 1](axis, np.zeros(1, np.int32))


def test_an_axis_beyond_the_grid(device):
    @nv.jit
    def fourth(x):
        x[nv.global_id(3)] = 1

    assert "the axis must be 0, 1 or 2" in compile_error(fourth, np.zeros(3, np.int32))


@pytest.mark.parametrize("index", ["x[0, 0, 0]", "x[..., ...][0, 0]", "x[1.5, 0]", "x[x[0]][0, 0]"])
def test_indices_that_do_not_fit(device, index):
    namespace = {"nv": nv}
    exec(f"def indexes(x, out):\n    out[0] = {index}\n", namespace)
    text = compile_error(nv.jit(namespace["indexes"]), np.zeros((3, 3), np.int32), np.zeros(1, np.int32))
    assert "ind" in text or "ellipsis" in text


def test_writing_to_a_read_only_array(device):
    x = np.zeros(3, np.int32)
    x.flags.writeable = False
    text = compile_error(fill, x, 1)
    assert "read-only" in text
    assert (x == 0).all()


def test_decorating_something_else(device):
    with pytest.raises(TypeError, match="@jit decorates Python functions"):
        nv.jit(["void(int32)"])
    with pytest.raises(ValueError, match="narrow="):
        nv.jit(narrow="x")(lambda x: None)
    with pytest.raises(TypeError, match="no option 'fast_math': it takes narrow, fma, fastmath"):
        nv.jit(fast_math=True)
    with pytest.raises(TypeError, match="no option 'device': leave it out: any function under @nv"):
        nv.jit(device=True)
    with pytest.raises(TypeError, match="no option 'cache': kernels are compiled anew in each process"):
        nv.jit(cache=True)


@pytest.mark.parametrize(
    ("option", "values", "error"),
    [
        ("narrow", ("x", 1, 0, [], "Ints"), ValueError),
        ("error_model", ("numpyy", None, True), ValueError),
        ("inline", ("x", True, None), ValueError),
        ("require_subgroup_size", (3, 0, -4), ValueError),
        ("require_subgroup_size", ("32", 32.0, [32]), TypeError),
        *(
            (name, ("x", 1, [], 0.0), TypeError)
            for name in ("boundscheck", "fma", "fastmath", "narrow_math", "debug", "nogil", "nopython")
        ),
    ],
)
def test_options_of_other_types_are_refused_where_they_are_written(device, option, values, error):
    for value in values:
        with pytest.raises(error, match=option):
            nv.jit(**{option: value})


def test_coroutines(device):
    with pytest.raises(TypeError, match="'later' is an `async def`: write `def`"):

        @nv.jit
        async def later(x):
            x[0] = 1

    with pytest.raises(TypeError, match="'many' is an `async def`"):

        @nv.jit
        async def many(x):
            yield x[0]


def test_float64_refused_where_it_is_not(device):
    if device.info.float64:
        pytest.skip("the device has float64")

    @nv.jit(narrow=False)
    def exact(x):
        x[0] = x[0] * 2.0

    x = np.ones(3)
    with pytest.raises(nv.VulkanSupportError, match=r"'exact'.*float64.*SwiftShader.*narrow='floats'"):
        exact.forall(3)(x)
    assert (x == 1).all()


def test_ids_on_the_host(device):
    with pytest.raises(RuntimeError, match=r"global_id\(\) can only be called inside a kernel"):
        nv.global_id(0)
