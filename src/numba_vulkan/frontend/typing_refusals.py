"""Why a statement has no type, in the user's terms: a function for each kind of statement."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from enum import EnumType
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numba.core import ir, typeinfer, types
from numba.core.errors import TypingError
from numba.core.ir_utils import get_definition, guard

from .. import stubs
from ..errors import VulkanUnsupportedError
from . import constant_arrays
from .near_misses import count_refusal, suggestion, uncalled
from .record_types import VulkanRecord
from .remedies import ARRAY_ATTRIBUTES, BUILTINS, CUDA, FORMATS, NUMPY, TEXTS, TRUTH, is_array_attribute
from .types import VulkanExpression, VulkanText, members_of
from .wording import listed, name_of, noun, spelled, symbol_of

__all__ = ["choice_refusal", "explain", "global_refusal", "return_refusal", "plain_refusal"]

_LAUNCH = "kernels cannot launch kernels: call {name}(...) for this invocation, or launch it from the host"
_PACKAGE = stubs.__name__.partition(".")[0]
_TEXT_TYPES = (types.UnicodeType, types.StringLiteral, types.UnicodeCharSeq, VulkanText)


def _type(infer: Any, variable: Any) -> Any:
    """Return the type that a variable has so far."""
    return infer.typevars[variable if isinstance(variable, str) else variable.name].getone()


# ---- globals


def global_refusal(name: str, value: Any) -> str:
    """Return why kernels cannot use a global or a variable of an enclosing function."""
    module = getattr(value, "__module__", None) or ""
    if isinstance(value, np.ndarray | np.void | np.dtype):
        try:
            constant_arrays.type_of(np.empty(0, value) if isinstance(value, np.dtype) else np.asarray(value))
        except VulkanUnsupportedError as error:
            return f"global '{name}': {error.msg}"
    if module.startswith("numba.cuda"):
        return _of_cuda(name, name)
    if name in BUILTINS and isinstance(value, type | BuiltinFunctionType):
        return f"{name} is not available in kernels: {BUILTINS[name]}"
    if isinstance(value, EnumType):
        return f"the members of enumeration '{name}' have values of different types: give them integers"
    if isinstance(value, type):
        return f"kernels cannot use the class '{name}', or make objects of it: use numbers, named tuples and records"
    if isinstance(value, FunctionType):
        return (
            f"'{name}' is an ordinary Python function: decorate it with @nv.jit, so that kernels can call it"
        )
    if isinstance(value, ModuleType) or callable(value):
        return f"'{name}' is not available in kernels, which call functions that are decorated with @nv.jit"
    return (
        f"'{name}' is of type {type(value).__name__}, and kernels know no objects: use numbers, arrays, tuples and "
        f"named tuples of them, or pass its values as arguments"
    )


def _of_cuda(spelling: str, name: str) -> str:
    remedy = CUDA.get(name)
    return f"{spelling} belongs to numba.cuda: " + (
        f"write {remedy}" if remedy else "see nv, which has what kernels for Vulkan can call"
    )


# ---- attributes


def _attribute(infer: Any, constraint: Any, _error: str) -> str:
    owner, attribute = _type(infer, constraint.value), constraint.attr
    base = spelled(infer.func_ir, constraint.value)
    if isinstance(owner, types.Module):
        return _of_module(infer.context, owner.pymod, base, attribute)
    if isinstance(owner, types.Array):
        return _of_array(base, attribute)
    if isinstance(owner, _TEXT_TYPES):
        return FORMATS if attribute == "format" else TEXTS
    if launch := _launch(owner, base):
        return launch
    if isinstance(getattr(owner, "typing_key", None), np.ufunc):
        return f"{base}.{attribute} is not available in kernels: use x.sum(), x.prod(), x.max() and others, or a loop"
    names = _fields_of(owner)
    which = f": it has {', '.join(names)}" if names else ""
    return f"{noun(owner)} has no attribute '{attribute}' in kernels{which}"


def _launch(given: Any, name: str) -> str:
    """Return why a kernel cannot be launched in a kernel, '' for what is no kernel."""
    if isinstance(given, types.RecursiveCall):
        return f"kernels cannot launch kernels, nor themselves: launch {name} from the host once more"
    return _LAUNCH.format(name=name) if isinstance(given, types.Dispatcher) else ""


def _fields_of(owner: Any) -> tuple[str, ...]:
    if isinstance(owner, VulkanRecord | types.BaseNamedTuple):
        return tuple(owner.fields)
    return tuple(owner.instance_class.__members__) if isinstance(owner, types.EnumClass) else ()


def _of_module(context: Any, module: Any, base: str, attribute: str) -> str:
    spelling = f"{base}.{attribute}"
    root = module.__name__.partition(".")[0]
    if not hasattr(module, attribute):
        remedy = f"write {CUDA[attribute]}" if root == _PACKAGE and attribute in CUDA else ""
        remedy = remedy or suggestion(context, module, base, attribute)
        return f"{spelling} does not exist: {remedy or f'the module {module.__name__} has no such name'}"
    if module.__name__.startswith("numba.cuda"):
        return _of_cuda(spelling, attribute)
    if root == _PACKAGE:
        return f"{spelling} works on the host only: call it before the launch, or after it"
    if root == "numpy":
        return _of_numpy(spelling)
    return (
        f"{spelling} is not available in kernels, which can use math, cmath, NumPy and numba_vulkan: compute it on "
        f"the host, and pass it as an argument"
    )


def _of_numpy(spelling: str) -> str:
    name = spelling.rpartition(".")[2]
    return f"{spelling} {NUMPY.get(name, 'is not available in kernels: compute it on the host, or write it as loops')}"


def _of_array(base: str, attribute: str) -> str:
    if attribute in ARRAY_ATTRIBUTES:
        return f".{attribute} is not available: {ARRAY_ATTRIBUTES[attribute]}"
    if attribute in NUMPY:
        return f".{attribute} {NUMPY[attribute]}"
    if is_array_attribute(attribute):
        return (
            f".{attribute} of arrays is not available in kernels: index and slice the array, or loop over it"
        )
    return f"{f'{base!r} is an array, and ' if base else ''}arrays have no attribute '{attribute}'"


def _assigned_attribute(infer: Any, constraint: Any, _error: str) -> str:
    owner, value = _type(infer, constraint.target), _type(infer, constraint.value)
    if isinstance(owner, VulkanRecord) and constraint.attr in owner.fields:
        wanted = owner.fields[constraint.attr].type
        return f"{noun(value)} cannot be assigned to field '{constraint.attr}', of type {name_of(wanted)}"
    names = _fields_of(owner) if isinstance(owner, VulkanRecord) else ()
    of_array = (
        "use x.reshape(...), or another variable" if constraint.attr == "shape" else "write to its elements"
    )
    otherwise = of_array if isinstance(owner, types.Array) else "use a variable"
    which = f"its fields are {', '.join(names)}" if names else otherwise
    return f"attribute '{constraint.attr}' of {noun(owner)} cannot be assigned: {which}"


# ---- calls and operators

# What Python says about arguments that do not match the parameters, without naming one that is Numba's.
_MISMATCHES = ("too many positional", "got an unexpected keyword")
_CALLS: dict[Any, str] = {
    abs: "np.abs takes arrays",
    max: "the largest element of an array is x.max()",
    min: "the smallest element of an array is x.min()",
    round: "np.round takes arrays",
    zip: "zip takes arrays, tuples and ranges",
    enumerate: "enumerate takes arrays, tuples and ranges",
    reversed: "reversed takes arrays and ranges; of n it is range(n - 1, -1, -1)",
    int: "int takes numbers",
    float: "float takes numbers",
    pow: "the remainder of a power is x ** y % z while x ** y fits into 64 bits",
}
_CALLS |= dict.fromkeys(
    (np.zeros, np.ones, np.empty, np.full),
    "the shape is a constant integer or a tuple of them, and the dtype a type such as np.float32",
)
_OF_MODULES = {
    "math": "functions of math take numbers; np has them for arrays",
    "cmath": "functions of cmath take numbers; np has them for arrays",
    "numpy": "compute it on the host, or write it as loops",
}
# Functions and methods of arrays that take dtypes, which may be texts.
_WITH_DTYPE = frozenset("array astype empty full mean ones prod sum view zeros".split())
_COMPARISONS = ("==", "!=", "<=", ">=")
_OPERATORS: dict[Any, str] = {
    operator.contains: "compare the elements, as in (x == v).any()",
    operator.not_: "write not x.any(), or not x.all()",
    operator.matmul: "@ takes arrays of 1 or 2 axes; numbers are multiplied with *",
}
_OF_SHIFTS = dict.fromkeys((operator.lshift, operator.rshift), "shifts take integers: convert with int(...)")


def _call(infer: Any, constraint: Any, error: str) -> str:
    given, keywords = _arguments(infer, constraint)
    callee = _callee(infer, constraint)
    operation = getattr(callee, "typing_key", callee)
    if operation is operator.getitem:
        return _index_refusal(given[0], given[1], spelled(infer.func_ir, constraint.args[0]))
    if operation == "getiter":
        return _iteration(given[0])
    if symbol_of(operation):
        return uncalled(given) or _operation(operation, given)
    name = spelled(infer.func_ir, constraint.func) or name_of(callee)
    reported = "" if operation in _CALLS else _reported_mismatch(name, error)
    mismatch = count_refusal(operation, name, given) or _mismatch(callee, name, given, keywords) or reported
    if mismatch:
        return mismatch
    if not isinstance(callee, types.Callable):
        return f"{noun(callee)} cannot be called"
    taken = [*given, *keywords.values()]
    remedy = _CALLS.get(operation) or _OF_MODULES.get(_module_of(callee).partition(".")[0], "")
    what = f"does not take {listed(taken)}" if taken else "cannot be called without arguments"
    return f"{name} {what} in kernels" + (f": {remedy}" if remedy else "")


def plain_refusal(infer: Any, constraint: Any) -> str:
    """Return what to say about a call that fails whatever the reasons are that Numba gives, '' if there is none.

    Python's and NumPy's own functions take no texts, and some functions of NumPy are not for kernels.
    """
    if not isinstance(constraint, typeinfer.CallConstraint):
        return plain_refusal(infer, constraint.fallback) if getattr(constraint, "fallback", None) else ""
    try:
        given, keywords = _arguments(infer, constraint)
        callee = _callee(infer, constraint)
    except TypingError:  # a type is missing, because of a statement before
        return ""
    module = _module_of(callee)
    taken = (*given, *keywords.values(), getattr(callee, "this", None))
    is_own = isinstance(callee, types.Dispatcher) or module.startswith(_PACKAGE)
    if getattr(callee, "typing_key", None) is bool and isinstance(given[0], VulkanExpression):
        return TRUTH
    name = spelled(infer.func_ir, constraint.func) if isinstance(constraint.func, str) else ""
    if name.rpartition(".")[2] in ("datetime64", "timedelta64"):
        return f"{name} {NUMPY[name.rpartition('.')[2]]}"
    takes_text = is_own or name.rpartition(".")[2] in _WITH_DTYPE
    if not takes_text and any(isinstance(t, _TEXT_TYPES) for t in taken):
        return FORMATS if callee is operator.mod else TEXTS
    if module.startswith("numba.cuda"):
        return _of_cuda(name, name.rpartition(".")[2])
    is_numpy = isinstance(callee, types.BoundFunction) or module.startswith("numpy")
    found = NUMPY.get(name.rpartition(".")[2]) if is_numpy else None
    return f"{name} {found}" if found else ""


def _module_of(callee: Any) -> str:
    """Return the module that a function comes from."""
    return getattr(getattr(callee, "typing_key", callee), "__module__", None) or ""


def _callee(infer: Any, constraint: Any) -> Any:
    """Return the type of what is called, or the operator itself."""
    is_operator = isinstance(constraint, typeinfer.IntrinsicCallConstraint)
    return constraint.func if is_operator else _type(infer, constraint.func)


def _arguments(infer: Any, constraint: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    found = typeinfer.fold_arg_vars(infer.typevars, constraint.args, constraint.vararg, constraint.kws)
    return found or ((), {})


def _mismatch(callee: Any, name: str, given: Any, keywords: Any) -> str:
    """Return what Python says about arguments that a function has no parameters for, or that are missing."""
    function = callee.dispatcher.py_func if isinstance(callee, types.Dispatcher) else callee
    function = getattr(function, "instance_class", getattr(function, "typing_key", function))
    if isinstance(callee, types.BoundFunction):
        given = (callee.this, *given)
    if not callable(function):
        return ""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # built in
        return ""
    behind = [p.name for p in signature.parameters.values() if p.kind in (p.KEYWORD_ONLY, p.VAR_KEYWORD)]
    is_users = isinstance(callee, types.Dispatcher)
    if is_users and behind:
        return (
            f"{name} has parameters that are given by keyword only, which functions that kernels call cannot have: "
            f"make '{behind[0]}' an ordinary parameter"
        )
    named = f"{name}{_parameters(signature)}" if is_users or _is_shown(function) else name
    unknown = [keyword for keyword in keywords if keyword not in signature.parameters]
    if unknown and not behind:
        return f"{named} has no parameter '{unknown[0]}'"
    try:
        signature.bind(*given, **keywords)
    except TypeError as error:
        counts = f", {len(given)} for {len(signature.parameters)}" if _MISMATCHES[0] in str(error) else ""
        return f"{named}: {error}{counts}"
    return ""


def _is_shown(function: Any) -> bool:
    """Return whether the parameters of a function are as users know them."""
    return isinstance(function, type) or function.__module__.startswith(stubs.__name__)


def _parameters(signature: inspect.Signature) -> str:
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()]
    return str(inspect.Signature(bare))


def _reported_mismatch(name: str, error: str) -> str:
    """Return the same from Numba's error: what it knows of a function of NumPy may have fewer parameters."""
    lines = (line for line in error.splitlines() if any(sign in line for sign in _MISMATCHES))
    found = next(lines, "").rpartition("Error: ")[2].strip()
    return f"{name}: {found} in kernels" if found else ""


