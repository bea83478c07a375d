"""The compiled functions of the math library: precision, and what they call."""

from __future__ import annotations

import pytest
from numba.core.compiler_lock import global_compiler_lock

from numba_vulkan import abi, mathbuild
from numba_vulkan.kernel import TargetProfile
from numba_vulkan.mathlib import digests, library
from numba_vulkan.mathlib.digests import source_digest
from numba_vulkan.mathlib.sources.real import ByPrecision
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
    answers = math_calls.answer(["nv.math.exp.f32", "nv.math.exp.f64", "nv.math.gamma.f32"], profile)
    (forwarding,) = answers.wrappers
    assert "define float @nv.math.exp.f32" in forwarding
    assert answers.symbols == ("nv.math.exp.fast", "nv.math.exp.f64", "nv.math.gamma.f32")
    with global_compiler_lock:
        assert "nv.driver.exp2.f32" in library.assembly("nv.math.exp.fast")


@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_sines_and_cosines_are_computed_together(precision):
    symbols = [f"nv.math.{name}.{precision}" for name in ("cos", "exp", "sin")]
    answers = math_calls.answer(symbols, TargetProfile())
    assert len(answers.wrappers) == 2
    assert set(answers.symbols) == {f"nv.math.exp.{precision}", f"nv.math.sincos.{precision}"}
    assert math_calls.answer(symbols[:2], TargetProfile()).symbols == tuple(symbols[:2])


@pytest.fixture
def made(monkeypatch, tmp_path, caplog):
    """The symbols that are compiled, by a compiler that only names them."""
    monkeypatch.setenv("NUMBA_VULKAN_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(library, "SHIPPED", tmp_path / "shipped")
    monkeypatch.setattr(library, "_known", {})
    library._tell_once.cache_clear()
    compiled: list[str] = []
    compiler = (lambda symbol: compiled.append(symbol) or f"; {symbol}"), lambda: "compiler 1"
    monkeypatch.setattr(library, "_compilers", [compiler])
    return compiled


def test_functions_are_compiled_once_and_kept(made, monkeypatch, caplog):
    assert library.assembly("nv.math.exp.f32") == "; nv.math.exp.f32"
    assert library.assembly("nv.math.log.f32") == "; nv.math.log.f32"
    monkeypatch.setattr(library, "_known", {})
    assert library.assembly("nv.math.exp.f32") == "; nv.math.exp.f32"
    assert made == ["nv.math.exp.f32", "nv.math.log.f32"]
    assert len(caplog.messages) == 1
    assert "compiling math functions, each once" in caplog.messages[0]


def test_another_compiler_compiles_again(made, monkeypatch):
    library.assembly("nv.math.exp.f32")
    monkeypatch.setattr(library, "_known", {})
    monkeypatch.setattr(library, "_compilers", [(library._compilers[0][0], lambda: "compiler 2")])
    library.assembly("nv.math.exp.f32")
    assert made == ["nv.math.exp.f32"] * 2


def test_functions_of_a_wheel_are_not_compiled(made, caplog):
    library.SHIPPED.mkdir()
    (library.SHIPPED / library.file_name("nv.math.exp.f32")).write_text("; shipped")
    assert library.assembly("nv.math.exp.f32") == "; shipped"
    assert made == []
    assert caplog.messages == []


def test_files_are_named_after_the_sources_that_a_function_reaches():
    assert source_digest("nv.math.exp.f32") != source_digest("nv.math.exp.f64")
    # A complex function calls those of its precision.
    found = digests._reached(FUNCTIONS["cexp"].single, is_double=False)
    reached = {f.__module__.rpartition(".")[2] for f in found}
    assert {"complex_numbers", "exponential32", "huge_angles32"} <= reached
    assert not any(module.endswith("64") for module in reached)


def test_names_follow_texts_and_constants_of_what_a_function_reaches(monkeypatch):
    def digest() -> str:
        source_digest.cache_clear()
        return source_digest("nv.math.tanh.f32")

    source = FUNCTIONS["tanh"].single
    before = digest()
    text = digests._text(source)
    assert text.startswith("def tanh(")
    assert text.rpartition("\n")[2].startswith("    return copy_sign(")
    monkeypatch.setitem(source.__globals__, "EXPM1", (1.0, 2.0))
    changed = digest()
    monkeypatch.undo()
    assert changed != before
    # What only float64 uses, or another function, does not count.
    monkeypatch.setitem(source.__globals__, "EXPM1", ByPrecision(source.__globals__["EXPM1"].single, (1.0,)))
    monkeypatch.setitem(source.__globals__, "SINH", (1.0,))
    assert digest() == before
    source_digest.cache_clear()
