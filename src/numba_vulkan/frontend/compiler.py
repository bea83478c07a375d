"""Numba's compiler for the target: stock passes up to lowering, a check of what shaders cannot do, our code library."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from numba.core import compiler, ir, lowering, types
from numba.core import typing as numba_typing
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.compiler import CompilerBase, CompileResult, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, LoweringPass, PassManager, register_pass
from numba.core.postproc import PostProcessor
from numba.core.rewrites.registry import RewriteRegistry, rewrite_registry
from numba.core.typed_passes import (
    BaseNativeLowering,
    IRLegalization,
    NopythonRewrites,
    NopythonTypeInference,
)
from numba.core.untyped_passes import InlineClosureLikes
from numba.np.ufunc.array_exprs import RewriteArrayExprs

from ..errors import VulkanUnsupportedError
from .expression_uses import ASSUMPTIONS, CheckExpressions
from .inference import VulkanTypeInference
from .loop_conditions import UniteConditions
from .options import VulkanTargetOptions
from .refusals import UNKNOWN, RefuseUnsupported, explained
from .remedies import NO_IMPLEMENTATION
from .rewrites import RewriteCalls
from .target import vulkan_target
from .translation import Translate

__all__ = ["VulkanCompiler", "compile_function"]


class VulkanCompileResult(CompileResult):
    """A compile result that Numba can use as the key of a function that has no address."""

    @property
    def entry_point(self) -> str:
        """The mangled name, unique for the function and its types."""
        return self.fndesc.llvm_func_name


class VulkanLower(lowering.Lower):
    """Numba's lowering; the line of the function is that of its ``def``, without reading the source again."""

    def _compute_def_location(self) -> ir.Loc:
        return self.func_ir.loc

    def lower_inst(self, inst: Any) -> None:
        """Lower a statement; what is refused in it gets its place."""
        try:
            super().lower_inst(inst)
            if isinstance(inst, ir.Jump) and inst.target in self._unrolled_loops:
                self._require_unrolling()
        except VulkanUnsupportedError as error:
            error.loc = error.loc or inst.loc
            raise
        except (AttributeError, NotImplementedError) as error:
            raise VulkanUnsupportedError(NO_IMPLEMENTATION, loc=inst.loc) from error

    @cached_property
    def _unrolled_loops(self) -> frozenset[int]:
        """The headers of loops over tuples of mixed types, as `literal_unroll` makes them."""
        blocks = self.func_ir.blocks
        mixed = {label for label, block in blocks.items() if any(block.find_exprs(op="typed_getitem"))}
        if not mixed:
            return frozenset()
        loops = compute_cfg_from_blocks(blocks).loops().values()
        around = ([loop for loop in loops if label in loop.body] for label in mixed)
        return frozenset(min(found, key=lambda loop: len(loop.body)).header for found in around if found)

    def _require_unrolling(self) -> None:
        """Let LLVM unroll the loop that the last jump closes, however large it is.

        Each round takes an element of another type, by its address among variables of several types. Shaders have no
        such addresses; with the number of the round known, LLVM removes them.
        """
        full = self.module.add_metadata(["llvm.loop.unroll.full"])
        loop = self.module.add_metadata([full, len(self.module.metadata)])
        loop.operands = (loop, full)  # a loop is known by a node that names itself
        self.builder.block.terminator.set_metadata("llvm.loop", loop)


@register_pass(mutates_CFG=True, analysis_only=False)
class RewriteTyped(FunctionPass):
    """Numba's rewrites behind typing, but the one that makes loops with results in memory of operations on arrays."""

    _name = "vulkan_rewrite_typed"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Rewrite the function's typed Numba IR."""
        stage = "after-inference"
        rewrites = RewriteRegistry()
        rewrites.rewrites[stage] = [
            each for each in rewrite_registry.rewrites[stage] if each is not RewriteArrayExprs
        ]
        # They expect that the ends of variables are marked, as Numba's own pass marks them.
        ends = PostProcessor(state.func_ir)
        ends.run(True)
        rewrites.apply(stage, state)
        ends.remove_dels()
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class VulkanLowering(BaseNativeLowering):
    """Lowering to LLVM assembly."""

    _name = "vulkan_lowering"

    @property
    def lowering_class(self) -> type[lowering.Lower]:
        """The class that lowers one function."""
        return VulkanLower


