"""Debug information of LLVM assembly: which line of the user's source an instruction or a function comes from."""

from __future__ import annotations

import os
from importlib.util import find_spec

from .lexer import decode_string, split
from .model import Location

__all__ = ["DebugInfo"]


def _library_folders() -> tuple[str, ...]:
    """Return the folders of code that users do not write, whose lines would tell them nothing."""
    found = [find_spec(name) for name in ("numba", __name__.partition(".")[0])]
    return tuple(os.path.join(os.path.dirname(spec.origin), "") for spec in found if spec and spec.origin)


_LIBRARIES = _library_folders()


class DebugInfo:
    """The metadata of a module; nodes are read when asked for.

    Parameters
    ----------
    lines : list of str
        The lines of the module.
    """

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._nodes: dict[str, str] | None = None
        self._locations: dict[str, Location | None] = {}
        self._files: dict[str, str] = {}

    def location(self, node: str) -> Location | None:
        """Return the place of the ``DILocation`` named ``node`` (``!17``); None for code that has no line."""
        try:
            return self._locations[node]
        except KeyError:
            found = self._locations[node] = self._find_location(node)
            return found

    def subprogram(self, node: str) -> tuple[str, Location]:
        """Return name and place of the ``DISubprogram`` named ``node``."""
        fields = self._fields(node)
        return _text(fields.get("name", '""')), Location(self._file(node), int(fields.get("line", "0")))

    def _find_location(self, node: str) -> Location | None:
        fields = self._fields(node)
        line = int(fields.get("line", "0"))
        caller = fields.get("inlinedAt")
        if line:
            place = Location(self._file(fields["scope"]), line)
            if caller is None or not place.file.startswith(_LIBRARIES):
                return place
            return self.location(caller) or place
        # LLVM gives line 0 to code that it made of several lines: the call it was inlined at is the next best.
        return self.location(caller) if caller else None

    def _file(self, scope: str) -> str:
        """Return the path of the file that a subprogram or a block lies in."""
        path = self._files.get(scope)
        if path is None:
            fields = self._fields(scope)
            if "filename" in fields:
                path = os.path.join(_text(fields.get("directory", '""')), _text(fields["filename"]))
            else:
                path = self._file(fields["file"] if "file" in fields else fields["scope"])
            self._files[scope] = path
        return path

    def _fields(self, node: str) -> dict[str, str]:
        """Return the fields of a node such as ``!DILocation(line: 3, scope: !7)``."""
        if self._nodes is None:
            self._nodes = {}
            for line in self._lines:
                if line[:1] == "!":
                    name, _, body = line.partition(" = ")
                    self._nodes[name] = body
        if node not in self._nodes:
            raise ValueError(f"there is no metadata node {node}")
        body = self._nodes[node]
        if '"' not in body:  # a place, as nearly all are: only strings have commas in them
            return dict(field.split(": ", 1) for field in body[body.index("(") + 1 : -1].split(", "))
        tokens = split(body)
        return {tokens[i - 1]: tokens[i + 1] for i, token in enumerate(tokens) if token == ":"}


def _text(token: str) -> str:
    return decode_string(token[1:-1]).decode()
