"""The pipeline: order of the passes, what observers see, and what a failure leaves behind."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from numba_vulkan.errors import SpirvCodegenError, VulkanUnsupportedError
from numba_vulkan.kernel import ArrayArgument, KernelInterface, LoweredKernel, TargetProfile, Variant
from numba_vulkan.llvmir.model import Function
from numba_vulkan.llvmir.parse import parse_function
from numba_vulkan.mathmode import MathMode
from numba_vulkan.middle import pipeline
from numba_vulkan.middle.pipeline import PIPELINE, Context, Fact, Pass
from numba_vulkan.narrowing import Mode

VARIANT = Variant(TargetProfile())
INTERFACE = KernelInterface("scale", "user.py", 7, (ArrayArgument(0, "i32", 1, "C"),))
CONTEXT = Context(INTERFACE, VARIANT)
TEXT = """
define void @nv_kernel() {
entry:
  %i = call i32 @nv.id.global(i32 0)
  %v = call i32 @nv.load.i32.i32(i32 1, i32 %i)
  %w = srem i32 %v, 10
  call void @nv.store.i32.i32(i32 1, i32 %i, i32 %w)
  ret void
}
"""
MODULE = """
declare i32 @nv.id.global(i32)
declare i32 @nv.load.i32.i32(i32, i32)
declare void @nv.store.i32.i32(i32, i32, i32)
"""


def parsed() -> Function:
    return parse_function(TEXT, "nv_kernel")


def broken(function: Function, context: Context) -> None:
    raise KeyError("surprise")


def test_the_documented_passes_are_those_of_the_pipeline():
    page = (Path(__file__).parents[2] / "docs" / "architecture.md").read_text()
    table = page.partition("## The passes in order")[2].partition("## ")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    assert [name for row in rows for name in re.findall("`([a-z0-9-]+)`", row)] == [p.name for p in PIPELINE]


def test_every_need_is_given_before():
    given: set[Fact] = set()
    for step in PIPELINE:
        assert step.needs <= given, f"{step.name} needs {step.needs - given}"
        given |= step.gives
    assert given == set(Fact)


def test_names_are_unique_and_those_of_modules():
    assert len({step.name for step in PIPELINE}) == len(PIPELINE)
    for step in PIPELINE:
        assert step.run.__module__ == f"numba_vulkan.middle.{step.name.replace('-', '_')}"


@pytest.mark.parametrize(
    ("profile", "skipped"),
    [
        (
            TargetProfile(),
            {
                "narrow-floats",
                "narrow-ints",
                "split-int64",
                "split-switches",
                "guard-loops",
                "hold-variables",
                "contract",
            },
        ),
        (
            TargetProfile(int64=False),
            {
                "narrow-floats",
                "narrow-ints",
                "shrink-int64",
                "divide-int64",
                "split-switches",
                "guard-loops",
                "hold-variables",
                "contract",
            },
        ),
        (
            TargetProfile(float64=False),
            {"narrow-ints", "split-int64", "split-switches", "guard-loops", "hold-variables", "contract"},
        ),
        (
            TargetProfile(mode=Mode(ints=True)),
            {
                "narrow-floats",
                "shrink-int64",
                "split-int64",
                "split-switches",
                "guard-loops",
                "hold-variables",
                "contract",
            },
        ),
        (
            TargetProfile(int64=False, float64=False, loop_limit=True, branch_depth=72, mode=Mode(ints=True)),
            {"shrink-int64", "divide-int64", "contract"},
        ),
        (
            TargetProfile(rounds_division=False, has_fused_fma=True),
            {
                "narrow-floats",
                "narrow-ints",
                "split-int64",
                "split-switches",
                "guard-loops",
                "hold-variables",
                "contract",
            },
        ),
        (
            TargetProfile(rounds_division=False, has_fused_fma=True, math=MathMode(fastmath=True)),
            {
                "narrow-floats",
                "narrow-ints",
                "split-int64",
                "split-switches",
                "guard-loops",
                "hold-variables",
            },
        ),
    ],
)
def test_devices_get_the_passes_that_they_need(profile: TargetProfile, skipped: set[str]):
    assert {step.name for step in PIPELINE if not step.when(profile)} == skipped


def test_run_shows_each_step_to_the_observer():
    seen: list[tuple[int, str, str]] = []
    lowered = LoweredKernel(INTERFACE, (MODULE + TEXT,), "nv_kernel")
    result = pipeline.run(lowered, VARIANT, lambda index, name, text: seen.append((index, name, text())))
    numbers = {step.name: index for index, step in enumerate(PIPELINE, start=1)}
    expected = [(0, "llvm")] + [(numbers[s.name], s.name) for s in PIPELINE if s.when(VARIANT.profile)]
    assert [(index, name) for index, name, _ in seen] == expected
    assert seen[0][2] == result.llvm_ir
    texts = {name: text for _, name, text in seen}
    assert "srem" in texts["expand-floats"]
    assert "srem" not in texts["rewrite-ops"]
    assert [i.opcode for i in result.function.instructions()] == [
        "call",
        "call",
        "sdiv",
        "mul",
        "sub",
        "call",
        "ret",
    ]


def test_a_failing_pass_saves_its_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    passes = (PIPELINE[0], next(s for s in PIPELINE if s.name == "rewrite-ops"), Pass("broken", broken))
    with pytest.raises(SpirvCodegenError, match="surprise") as error:
        pipeline.transform(parsed(), CONTEXT, passes, reread=parsed)
    file = tmp_path / "numba-vulkan-failure-03-broken.ll"
    assert f"kernel 'scale': pass 'broken' failed: KeyError: 'surprise'; input saved to {file.name}" in str(
        error.value
    )
    text = file.read_text()
    assert "sdiv" in text
    assert [i.opcode for i in parse_function(text, "nv_kernel").instructions()] == [
        "call", "call", "sdiv", "mul", "sub", "call", "ret"
    ]  # fmt: skip


def test_failures_go_to_the_dump_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NUMBA_VULKAN_DUMP", str(tmp_path / "dump"))
    with pytest.raises(SpirvCodegenError, match="input saved to"):
        pipeline.transform(parsed(), CONTEXT, (Pass("broken", broken),), reread=parsed)
    assert "srem" in (tmp_path / "dump" / "numba-vulkan-failure-01-broken.ll").read_text()


def test_a_text_that_cannot_be_parsed_is_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    text = TEXT.replace("srem i32 %v, 10", "load atomic i32, ptr null seq_cst, align 4")
    with pytest.raises(SpirvCodegenError, match=r"numba-vulkan-failure-00-parse.ll"):
        pipeline.run(LoweredKernel(INTERFACE, (MODULE + text,), "nv_kernel"), VARIANT)
    assert "load atomic" in (tmp_path / "numba-vulkan-failure-00-parse.ll").read_text()


def test_errors_of_users_pass_unchanged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    text = TEXT.replace("srem i32 %v, 10", "call i32 @rand()")
    with pytest.raises(
        VulkanUnsupportedError, match=r"kernel 'scale', user.py:7: kernels cannot call .*'rand'"
    ):
        pipeline.transform(parse_function(text, "nv_kernel"), CONTEXT, reread=parsed)
    assert not list(tmp_path.iterdir())


# ---- lower-access


def lowered(code: str, profile: TargetProfile) -> Context:
    function = parse_function(f"define void @f(i32 %i, i1 %c) {{\nentry:\n{code}\n  ret void\n}}", "f")
    return pipeline.transform(function, Context(INTERFACE, Variant(profile)))


def test_bindings_that_are_computed_in_unknown_ways():
    code = "  %b = add i32 %i, 1\n  %v = call i32 @nv.load.i32.i32(i32 %b, i32 %i) ; at user.py:9"
    with pytest.raises(VulkanUnsupportedError, match=r"user.py:9: this chooses between arrays"):
        lowered(code, TargetProfile())


def test_an_array_that_is_accessed_as_another_type_holds_words_in_the_end():
    codes = {
        "i32": "  call void @nv.store.i32.i32(i32 1, i32 %i, i32 0)",
        "words": "  call void @nv.store.i64.i32(i32 1, i32 %i, i64 0)",
    }
    for element, code in codes.items():
        assert lowered(code, TargetProfile()).interface.arrays[0].element == element
        assert INTERFACE.arrays[0].element == "i32"


def test_float16_needs_storage():
    code = "  %v = call half @nv.load.f16.i32(i32 2, i32 %i)"
    with pytest.raises(VulkanUnsupportedError, match="arrays of f16 need 16-bit storage"):
        lowered(code, TargetProfile(storage16=False))


def test_remainder_of_floats_is_refused():
    code = "  %x = call float @nv.param.f32(i32 0)\n  %v = frem float %x, 2.0"
    with pytest.raises(VulkanUnsupportedError, match="frem is not available in kernels: call math"):
        lowered(code, TargetProfile())


def test_wide_integers_are_refused():
    code = "  %w = zext i32 %i to i128\n  %v = mul i128 %w, %w"
    with pytest.raises(VulkanUnsupportedError, match="integers of 128 bits are not supported"):
        lowered(code, TargetProfile())


def test_multiply_add_is_fused_or_refused():
    code = """  %x = call float @nv.param.f32(i32 0)
  %v = call float @llvm.fma.f32(float %x, float %x, float %x)
  call void @nv.store.f32.i32(i32 2, i32 %i, float %v)"""
    lowered(code, TargetProfile(has_fused_fma=True))
    with pytest.raises(
        VulkanUnsupportedError, match="needs a fused multiply-add, which the device lacks: call nv"
    ):
        lowered(code, TargetProfile())
