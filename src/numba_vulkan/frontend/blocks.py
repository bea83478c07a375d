"""Rewriting of the blocks of Numba's untyped IR."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from numba.core import ir
from numba.core.consts import ConstantInference
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

    def names(self, variable: Any) -> list[str]:
        """Return the names of a variable and of those whose values it takes."""
        found = [variable.name]
        for name in found:
            found += [v.name for v in self._values(name) if isinstance(v, ir.Var) and v.name not in found]
        return found

    def origins(self, variable: Any) -> Iterator[Any]:
        """Yield all that a variable may be, through other variables."""
        for name in self.names(variable):
            yield from (value for value in self._values(name) if not isinstance(value, ir.Var))

    def _values(self, name: str) -> list[Any]:
        """Return what is assigned to a variable."""
        # Numba does not record the definitions of all that it adds to a block.
        return self.function._definitions.get(name) or [
            statement.value for statement in self.block.find_insts(ir.Assign) if statement.target.name == name
        ]

    def constant(self, variable: Any) -> object:
        """Return the value of a variable that is constant, else None."""
        # The function itself remembers what it has answered, also when a definition is another one since.
        try:
            return ConstantInference(self.function).infer_constant(variable.name)
        except ConstantInferenceError:
            return None

    def assigned(self, value: Any, statement: Any) -> Any:
        """Return a new variable that holds a value."""
        variable = self.block.scope.redefine("$text", statement.loc)
        self.body.append(ir.Assign(value, variable, statement.loc))
        self.function._definitions[variable.name] = [value]
        return variable
