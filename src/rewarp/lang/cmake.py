"""CMake: commands with their arguments and places; comments and bracket comments left out."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any, NamedTuple

from rewarp.lang.document import Document
from rewarp.source import Span
from rewarp.targets.base import Target

_TOKEN = re.compile(
    rb"""(?P<bracket_comment>\#\[(?P<eq>=*)\[.*?\](?P=eq)\])
    |(?P<comment>\#[^\r\n]*)
    |(?P<bracket>\[(?P<eq2>=*)\[.*?\](?P=eq2)\])
    |(?P<quoted>"(?:\\.|[^"\\])*")
    |(?P<open>\()|(?P<close>\))
    |(?P<word>(?:\\.|\$\{[^}]*\}|\$<[^\s]*>|[^\s()"\#\\])+)
    """,
    re.X | re.S,
)


class Argument(NamedTuple):
    """One argument, unquoted, with its span (quotes included)."""

    text: str
    where: Span


class CMakeCommand(NamedTuple):
    """One command call. ``conditions`` are the if() branches around it, outermost first:
    (condition text, whether this is the branch where it holds)."""

    name: str
    arguments: tuple[Argument, ...]
    where: Span
    conditions: tuple[tuple[str, bool], ...]

    @property
    def texts(self) -> list[str]:
        return [argument.text for argument in self.arguments]


class CMakeFile(Document):
    """A CMakeLists.txt or .cmake file."""

    @cached_property
    def calls(self) -> list[CMakeCommand]:
        found: list[CMakeCommand] = []
        conditions: list[tuple[str, bool]] = []
        name: tuple[str, int] | None = None
        arguments: list[Argument] = []
        depth = 0
        for match in _TOKEN.finditer(self.source.view):
            group = match.lastgroup
            if group in ("comment", "bracket_comment"):
                continue
            text = match[0].decode("utf-8", "replace")
            if depth == 0:
                if group == "word":
                    name = (text.lower(), match.start())
                elif group == "open" and name:
                    depth, arguments = 1, []
            elif group == "open":
                depth += 1
                arguments.append(Argument("(", Span(*match.span())))
            elif group == "close":
                depth -= 1
                if depth:
                    arguments.append(Argument(")", Span(*match.span())))
                elif name:
                    condition = " ".join(a.text for a in arguments)
                    if name[0] in ("elseif", "else", "endif") and conditions:
                        last = conditions.pop()
                        if name[0] == "else":
                            conditions.append((last[0], not last[1]))
                    span = Span(name[1], match.end())
                    found.append(CMakeCommand(name[0], tuple(arguments), span, tuple(conditions)))
                    if name[0] in ("if", "elseif"):
                        conditions.append((condition, True))
                    name = None
            else:
                where = Span(*match.span())
                arguments.append(Argument(text[1:-1] if group == "quoted" else text, where))
        return found

    def named(self, *names: str) -> list[CMakeCommand]:
        return [call for call in self.calls if call.name in names]

    @cached_property
    def has_hip(self) -> bool:
        """Whether the file already knows how to build for HIP."""
        for call in self.calls:
            texts = [text.upper() for text in call.texts]
            if call.name in ("enable_language", "project") and "HIP" in texts:
                return True
            if call.name == "find_package" and texts[:1] and texts[0] in ("HIP", "ROCM", "LOADHIP"):
                return True
        return False

    def unreachable(self, where: Any, target: Target) -> bool:
        span = self.span(getattr(where, "where", where))
        for call in self.calls:
            if call.where.start <= span.start < call.where.end:
                return any(self._excluded(condition, holds, target) for condition, holds in call.conditions)
        return False

    @staticmethod
    def _excluded(condition: str, holds: bool, target: Target) -> bool:
        words = condition.split()
        negated = words[:1] == ["NOT"]
        words = words[1:] if negated else words
        if len(words) != 1:
            return False
        name = re.sub(r"\$\{(\w+)\}", r"\1", words[0])
        if target.true_macros.fullmatch(name) or target.true_names.fullmatch(name):
            value = True
        elif target.false_names.fullmatch(name):
            value = False
        else:
            return False
        return (value != negated) is not holds