@register_pass(mutates_CFG=True, analysis_only=False)
class VulkanBackend(LoweringPass):
    """Packs the lowered function into a compile result and makes it callable from other functions."""

    _name = "vulkan_backend"

    def __init__(self) -> None:
        LoweringPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Build ``state.cr``."""
        lowered = state["cr"]
        entries = compiler.sanitize_compile_result_entries(
            {
                "typing_context": state.typingctx,
                "target_context": state.targetctx,
                "typing_error": state.status.fail_reason,
                "type_annotation": state.type_annotation,
                "library": state.library,
                "call_helper": lowered.call_helper,
                "signature": numba_typing.signature(state.return_type, *state.args),
                "fndesc": lowered.fndesc,
            }
        )
        state.cr = VulkanCompileResult(**entries)
        state.library.assumptions = tuple(state.metadata.get(ASSUMPTIONS, ()))
        state.library.finalize()
        state.targetctx.insert_user_function(state.cr.entry_point, lowered.fndesc, [state.library])
        return True


# What takes the place of Numba's passes.
_REPLACED: dict[type, type] = {NopythonTypeInference: VulkanTypeInference, NopythonRewrites: RewriteTyped}


class VulkanCompiler(CompilerBase):
    """The order of Numba's passes."""

    def define_pipelines(self) -> list[PassManager]:
        """Return the one pipeline; there is no object mode to fall back to."""
        manager = PassManager("vulkan")
        untyped = DefaultPassBuilder.define_untyped_pipeline(self.state).passes
        # The stock pipeline starts with bytecode and argument handling; what follows sees Numba IR.
        manager.add_pass(Translate, "analyzing bytecode")
        manager.passes.extend(untyped[1:2])
        manager.add_pass(RefuseUnsupported, "refuse what shaders cannot do")
        manager.add_pass(UniteConditions, "conditions of loops that workgroups decide")
        for stock in untyped[2:]:
            manager.passes.append(stock)
            if stock[0] is InlineClosureLikes:
                manager.add_pass(RewriteCalls, "texts and exceptions")
        for stock, purpose in DefaultPassBuilder.define_typed_pipeline(self.state).passes:
            manager.add_pass(_REPLACED.get(stock, stock), purpose)
        manager.add_pass(CheckExpressions, "check where operations on arrays are used")
        manager.add_pass(IRLegalization, "ensure IR is legal prior to lowering")
        manager.add_pass(VulkanLowering, "lower to LLVM assembly")
        manager.add_pass(VulkanBackend, "collect the result")
        manager.finalize()
        return [manager]


def compile_function(
    function: Any, arguments: tuple[types.Type, ...], return_type: types.Type | None, options: dict[str, Any]
) -> CompileResult:
    """Type and lower one Python function for these argument types; the caller holds Numba's compiler lock.

    Raises
    ------
    numba.core.errors.NumbaError
        If the function cannot be typed or lowered; the message names the line.
    """
    try:
        flags = VulkanTargetOptions.parse_as_flags(compiler.Flags(), options)
    except KeyError as error:
        # Only Numba's own functions have other options: those that manage memory.
        code = function.__code__
        raise VulkanUnsupportedError(
            "this needs texts, dicts or other objects whose size is known only at run time, which kernels do not have",
            loc=ir.Loc(code.co_filename, code.co_firstlineno),
        ) from error
    pipeline: Any = VulkanCompiler  # annotated by Numba as the CPU target's own
    try:
        return compiler.compile_extra(
            vulkan_target.typing_context,
            vulkan_target.target_context,
            function,
            args=arguments,
            return_type=return_type,
            flags=flags,
            locals={},
            pipeline_class=pipeline,
        )
    except Exception as error:
        found = explained(error, function)
        if found is error:
            raise
        # What nothing explains may be a fault of this package: its traceback stays.
        raise found from (error if str(found).startswith(UNKNOWN) else None)
