"""What the branches of a file hold: kernels, definitions that HIP's headers have too, statements, code without a meaning."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cached_property

from rewarp.lang.cpp.file import Arm, CodeFile, Conditional
from rewarp.source import Span
from rewarp.tables import cuda
from rewarp.translation.guards.compilers import Compilers
from rewarp.translation.guards.conditions import Candidate
from rewarp.translation.guards.decision import Decisions
from rewarp.translation.guards.macros import DEFINE
from rewarp.translation.span_set import Places

_DEFINITION = re.compile(
    rb"\b(atomic\w+|__\w+|h[a-z]+2?|make_\w+)\s*\([^;{}()]*\)"
    rb"(?:\s*(?:#[^\n]{0,400}(?=\n)|__attribute__\s*\(\([^;{}\n]{0,400}\)\)))*\s*\{"
)
_GLOBAL = re.compile(rb"__global__")
_ERROR = re.compile(rb"^[ \t]*#[ \t]*error\b", re.M)
_DIRECTIVE_LINE = re.compile(rb"^[ \t]*#(?:[^\n]*\\\r?\n)*[^\n]*", re.M)
_BRACE = re.compile(rb"[{}]")
_HAS_STATEMENTS = re.compile(
    rb"(?:\)(?:\s|const|noexcept|override|final|volatile|mutable|->[\w:<> ,]*)*|\b(?:else|do|try))\s*\Z"
)
_HINT = re.compile(
    rb"griddepcontrol|prefetch|discard|applypriority|createpolicy|setmaxnreg|GridDependencySynchronize|ProgrammaticLaunchCompletion"
)
"""Statements that only make NVIDIA's GPUs faster: nothing is lost without them."""


class Contents:
    """Every choice for a conditional asks the same of its arms again: what was found out is kept."""

    def __init__(self, document: CodeFile, compilers: Compilers, decisions: Decisions, bad_places: list[int]) -> None:
        self.document, self.code = document, document.code
        self.compilers, self.decisions = compilers, decisions
        self.bad = sorted(bad_places)
        """Code without a meaning on AMD: inline PTX, names that have no twin."""
        self._portable: dict[Span, bool] = {}
        self._twins_defined: dict[Span, bool] = {}

    def cost(self, conditional: Conditional, candidate: Candidate) -> tuple[int, int]:
        """How bad a choice is: kernels that vanish, and arms that mean nothing on AMD."""
        compiled = self.compilers.compiled(conditional, self.compilers.pretending(candidate.macros()))
        taken = [arm for arm, value in zip(conditional.arms, compiled) if value is not False]
        kernels = [self._kernels_in(arm.body) for arm in conditional.arms]
        kept = sum(count for count, value in zip(kernels, compiled) if value is not False)
        bad = sum(not self.is_portable(arm) for arm in taken)
        if candidate.arch is not False and self.redefines(conditional, candidate):
            bad += 1
        return max(0, max(kernels) - kept), bad

    def _kernels_in(self, where: Span) -> int:
        return bisect_left(self._kernels, where.end) - bisect_left(self._kernels, where.start)

    @cached_property
    def _kernels(self) -> list[int]:
        return [match.start() for match in _GLOBAL.finditer(self.code)]

    def is_portable(self, arm: Arm) -> bool:
        if arm.body not in self._portable:
            self._portable[arm.body] = self._has_meaning(arm)
        return self._portable[arm.body]

    def _has_meaning(self, arm: Arm) -> bool:
        """Whether HIP's compiler can take an arm: all in it has a twin, and nothing refuses to go on."""
        if not all(self.decisions[one].portable for one in arm.nested):
            return False
        inner = Places(one.where for one in arm.nested)
        first, last = (bisect_left(self.bad, at) for at in arm.body)
        if any(at not in inner for at in self.bad[first:last]):
            return False
        text = self.code[slice(*arm.body)]
        if b"error" in text and _ERROR.search(text):
            return False
        unportable = self.compilers.project.unportable_macros
        return not (unportable and any(match[1] in unportable for match in DEFINE.finditer(text)))

    def redefines(self, conditional: Conditional, candidate: Candidate) -> bool:
        """Whether a choice compiles a definition of a function that HIP's headers already have."""
        if not any(self._defines_twin(arm) for arm in conditional.arms):
            return False
        compiled = self.compilers.compiled(conditional, self.compilers.pretending(candidate.macros()))
        return any(value is not False and self._defines_twin(arm) for arm, value in zip(conditional.arms, compiled))

    def _defines_twin(self, arm: Arm) -> bool:
        if arm.body not in self._twins_defined:
            self._twins_defined[arm.body] = self._finds_twin(arm)
        return self._twins_defined[arm.body]

    def _finds_twin(self, arm: Arm) -> bool:
        """Whether an arm defines a function that HIP's headers have, where HIP's compiler can see it."""
        first, last = (bisect_left(self._twin_definitions, (at,)) for at in arm.body)
        found = [start for start, end in self._twin_definitions[first:last] if end <= arm.body.end]
        if not found or not arm.nested:
            return bool(found)
        dead = [
            inner.body
            for nested in arm.nested
            for one in nested.every()
            for inner, value in zip(one.arms, self.compilers.on_device(one, self.decisions[one]))
            if value is False
        ]
        return bool(Places(dead).without(found))

    @cached_property
    def _twin_definitions(self) -> list[tuple[int, int]]:
        """Definitions of functions that HIP's headers have. Branches nest: each would look through the same text again."""
        return [
            match.span()
            for match in _DEFINITION.finditer(self.code)
            if (twin := cuda.twin(match[1])) is not None and twin.hip
        ]

    def loses_code(self, conditional: Conditional, chosen: Candidate) -> bool:
        """Whether statements of a function drop out with nothing in their place. Where declarations do, their users tell."""
        if not _is_in_a_function(self.code, conditional.where.start):
            return False
        compiled = self.compilers.compiled(conditional, self.compilers.pretending(chosen.macros()))
        arms = list(zip(conditional.arms, compiled))
        if any(value is not False and self._statements(arm.body) for arm, value in arms):
            return False
        lost = (arm for arm, value in arms if value is False and not self.is_portable(arm))
        return any(self._statements(arm.body) for arm in lost)

    def is_a_whole_body(self, conditional: Conditional) -> bool:
        """Whether a function holds nothing else: for newer GPUs than the closest, as others do without."""
        start, end = conditional.where
        before = self.code[:start].rstrip()
        after = _DIRECTIVE_LINE.sub(b"", self.code[end : end + 200], count=1).lstrip()
        return before.endswith(b"{") and after.startswith(b"}")

    def _statements(self, body: Span) -> list[bytes]:
        """What an arm does, hints aside; one of directives does nothing."""
        text = _DIRECTIVE_LINE.sub(b"", self.document.source.view[slice(*body)])
        code = _DIRECTIVE_LINE.sub(b"", self.code[slice(*body)])
        if not code.strip():
            return []
        return [one for one in text.split(b";") if one.strip(b" \t\r\n{}") and not _HINT.search(one)]


def _is_in_a_function(code: bytes, at: int) -> bool:
    """Whether the innermost brace that is open there follows a parameter list or a condition."""
    closed = 0
    for match in reversed(list(_BRACE.finditer(code, 0, at))):
        closed += 1 if match[0] == b"}" else -1
        if closed < 0:
            return _HAS_STATEMENTS.search(code, max(0, match.start() - 200), match.start()) is not None
    return False
