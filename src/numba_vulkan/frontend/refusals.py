"""What kernels cannot do, said in the user's terms: before Numba types it where that is plain, else from its error."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import compiler, config, ir
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.errors import NumbaError, UnsupportedBytecodeError
from numba.core.ir_utils import get_definition, guard

from ..errors import VulkanUnsupportedError

__all__ = ["RefuseUnsupported", "explained"]

_NUMBA = str(Path(numba.__file__).parent)
_TRY = "try/except is not supported in kernels: test the condition before the operation"
_CONTAINERS = (
    "are not supported in kernels, where nothing has a size known only at run time: use a tuple, or an array"
)
_COMPREHENSION = f"comprehensions and generator expressions {_CONTAINERS} that a loop fills"

# ---- before typing


@register_pass(mutates_CFG=False, analysis_only=True)
class RefuseUnsupported(FunctionPass):
    """Refuse what shaders cannot do whatever the types are, naming the line."""

    _name = "vulkan_refuse_unsupported"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Look at the function's Numba IR."""
        function = state.func_ir
        if function.is_generator:
            raise VulkanUnsupportedError(
                f"'{function.func_id.func_qualname}' is a generator: kernels cannot yield; write the loop where its "
                f"values are used",
                loc=function.loc,
            )
        for block in function.blocks.values():
            for statement in block.find_insts((ir.EnterWith, ir.PopBlock)):
                raise VulkanUnsupportedError(
                    "with and try blocks are not supported in kernels", loc=statement.loc
                )
            for statement in block.find_insts(ir.Raise):
                if statement.exception is None:
                    raise VulkanUnsupportedError(
                        "raise needs an exception in kernels, which catch none", loc=statement.loc
                    )
            for assignment in block.find_insts(ir.Assign):
                if _name_of(assignment.value) == "mark_try_block":
                    raise VulkanUnsupportedError(_TRY, loc=assignment.loc)
                # Numba's own code has lists in branches that are never taken.
                if not function.func_id.filename.startswith(_NUMBA):
                    _refuse(function, assignment)
        return False


def _name_of(value: Any) -> str:
    return getattr(value.value, "__name__", "") if isinstance(value, ir.Global | ir.FreeVar) else ""


def _refuse(function: Any, assignment: Any) -> None:
    """Refuse an assignment that no types make possible."""
    value = assignment.value
    refusal = ""
    if isinstance(value, ir.Const | ir.Global | ir.FreeVar) and type(value.value) is int:
        if not -(2**63) <= value.value < 2**64:
            refusal = f"the integer {value.value} does not fit into 64 bits"
    elif isinstance(value, ir.Global) and value.value is ir.UNDEFINED:
        refusal = f"the name '{value.name}' is not defined"
    elif isinstance(value, ir.Expr):
        refusal = _EXPRESSIONS.get(value.op, _nothing)(function, value)
    if refusal:
        raise VulkanUnsupportedError(refusal, loc=assignment.loc)


def _nothing(_function: Any, _value: Any) -> str:
    return ""


def _list_refusal(function: Any, _value: Any) -> str:
    names = {_name_of(a.value) for block in function.blocks.values() for a in block.find_insts(ir.Assign)}
    return "" if "literal_unroll" in names else f"lists {_CONTAINERS}"


def _closure_refusal(_function: Any, value: Any) -> str:
    name = getattr(getattr(value.code, "value", value.code), "co_name", "")
    return _COMPREHENSION if name in ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>") else ""


def _call_refusal(function: Any, value: Any) -> str:
    definitions = function._definitions.get(value.func.name, ())
    callee = definitions[0] if len(definitions) == 1 else None
    if not isinstance(callee, ir.Global) or not any(callee.value is c for c in (list, set, dict, frozenset)):
        return ""
    return f"{callee.name}s {_CONTAINERS}"


_EXPRESSIONS: dict[str, Callable[[Any, Any], str]] = {
    "build_list": _list_refusal,
    "build_set": lambda _function, _value: f"sets {_CONTAINERS}",
    "build_map": lambda _function, _value: f"dicts {_CONTAINERS}",
    "make_function": _closure_refusal,
    "call": _call_refusal,
}

# ---- after an error

