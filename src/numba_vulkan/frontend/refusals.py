"""What kernels cannot do, said in the user's terms: before Numba types it where that is plain, else from its error."""

from __future__ import annotations

import dis
import inspect
import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import compiler, config, ir
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.errors import (
    ForceLiteralArg,
    NotDefinedError,
    NumbaError,
    UnsupportedBytecodeError,
)
from numba.core.ir_utils import get_definition, guard

from ..errors import VulkanError, VulkanUnsupportedError
from .remedies import BUILTINS, COMPREHENSION, CONTAINERS, NUMPY, RANDOM, VAGUE, is_array_attribute
from .typing_refusals import global_refusal
from .wording import spelled

__all__ = ["UNKNOWN", "RefuseUnsupported", "explained", "is_of_users", "refusal_in", "unknown"]

_NUMBA = str(Path(numba.__file__).parent)
_OURS = str(Path(__file__).parents[1])
_TRY = "try/except is not supported in kernels: test the condition before the operation"
_CLASS = "kernels cannot define classes: use tuples, named tuples and records, defined outside"
_GENERATOR = "kernels cannot yield; write the loop where the values are used"


def is_of_users(filename: str) -> bool:
    """Return whether a file is neither Numba's nor this package's."""
    return not filename.startswith((_NUMBA, _OURS))


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
        for block in function.blocks.values():
            for statement in block.find_insts((ir.EnterWith, ir.PopBlock)):
                raise VulkanUnsupportedError(
                    "with blocks are not supported in kernels: write what they do before and after",
                    loc=statement.loc,
                )
            for statement in block.find_insts(ir.Raise):
                if statement.exception is None:
                    raise VulkanUnsupportedError(
                        "raise needs an exception in kernels, which catch none to raise again",
                        loc=statement.loc,
                    )
            for assignment in block.find_insts(ir.Assign):
                if isinstance(assignment.value, ir.Yield):
                    name = function.func_id.func_name
                    raise VulkanUnsupportedError(f"'{name}' is a generator: {_GENERATOR}", loc=assignment.loc)
                if _name_of(assignment.value) == "mark_try_block":
                    raise VulkanUnsupportedError(_TRY, loc=assignment.loc)
                # Numba's own code has lists in branches that are never taken.
                if is_of_users(function.func_id.filename):
                    _refuse(function, assignment)
        return False


def _name_of(value: Any) -> str:
    return getattr(value.value, "__name__", "") if isinstance(value, ir.Global | ir.FreeVar) else ""


def _refuse(function: Any, assignment: Any) -> None:
    """Refuse an assignment that no types make possible."""
    value = assignment.value
    if isinstance(value, ir.Const | ir.Global | ir.FreeVar):
        refusal = _constant_refusal(value)
    elif isinstance(value, ir.Expr):
        refusal = _EXPRESSIONS.get(value.op, _nothing)(function, value)
    else:
        refusal = ""
    if refusal:
        raise VulkanUnsupportedError(refusal, loc=assignment.loc)


def _constant_refusal(value: Any) -> str:
    """Return why kernels cannot have the value of a literal or a global."""
    known = value.value
    if type(known) is int and not -(2**63) <= known < 2**64:
        return f"the integer {known} does not fit into 64 bits"
    if isinstance(value, ir.Const):
        return ""
    if known is ir.UNDEFINED:
        return f"the name '{value.name}' is not defined"
    kind = next((kind for kind in _CONTAINER_TYPES if isinstance(known, kind)), None)
    if type(known).__module__.startswith(_FOREIGN):
        return global_refusal(value.name, known)
    return f"global '{value.name}' is a {kind.__name__}: {kind.__name__}s {CONTAINERS}" if kind else ""


# The modules of objects that Numba has types, but no meaning in kernels for.
_FOREIGN = (
    "numpy.random",
    "numba.typed.",
    "numba.experimental.jitclass",
    "numba.core.ccallback",
    "ctypes",
    "_ctypes",
)
_CONTAINER_TYPES = (list, set, dict, frozenset)


def _nothing(_function: Any, _value: Any) -> str:
    return ""


def _list_refusal(function: Any, _value: Any) -> str:
    names = {_name_of(a.value) for block in function.blocks.values() for a in block.find_insts(ir.Assign)}
    return "" if "literal_unroll" in names else f"lists {CONTAINERS}"