def _operation(operation: Any, given: Any) -> str:
    symbol = symbol_of(operation)
    remedy = _OPERATORS.get(operation) or _OF_SHIFTS.get(operation, "")
    if symbol.endswith("=") and isinstance(given[0], types.Array) and symbol not in _COMPARISONS:
        remedy = f"the result does not fit: convert it, as in np.{name_of(given[0].dtype)}(...)"
    if operation is operator.contains:
        given = given[::-1]
    return f"'{symbol}' does not take {listed(given)} in kernels" + (f": {remedy}" if remedy else "")


def _iteration(given: Any) -> str:
    if isinstance(given, types.Integer):
        return "a for loop cannot run over an integer: write range(n)"
    if isinstance(given, types.BaseTuple):
        return (
            f"a for loop over a tuple needs members of one type, and these are {_types_of(given)}: loop over "
            f"numba.literal_unroll(t), or index it with constants"
        )
    return f"a for loop cannot run over {noun(given)} in kernels: it takes arrays, tuples, range, enumerate and zip"


def _types_of(given: Any) -> str:
    return ", ".join(name_of(t) for t in members_of(given))


# ---- indices

_INDICES = (types.Integer, types.SliceType, types.EllipsisType, types.NoneType, types.IntEnumMember)


def _index_refusal(container: Any, index: Any, name: str) -> str:
    """Return why something cannot be indexed in this way, '' if it can."""
    if launch := _launch(container, name):
        return launch
    if isinstance(container, _TEXT_TYPES):
        return TEXTS
    if isinstance(container, types.Array):
        return _array_index(container, index)
    if isinstance(container, types.BaseTuple):
        if not isinstance(index, types.Integer):
            return f"a tuple is indexed with an integer, not with {noun(index)}"
        if isinstance(index, types.Literal):
            return f"index {index.literal_value} of a tuple that has {len(container)} members"
        return (
            f"the members of this tuple are of different types, {_types_of(container)}: index it with a constant, or "
            f"loop over numba.literal_unroll(t)"
        )
    if isinstance(container, VulkanRecord):
        return f"a record is indexed with the constant name of a field: its fields are {', '.join(container.fields)}"
    return f"{noun(container)} cannot be indexed in kernels" + (f": '{name}' is one" if name else "")


