"""Math functions at work: ours against numba-cuda's on one GPU in one run, or against the published package.

Whole kernels (Black-Scholes, sines and cosines) and single functions, each called in a loop over arguments that differ
by a step. The kernels of `twins` do the same with functions written by hand in GLSL, without contraction: what the
driver makes of formulas that went through no compiler of ours. Without numba-cuda only our times are printed.
"""

from __future__ import annotations

import argparse
import math
import statistics
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from _timing import elapsed, in_turn, median_ratio, save, table

import numba_vulkan as nv
from numba_vulkan import parameters
from numba_vulkan.kernel import (
    ArrayArgument,
    CompiledKernel,
    KernelInterface,
    ScalarArgument,
    TargetProfile,
    Variant,
)

try:
    from numba import cuda

    HAS_CUDA = cuda.is_available()
except ImportError:
    HAS_CUDA = False

TWINS = Path(__file__).with_name("twins")
FLOATS = {"f32": np.float32, "f64": np.float64}
SOURCES = {
    "call": """
def call(x, out, step, calls):
    i = ID
    if i < x.size:
        value = x[i]
        total = value
        for _ in range(calls):
            value += step
            total += FUNCTION
        out[i] = total
""",
    "black-scholes": """
def black_scholes(price, strike, years, rate, volatility, call, put):
    i = ID
    if i < price.size:
        s, k, t = price[i], strike[i], years[i]
        root = math.sqrt(t)
        d1 = (math.log(s / k) + (rate + HALF * volatility * volatility) * t) / (volatility * root)
        d2 = d1 - volatility * root
        n1 = HALF * math.erfc(-d1 * ROOT_HALF)
        n2 = HALF * math.erfc(-d2 * ROOT_HALF)
        present = k * math.exp(-rate * t)
        value = s * n1 - present * n2
        call[i] = value
        put[i] = value - s + present
""",
    "sines": """
def sines(x, out):
    i = ID
    if i < x.size:
        value = x[i]
        total = value
        for _ in range(16):
            total += math.sin(value) + math.cos(value)
            value += STEP
        out[i] = total
""",
}
# Of each function the call and the interval of its arguments.
CALLS: dict[str, tuple[str, float, float]] = {
    "exp": ("math.exp(value)", -10, 10),
    "expm1": ("math.expm1(value)", -4, 4),
    "log": ("math.log(value)", 0.01, 100),
    "log2": ("math.log2(value)", 0.01, 100),
    "log10": ("math.log10(value)", 0.01, 100),
    "log1p": ("math.log1p(value)", -0.9, 10),
    "sin": ("math.sin(value)", -20, 20),
    "cos": ("math.cos(value)", -20, 20),
    "tan": ("math.tan(value)", -20, 20),
    "asin": ("math.asin(value)", -0.99, 0.9),
    "acos": ("math.acos(value)", -0.99, 0.9),
    "atan": ("math.atan(value)", -10, 10),
    "atan2": ("math.atan2(value, x[i])", -10, 10),
    "sinh": ("math.sinh(value)", -10, 10),
    "cosh": ("math.cosh(value)", -10, 10),
    "tanh": ("math.tanh(value)", -4, 4),
    "asinh": ("math.asinh(value)", -10, 10),
    "acosh": ("math.acosh(value)", 1, 100),
    "atanh": ("math.atanh(value)", -0.99, 0.9),
    "sqrt": ("math.sqrt(value)", 0.01, 100),
    "divide": ("step / value", 1, 100),
    "hypot": ("math.hypot(value, x[i])", -10, 10),
    "pow": ("math.pow(value, x[i])", 0.1, 10),
    "fmod": ("math.fmod(value, step)", 1, 100),
    "erf": ("math.erf(value)", -3, 3),
    "erfc": ("math.erfc(value)", -3, 3),
    "gamma": ("math.gamma(value)", 0.1, 20),
    "lgamma": ("math.lgamma(value)", 0.1, 20),
}
NUMBER_OF_CALLS = 128
CONSTANTS = {"HALF": 0.5, "ROOT_HALF": math.sqrt(0.5), "STEP": 0.01}
IDS = {"vulkan": "nv.global_id(0)", "cuda": "cuda.grid(1)"}


