"""One file under the pass: its functions, their roles, and which of them work on warps."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property

from rewarp.lang.cpp.file import Arm, CodeFile
from rewarp.source import Span
from rewarp.targets.base import Target
from rewarp.waves.hazards import Confidence, Consequence, Hazard, Kind, WaveFacts
from rewarp.waves.reading.declared import Declared, declarations
from rewarp.waves.reading.functions import Function
from rewarp.waves.reading.names import Names
from rewarp.waves.reading.roles import Roles
from rewarp.waves.reading.syntax import Code
from rewarp.waves.reading.vocabulary import ABOUT_WARPS, TRIGGERS

_LANE_USE = re.compile(
    rb"(?:(?:threadIdx|blockDim)\s*\.\s*x|\b(?:tid|lane\w*|thread_?[iI]dx?\w*))\s*(?:\)\s*)?(?:[%/]\s*|&\s*\(\s*)([A-Za-z_]\w*)"
)
_SHIFTED_BY = re.compile(
    rb"(?:threadIdx\s*\.\s*x|\b(?:\w*tid|lane\w*|thread_?[iI]dx?\w*))\s*(?:\)\s*)?>>\s*([A-Za-z_]\w*)"
)
_ONE_RETURN = re.compile(rb"\{(?:[^;{}\[\]]*;){0,2}\s*return\b[^;{}\[\]]*;\s*\}")
_ASKS_WIDTH = re.compile(r"(?i)wave_?(?:front)?_?(?:size)?_?(?:64|32)|wave_?size|wavefront|warp_?size")
_CALLED = re.compile(rb"\s*[<(:]")
_CALL = re.compile(rb"\b([A-Za-z_]\w*)\s*(?:<[\w\s,:]*>\s*)?\(")
_CLASS = re.compile(rb"\b(?:struct|class)\s+([A-Za-z_]\w*)[^;{}()]*\{")
_CLASS_ABOVE = 2000
_ROUNDS = 3


def _asks_width(arm: Arm) -> bool:
    test = arm.test
    if test.include_guard or not _ASKS_WIDTH.search(test.condition):
        return False
    return test.word not in ("if", "ifdef", "ifndef") or not (test.word == "ifndef" or test.condition.startswith("!"))


def _is_one_expression(body: bytes, is_macro: bool) -> bool:
    return b";" not in body if is_macro else _ONE_RETURN.fullmatch(body) is not None


class Analysis:
    """What the finders share."""

    def __init__(self, document: CodeFile, facts: WaveFacts, target: Target) -> None:
        self.document = document
        self.facts = facts
        self.target = target
        self.code = Code(document)
        self.names = Names(self.code, target, facts.widths)
        self.text = document.code

    @cached_property
    def functions(self) -> list[Roles]:
        """The functions that matter: a word of warps stands in them, or they call one that works on warps."""
        called = self.warp_functions
        triggered = {roles.start: roles for roles in self._triggered}
        return [
            triggered.get(function.head.start) or Roles(self.code, function, self.names)
            for function in self.code.functions
            if function.head.start in triggered or function.name in called
        ]

    @cached_property
    def _triggered(self) -> list[Roles]:
        places = [at for word in TRIGGERS for at in self.code.offsets_of(word)]
        found: dict[int, Function] = {}
        last: Function | None = None
        for at in places:
            if (last is None or not last.holds(at)) and (last := self.code.function_at(at)):
                found[last.head.start] = last
        return [Roles(self.code, found[start], self.names) for start in sorted(found)]

    @cached_property
    def number_helpers(self) -> list[Roles]:
        """Macros and functions that do nothing but work out a number from a thread's, for functions on warps."""
        found: dict[int, Function] = {}
        for at in self.code.offsets_of(b"threadIdx") if self.has_evidence else ():
            function = self.code.function_at(at)
            if function and _is_one_expression(self.code.slice(function.body), function.is_macro):
                found[function.head.start] = function
        return [
            self.roles_of(function)
            for function in found.values()
            if not self.warp_kernels.isdisjoint(self._users(function.name.encode()))
        ]

    def _users(self, name: bytes) -> Iterator[str]:
        """The functions in whose bodies a name stands."""
        return (function.name for _, function in self._uses(name))

    def _uses(self, name: bytes) -> Iterator[tuple[int, Function]]:
        """Where a name stands in the body of a function, and the function."""
        for at in self.document.words.get(name, ()):
            function = self.code.function_at(at)
            if function and at >= function.body.start:
                yield at, function

    @cached_property
    def _by_start(self) -> dict[int, Roles]:
        return {roles.start: roles for roles in self.functions}

    def roles_of(self, function: Function) -> Roles:
        return self._by_start.get(function.head.start) or Roles(self.code, function, self.names)

    def roles_at(self, at: int) -> Roles | None:
        function = self.code.function_at(at)
        return self._by_start.get(function.head.start) if function else None

    @cached_property
    def warp_functions(self) -> frozenset[str]:
        """Functions that depend on the hardware's width, by themselves or through one of this file that they call."""
        # What a helper of this file does is known better than its name tells.
        found = {
            roles.function.name
            for roles in self._triggered
            if roles.sees_whole_warp
            or roles.asks_width
            or (not roles.keeps_to_32 and any(name.decode() not in self._own for name in roles.warp_helpers))
        }
        found |= set(self._functors)
        new = found
        for _ in range(_ROUNDS):
            new = {name for called in new for name in self._callers(called.encode())} - found
            if not new:
                break
            found |= new
        return frozenset(
            found
            | {name for name, called in self._get_lanes if called or not found.isdisjoint(self._users(name.encode()))}
        )

    @property
    def _get_lanes(self) -> Iterator[tuple[str, bool]]:
        """Functions and macros that get the number of a lane from their callers, and whether their names speak of warps."""
        for roles in self._triggered:
            if roles.lane_parameters:
                yield roles.function.name, ABOUT_WARPS.search(roles.function.name.encode()) is not None

    @property
    def _functors(self) -> Iterator[str]:
        """Classes whose ``operator()`` works on warps: what makes one of them calls it."""
        for roles in self._triggered:
            if roles.function.name == "operator" and roles.sees_whole_warp:
                named = _CLASS.findall(self.text, max(0, roles.start - _CLASS_ABOVE), roles.start)
                if named:
                    yield named[-1].decode()

    def _callers(self, called: bytes) -> Iterator[str]:
        """The functions in whose bodies a function of this file is called or launched."""
        end = len(called)
        return (function.name for at, function in self._uses(called) if _CALLED.match(self.text, at + end))

    @cached_property
    def meaning_width(self) -> frozenset[bytes]:
        """Constants of 32 that mean a warp's size: by name, or by the lane numbers that are worked out with them."""
        found = {name.encode() for name in self.facts.widths} - self.names.constants.keys() | self.names.widths
        others = self.names.thirty_twos - found
        if others and self.has_evidence:
            for roles in self.functions:
                if roles.sees_whole_warp or roles.calls_warp_code:
                    found |= others.intersection(_LANE_USE.findall(roles.text))
        return frozenset(found)

    @cached_property
    def meaning_shift(self) -> dict[bytes, tuple[Span, ...]]:
        """Constants of 5 that are log2 of a warp's size, by name or by the thread numbers that are shifted by them."""
        found = {name: tuple(given.where for given in self.names.constants[name]) for name in self.names.shifts}
        for match in self.on_lines(_SHIFTED_BY, b">>") if self.has_evidence else ():
            roles = self.roles_at(match.start()) if match[1] not in found else None
            given = self.names.constants_named(match[1]) if roles and self.on_warps(roles) else []
            if given and all(place.value == 5 and place.is_constant for place in given):
                found[match[1]] = tuple(place.where for place in given)
        return found

    @cached_property
    def has_evidence(self) -> bool:
        """Whether anything in the file can work on warps; most files only speak of them."""
        return (
            bool(self.code.intrinsics or self.code.warp_calls)
            or b"warpSize" in self.text
            or b"mma" in self.text
            or b"::Warp" in self.text
            or b"allot" in self.text
            or b"BALLOT" in self.text
        )

    @cached_property
    def warp_kernels(self) -> frozenset[str]:
        """Functions of this file that work on the hardware's warps, by themselves or through helpers."""
        return frozenset(roles.function.name for roles in self.functions if self.on_warps(roles))

    @cached_property
    def global_warp_kernels(self) -> frozenset[bytes]:
        """Those of them that the host starts."""
        return frozenset(
            roles.function.name.encode()
            for roles in self.functions
            if roles.function.name in self.warp_kernels and b"__global__" in self.code.slice(roles.function.head)
        )

    def defines(self, name: bytes) -> bool:
        """Whether a function of this name is one of this file."""
        return name.decode() in self._own

    @cached_property
    def _own(self) -> frozenset[str]:
        return frozenset(function.name for function in self.code.functions if not function.is_macro)

    def in_logical_warps(self, roles: Roles) -> bool:
        """Whether a function works in logical warps of 32, by itself or through helpers of this file."""
        if roles.keeps_to_32:
            return True
        return roles.function.name not in self.warp_functions and any(
            name in roles.text and re.search(rb"\b" + name + rb"\s*[<(]", roles.text) for name in self._logical
        )

    @cached_property
    def _logical(self) -> list[bytes]:
        names = (roles.function.name for roles in self._triggered if roles.keeps_to_32)
        return [name.encode() for name in names if name.isidentifier()]

    def on_warps(self, roles: Roles) -> bool:
        """Whether a function's lanes are the hardware's: something in it, or in what it calls, spans the wave."""
        return not roles.keeps_to_32 and roles.function.name in self.warp_functions

    @cached_property
    def fields(self) -> dict[bytes, Declared]:
        """Masks that are declared outside of functions: members of a class, variables of the file."""
        found: dict[bytes, Declared] = {}
        for line in self.code.lines_with(b"ask", b"ASK"):
            for name, declared in declarations(self.text, *line):
                if self.code.function_at(declared.where.start) is None and self.reachable(declared.where.start):
                    found.setdefault(name, declared)
        return found

    @cached_property
    def ballot_parameters(self) -> dict[str, frozenset[bytes]]:
        """By function of this file, the parameters that some call of it hands a ballot."""
        found: dict[str, set[bytes]] = {}
        callees = {function.name: function for function in self.code.functions if not function.is_macro}
        for roles in self.functions:
            if not roles.ballots and not roles.has_votes:
                continue
            for match in _CALL.finditer(self.text, *roles.function.body):
                callee = callees.get(match[1].decode("utf-8", "replace"))
                if callee is None or callee is roles.function:
                    continue
                given = map(self.code.slice, self.code.arguments(match.end() - 1))
                passed = [index for index, value in enumerate(given) if value in roles.ballots or roles.votes(value)]
                names = self.roles_of(callee).parameters if passed else []
                for index in passed:
                    found.setdefault(callee.name, set()).update(names[index : index + 1])
        return {name: frozenset(names) for name, names in found.items()}

    @cached_property
    def any_warp_code(self) -> bool:
        """Whether anything in the file works on warps."""
        return bool(self.warp_functions) or any(map(self.on_warps, self.functions))

    def reachable(self, at: int) -> bool:
        """Whether the target's compiler sees a place, and no condition on the width of a wave stands around it."""
        index = bisect_right(self._by_width, (at, sys.maxsize)) - 1
        if index >= 0 and at < self._by_width[index].end:
            return False
        return not self.document.is_dead(at, self.target)

    @cached_property
    def _by_width(self) -> list[Span]:
        """From ``#if`` to ``#endif``, where a condition asks for the width: both cases are written down there."""
        found: list[Span] = []
        for conditional in self.document.every_conditional():
            first = conditional.arms[0].test
            inside = found and first.where.start < found[-1].end
            if conditional.end and not inside and any(map(_asks_width, conditional.arms)):
                found.append(Span(first.where.start, conditional.end.where.end))
        return found

    def says_warp(self, at: int) -> bool:
        """Whether the line of a place speaks of warps or lanes, in code or in a comment on it."""
        start, end = self.code.line(at)
        known = self._spoken.get(start)
        if known is None:
            known = self._spoken[start] = self._speaks_of_warps(start, end)
        return known

    @cached_property
    def _spoken(self) -> dict[int, bool]:
        return {}

    def _speaks_of_warps(self, start: int, end: int) -> bool:
        above = self.code.line(max(start - 1, 0))
        if not self.text[above.start : above.end].strip():  # a line of comment
            start = above.start
        return any(
            self.text[match.start() : match.start() + 8] != b"warpSize"
            for match in ABOUT_WARPS.finditer(self.document.source.view, start, end)
        )

    def hazard(
        self,
        kind: Kind,
        where: Span,
        message: str,
        why: str,
        consequence: Consequence = Consequence.WRONG_RESULT,
        confidence: Confidence = Confidence.LIKELY,
        symbol: str = "32",
        *,
        partners: tuple[Span, ...] = (),
        on_any_width: bool = False,
    ) -> Hazard:
        function: Function | None = self.code.function_at(where.start)
        name = function.name if function else None
        return Hazard(kind, where, message, why, consequence, confidence, symbol, name, partners, on_any_width)

    def lane_hazard(
        self, where: Span, message: str, why: str, confidence: Confidence, width: bytes | None = None
    ) -> Hazard:
        """A number of lanes; ``width`` is what stands for 32: where it is a constant of this file, it has to change too."""
        name = width.decode() if width and not width[:1].isdigit() else "32"
        partners = tuple(place.where for place in self.names.constants.get(width or b"", ()))
        return self.hazard(
            Kind.LANE_ARITHMETIC, where, message, why, confidence=confidence, symbol=name, partners=partners
        )

    def each(self, pattern: re.Pattern[bytes]) -> Iterator[re.Match[bytes]]:
        """Matches that the target's compiler gets to see."""
        return (match for match in pattern.finditer(self.text) if self.reachable(match.start()))

    def on_lines(self, pattern: re.Pattern[bytes], *words: bytes) -> Iterator[re.Match[bytes]]:
        """The same, looked for only on lines that hold one of these words."""
        for line in self.code.lines_with(*words):
            for match in pattern.finditer(self.text, *line):
                if self.reachable(match.start()):
                    yield match

    def at_name(self, name: bytes, pattern: re.Pattern[bytes]) -> Iterator[re.Match[bytes]]:
        """The same for one that begins with a name of the file: the file is not searched for each of its names."""
        for at in self.document.words.get(name, ()):
            match = pattern.match(self.text, at, self.code.line(at).end)
            if match and self.reachable(at):
                yield match
