"""What answers the calls of math functions in a kernel."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..kernel import TargetProfile
from ..mathlib.table import FAST, FUNCTIONS, MathFunction, symbol_parts

__all__ = ["Answers", "answer", "declaration"]

_NARROW = {"f": "float", "i": "i32"}
_WIDE = {"f": "double", "i": "i32"}
# Functions that another one gives together.
_SHARED, _TOGETHER = ("sin", "cos"), "sincos"


@dataclass(frozen=True)
class Answers:
    """What answers the calls of a kernel.

    Attributes
    ----------
    wrappers : tuple of str
        LLVM modules with functions that call others of the library.
    symbols : tuple of str
        The functions that are left to define.
    """

    wrappers: tuple[str, ...]
    symbols: tuple[str, ...]


def answer(symbols: Iterable[str], profile: TargetProfile) -> Answers:
    """Return what answers calls of the functions with these symbols.

    Where float64 is computed in float32, a function for float64 calls the one for float32: the operations of its
    own source would mean nothing in float32. A kernel with sines and cosines computes both at once; of angles that
    need only one, LLVM drops the other.
    """
    called = [symbol_parts(symbol) for symbol in symbols]
    is_narrow = profile.math.narrow_math or not profile.computes_float64
    wrappers = [_narrowing(f) for f, precision in called if is_narrow and precision == "f64"]
    needed = dict.fromkeys((f, "f32" if is_narrow else precision) for f, precision in called)
    fast = [f for f, precision in needed if profile.math.fastmath and f.is_fast and precision == "f32"]
    wrappers += [_forwarding(f) for f in fast]
    needed = dict.fromkeys(
        (f, FAST if precision == "f32" and f in fast else precision) for f, precision in needed
    )
    for precision in ("f32", "f64"):
        parts = [(FUNCTIONS[name], precision) for name in _SHARED]
        if all(part in needed for part in parts):
            wrappers += [_part(function, precision, position) for position, (function, _) in enumerate(parts)]
            needed = {key: None for key in needed if key not in parts} | {
                (FUNCTIONS[_TOGETHER], precision): None
            }
    return Answers(tuple(wrappers), tuple(f.symbol(precision) for f, precision in needed))


def declaration(symbol: str) -> str:
    """Return the declaration of a function, with what LLVM may assume of it."""
    function, precision = symbol_parts(symbol)
    types = _WIDE if precision == "f64" else _NARROW
    operands = ", ".join(types[kind] for kind in function.operands)
    return f"declare {_result(function, types)} @{symbol}({operands}) nounwind willreturn memory(none)\n"


def _part(function: MathFunction, precision: str, position: int) -> str:
    """Return a module with a function of one number that is one of the results of `_TOGETHER`."""
    both, float_type = FUNCTIONS[_TOGETHER], (_WIDE if precision == "f64" else _NARROW)["f"]
    pair = f"{{ {float_type}, {float_type} }}"
    return f"""declare {pair} @{both.symbol(precision)}({float_type})
define {float_type} @{function.symbol(precision)}({float_type} %0) {{
  %both = call {pair} @{both.symbol(precision)}({float_type} %0)
  %result = extractvalue {pair} %both, {position}
  ret {float_type} %result
}}
"""


def _forwarding(function: MathFunction) -> str:
    """Return a module with the float32 function that calls the one by functions of the driver."""
    types, result = [_NARROW[kind] for kind in function.operands], _result(function, _NARROW)
    parameters = ", ".join(f"{type} %{position}" for position, type in enumerate(types))
    return f"""declare {result} @{function.symbol(FAST)}({", ".join(types)})
define {result} @{function.symbol("f32")}({parameters}) {{
  %result = call {result} @{function.symbol(FAST)}({parameters})
  ret {result} %result
}}
"""


def _narrowing(function: MathFunction) -> str:
    """Return a module with the float64 function that calls the float32 one."""
    lines: list[str] = []
    arguments: list[str] = []
    for position, kind in enumerate(function.operands):
        if kind == "f":
            lines.append(f"%n{position} = fptrunc double %{position} to float")
        arguments.append(f"{_NARROW[kind]} %{'n' if kind == 'f' else ''}{position}")
    narrow, wide = (_result(function, types) for types in (_NARROW, _WIDE))
    call = f"call {narrow} @{function.symbol('f32')}({', '.join(arguments)})"
    lines.append(f"%result = {call}")
    if len(function.results) == 1:
        lines.append(_widened("%result", "%wide", function.results))
        lines.append(f"ret {wide} %wide")
    else:
        whole = "poison"
        for position, kind in enumerate(function.results):
            lines.append(f"%part{position} = extractvalue {narrow} %result, {position}")
            lines.append(_widened(f"%part{position}", f"%wide{position}", kind))
            lines.append(
                f"%whole{position} = insertvalue {wide} {whole}, {_WIDE[kind]} %wide{position}, {position}"
            )
            whole = f"%whole{position}"
        lines.append(f"ret {wide} {whole}")
    parameters = ", ".join(f"{_WIDE[kind]} %{position}" for position, kind in enumerate(function.operands))
    header = f"define {wide} @{function.symbol('f64')}({parameters})"
    declaration = (
        f"declare {narrow} @{function.symbol('f32')}({', '.join(_NARROW[k] for k in function.operands)})"
    )
    return "\n".join([declaration, f"{header} {{", "entry:", *(f"  {line}" for line in lines), "}", ""])


def _result(function: MathFunction, types: dict[str, str]) -> str:
    fields = [types[kind] for kind in function.results]
    return fields[0] if len(fields) == 1 else f"{{ {', '.join(fields)} }}"


def _widened(narrow: str, wide: str, kind: str) -> str:
    if kind == "f":
        return f"{wide} = fpext float {narrow} to double"
    return f"{wide} = add i32 {narrow}, 0"