def build(text: str, names: dict[str, object], jit: Callable[..., Any]) -> Any:
    namespace = {"nv": nv, "np": np, "math": math, "cuda": cuda if HAS_CUDA else None, **names}
    exec(compile(text, "<benchmark>", "exec"), namespace)
    return jit(namespace[text.split("def ")[1].split("(")[0]])


class Problem:
    """One kernel with its arguments."""

    def __init__(self, name: str, precision: str, count: int) -> None:
        self.floats = FLOATS[precision]
        self.precision = precision
        self.name = name
        self.names = {key: self.floats(value) for key, value in CONSTANTS.items()}
        rng = np.random.default_rng(0)
        if name == "black-scholes":
            ranges, results = ((5, 30), (1, 100), (0.25, 10)), 2
            self.text, self.scalars = SOURCES[name], (self.floats(0.02), self.floats(0.3))
        else:
            expression, low, high = CALLS.get(name, ("", 0, 8))
            ranges, results = ((low, high),), 1
            self.text, self.scalars = SOURCES["sines"], ()
            if expression:
                self.text = SOURCES["call"].replace("FUNCTION", expression)
                self.scalars = (self.floats((high - low) * 1e-3), np.int32(NUMBER_OF_CALLS))
        self.inputs = [rng.uniform(a, b, count).astype(self.floats) for a, b in ranges]
        self.results = [np.zeros(count, self.floats) for _ in range(results)]

    def arguments(self, to_device: Callable[[np.ndarray], Any]) -> tuple[list[Any], list[Any]]:
        """Return the arguments on a device, and the arrays of results among them."""
        inputs, results = ([to_device(a) for a in arrays] for arrays in (self.inputs, self.results))
        if self.name == "black-scholes":
            return [*inputs, *self.scalars, *results], results
        return [*inputs, *results, *self.scalars], results


class Work:
    """Times the launches of one kernel; `results` are what it computed."""

    def __init__(
        self, launch: Callable[[], Any], wait: Callable[[], Any], result: Any, launches: int
    ) -> None:
        self._launch, self._wait, self._result, self._launches = launch, wait, result, launches

    def __call__(self) -> float:
        return elapsed(self._run) / self._launches

    def _run(self) -> None:
        for _ in range(self._launches):
            self._launch()
        self._wait()

    def result(self) -> np.ndarray:
        self._launch()
        self._wait()
        return self._result.copy_to_host()


def ours(problem: Problem, launches: int, **options: object) -> Work:
    text = problem.text.replace("ID", IDS["vulkan"])
    kernel = build(text, problem.names, lambda f: nv.jit(f, **options))
    arguments, results = problem.arguments(nv.to_device)
    configured = kernel.forall(results[0].size, local_size=256)
    return Work(lambda: configured(*arguments), nv.synchronize, results[-1], launches)