def _array_index(container: Any, index: Any) -> str:
    parts = members_of(index) if isinstance(index, types.BaseTuple) else (index,)
    if uncalled(parts):
        return uncalled(parts)
    for part in parts:
        if not isinstance(part, _INDICES) or isinstance(part, types.Boolean):
            remedy = ": convert it with int(...)" if isinstance(part, types.Float | types.Boolean) else ""
            return f"an array is indexed with integers and slices, not with {noun(part)}{remedy}"
    if sum(isinstance(part, types.EllipsisType) for part in parts) > 1:
        return "an index has one ellipsis at most"
    used = sum(isinstance(part, types.Integer | types.SliceType | types.IntEnumMember) for part in parts)
    if used > container.ndim:
        axes = f"{container.ndim} {'axis' if container.ndim == 1 else 'axes'}"
        return f"{used} {'index' if used == 1 else 'indices'} for an array with {axes}"
    return ""


def _assigned_item(infer: Any, constraint: Any, _error: str) -> str:
    container = _type(infer, constraint.target)
    index = _type(infer, getattr(constraint, "index_var", constraint.index))
    value = _type(infer, constraint.value)
    name = spelled(infer.func_ir, constraint.target)
    if isinstance(container, types.BaseTuple):
        return "a tuple cannot be changed: make a new one, or an array with np.empty"
    if isinstance(container, VulkanExpression):
        return (
            f"{f'{name!r} is' if name else 'this writes to'} an operation on arrays, or a copy, which has no memory "
            f"of its own: write into an array argument, or make one with np.empty of a constant shape"
        )
    found = _index_refusal(container, index, name)
    if found or not isinstance(container, types.Array):
        return found or f"elements of {noun(container)} cannot be assigned in kernels"
    if not container.mutable:
        return _read_only(infer, constraint, name)
    if isinstance(value, types.Array):
        return (
            f"an array cannot be assigned to an element of an array of {name_of(container.dtype)}: index it, or "
            f"assign to a slice of the same shape"
        )
    return f"{noun(value)} cannot be assigned to elements of an array of {name_of(container.dtype)}"


