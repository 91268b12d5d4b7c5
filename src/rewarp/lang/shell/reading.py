"""Commands, variables and gates of shell code: simple commands, `if`, `case` and what `||` and `&&` say of failures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from rewarp.lang.document import Command, EnvSet, Word
from rewarp.lang.shell.cases import cases
from rewarp.lang.shell.gates import Test, fold, names_a_side
from rewarp.lang.shell.words import (
    ASSIGNMENT,
    STRUCTURE,
    Words,
    after_prefix,
    blank,
    blank_heredocs,
    simple_commands,
    unquote,
)
from rewarp.source import Span
from rewarp.targets.base import Target

_SUBSTITUTION = re.compile(rb"\$\((?!\()((?:[^()]|\([^()]*\))*)\)|`([^`]*)`")
_EXPORTS = ("export", "declare", "local", "readonly", "typeset")
_CONTAINERS = ("docker", "podman", "nerdctl", "nvidia-docker")
_BLANKS = re.compile(rb"\s*")
_SHOWING = ("echo", "printf")
"""Of what they are given nobody asks whether it was found out: even ``set -e`` goes on."""
_DEPTH = 5
_CHAIN = 8


class Fragment(NamedTuple):
    """A piece of a file that is shell code."""

    code: bytes
    base: int


class _Arm(NamedTuple):
    """Code that runs only if ``own`` (None: no test) is true and none of the first ``after`` of ``earlier``, the list
    that all arms of one ``if`` share."""

    span: Span
    own: Test | None
    earlier: Sequence[Test] = ()
    after: int = 0
    group: int = -1
    """Arms of one ``if`` share it: the place the ``if`` stands at."""

    def __contains__(self, offset: object) -> bool:
        return isinstance(offset, int) and self.span.start <= offset < self.span.end


def dead_spans(arms: list[_Arm], target: Target, off: Mapping[str, str] = MappingProxyType({})) -> Iterator[Span]:
    """Where the code of arms never runs on the target. ``off``: variables that keep a value of no there."""
    holding: dict[int, int] = {}  # of each list of tests the first that holds
    for arm in arms:
        first = holding.get(id(arm.earlier))
        if first is None:
            held = (number for number, test in enumerate(arm.earlier) if fold(test, target, off) is True)
            first = holding[id(arm.earlier)] = next(held, len(arm.earlier))
        if first < arm.after or (arm.own is not None and fold(arm.own, target, off) is False):
            yield arm.span


class _If:
    """An ``if`` that is being read."""

    def __init__(self, place: int) -> None:
        self.place = place
        self.testing = True
        self.parts: list[tuple[bool, tuple[str, ...]]] = []
        self.operators: set[str] = set()
        self.earlier: list[Test] = []
        self.own: Test | None = None
        self.start = 0
        self.last: tuple[str, ...] = ()
        """The last command of the arm that is being read."""
        self.leaves: Test | None = None
        """The test of a first arm that ends by leaving the script or function."""
        self.rests: list[tuple[int, Test | None, Sequence[Test]]] = []
        """What starts in the arm that is being read because something before it left."""

    def test(self) -> Test:
        any_of = None if len(self.operators) > 1 else "||" in self.operators
        return Test(tuple(self.parts), any_of)


class Reader:
    """Reads fragments of shell code one after the other and collects what rules ask for."""

    def __init__(self) -> None:
        self.commands: list[Command] = []
        self.sets: list[EnvSet] = []
        self.words: Words = []
        self.arms: list[_Arm] = []
        self.handled: set[Span] = set()
        self.decisive: set[Span] = set()
        """Commands whose result something else waits for: ``a && b``, ``a | b``, ``x=$(a)``."""
        self._code, self._base = b"", 0
        self._closings: dict[tuple[int, int], int] = {}
        """By the code and an indentation: where the function closes that was asked for last."""

    def read(self, code: bytes, base: int, depth: int = 0, handled: bool = False) -> None:
        frames: list[_If] = []
        self._cases(code, base)
        self._code, self._base = code, base
        chain: list[tuple[bool, tuple[str, ...]]] = []
        pipeline: list[Span] = []
        previous: Span | None = None
        for words in simple_commands(code, base, self.words):
            span = Span(words[0][1].start, words[-1][1].end)
            link = _link(code[previous.end - base : span.start - base]) if previous else ""
            if previous and any("$?" in text for text, _ in words):
                self.handled.add(previous)
            if depth:
                self.decisive.add(span)
            elif previous and link in ("&&", "|"):
                self.decisive.add(previous)
            previous = span
            words, negated = self._structure(words, frames)
            if not words:
                chain = []
                continue
            if frames and not frames[-1].testing:
                frames[-1].last = tuple(text for text, _ in words)
            testing = handled or bool(frames and frames[-1].testing)
            texts = tuple(text for text, _ in words)
            if frames and frames[-1].testing:
                frames[-1].parts.append((negated, texts))
                if link in ("&&", "||") and len(frames[-1].parts) > 1:
                    frames[-1].operators.add(link)
            if link == "&&" and chain:
                self.arms.append(_Arm(span, Test(tuple(chain[:_CHAIN]))))
            elif link == "||":
                if texts[0] not in ("exit", "return"):
                    self.handled.update(pipeline)
                elif _leaves(texts) and chain:
                    self._rest(span.end, Test(tuple(chain[:_CHAIN])), (), frames)
                if len(chain) == 1:
                    self.arms.append(_Arm(span, None, (Test(tuple(chain)),), 1))
                chain = []
            elif link != "&&":
                chain = []
            if link != "|":
                pipeline = []
            pipeline.append(span)
            if link in ("", "&&", ";"):
                chain.append((negated, texts))
            self._command(words, testing)
            shown = testing or texts[0] in _SHOWING
            for text, where in words:
                self.words.append((text, where))
                if depth < _DEPTH:
                    self._substitutions(code[where.start - base : where.end - base], where.start, depth, shown)
                    self._code, self._base = code, base

    def _rest(self, start: int, own: Test | None, earlier: Sequence[Test], frames: list[_If]) -> None:
        """From ``start`` on the code only runs under these tests: to the end of the arm it is in, or of the function
        or script."""
        if frames:
            frames[-1].rests.append((start, own, earlier))
            return
        at = start - self._base
        line = self._code.rfind(b"\n", 0, at) + 1
        blanks = _BLANKS.match(self._code, line, at)
        indent = max(blanks.end() - line - 1, 0) if blanks else 0
        # Places come in order: up to the closing that was found last there is no other.
        key = (self._base, indent)
        if self._closings.get(key, -1) < at:
            closing = re.compile(rb"^[ \t]{0,%d}\}" % indent, re.M).search(self._code, at)
            self._closings[key] = closing.start() if closing else len(self._code)
        end = self._base + self._closings[key]
        self.arms.append(_Arm(Span(start, end), own, earlier, len(earlier)))

    def _cases(self, code: bytes, base: int) -> None:
        """The arms of ``case`` as if each were an ``if`` that compares."""
        if b"esac" not in code:
            return
        code = re.sub(rb"(?m)(^|(?<=[ \t;]))#[^\r\n]*", blank, blank_heredocs(code))
        for match, arms in cases(code):
            subject = unquote(match[1].decode("utf-8", "replace"))
            every = [pattern for patterns, _, _ in arms for pattern in patterns]
            # Beside an arm for AMD one called cuda is NVIDIA's, whatever is compared.
            sides = any(names_a_side(pattern) for pattern in every)
            earlier: list[Test] = []
            for patterns, start, end in arms:
                subject = "$PLATFORM" if sides else subject
                test = Test(tuple((False, ("[", subject, "=", pattern, "]")) for pattern in patterns), True)
                default = "*" in patterns
                own = None if default else test
                span = Span(base + start, base + end)
                self.arms.append(_Arm(span, own, earlier, len(earlier), base + match.start()))
                if not default:
                    earlier.append(test)

    def _structure(self, words: Words, frames: list[_If]) -> tuple[Words, bool]:
        """Follow the keywords a command starts with; the rest of it, and whether it is negated."""
        negated = False
        at = 0
        while at < len(words) and words[at][0] in STRUCTURE:
            keyword, where = words[at]
            if keyword == "if":
                frames.append(_If(where.start))
            elif keyword == "!":
                negated = not negated
            elif frames and keyword == "then" and frames[-1].testing:
                frames[-1].own, frames[-1].testing, frames[-1].start = frames[-1].test(), False, where.end
                frames[-1].last = ()
            elif frames and keyword in ("elif", "else", "fi") and not frames[-1].testing:
                frame = frames[-1]
                span = Span(frame.start, where.start)
                self.arms.append(_Arm(span, frame.own, frame.earlier, len(frame.earlier), frame.place))
                for start, own, tests in frame.rests:
                    self.arms.append(_Arm(Span(start, where.start), own, tests, len(tests)))
                frame.rests = []
                if frame.own is not None and not frame.earlier and _leaves(frame.last):
                    frame.leaves = frame.own
                if frame.own is not None:
                    frame.earlier.append(frame.own)
                frame.own, frame.parts, frame.operators = None, [], set()
                frame.start, frame.testing = where.end, keyword == "elif"
                frame.last = ()
                if keyword == "fi":
                    frames.pop()
                    if frame.leaves is not None:
                        self._rest(where.end, None, (frame.leaves,), frames)
            at += 1
        return words[at:], negated

    def _command(self, words: Words, handled: bool) -> None:
        at = after_prefix(words)
        exporting = at < len(words) and words[at][0] in _EXPORTS
        at += exporting
        while at < len(words):
            assignment = ASSIGNMENT.fullmatch(words[at][0])
            if assignment:
                self._set(assignment, words[at][1])
                at = at + 1 if exporting else after_prefix(words, at + 1)
            elif exporting:
                at += 1
            else:
                break
        rest = words[at:]
        if not rest:
            return
        command = Command(tuple(Word(*word) for word in rest), Span(rest[0][1].start, rest[-1][1].end))
        self.commands.append(command)
        if handled:
            self.handled.add(Span(words[0][1].start, words[-1][1].end))
        if command.name in _CONTAINERS:
            for option, word in zip(command.words, command.words[1:]):
                if option.text in ("-e", "--env"):
                    assignment = ASSIGNMENT.fullmatch(word.text)
                elif word.text.startswith("--env="):
                    assignment = ASSIGNMENT.fullmatch(word.text[6:])
                else:
                    continue
                if assignment:
                    self._set(assignment, word.where)

    def _set(self, assignment: re.Match[str], where: Span) -> None:
        value = assignment[2]
        self.sets.append(EnvSet(assignment[1], None if "$" in value or "`" in value else value, where))

    def _substitutions(self, raw: bytes, start: int, depth: int, handled: bool) -> None:
        if raw.startswith(b"'") or not (b"$(" in raw or b"`" in raw):
            return
        for match in _SUBSTITUTION.finditer(raw):
            group = 1 if match[1] is not None else 2
            self.read(match[group], start + match.start(group), depth + 1, handled)


def _link(between: bytes) -> str:
    """How a command is joined to the one before it: ``&&``, ``||``, ``|``, or not at all."""
    text = re.sub(rb"#[^\r\n]*", b"", between).rstrip()
    for operator in ("&&", "||", "|"):
        if text.endswith(operator.encode()):
            return operator
    return ""


def _leaves(words: tuple[str, ...]) -> bool:
    """Whether a command leaves the script or function in peace; ``exit 1`` is a failure, and stays one."""
    if words[:1] == ("return",):
        return True
    return words in (("exit",), ("exit", "0"))
