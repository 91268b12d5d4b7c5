"""``#if`` conditions on NVIDIA's macros, decided one by one.

HIP defines no ``__CUDA_ARCH__`` and no ``CUDART_VERSION``. A blanket answer goes wrong both
ways: too old an architecture drops kernels or defines ``atomicAdd`` again, too new a one
compiles inline PTX. So each ``#if`` is asked on its own: which NVIDIA GPU and toolkit would have
to be pretended for the compiler to take a branch that has a meaning on AMD and loses no kernel?
The first that fits wins, in an order that begins with what AMD GPUs come closest to: half,
bfloat16 and fp8 arithmetic, but neither tensor memory nor thread-block clusters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp.lang.cpp.conditions import Macro
from rewarp.lang.cpp.file import CodeFile, Directive
from rewarp.source import Span
from rewarp.translation.changes import Problem, Project, Replacement
from rewarp.translation.guards.compilers import (
    DEVICE,
    ELSEWHERE,
    IN_TORCH,
    NAMES_HIP,
    NAMES_TORCH,
    ON_HIP,
    Compilers,
    World,
    settled_by_hip,
)
from rewarp.translation.guards.conditions import NAMES_CUDA, Candidate, candidates, words
from rewarp.translation.guards.contents import Contents
from rewarp.translation.guards.device_functions import opened_to_host
from rewarp.translation.guards.groups import Group, every, groups
from rewarp.translation.guards.writing import rewritten
from rewarp.translation.reported_rules import ARCHITECTURE

_CONSTANT = re.compile(r"[01]\b")
_WORD = re.compile(rb"[A-Za-z_]\w*")


class Guards:
    """Decides the conditions of one file."""

    def __init__(self, document: CodeFile, project: Project, bad_places: list[int]) -> None:
        self.document = document
        self.code = document.code
        self.project = project
        self.compilers = Compilers(project)
        self.contents = Contents(document, self.compilers, bad_places)
        self.groups = groups(document)
        self.replacements: list[Replacement] = []
        self.problems: list[Problem] = []
        self.refused: list[Span] = []
        """Branches that another GPU than the closest has to be pretended for, because they have no meaning on AMD."""

    def decide(self) -> Guards:
        for group in reversed(list(every(self.groups))):  # what a group holds comes before it
            self._decide(group)
        return self

    def left_alone(self) -> list[Span]:
        """Code that HIP's compiler never sees, because a test of its own macros keeps it out."""
        return self._dropped(NAMES_HIP, ON_HIP)

    def for_hip(self) -> list[Span]:
        """Code that only HIP's compiler sees: it was written for HIP."""
        return self._dropped(NAMES_HIP, ELSEWHERE)

    def quiet(self, dead: list[Span]) -> list[Span]:
        """Code that need not be reported on: what is dead, or kept from AMD by torch's macro."""
        return sorted(dead + self._dropped(NAMES_TORCH, IN_TORCH))

    def _dropped(self, names: re.Pattern[str], world: World) -> list[Span]:
        """What a compiler leaves out of the groups whose conditions hold such a name."""
        return [
            branch.body
            for group in every(self.groups)
            if any(names.search(branch.test.condition) for branch in group.branches)
            for branch, compiled in zip(group.branches, self.compilers.compiled(group, world))
            if compiled is False
        ]

    def dead(self, *, on_device_only: bool = False) -> list[Span]:
        """Code that drops out on AMD by what was decided here, and what was dead before: for the host and the device,
        or at least for the device."""
        spans = self.left_alone()
        for group in every(self.groups):
            if not (group.decided or self._hangs_on_decided(group)):
                continue
            device = self.compilers.compiled(group, self.compilers.pretending(group.decided))
            host = device if on_device_only else self.compilers.on_host(group)
            spans += [b.body for b, *values in zip(group.branches, device, host) if values == [False, False]]
        return sorted(spans)

    def _hangs_on_decided(self, group: Group) -> bool:
        """Whether a condition names a macro that no file defines any more by what was decided there, tells the host
        from the device, or was settled for good."""
        if any(_CONSTANT.match(branch.test.condition) for branch in group.branches):
            return True
        macros = self.project.unportable_macros | {DEVICE.encode()}
        return any(word in macros for b in group.branches for word in _WORD.findall(b.test.condition.encode()))

    def tested(self) -> list[Group]:
        """The groups that were decided here."""
        return [group for group in every(self.groups) if group.decided]

    def cost_of(self, group: Group, arch: Macro, version: int) -> tuple[int, int]:
        """How bad it is for a group to see this GPU and this toolkit: kernels lost, and branches without a meaning."""
        return self.contents.cost(group, Candidate(arch, version))

    # --- deciding one group ---------------------------------------------------------

    def _decide(self, group: Group) -> None:
        tests = [test for branch in group.branches if (test := branch.test).word != "else"]
        if not any(self._concerns(test) for test in tests):
            group.portable = any(self.contents.is_portable(branch) for branch in group.branches)
            return
        others = candidates(tests, self.project)
        first = chosen = next(others)
        refused = cost = self.contents.cost(group, first)
        for candidate in others if cost > (0, 0) else ():
            if (other := self.contents.cost(group, candidate)) < cost:
                chosen, cost = candidate, other
        group.decided = chosen.macros()
        group.portable = not cost[1]
        if chosen != first:
            self.refused += self._only_under(group, first, chosen)
        host = chosen._replace(arch=False)
        if self.contents.redefines(group, host):
            host = chosen
        group.on_host = host.macros()
        for test in tests:
            if self._concerns(test) and not (chosen == first and self._names_alias_alone(test)):
                self.replacements += rewritten(self.document, self.compilers, test, chosen, host)
        if host != chosen:
            self.replacements += opened_to_host(self.code, group, self.compilers)
        if refused > (0, 0):
            self._explain(group, first if chosen != first else None, chosen)
        elif self.contents.is_a_whole_body(group) and self.contents.loses_code(group, chosen):
            self._tell_loss(group)

    def _only_under(self, group: Group, first: Candidate, chosen: Candidate) -> Iterator[Span]:
        """Branches that the compiler takes under the first choice, and not under the other."""
        before, after = (
            self.compilers.compiled(group, self.compilers.pretending(one.macros())) for one in (first, chosen)
        )
        for branch, taken, left in zip(group.branches, before, after):
            if taken is not False and left is False:
                yield branch.body

    def _names_alias_alone(self, test: Directive) -> bool:
        """Whether it names NVIDIA's macros through the project's own name only, which has the value of the first choice."""
        return not NAMES_CUDA.search(test.condition)

    def _concerns(self, test: Directive) -> bool:
        """Whether a condition hangs on NVIDIA's macros: it names one, and HIP's own do not settle it."""
        if not (self.compilers.aliases or "CUDA" in test.condition) or not words(
            self.project.arch_aliases
        ).named.search(test.condition):
            return False
        return settled_by_hip(test.word, test.condition) is None

    def _explain(self, group: Group, refused: Candidate | None, chosen: Candidate) -> None:
        where = Span(*group.branches[0].test.where)
        condition = " ".join(group.branches[0].test.condition.split())
        if not group.portable:
            message = f"no branch under `{condition}` has a meaning on AMD"
            fix = "Write a branch for AMD: what is there holds inline PTX, a name without a twin, or an #error."
        elif refused and self.contents.loses_code(group, chosen):
            self._tell_loss(group)
            return
        elif refused:
            message = f"`{condition}`: AMD takes the branch for other GPUs, for this one holds code without a twin"
            fix = "Check that the branch taken does the whole job, or write one for AMD."
        else:
            return
        self.problems.append(Problem(ARCHITECTURE, where, "decision", message, fix))

    def _tell_loss(self, group: Group) -> None:
        condition = " ".join(group.branches[0].test.condition.split())
        message = f"`{condition}`: AMD gets nothing for this code, which has no twin: there is no other branch"
        fix = "Write a branch for AMD: what needs this code's result computes something else without it."
        self.problems.append(Problem(ARCHITECTURE, Span(*group.branches[0].test.where), "unsupported", message, fix))