def _closure_refusal(_function: Any, value: Any) -> str:
    code = getattr(value.code, "value", value.code)
    if code.co_name in ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"):
        return COMPREHENSION
    if code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        return "kernels cannot await: write def in place of async def"
    if code.co_flags & inspect.CO_GENERATOR:
        return f"'{code.co_name}' is a generator: {_GENERATOR}"
    return ""


def _attribute_refusal(function: Any, value: Any) -> str:
    """Refuse generators of random numbers, for which Numba has code, of the CPU, if something has loaded it."""
    owner = guard(get_definition, function, value.value)
    module = getattr(owner, "value", None) if isinstance(owner, ir.Global | ir.FreeVar) else None
    name = spelled(function, value.value)
    if module is np:
        module, name = getattr(np, value.attr, None), f"{name}.{value.attr}"
    return f"{name} {RANDOM}" if module is random or module is np.random else ""


def _call_refusal(function: Any, value: Any) -> str:
    definitions = function._definitions.get(value.func.name, ())
    callee = definitions[0] if len(definitions) == 1 else None
    if not isinstance(callee, ir.Global):
        return ""
    if any(callee.value is kind for kind in _CONTAINER_TYPES):
        return f"{callee.name}s {CONTAINERS}"
    # Numba implements these with generators, lists and so on.
    is_built_in = any(callee.value is function for function in (filter, map, sorted))
    return f"{callee.name} is not available in kernels: {BUILTINS[callee.name]}" if is_built_in else ""


_EXPRESSIONS: dict[str, Callable[[Any, Any], str]] = {
    "build_list": _list_refusal,
    "build_set": lambda _function, _value: f"sets {CONTAINERS}",
    "build_map": lambda _function, _value: f"dicts {CONTAINERS}",
    "getattr": _attribute_refusal,
    "make_function": _closure_refusal,
    "call": _call_refusal,
}

# ---- after an error

# What the errors contain that Numba raises before it types a function, and the instruction that leads to it; the first
# that is found counts.
_SIGNS: tuple[tuple[str, str, str], ...] = (
    (
        "IMPORT_",
        "import statements are not supported in kernels: import at the top of the module",
        "",
    ),
    ("STORE_GLOBAL", "kernels cannot assign to globals: write into an array argument", ""),
    ("DELETE_", "del is not supported in kernels: leave it out", ""),
    ("LOAD_BUILD_CLASS", _CLASS, ""),
    ("GET_AWAITABLE", "kernels cannot await", ""),
    ("MATCH_", "patterns that look into a value are not supported in kernels: compare with if and ==", ""),
    ("YIELD", _GENERATOR, ""),
    ("SEND", _GENERATOR, ""),
    (
        "'with ",
        "with blocks are not supported in kernels: write what they do before and after",
        "BEFORE_WITH",
    ),
    ("Exception object", _TRY, ""),
    ("EXC_", _TRY, ""),
    ("'try'", _TRY, ""),
    ("Illegal IR, del found", "del is not supported in kernels: leave it out", "DELETE_FAST"),
    (
        "Unsupported use of cell variable",
        "a function that is defined in a kernel cannot call itself, nor one that is defined later: write a loop",
        "STORE_DEREF",
    ),
)
_UNTYPED = "Untyped global name '"
_OTHER_BYTECODE = "this statement is not supported in kernels"
UNKNOWN = "this cannot be compiled for shaders; NUMBA_DEVELOPER_MODE=1 shows the error that Numba gives"
# What precedes the reason in Numba's list of what it tried, for functions and for methods; lines that are none.
_MARKS = (f"{VulkanUnsupportedError.__name__}: ", "- Resolution failure for literal arguments:")
_NO_REASONS = (
    "No implementation",
    "None",
    "- Resolution",
    "Unknown attribute",
    "Cannot unify",
    "Invalid use of",
    "Use of unsupported",
    "Untyped global",
    "missing a required",
    "too many positional",
    "got an unexpected",
    "multiple values for",
)


def explained(error: Exception, function: Callable[..., Any]) -> Exception:
    """Return an error that says what a kernel cannot do and where; errors of this package stay as they are.

    Parameters
    ----------
    error : Exception
        What compiling a function raised.
    function : callable
        The function. Errors in functions that are not the user's stay as they are, unless they are refusals.
    """
    if config.DEVELOPER_MODE or isinstance(error, ForceLiteralArg):
        return error
    if isinstance(error, VulkanError) and not isinstance(error, VulkanUnsupportedError):
        return error
    place = _place_of(error, function)
    if isinstance(error, VulkanUnsupportedError):
        named = _refused_call(function, place) if error.msg in VAGUE else ""
        return VulkanUnsupportedError(named or error.msg, loc=place)
    reason = _refused_call(function, place) or _known(error, function) or refusal_in(error)
    if not reason and not is_of_users(function.__code__.co_filename):
        return error
    return VulkanUnsupportedError(reason or unknown(error), loc=place)


