"""Random programs of math functions, as Python source: nested calls, in loops and branches, with equal arguments."""

from __future__ import annotations

import random

__all__ = ["PARAMETERS", "math_program"]

PARAMETERS = "x, y, counts, n, out"
_NUMBERS = ("a", "b", "c")
_OF_ONE = (
    *"exp expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh".split(),
    *"sqrt erf erfc gamma lgamma floor ceil fabs".split(),
)
_OF_TWO = (
    *(f"math.{name}" for name in ("pow", "atan2", "hypot", "fmod", "remainder")),
    *(f"np.{name}" for name in ("logaddexp", "nextafter")),
)


class _Writer:
    """Writes one program; where ``is_opaque`` nothing is known of the arguments of functions."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.is_opaque = rng.random() < 0.7
        self.lines = ["i = nv.global_id(0)", "a, b = x[i], y[i]", "c = a * b"]

    def number(self, depth: int = 0) -> str:
        rng, kind = self.rng, self.rng.random()
        if depth > 2 or kind < 0.22:
            return rng.choice(_NUMBERS)
        if kind < 0.58:
            return f"math.{rng.choice(_OF_ONE)}({self.number(depth + 1)})"
        if kind < 0.68:
            return f"{rng.choice(_OF_TWO)}({self.number(depth + 1)}, {self.number(depth + 1)})"
        if kind < 0.74:
            return f"{rng.choice(('math.frexp', 'math.modf'))}({self.number(depth + 1)})[0]"
        if not self.is_opaque and kind < 0.86:
            return self.known(depth + 1)
        left, right = self.number(depth + 1), self.number(depth + 1)
        is_square = not self.is_opaque and rng.random() < 0.4
        return f"({left} {rng.choice('*+-')} {left if is_square else right})"

    def known(self, depth: int) -> str:
        """Write a number of which LLVM knows something."""
        inner = self.number(depth)
        return self.rng.choice(
            (
                "real(0.5)",
                "real(100.0)",
                "real(counts[i])",
                "real(n)",
                f"abs({inner})",
                f"(-{inner})",
                f"math.ldexp({inner}, 3)",
                f"({inner} ** 2)",
                f"({inner} if {self.condition(depth)} else {self.number(depth)})",
            )
        )

    def condition(self, depth: int = 1) -> str:
        return (
            f"{self.number(depth)} {self.rng.choice(('<', '>', '!='))} {self.rng.choice(('real(1.5)', 'c'))}"
        )

    def block(self, indent: str, count: int, is_nested: bool = False) -> None:
        """Write statements."""
        rng = self.rng
        for _ in range(count):
            kind, name = rng.random(), rng.choice(_NUMBERS)
            if kind < 0.6 or is_nested:
                self.lines.append(f"{indent}{name} = real({self.number()})")
            elif kind < 0.7:
                again = self.number(1)
                self.lines.append(f"{indent}{name} = real({again}) + real({again})")
            elif kind < 0.85:
                self.lines.append(f"{indent}if {self.condition()}:")
                self.block(f"{indent}    ", rng.randint(1, 2), is_nested=True)
            else:
                self.lines.append(f"{indent}for k in range({rng.choice(('n', '3', '2'))}):")
                self.block(f"{indent}    ", rng.randint(1, 2), is_nested=True)


def math_program(seed: int) -> str:
    """Return the body of a function of `PARAMETERS` for one number ``x[i]``, ``y[i]`` of type ``real``.

    ``counts`` are small integers and ``n`` is one; ``out`` has three rows.
    """
    writer = _Writer(random.Random(seed))
    writer.block("", writer.rng.randint(1, 4))
    return "\n".join([*writer.lines, "out[0, i] = a", "out[1, i] = b", "out[2, i] = c"])