_RUN_TIME_SIZE = (
    "gives an array whose size is known only at run time, which kernels cannot have: write into an array "
    "argument"
)
_SORTS = "is not supported in kernels: sort on the host, or write the sort as loops"
# Functions and methods.
_NUMPY: dict[str, str] = dict.fromkeys(
    "empty_like zeros_like ones_like full_like concatenate stack vstack hstack column_stack append unique nonzero "
    "flatnonzero argwhere repeat tile roll flatten tolist compress take cumsum cumprod diff outer kron convolve interp "
    "linspace".split(),
    _RUN_TIME_SIZE,
)
_NUMPY |= dict.fromkeys("sort argsort partition median percentile quantile".split(), _SORTS)
_NUMPY |= {
    "array": "makes an array of a list or a tuple: use np.empty of a constant shape, and assign a tuple to it",
    "asarray": "makes an array of something else: pass an array as an argument",
    "arange": "is supported for constants only: compute start + k * step in a loop",
}
# What Numba's messages contain; the first that is found counts.
_TEXTS = "texts are supported in print and raise only: kernels cannot compare or index them, or choose between them"
_SIGNS: tuple[tuple[str, str], ...] = (
    ("Illegal IR, del found", "del is not supported in kernels: leave it out"),
    (
        ">>> setitem(readonly",
        "this writes to an array that is read-only, as its flags.writeable says: pass another, or a copy",
    ),
    (
        "Cannot unify vulkan array",
        "a variable holds either of two arrays with different dtypes or numbers of axes, or something else: kernels "
        "choose between arrays of one dtype and number of axes; use a variable for each, or a branch for each use",
    ),
    ("(unicode_type, ", _TEXTS),
    (", unicode_type)", _TEXTS),
)
_BYTECODES: tuple[tuple[str, str], ...] = (
    ("IMPORT_", "import statements are not supported in kernels: import at the top of the module"),
    ("STORE_GLOBAL", "kernels cannot assign to globals: write into an array argument"),
    ("with", "with blocks are not supported in kernels"),
)
# What precedes the reason in Numba's list of what it tried, for functions and for methods; lines that are none.
_MARKS = (f"{VulkanUnsupportedError.__name__}: ", "- Resolution failure for literal arguments:")
_NO_REASONS = ("No implementation", "None", "- Resolution")


def explained(
    error: NumbaError | UnsupportedBytecodeError, function: Callable[..., Any]
) -> NumbaError | UnsupportedBytecodeError:
    """Return an error that says what a kernel cannot do and where, or the same one if Numba's says it best.

    Parameters
    ----------
    error : NumbaError or UnsupportedBytecodeError
        What compiling a function raised.
    function : callable
        The function.
    """
    if config.DEVELOPER_MODE:
        return error
    text = str(error)
    if isinstance(error, UnsupportedBytecodeError):
        reason = next((reason for sign, reason in _BYTECODES if sign in text), "")
        place = _place_in((text.replace(" from ", " at "),), function)
        return VulkanUnsupportedError(reason, loc=place) if reason else error
    is_known = error.loc is not None and not error.loc.filename.startswith(_NUMBA)
    place = error.loc if is_known else _place_in(error.contexts, function)
    if isinstance(error, VulkanUnsupportedError):
        return VulkanUnsupportedError(error.msg, loc=place)
    # What fails first is the call; what follows are the reasons why each candidate does not serve.
    failed = text.partition("candidate")[0]
    signs = (reason for sign, reason in _SIGNS if sign in failed)
    reason = _refused_call(function, place) or next(signs, "") or _nested_refusal(error, text)
    return VulkanUnsupportedError(reason, loc=place) if reason else error


def _place_in(contexts: Iterable[str], function: Callable[..., Any]) -> Any:
    """Return the user's line that the context of an error names, else that of the function."""
    for context in contexts:
        # Such as "typing of call at kernels.py (12)".
        file, _, line = context.rpartition(" at ")[2].rpartition(" (")
        if file and line.rstrip(")").isdigit() and not file.startswith(_NUMBA):
            return ir.Loc(file, int(line.rstrip(")")))
    code = function.__code__
    return ir.Loc(code.co_filename, code.co_firstlineno)


def _nested_refusal(error: BaseException, text: str) -> str:
    """Return what this package has refused: the cause of Numba's error, or in its list of what it tried."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, VulkanUnsupportedError):
            return cause.msg
        cause = cause.__cause__ or cause.__context__
    for mark in _MARKS:
        lines = (line.strip() for line in text.partition(mark)[2].splitlines())
        found = next((line for line in lines if line and "Failed in " not in line), "")
        if found and not found.startswith(_NO_REASONS):
            return found
    return ""


def _refused_call(function: Callable[..., Any], place: Any) -> str:
    """Return why a function of NumPy, or a method of arrays, that a line calls is not supported."""
    if function.__code__.co_filename != place.filename:
        return ""
    names = (name for name in _callees(function, place.line) if name.rpartition(".")[2] in _NUMPY)
    return next((f"{name} {_NUMPY[name.rpartition('.')[2]]}" for name in names), "")


def _callees(function: Callable[..., Any], line: int) -> Iterator[str]:
    """Yield the names of what a line calls: of functions of NumPy, such as np.sort, and of methods, such as .sort."""
    try:
        untyped: Any = compiler.run_frontend(function)
    except UnsupportedBytecodeError:  # a format in an f-string
        return
    for block in untyped.blocks.values():
        for assignment in block.find_insts(ir.Assign):
            value = assignment.value
            if not (isinstance(value, ir.Expr) and value.op == "call" and value.loc.line == line):
                continue
            callee = guard(get_definition, untyped, value.func)
            if isinstance(callee, ir.Expr) and callee.op == "getattr":
                owner = guard(get_definition, untyped, callee.value)
                is_numpy = isinstance(owner, ir.Global | ir.FreeVar) and owner.value is np
                if is_numpy or hasattr(np.ndarray, callee.attr):
                    yield f"{'np' if is_numpy else ''}.{callee.attr}"
