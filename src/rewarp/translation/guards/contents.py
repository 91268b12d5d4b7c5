"""What the branches of a file hold: kernels, definitions that HIP's headers have too, statements, code without a meaning."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cached_property

from rewarp.lang.cpp.file import CodeFile
from rewarp.source import Span
from rewarp.tables import cuda
from rewarp.translation.guards.compilers import Compilers
from rewarp.translation.guards.conditions import Candidate
from rewarp.translation.guards.groups import DEFINE, Branch, Group, every
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
    """Every choice for a group asks the same of its branches again: what was found out is kept."""

    def __init__(self, document: CodeFile, compilers: Compilers, bad_places: list[int]) -> None:
        self.document, self.code = document, document.code
        self.compilers = compilers
        self.bad = sorted(bad_places)
        """Code without a meaning on AMD: inline PTX, names that have no twin."""
        self._portable: dict[Span, bool] = {}
        self._twins_defined: dict[Span, bool] = {}

    def cost(self, group: Group, candidate: Candidate) -> tuple[int, int]:
        """How bad a choice is: kernels that vanish, and branches that mean nothing on AMD."""
        compiled = self.compilers.compiled(group, self.compilers.pretending(candidate.macros()))
        taken = [branch for branch, value in zip(group.branches, compiled) if value is not False]
        kernels = [self._kernels_in(branch.body) for branch in group.branches]
        kept = sum(count for count, value in zip(kernels, compiled) if value is not False)
        bad = sum(not self.is_portable(branch) for branch in taken)
        if candidate.arch is not False and self.redefines(group, candidate):
            bad += 1
        return max(0, max(kernels) - kept), bad

    def _kernels_in(self, where: Span) -> int:
        return bisect_left(self._kernels, where.end) - bisect_left(self._kernels, where.start)

    @cached_property
    def _kernels(self) -> list[int]:
        return [match.start() for match in _GLOBAL.finditer(self.code)]

    def is_portable(self, branch: Branch) -> bool:
        if branch.body not in self._portable:
            self._portable[branch.body] = self._has_meaning(branch)
        return self._portable[branch.body]

    def _has_meaning(self, branch: Branch) -> bool:
        """Whether HIP's compiler can take a branch: all in it has a twin, and nothing refuses to go on."""
        if not all(group.portable for group in branch.nested):
            return False
        inner = Places(Span(group.branches[0].test.where.start, group.end) for group in branch.nested)
        first, last = (bisect_left(self.bad, at) for at in branch.body)
        if any(at not in inner for at in self.bad[first:last]):
            return False
        text = self.code[slice(*branch.body)]
        if b"error" in text and _ERROR.search(text):
            return False
        unportable = self.compilers.project.unportable_macros
        return not (unportable and any(match[1] in unportable for match in DEFINE.finditer(text)))

    def redefines(self, group: Group, candidate: Candidate) -> bool:
        """Whether a choice compiles a definition of a function that HIP's headers already have."""
        if not any(self._defines_twin(branch) for branch in group.branches):
            return False
        compiled = self.compilers.compiled(group, self.compilers.pretending(candidate.macros()))
        return any(value is not False and self._defines_twin(branch) for branch, value in zip(group.branches, compiled))

    def _defines_twin(self, branch: Branch) -> bool:
        if branch.body not in self._twins_defined:
            self._twins_defined[branch.body] = self._finds_twin(branch)
        return self._twins_defined[branch.body]

    def _finds_twin(self, branch: Branch) -> bool:
        """Whether a branch defines a function that HIP's headers have, where HIP's compiler can see it."""
        first, last = (bisect_left(self._twin_definitions, (at,)) for at in branch.body)
        found = [start for start, end in self._twin_definitions[first:last] if end <= branch.body.end]
        if not found or not branch.nested:
            return bool(found)
        dead = [
            inner.body
            for group in every(branch.nested)
            for inner, value in zip(
                group.branches, self.compilers.compiled(group, self.compilers.pretending(group.decided))
            )
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

    def loses_code(self, group: Group, chosen: Candidate) -> bool:
        """Whether statements of a function drop out with nothing in their place. Where declarations do, their users tell."""
        if not _is_in_a_function(self.code, group.branches[0].test.where[0]):
            return False
        compiled = self.compilers.compiled(group, self.compilers.pretending(chosen.macros()))
        if any(value is not False and self._statements(b.body) for b, value in zip(group.branches, compiled)):
            return False
        lost = (b for b, value in zip(group.branches, compiled) if value is False and not self.is_portable(b))
        return any(self._statements(branch.body) for branch in lost)

    def is_a_whole_body(self, group: Group) -> bool:
        """Whether a function holds nothing else: for newer GPUs than the closest, as others do without."""
        before = self.code[: group.branches[0].test.where[0]].rstrip()
        after = _DIRECTIVE_LINE.sub(b"", self.code[group.end : group.end + 200], count=1).lstrip()
        return before.endswith(b"{") and after.startswith(b"}")

    def _statements(self, body: Span) -> list[bytes]:
        """What a branch does, hints aside; a branch of directives does nothing."""
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
