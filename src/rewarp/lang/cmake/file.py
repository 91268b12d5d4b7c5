"""CMake: commands with their arguments and places; comments and bracket comments left out."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

from rewarp.errors import ParseError
from rewarp.lang.cmake.reach import holds as holds_on
from rewarp.lang.document import Command, Document, Word
from rewarp.lang.kinds import Kind
from rewarp.source import SourceFile, Span
from rewarp.targets.base import Target

_TOKEN = re.compile(
    rb"""(?P<bracket_comment>\#\[=*\[)
    |(?P<bracket>\[=*\[)
    |(?P<comment>\#[^\r\n]*)
    |(?P<quoted>"(?:\\.|[^"\\])*")
    |(?P<open>\()|(?P<close>\))
    |(?P<word>(?:\\.|\$\{[^}\s$]*\}|\$<[^\s]{0,4000}>|[^\s()"\#\\])
        (?:\\.|\$\{[^}\s$]*\}|\$<[^\s]{0,4000}>|[^\s()"\#\\]|"(?:\\.|[^"\\()\#\r\n])*")*)
    """,
    re.X | re.S,
)
"""Of brackets only how they open: their ends are looked for once, and not again from each that is left open. Quotes within
a word belong to it, blanks between them as well: ``-DNAME="a b"``."""
_UNBRACKETED = re.compile(rb"\#[^\r\n]*|(?:\\.|\$\{[^}\s$]*\}|\$<[^\s]{0,4000}>|[^\s()\"\#\\])+", re.S)

_HIP_VALUE = re.compile(rb"(?i)(?:STREQUAL|MATCHES)\s+\"?\^?(?:hip|rocm)\b")


_COMMAND_KEYWORDS = frozenset(
    "COMMAND ARGS WORKING_DIRECTORY TIMEOUT RESULT_VARIABLE RESULTS_VARIABLE OUTPUT_VARIABLE ERROR_VARIABLE INPUT_FILE "
    "OUTPUT_FILE ERROR_FILE OUTPUT_QUIET ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_STRIP_TRAILING_WHITESPACE "
    "COMMAND_ECHO COMMAND_ERROR_IS_FATAL ENCODING ECHO_OUTPUT_VARIABLE ECHO_ERROR_VARIABLE DEPENDS COMMENT VERBATIM OUTPUT "
    "BYPRODUCTS MAIN_DEPENDENCY IMPLICIT_DEPENDS DEPFILE USES_TERMINAL COMMAND_EXPAND_LISTS APPEND TARGET PRE_BUILD "
    "PRE_LINK POST_BUILD SOURCES NAME CONFIGURATIONS".split()
)


_MOST_TESTS = 500
"""Around one place, more than anybody writes: each command is told them all."""


class Argument(NamedTuple):
    """One argument, unquoted, with its span (quotes included)."""

    text: str
    where: Span
    style: str = "bare"
    """Or quoted, or bracket: in those nothing is split, in brackets nothing replaced."""


class CMakeCommand(NamedTuple):
    """One command call. ``conditions`` are the tests of the if() branches around it, outermost first:
    (condition text, whether it holds here). In an else() branch no test of that if() holds."""

    name: str
    arguments: tuple[Argument, ...]
    where: Span
    conditions: tuple[tuple[str, bool], ...]

    @property
    def texts(self) -> list[str]:
        return [argument.text for argument in self.arguments]


def _tokens(view: bytes) -> Iterator[tuple[str, Span]]:
    missing: set[bytes] = set()  # closing brackets that do not come any more
    at = 0
    while match := _TOKEN.search(view, at):
        group, (start, at) = match.lastgroup or "", match.span()
        if group in ("bracket", "bracket_comment"):
            closing = b"]" + b"=" * match[0].count(b"=") + b"]"
            end = -1 if closing in missing else view.find(closing, at)
            if end >= 0:
                at = end + len(closing)
            elif plain := _UNBRACKETED.match(view, start):
                missing.add(closing)
                group, at = "comment" if group == "bracket_comment" else "word", plain.end()
        yield group, Span(start, at)


class _Calls:
    """The calls of a file as they are read, each with the tests around it."""

    def __init__(self) -> None:
        self.found: list[CMakeCommand] = []
        self._blocks: list[list[tuple[str, bool]]] = []  # for each open if(): its tests up to this branch
        self._tests = 0

    def add(self, name: str, arguments: list[Argument], where: Span) -> None:
        if name in ("elseif", "else") and self._blocks:
            self._blocks[-1][-1] = (self._blocks[-1][-1][0], False)
        elif name == "endif" and self._blocks:
            self._tests -= len(self._blocks.pop())
        conditions = tuple(test for block in self._blocks for test in block)
        self.found.append(CMakeCommand(name, tuple(arguments), where, conditions))
        if name == "if":
            self._blocks.append([])
        if name == "if" or (name == "elseif" and self._blocks):
            self._blocks[-1].append((" ".join(a.text for a in arguments), True))
            self._tests += 1
            if self._tests > _MOST_TESTS:
                raise ParseError(f"if() and elseif() nested or left open more than {_MOST_TESTS} deep")


class CMakeFile(Document):
    """A CMakeLists.txt or .cmake file."""

    def __init__(self, source: SourceFile, kind: Kind) -> None:
        super().__init__(source, kind)
        self.calls = self._read()

    def _read(self) -> list[CMakeCommand]:
        view = self.source.view
        calls = _Calls()
        name: tuple[str, int] | None = None
        arguments: list[Argument] = []
        depth = 0
        for group, where in _tokens(view):
            if group in ("comment", "bracket_comment"):
                continue
            text = view[where.start : where.end].decode("utf-8", "replace")
            if depth == 0:
                if group == "word":
                    name = (text.lower(), where.start)
                elif group == "open" and name:
                    depth, arguments = 1, []
            elif group == "open":
                depth += 1
                arguments.append(Argument("(", where))
            elif group == "close":
                depth -= 1
                if depth:
                    arguments.append(Argument(")", where))
                elif name:
                    calls.add(name[0], arguments, Span(name[1], where.end))
                    name = None
            else:
                style = "bare" if group == "word" else group
                arguments.append(Argument(text[1:-1] if group == "quoted" else text, where, style))
        return calls.found

    def _call_at(self, at: int) -> CMakeCommand | None:
        """The call that a place stands in; none lies inside another."""
        index = bisect_right(self._starts, at) - 1
        return self.calls[index] if index >= 0 and at < self.calls[index].where.end else None

    @cached_property
    def _starts(self) -> list[int]:
        return [call.where.start for call in self.calls]

    def named(self, *names: str) -> list[CMakeCommand]:
        return [call for call in self.calls if call.name in names]

    @cached_property
    def commands(self) -> list[Command]:
        """The programs that CMake runs while it configures, builds or tests."""
        found: list[Command] = []
        for call in self.named("execute_process", "add_custom_command", "add_custom_target", "add_test"):
            words: list[Word] | None = None
            for argument in (*call.arguments, Argument("COMMAND", call.where)):
                if argument.text in _COMMAND_KEYWORDS:
                    if words:
                        found.append(Command(tuple(words), Span(words[0].where.start, words[-1].where.end)))
                    words = [] if argument.text == "COMMAND" else None
                elif words is not None:
                    words.append(Word(argument.text, argument.where))
        return found

    def failure_is_handled(self, command: Command) -> bool:
        """Whether CMake goes on when the program is missing: so it does while it configures, unless told otherwise."""
        call = self._call_at(command.where.start)
        return call is not None and call.name == "execute_process" and "COMMAND_ERROR_IS_FATAL" not in call.texts

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
        call = self._call_at(self.span(getattr(where, "where", where)).start)
        return call is not None and any(self._excluded(*condition, target) for condition in call.conditions)

    @cached_property
    def _other_values(self) -> frozenset[str]:
        """Values of a backend variable that mean another platform: "CUDA", if "HIP" is one too."""
        return frozenset({"CUDA"}) if _HIP_VALUE.search(self.source.view) else frozenset()

    def _excluded(self, condition: str, holds: bool, target: Target) -> bool:
        key = (condition, target)
        if key not in self._folded:
            self._folded[key] = holds_on(condition, target, self._other_values)
        value = self._folded[key]
        return value is not None and value is not holds

    @cached_property
    def _folded(self) -> dict[tuple[str, Target], bool | None]:
        return {}
