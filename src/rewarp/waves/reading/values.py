"""One function: what it declares, what it gets and what it assigns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from rewarp.source import Span
from rewarp.waves.reading.declared import Declared, declarations
from rewarp.waves.reading.functions import Function
from rewarp.waves.reading.names import Names
from rewarp.waves.reading.syntax import Code, parameters

_BRACED = re.compile(rb"\{(?=[^{};]*\}\s*[;,])")
_NAME_BEFORE = re.compile(rb"[\w>&*]\s+(?P<name>[A-Za-z_]\w*)\s*\Z")
_EQUALS = re.compile(rb"=(?!=)(?:(?<![=!<>].)|(?<=<<.)|(?<=>>.))\s*")
_WITHIN = (b".", b">", b"]")
"""What stands before the name of something's member."""
# Brackets within brackets within brackets; within them one way to match each byte, so that nothing is tried twice.
_VALUE = re.compile(rb"(?:[^;,()\[\]{}]+|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|\[[^\]]*\]|\{[^{}]*\})*")


class Values:
    """The names of one function, and the values that they get."""

    def __init__(self, code: Code, function: Function, names: Names) -> None:
        self.code = code
        self.function = function
        self.names = names
        self.start, self.end = function.head.start, function.body.end
        self.text = code.text[self.start : self.end]

    def finditer(self, pattern: re.Pattern[bytes]) -> Iterator[re.Match[bytes]]:
        """Matches in the function, with offsets of the file."""
        return pattern.finditer(self.code.text, self.start, self.end)

    @cached_property
    def declared(self) -> dict[bytes, Declared]:
        found: dict[bytes, Declared] = {}
        for name, declared in declarations(self.code.text, self.start, self.end):
            found.setdefault(name, declared)
        return found

    @cached_property
    def parameters(self) -> list[bytes]:
        """The names of the function's parameters, in order."""
        return parameters(self.code, self.function)

    @cached_property
    def assigned(self) -> list[tuple[bytes, Span, Span]]:
        """(name, the place of the name, the value) of every assignment, in order."""
        found = []
        for match in self.finditer(_EQUALS):
            where = self.code.name_before(self._operator(match.start()), self.start)
            name = self.code.slice(where)
            if name and not name[:1].isdigit() and self.code.text[where.start - 1 : where.start] not in _WITHIN:
                found.append((name, where, Span(match.end(), self._value_end(match.end()))))
        return sorted([*found, *self._braced()], key=lambda item: item[1]) if b"};" in self.text else found

    def _operator(self, at: int) -> int:
        """Where the assignment begins whose equals sign stands here: ``|=`` and ``<<=`` are longer than one byte."""
        text = self.code.text
        if text[at - 2 : at] in (b"<<", b">>"):
            return at - 2
        return at - 1 if text[at - 1] in b"|&^+-" else at

    def _braced(self) -> Iterator[tuple[bytes, Span, Span]]:
        """``int lane{threadIdx.x % 32};``"""
        for match in self.finditer(_BRACED):
            before = _NAME_BEFORE.search(self.code.text, max(self.start, match.start() - 60), match.start())
            if before:
                yield before["name"], Span(*before.span("name")), Span(match.end(), self._value_end(match.end()))

    def _value_end(self, at: int) -> int:
        match = _VALUE.match(self.code.text, at, min(self.end, at + 600))
        return match.end() if match else at
