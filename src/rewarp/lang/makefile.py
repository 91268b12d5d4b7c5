"""Makefiles: recipes are shell; variables are kept with their text."""

from __future__ import annotations

import re
from functools import cached_property
from typing import NamedTuple

from rewarp.lang.cover import Cover
from rewarp.lang.document import EnvSet
from rewarp.lang.shell import Fragment, ShellFile
from rewarp.source import Span

_RECIPE = re.compile(rb"^\t[@+-]*((?:\\\r\n|\\.|[^\\\r\n])*)", re.M | re.S)
_MAKE_SHELL = re.compile(rb"\$\(shell[ \t]+((?![ \t])(?:[^()\r\n]|\([^()\r\n]*\))*)\)")
_MAKE_SET = re.compile(
    rb"^[ \t]*(?:export[ \t]+|override[ \t]+)*([A-Za-z_]\w*)[ \t]*(?:\?|:{1,3}|\+|!)?="
    rb"[ \t]*((?:\\\r\n|\\.|[^\\\r\n#])*)",
    re.M | re.S,
)
_CONDITION = re.compile(rb"^[ \t]*(ifn?eq|ifn?def|else|endif)\b([^\r\n]*)", re.M)


class Variable(NamedTuple):
    """A Make variable and its text."""

    name: str
    value: str
    span: Span


class Makefile(ShellFile):
    """A Makefile: recipes are shell; variables are kept with their text."""

    def conditions(self, offset: int) -> list[str]:
        """The conditions around a place: of each block those of all its branches."""
        around: list[list[str]] = []
        for match in _CONDITION.finditer(self.source.view, 0, offset):
            word, text = match[1], match[2].decode("utf-8", "replace")
            if word == b"endif":
                around = around[:-1]
            elif word == b"else" and around:
                around[-1].append(text)
            elif word != b"else":
                around.append([text])
        return [text for block in around for text in block]

    def fragments(self) -> list[Fragment]:
        view = self.source.view
        recipes = [Fragment(m[1], m.start(1)) for m in _RECIPE.finditer(view)]
        inside = Cover(Span(f.base, f.base + len(f.code)) for f in recipes)
        calls = [m for m in _MAKE_SHELL.finditer(view) if m.start() not in inside]
        return [*recipes, *(Fragment(m[1], m.start(1)) for m in calls)]

    @cached_property
    def variables(self) -> list[Variable]:
        return [
            Variable(m[1].decode(), m[2].decode("utf-8", "replace"), Span(m.start(2), m.end(2)))
            for m in _MAKE_SET.finditer(self.source.view)
        ]

    @cached_property
    def env_sets(self) -> list[EnvSet]:
        found = list(super().env_sets)
        line_at = self.source.line_at
        in_recipes = {(item.name, line_at(self.span(item).start)) for item in found}
        for variable in self.variables:
            if (variable.name, line_at(variable.span.start)) not in in_recipes:
                value = None if "$" in variable.value else variable.value.strip()
                found.append(EnvSet(variable.name, value, variable.span))
        return found