def _read_only(infer: Any, constraint: Any, name: str) -> str:
    origin = guard(get_definition, infer.func_ir, constraint.target)
    if isinstance(origin, ir.Global | ir.FreeVar):
        return f"'{name}' is a global array, and those are constant in kernels: pass it as an argument to write to it"
    if isinstance(origin, ir.Arg):
        return f"argument '{name}' is a read-only array, as its flags.writeable says: pass a copy, or another array"
    return (
        f"{f'{name!r} is' if name else 'this writes to'} part of an array that is read-only, as an argument whose "
        f"flags.writeable says so, or a global: pass a copy, or another array"
    )


def _deleted_item(infer: Any, constraint: Any, _error: str) -> str:
    return f"del is not supported in kernels: {noun(_type(infer, constraint.target))} keeps its size"


def _unpacked(infer: Any, constraint: Any, _error: str) -> str:
    given = _type(infer, constraint.iterator)
    if isinstance(given, types.BaseTuple):
        return f"{len(given)} value(s) cannot be assigned to {constraint.count} names"
    return f"{noun(given)} cannot be assigned to {constraint.count} names: index it"


# ---- variables that hold one thing or another


def choice_refusal(name: str, held: Any, given: Any) -> str:
    """Return why a variable cannot hold values of two types; the names of temporaries begin with a dollar sign."""
    what = "one expression gives" if name.startswith("$") else f"variable '{name.partition('.')[0]}' holds"
    both = f"{what} {noun(held)} or {noun(given)}"
    if all(isinstance(t, _TEXT_TYPES) for t in (held, given)):
        return TEXTS
    if all(isinstance(t, types.Callable) for t in (held, given)):
        return f"{both}, and kernels cannot choose between functions: call each in a branch of its own"
    if any(isinstance(t, types.Array) for t in (held, given)):
        return (
            f"{both}: kernels choose between arrays of one dtype and number of axes; use a variable for each, or a "
            f"branch for each use"
        )
    return f"{both}, and in kernels it has one type: use a variable for each"


