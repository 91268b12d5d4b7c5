"""CMake: commands with their arguments and places; comments and bracket comments left out."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any, NamedTuple

from rewarp.lang.document import Command, Document, Word
from rewarp.lang.kinds import Kind
from rewarp.lang.nesting import check_blocks
from rewarp.source import SourceFile, Span
from rewarp.targets.base import Target

_TOKEN = re.compile(
    rb"""(?P<bracket_comment>\#\[(?P<eq>=*)\[.*?\](?P=eq)\])
    |(?P<comment>\#[^\r\n]*)
    |(?P<bracket>\[(?P<eq2>=*)\[.*?\](?P=eq2)\])
    |(?P<quoted>"(?:\\.|[^"\\])*")
    |(?P<open>\()|(?P<close>\))
    |(?P<word>(?:\\.|\$\{[^}\s$]*\}|\$<[^\s]{0,4000}>|[^\s()"\#\\])+)
    """,
    re.X | re.S,
)

_WORDS = re.compile(r"[()]|[^\s()]+")
_HIP_VALUE = re.compile(rb"(?i)(?:STREQUAL|MATCHES)\s+\"?\^?(?:hip|rocm)\b")
_PLATFORM_VARIABLE = re.compile(r"(?i)(lang|language|platform|backend|target_device|gpu_type)\}?$")


_COMMAND_KEYWORDS = frozenset(
    "COMMAND ARGS WORKING_DIRECTORY TIMEOUT RESULT_VARIABLE RESULTS_VARIABLE OUTPUT_VARIABLE ERROR_VARIABLE INPUT_FILE "
    "OUTPUT_FILE ERROR_FILE OUTPUT_QUIET ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_STRIP_TRAILING_WHITESPACE "
    "COMMAND_ECHO COMMAND_ERROR_IS_FATAL ENCODING ECHO_OUTPUT_VARIABLE ECHO_ERROR_VARIABLE DEPENDS COMMENT VERBATIM OUTPUT "
    "BYPRODUCTS MAIN_DEPENDENCY IMPLICIT_DEPENDS DEPFILE USES_TERMINAL COMMAND_EXPAND_LISTS APPEND TARGET PRE_BUILD "
    "PRE_LINK POST_BUILD SOURCES NAME CONFIGURATIONS".split()
)


class Argument(NamedTuple):
    """One argument, unquoted, with its span (quotes included)."""

    text: str
    where: Span


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


class CMakeFile(Document):
    """A CMakeLists.txt or .cmake file."""

    def __init__(self, source: SourceFile, kind: Kind) -> None:
        super().__init__(source, kind)
        check_blocks(source.view)

    @cached_property
    def calls(self) -> list[CMakeCommand]:
        found: list[CMakeCommand] = []
        blocks: list[list[tuple[str, bool]]] = []  # for each open if(): its tests up to this branch
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
                    if name[0] in ("elseif", "else") and blocks:
                        blocks[-1][-1] = (blocks[-1][-1][0], False)
                    elif name[0] == "endif" and blocks:
                        blocks.pop()
                    span = Span(name[1], match.end())
                    conditions = tuple(test for block in blocks for test in block)
                    found.append(CMakeCommand(name[0], tuple(arguments), span, conditions))
                    test = (" ".join(a.text for a in arguments), True)
                    if name[0] == "if":
                        blocks.append([test])
                    elif name[0] == "elseif" and blocks:
                        blocks[-1].append(test)
                    name = None
            else:
                where = Span(*match.span())
                arguments.append(Argument(text[1:-1] if group == "quoted" else text, where))
        return found

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
        around = (call for call in self.calls if call.where.start <= command.where.start < call.where.end)
        return any(call.name == "execute_process" and "COMMAND_ERROR_IS_FATAL" not in call.texts for call in around)

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

    @cached_property
    def _other_values(self) -> frozenset[str]:
        """Values of a backend variable that mean another platform: "CUDA", if "HIP" is one too."""
        return frozenset({"CUDA"}) if _HIP_VALUE.search(self.source.view) else frozenset()

    def _excluded(self, condition: str, holds: bool, target: Target) -> bool:
        value = _fold(_WORDS.findall(condition), target, self._other_values)
        return value is not None and value is not holds


def _fold(words: list[str], target: Target, others: frozenset[str]) -> bool | None:
    """The truth of a condition on the target; None when it is not decided. AND binds tighter than
    OR; parentheses are read around the whole only."""
    while words[:1] == ["("] and words[-1:] == [")"] and words.count("(") == 1:
        words = words[1:-1]
    if "(" in words:
        return None
    for joint, decisive in (("OR", True), ("AND", False)):
        if joint in words:
            at = words.index(joint)
            values = (_fold(words[:at], target, others), _fold(words[at + 1 :], target, others))
            if decisive in values:
                return decisive
            return None if None in values else not decisive
    if words[:1] == ["NOT"]:
        value = _fold(words[1:], target, others)
        return None if value is None else not value
    if len(words) == 3 and words[1] in ("STREQUAL", "MATCHES") and _PLATFORM_VARIABLE.search(words[0]):
        name = words[2].strip('"^$')
    elif len(words) == 1:
        name = re.sub(r"\$\{(\w+)\}", r"\1", words[0])
    else:
        return None
    if len(words) == 3 and name.upper() in others:
        return False
    if target.true_macros.fullmatch(name) or target.true_names.fullmatch(name):
        return True
    return False if target.false_names.fullmatch(name) else None
