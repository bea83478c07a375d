"""What answers the calls of math functions in a kernel."""

from __future__ import annotations

from ..kernel import TargetProfile
from ..mathlib.library import assembly
from ..mathlib.table import FAST, MathFunction, symbol_parts

__all__ = ["modules"]

_NARROW = {"f": "float", "i": "i32"}
_WIDE = {"f": "double", "i": "i32"}


def modules(symbols: list[str], profile: TargetProfile) -> list[str]:
    """Return LLVM modules that define the functions with these symbols.

    Where float64 is computed in float32, a function for float64 calls the one for float32: the operations of its
    own source would mean nothing in float32.
    """
    called = [symbol_parts(symbol) for symbol in symbols]
    is_narrow = profile.math.narrow_math or not profile.computes_float64
    wide = {} if is_narrow else {f.symbol("f64"): f for f, precision in called if precision == "f64"}
    single = {f.symbol("f32"): f for f, precision in called if is_narrow or precision == "f32"}
    wrappers = [_narrowing(f) for f, precision in called if is_narrow and precision == "f64"]
    fast = [f for f in single.values() if profile.math.fastmath and f.is_fast]
    wrappers += [_forwarding(f) for f in fast]
    defined = [*wide, *(f.symbol(FAST) if f in fast else symbol for symbol, f in single.items())]
    return [*map(assembly, defined), *wrappers]


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
