"""Rewriting of the blocks of Numba's untyped IR."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from numba.core import ir
from numba.core.errors import ConstantInferenceError

__all__ = ["BlockRewriter", "redefine"]


def redefine(function: Any, statement: Any, value: Any) -> None:
    """Give an assignment another value."""
    known = function._definitions[statement.target.name]
    known[:] = [value if each is statement.value else each for each in known]
    statement.value = value


class BlockRewriter:
    """Gives assignments of a block other values, and puts new ones in front of them."""

    def __init__(self, function: Any, block: Any) -> None:
        self.function = function
        self.block = block
        self.body: list[Any] = []

    def run(self) -> bool:
        """Replace what has to be; returns whether there was something."""
        changed = False
        for statement in self.block.body:
            new = self.replacement(statement) if isinstance(statement, ir.Assign) else None
            if new is not None:
                redefine(self.function, statement, new)
                changed = True
            self.check(statement)
            self.body.append(statement)
        self.block.body = self.body
        return changed

    def replacement(self, statement: Any) -> Any:
        """Return the new value of an assignment, None if it stays."""
        raise NotImplementedError(statement)

    def check(self, statement: Any) -> None:
        """Refuse what cannot be."""

    def origins(self, variable: Any) -> Iterator[Any]:
        """Yield all that a variable may be, through other variables."""
        pending, seen = [variable.name], set()
        while pending:
            name = pending.pop()
            if name in seen:
                continue
            seen.add(name)
            # Numba does not record the definitions of all that it adds to a block.
            known = self.function._definitions.get(name) or [
                statement.value
                for statement in self.block.find_insts(ir.Assign)
                if statement.target.name == name
            ]
            for value in known:
                if isinstance(value, ir.Var):
                    pending.append(value.name)
                else:
                    yield value

    def constant(self, variable: Any) -> object:
        """Return the value of a variable that is constant, else None."""
        try:
            return self.function.infer_constant(variable)
        except ConstantInferenceError:
            return None

    def assigned(self, value: Any, statement: Any) -> Any:
        """Return a new variable that holds a value."""
        variable = self.block.scope.redefine("$text", statement.loc)
        self.body.append(ir.Assign(value, variable, statement.loc))
        self.function._definitions[variable.name] = [value]
        return variable