def unknown(error: Exception) -> str:
    """Return what to say of an error that nothing explains: one of Numba's own Python code speaks for itself."""
    if isinstance(error, NumbaError):
        return UNKNOWN
    return f"this cannot be compiled for shaders: {type(error).__name__}: {error}"


def _known(error: Exception, function: Callable[..., Any]) -> str:
    """Return what an error of Numba's stages before typing means."""
    if isinstance(error, NotDefinedError):
        return (
            f"variable '{error.name}' has no value yet: a name that a function assigns to is local to it, so pass as "
            f"an argument what is to be changed"
        )
    # Where a function calls isinstance, Numba looks at types before `inference` does.
    name = str(error).partition(_UNTYPED)[2].partition("'")[0]
    if name:
        variables = inspect.getclosurevars(function)
        return global_refusal(name, {**variables.globals, **variables.nonlocals}.get(name))
    otherwise = _OTHER_BYTECODE if isinstance(error, UnsupportedBytecodeError) else ""
    return next((reason for sign, reason, _ in _SIGNS if sign in str(error)), otherwise)


def _place_of(error: Exception, function: Callable[..., Any]) -> Any:
    """Return the user's line that an error is about."""
    place = getattr(error, "loc", None)
    if place is not None and not place.filename.startswith(_NUMBA):
        return place
    text = str(error)
    instruction = next((found for sign, _, found in _SIGNS if sign in text), None)
    line = _line_of(function, instruction) if instruction else None
    if line is not None:
        return ir.Loc(function.__code__.co_filename, line)
    contexts = error.contexts if isinstance(error, NumbaError) else (text.replace(" from ", " at "),)
    return _place_in(contexts, function)


def _line_of(function: Callable[..., Any], opcode: str) -> int | None:
    """Return the line of the first instruction of a kind."""
    found = (i for i in dis.get_instructions(function) if i.opname == opcode)
    return next((i.positions.lineno for i in found if i.positions), None)


def _place_in(contexts: Iterable[str], function: Callable[..., Any]) -> Any:
    """Return the user's line that the context of an error names, else that of the function."""
    for context in contexts:
        # Such as "typing of call at kernels.py (12)".
        file, _, line = context.rpartition(" at ")[2].rpartition(" (")
        if file and line.rstrip(")").isdigit() and not file.startswith(_NUMBA):
            return ir.Loc(file, int(line.rstrip(")")))
    code = function.__code__
    return ir.Loc(code.co_filename, code.co_firstlineno)


def refusal_in(error: BaseException) -> str:
    """Return what this package has refused: the cause of Numba's error, or in its list of what it tried."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, VulkanUnsupportedError):
            return cause.msg
        cause = cause.__cause__ or cause.__context__
    text = str(error)
    for mark in _MARKS:
        lines = (line.strip() for line in text.partition(mark)[2].splitlines())
        found = next((line for line in lines if line and "Failed in " not in line), "")
        if found and not found.startswith(_NO_REASONS):
            return found
    return ""


def _refused_call(function: Callable[..., Any], place: Any) -> str:
    """Return why a function of NumPy, or a method of arrays, that a line names is not supported."""
    if function.__code__.co_filename != place.filename:
        return ""
    names = (name for name in _attributes(function, place.line) if name.rpartition(".")[2] in NUMPY)
    return next((f"{name} {NUMPY[name.rpartition('.')[2]]}" for name in names), "")


def _attributes(function: Callable[..., Any], line: int) -> Iterator[str]:
    """Yield what a line names of NumPy, such as np.sort, and of arrays, such as .sort."""
    try:
        untyped: Any = compiler.run_frontend(function)
    except Exception:  # what has to be explained, or a format in an f-string, which Numba does not know
        return
    for block in untyped.blocks.values():
        for assignment in block.find_insts(ir.Assign):
            value = assignment.value
            if isinstance(value, ir.Expr) and value.op == "getattr" and value.loc.line == line:
                owner = guard(get_definition, untyped, value.value)
                is_numpy = isinstance(owner, ir.Global | ir.FreeVar) and owner.value is np
                if is_numpy or is_array_attribute(value.attr):
                    yield f"{'np' if is_numpy else ''}.{value.attr}"
