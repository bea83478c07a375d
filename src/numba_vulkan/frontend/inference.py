"""Numba's type inference, with errors in the user's terms: where it fails, the types are at hand."""

from __future__ import annotations

from typing import Any

from numba.core import errors, typeinfer, types
from numba.core.compiler_machinery import register_pass
from numba.core.errors import ForceLiteralArg, TypingError
from numba.core.typed_passes import NopythonTypeInference

from ..errors import VulkanUnsupportedError
from .refusals import is_of_users, refusal_in, unknown
from .remedies import VAGUE
from .typing_refusals import choice_refusal, explain, global_refusal, plain_refusal, return_refusal

__all__ = ["VulkanTypeInference"]


class _Network(typeinfer.ConstraintNetwork):
    """What has to hold between the types of variables; what does not is said in the user's terms."""

    def propagate(self, typeinfer: Any) -> list[Exception]:
        """Visit all constraints, and return the errors: types that are still missing may be found in a later round."""
        failed: list[Exception] = []
        for constraint in self.constraints:
            place = constraint.loc
            with typeinfer.warnings.catch_warnings(filename=place.filename, lineno=place.line):
                try:
                    constraint(typeinfer)
                except ForceLiteralArg as error:
                    failed.append(error)
                except VulkanUnsupportedError as error:
                    reason = plain_refusal(typeinfer, constraint) or error.msg
                    known = error.loc if error.loc and is_of_users(error.loc.filename) else place
                    failed.append(VulkanUnsupportedError(reason, loc=known))
                # Numba raises others, such as AttributeError, where a rule of its own does not expect what it meets.
                except Exception as error:
                    failed.append(_explained(typeinfer, constraint, error))
        return failed


def _explained(infer: Any, constraint: Any, error: Exception) -> Exception:
    """Return what to raise for a constraint that raised."""
    refused = refusal_in(error)
    reason = plain_refusal(infer, constraint) or ("" if refused in VAGUE else refused)
    reason = reason or explain(infer, constraint, str(error)) or refused
    if reason:
        return VulkanUnsupportedError(reason, loc=constraint.loc)
    if isinstance(error, TypingError):
        return TypingError(str(error), loc=constraint.loc, highlighting=False)
    return (
        error
        if isinstance(error, errors.NumbaError)
        else VulkanUnsupportedError(unknown(error), loc=constraint.loc)
    )


class _Inferer(typeinfer.TypeInferer):
    """Finds the types of a function that the user has written."""

    def __init__(self, context: Any, func_ir: Any, warnings: Any) -> None:
        super().__init__(context, func_ir, warnings)
        self.constraints = _Network()

    def typeof_global(self, inst: Any, target: Any, gvar: Any) -> None:
        """Type a global, or a variable of an enclosing function."""
        try:
            super().typeof_global(inst, target, gvar)
        except TypingError as error:
            reason = global_refusal(gvar.name, gvar.value)
            raise VulkanUnsupportedError(reason, loc=inst.loc) from error

    def copy_type(self, src_var: str, dest_var: str, loc: Any) -> None:
        """Let a variable have the type of another; no function is chosen at run time, for which Numba has a type."""
        held, given = self.typevars[dest_var].type, self.typevars[src_var].type
        if held != given and isinstance(held, types.Dispatcher) and isinstance(given, types.Dispatcher):
            raise VulkanUnsupportedError(choice_refusal(dest_var, held, given), loc=loc)
        super().copy_type(src_var, dest_var, loc)

    def _unify_return_types(self, rettypes: Any) -> Any:
        try:
            return super()._unify_return_types(rettypes)
        except TypingError as error:
            name = self.func_id.func_name
            raise VulkanUnsupportedError(return_refusal(name, rettypes), loc=self.func_ir.loc) from error


@register_pass(mutates_CFG=True, analysis_only=False)
class VulkanTypeInference(NopythonTypeInference):
    """Type inference; Numba's own for the functions of Numba and of this package, of which users know nothing."""

    _name = "vulkan_type_inference"

    def run_pass(self, state: Any) -> bool:
        """Find the types of ``state.func_ir``."""
        if not is_of_users(state.func_id.filename):
            return super().run_pass(state)
        function, context = state.func_ir, state.typingctx
        if len(state.args) != function.arg_count:
            raise TypeError("Mismatch number of argument types")
        warnings = errors.WarningsFixer(errors.NumbaWarning)
        infer = _Inferer(context, function, warnings)
        frame = context.callstack.register(state.targetctx.target, infer, function.func_id, state.args)
        with frame, warnings:
            for index, (name, given) in enumerate(zip(function.arg_names, state.args, strict=True)):
                infer.seed_argument(name, index, given)
            if state.return_type is not None:
                infer.seed_return(state.return_type)
            infer.build_constraint()
            state.typing_errors = infer.propagate()
            state.typemap, state.return_type, state.calltypes = infer.unify()
        if isinstance(state.return_type, types.Function | types.Phantom):
            raise VulkanUnsupportedError(
                f"'{function.func_id.func_name}' returns a function or a class: call it where it is made",
                loc=function.loc,
            )
        return True