def with_cuda(problem: Problem, launches: int, fastmath: bool) -> Work:
    text = problem.text.replace("ID", IDS["cuda"])
    kernel = build(text, problem.names, cuda.jit(fastmath=fastmath))
    arguments, results = problem.arguments(cuda.to_device)
    configured = kernel[-(-results[0].size // 256), 256]
    return Work(lambda: configured(*arguments), cuda.synchronize, results[-1], launches)


def twin(file: Path, problem: Problem, launches: int) -> Work:
    """The kernel `call` with a function of `twins`."""
    step_type = problem.precision
    block = parameters.lay_out(
        (
            parameters.Parameter(2, "scalar", 0, step_type),
            parameters.Parameter(3, "scalar", 0, "i32"),
            parameters.Parameter(0, "extent", 0, "i32"),
        )
    )
    arrays = (ArrayArgument(0, step_type, 1, "C"), ArrayArgument(1, step_type, 1, "C"))
    scalars = (ScalarArgument(2, step_type, problem.floats.__name__), ScalarArgument(3, "i32", "int32"))
    interface = KernelInterface(file.stem.replace("-", "_"), file.name, 1, (*arrays, *scalars), block)
    kernel = CompiledKernel(
        interface=interface,
        variant=Variant(TargetProfile()),
        llvm_ir="",
        spirv=file.read_bytes(),
        capabilities=("Shader",) if step_type == "f32" else ("Shader", "Float64"),
        bindings=frozenset({1, 2}),
        written_bindings=frozenset({2}),
        reports_status=False,
    )
    device = nv.get_device()
    (x, out, step, calls), _ = problem.arguments(nv.to_device)
    buffers = {1: x.buffer, 2: out.buffer}
    push = struct.pack("<fii" if step_type == "f32" else "<dii", step, calls, x.size)
    groups = (-(-x.size // 256), 1, 1)
    launch = lambda: device.launch(kernel, groups, buffers, push, local_size=(256, 1, 1))  # noqa: E731
    return Work(launch, nv.synchronize, out, launches)


def largest_difference(left: np.ndarray, right: np.ndarray) -> float:
    """Return the largest relative difference of two results."""
    scale = np.maximum(np.abs(left), np.abs(right)).astype(np.float64) + 1e-300
    return float(np.nanmax(np.abs(left.astype(np.float64) - right) / scale))


def measure(problem: Problem, launches: int, options: list[str]) -> dict[str, Any]:
    works = {"vulkan": ours(problem, launches)}
    for option in options:
        works[option] = ours(problem, launches, **{option: True})
    if HAS_CUDA:
        works["cuda"] = with_cuda(problem, launches, fastmath=False)
        if problem.precision == "f32":
            works["cuda fastmath"] = with_cuda(problem, launches, fastmath=True)
    for file in sorted(TWINS.glob(f"{problem.name}*.{problem.precision}.spv")):
        works[f"twin {file.name.removesuffix(f'.{problem.precision}.spv')}"] = twin(file, problem, launches)
    times = in_turn(works, 7)
    base = works["vulkan"].result()
    found: dict[str, Any] = {}
    for name, values in times.items():
        found[name] = {"seconds": statistics.median(values)}
        if name != "vulkan":
            found[name]["ours over this"] = median_ratio(times["vulkan"], values)
            found[name]["difference"] = largest_difference(works[name].result(), base)
    return found


def show(name: str, precision: str, count: int, found: dict[str, Any]) -> list[str]:
    """Return a row: ps per call (µs per launch for whole kernels), and our time over each of the others'."""
    calls = count * NUMBER_OF_CALLS if name in CALLS else 1
    unit = 1e12 if name in CALLS else 1e6
    cells = [f"{unit * found['vulkan']['seconds'] / calls:.2f}"]
    for other in ("cuda", "cuda fastmath"):
        row = found.get(other)
        cells += (
            [f"{unit * row['seconds'] / calls:.2f}", f"{row['ours over this']:.2f}"] if row else ["-", "-"]
        )
    rest = [key for key in found if key not in ("vulkan", "cuda", "cuda fastmath")]
    cells.append(" ".join(f"{key} {unit * found[key]['seconds'] / calls:.2f}" for key in rest))
    return [f"{name} {precision}", *cells]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="kernels and functions; all by default")
    parser.add_argument("--precision", choices=("f32", "f64"), action="append")
    parser.add_argument("--option", action="append", default=[], help="an option of @jit to measure as well")
    arguments = parser.parse_args()
    device = nv.get_device()
    on_gpu = device.info.kind != "cpu"
    rows: list[list[str]] = []
    measured: dict[str, Any] = {}
    for precision in arguments.precision or ("f32", "f64"):
        for name in arguments.names or ("black-scholes", "sines", *CALLS):
            whole = name not in CALLS
            count = 1 << ((24 if whole else 22) if on_gpu else (20 if whole else 16))
            found = measure(Problem(name, precision, count), 5 if on_gpu else 1, arguments.option)
            measured[f"{name} {precision}"] = found
            rows.append(show(name, precision, count, found))
            print("  ".join(rows[-1]), flush=True)
    print(f"ps per call, µs per launch of whole kernels, on '{device.info.name}'")
    table(["function", "ours", "cuda", "ratio", "fastmath", "ratio", "others"], rows)
    save("math_functions", device.info.name, measured)


if __name__ == "__main__":
    main()