def _assignment(infer: Any, constraint: Any, _error: str) -> str:
    return choice_refusal(constraint.dst, _type(infer, constraint.dst), _type(infer, constraint.src))


def return_refusal(name: str, found: Any) -> str:
    """Return why a function cannot return values of several types."""
    kinds = sorted({noun(t) for t in found})
    return (
        f"'{name}' returns {' or '.join(kinds)}: the values that a function returns have one type in kernels"
    )


def _nothing(_infer: Any, _constraint: Any, _error: str) -> str:
    return ""


_EXPLANATIONS: tuple[tuple[type, Callable[[Any, Any, str], str]], ...] = (
    (typeinfer.GetAttrConstraint, _attribute),
    (typeinfer.SetAttrConstraint, _assigned_attribute),
    (typeinfer.CallConstraint, _call),
    (
        typeinfer.StaticGetItemConstraint,
        lambda infer, c, error: _call(infer, c.fallback, error) if c.fallback else "",
    ),
    (typeinfer.SetItemRefinement, _assigned_item),
    (typeinfer.DelItemConstraint, _deleted_item),
    (typeinfer.ExhaustIterConstraint, _unpacked),
    (typeinfer.Propagate, _assignment),
)


def explain(infer: Any, constraint: Any, error: str) -> str:
    """Return why a constraint of Numba's type inference cannot be met, '' if there is nothing to say about it.

    Parameters
    ----------
    infer : numba.core.typeinfer.TypeInferer
        The inference, with the types that are known so far.
    constraint : object
        The constraint that raised.
    error : str
        What Numba says.
    """
    found = (words for kind, words in _EXPLANATIONS if isinstance(constraint, kind))
    try:
        return next(found, _nothing)(infer, constraint, error)
    except TypingError:  # a type is missing, because of a statement before
        return ""
