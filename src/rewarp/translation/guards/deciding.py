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
from rewarp.lang.cpp.file import CodeFile, Conditional, Directive
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
from rewarp.translation.guards.decision import Decision, Decisions
from rewarp.translation.guards.device_functions import opened_to_host
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
        self.decisions: Decisions = {one: Decision() for one in document.every_conditional()}
        self.contents = Contents(document, self.compilers, self.decisions, bad_places)
        self.replacements: list[Replacement] = []
        self.problems: list[Problem] = []
        self.refused: list[Span] = []
        """Branches that another GPU than the closest has to be pretended for, because they have no meaning on AMD."""

    def decide(self) -> Guards:
        for conditional, decision in reversed(self.decisions.items()):  # what one holds comes before it
            self._decide(conditional, decision)
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
        """What a compiler leaves out where conditions hold such a name."""
        return [
            arm.body
            for one in self.decisions
            if any(names.search(arm.test.condition) for arm in one.arms)
            for arm, compiled in zip(one.arms, self.compilers.compiled(one, world))
            if compiled is False
        ]

    def dead(self, *, on_device_only: bool = False) -> list[Span]:
        """Code that drops out on AMD by what was decided here, and what was dead before: for the host and the device,
        or at least for the device."""
        spans = self.left_alone()
        for one, decision in self.decisions.items():
            if not (decision.pretended or self._hangs_on_decided(one)):
                continue
            device = self.compilers.on_device(one, decision)
            host = device if on_device_only else self.compilers.on_host(one, decision)
            spans += [arm.body for arm, *values in zip(one.arms, device, host) if values == [False, False]]
        return sorted(spans)

    def _hangs_on_decided(self, conditional: Conditional) -> bool:
        """Whether a condition names a macro that no file defines any more by what was decided there, tells the host
        from the device, or was settled for good."""
        if any(_CONSTANT.match(arm.test.condition) for arm in conditional.arms):
            return True
        macros = self.project.unportable_macros | {DEVICE.encode()}
        return any(word in macros for arm in conditional.arms for word in _WORD.findall(arm.test.condition.encode()))

    def tested(self) -> Decisions:
        """The conditionals that were decided here."""
        return {one: decision for one, decision in self.decisions.items() if decision.pretended}

    def cost_of(self, conditional: Conditional, arch: Macro, version: int) -> tuple[int, int]:
        """How bad it is for one to see this GPU and this toolkit: kernels lost, and arms without a meaning."""
        return self.contents.cost(conditional, Candidate(arch, version))

    # --- deciding one ---------------------------------------------------------------

    def _decide(self, conditional: Conditional, decision: Decision) -> None:
        tests = [test for arm in conditional.arms if (test := arm.test).word != "else"]
        if not any(self._concerns(test) for test in tests):
            decision.portable = any(self.contents.is_portable(arm) for arm in conditional.arms)
            return
        others = candidates(tests, self.project)
        first = chosen = next(others)
        refused = cost = self.contents.cost(conditional, first)
        for candidate in others if cost > (0, 0) else ():
            if (other := self.contents.cost(conditional, candidate)) < cost:
                chosen, cost = candidate, other
        decision.pretended = chosen.macros()
        decision.portable = not cost[1]
        if chosen != first:
            self.refused += self._only_under(conditional, first, chosen)
        host = chosen._replace(arch=False)
        if self.contents.redefines(conditional, host):
            host = chosen
        decision.on_host = host.macros()
        for test in tests:
            if self._concerns(test) and not (chosen == first and self._names_alias_alone(test)):
                self.replacements += rewritten(self.document, self.compilers, test, chosen, host)
        if host != chosen:
            self.replacements += opened_to_host(self.code, conditional, decision, self.compilers)
        if refused > (0, 0):
            self._explain(conditional, first if chosen != first else None, chosen)
        elif self.contents.is_a_whole_body(conditional) and self.contents.loses_code(conditional, chosen):
            self._tell_loss(conditional)

    def _only_under(self, conditional: Conditional, first: Candidate, chosen: Candidate) -> Iterator[Span]:
        """Arms that the compiler takes under the first choice, and not under the other."""
        before, after = (
            self.compilers.compiled(conditional, self.compilers.pretending(one.macros())) for one in (first, chosen)
        )
        for arm, taken, left in zip(conditional.arms, before, after):
            if taken is not False and left is False:
                yield arm.body

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

    def _explain(self, conditional: Conditional, refused: Candidate | None, chosen: Candidate) -> None:
        test = conditional.arms[0].test
        condition = " ".join(test.condition.split())
        if not self.decisions[conditional].portable:
            message = f"no branch under `{condition}` has a meaning on AMD"
            fix = "Write a branch for AMD: what is there holds inline PTX, a name without a twin, or an #error."
        elif refused and self.contents.loses_code(conditional, chosen):
            self._tell_loss(conditional)
            return
        elif refused:
            message = f"`{condition}`: AMD takes the branch for other GPUs, for this one holds code without a twin"
            fix = "Check that the branch taken does the whole job, or write one for AMD."
        else:
            return
        self.problems.append(Problem(ARCHITECTURE, Span(*test.where), "decision", message, fix))

    def _tell_loss(self, conditional: Conditional) -> None:
        test = conditional.arms[0].test
        condition = " ".join(test.condition.split())
        message = f"`{condition}`: AMD gets nothing for this code, which has no twin: there is no other branch"
        fix = "Write a branch for AMD: what needs this code's result computes something else without it."
        self.problems.append(Problem(ARCHITECTURE, Span(*test.where), "unsupported", message, fix))
