"""The compiled functions of the math library: precision, and what they call."""

from __future__ import annotations

import pytest
from numba.core.compiler_lock import global_compiler_lock

from numba_vulkan import abi, mathbuild
from numba_vulkan.kernel import TargetProfile
from numba_vulkan.mathlib import library
from numba_vulkan.mathlib.table import FUNCTIONS
from numba_vulkan.mathmode import MathMode
from numba_vulkan.middle import math_calls


@pytest.mark.parametrize("name", ["exp", "log", "sin", "atan2", "fmod", "frexp", "pow", "tanh"])
def test_float32_functions_need_no_float64_and_no_wide_integers(name):
    mathbuild.install()
    with global_compiler_lock:
        text = library.assembly(FUNCTIONS[name].symbol("f32"))
    body = text[text.index("define") : text.index("\n}")]
    for type in ("double", "i64", "alloca", "!dbg"):
        assert type not in body
    called = {
        part.split("(")[0].strip('"') for part in body.split("call ")[1:] for part in part.split("@")[1:2]
    }
    assert all(name in abi.PLACEHOLDERS or name.startswith("llvm.") for name in called)
    assert not called & {*abi.DRIVER.values()}


def test_narrowed_functions_call_those_of_float32():
    mathbuild.install()
    answers = math_calls.answer(["nv.math.frexp.f64"], TargetProfile(float64=False))
    (wrapper,) = answers.wrappers
    assert answers.symbols == ("nv.math.frexp.f32",)
    assert "define { double, i32 } @nv.math.frexp.f64(double %0)" in wrapper
    assert "call { float, i32 } @nv.math.frexp.f32(float %n0)" in wrapper


def test_fast_functions_take_the_place_of_those_of_float32():
    mathbuild.install()
    profile = TargetProfile(math=MathMode(fastmath=True))
    answers = math_calls.answer(["nv.math.exp.f32", "nv.math.exp.f64", "nv.math.erf.f32"], profile)
    (forwarding,) = answers.wrappers
    assert "define float @nv.math.exp.f32" in forwarding
    assert answers.symbols == ("nv.math.exp.fast", "nv.math.exp.f64", "nv.math.erf.f32")
    with global_compiler_lock:
        assert "nv.driver.exp2.f32" in library.assembly("nv.math.exp.fast")


@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_sines_and_cosines_are_computed_together(precision):
    symbols = [f"nv.math.{name}.{precision}" for name in ("cos", "exp", "sin")]
    answers = math_calls.answer(symbols, TargetProfile())
    assert len(answers.wrappers) == 2
    assert set(answers.symbols) == {f"nv.math.exp.{precision}", f"nv.math.sincos.{precision}"}
    assert math_calls.answer(symbols[:2], TargetProfile()).symbols == tuple(symbols[:2])


def test_functions_are_read_from_the_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_VULKAN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(library, "_known", {})
    made = []
    monkeypatch.setattr(library, "_compilers", [lambda symbol: made.append(symbol) or f"; {symbol}"])
    assert library.assembly("nv.math.exp.f32") == "; nv.math.exp.f32"
    monkeypatch.setattr(library, "_known", {})
    assert library.assembly("nv.math.exp.f32") == "; nv.math.exp.f32"
    assert made == ["nv.math.exp.f32"]
