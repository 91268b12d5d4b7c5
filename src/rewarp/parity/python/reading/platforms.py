"""Functions that ask which platform this is (`is_rocm()`, `torch.version.hip`): where do they end on each?"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from rewarp.lang.python_names import PythonNames
from rewarp.parity.names.backends import words
from rewarp.parity.python.reading.bodies import is_idle, is_placeholder
from rewarp.parity.python.reading.fallback import taken_to_cpu
from rewarp.project.gates import GAUDI, NVIDIA, ROCM, UNKNOWN, Evaluator, Platform, Value
from rewarp.project.gates.platforms import other_platform
from rewarp.project.gates.values import joined

_ASKS_FOR_SUPPORT = re.compile(r"(^|[._])(is_supported|is_available|can_|has_)|support|_enabled$", re.I)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


@dataclass(frozen=True)
class End:
    """Where a function may end on one platform."""

    finishes: bool
    raises: tuple[tuple[int, str], ...]
    """Lines that raise and can be reached, with the condition nearest to each."""
    refusal: int = 0
    """For a function that asks for support: the line of its "no", where it can answer nothing else."""
    leaves: int = 0
    """The line of a `return` without a value before the end, where it can end in no other way."""
    work: frozenset[int] = frozenset()
    """The lines that do something and can be reached."""
    looks: frozenset[int] = frozenset()
    """Those that only bind a name or note a constant."""
    cpu: tuple[int, bool] = (0, False)
    """The line that takes the work to the CPU because of the platform, and whether that is all."""
    returned_calls: tuple[tuple[str, int], ...] = ()
    """Where every answer is that of another function: its name and the line."""


@dataclass(frozen=True)
class Branching:
    """A function that asks for platforms."""

    name: str
    line: int
    asked: frozenset[str]
    """The back ends it asks for."""
    ends: Mapping[str, End]


@lru_cache(maxsize=32)
def platform_of(backend: str) -> Platform:
    """A back end as the platform that programs run on."""
    known = {"cuda": NVIDIA, "rocm": ROCM, "hpu": GAUDI}.get(backend)
    every = words()
    mine = frozenset(word for word, owner in every.items() if owner == backend)
    return known or other_platform(backend, mine, frozenset(every))


class Platforms:
    """What the conditions of one file are on each back end."""

    def __init__(self, document: PythonNames) -> None:
        self._document = document
        self._evaluators: dict[str, Evaluator] = {}

    def on(self, backend: str) -> Evaluator:
        if backend not in self._evaluators:
            self._evaluators[backend] = Evaluator(self._document, platform_of(backend))
        return self._evaluators[backend]

    def truth(self, backend: str, condition: ast.expr) -> bool | None:
        """Whether a condition holds on a platform; None when that is not known."""
        return self.on(backend).truth(condition)

    def asked(self, node: ast.expr) -> frozenset[str]:
        """The back ends for which an expression is true, if it asks for the platform and answers for each."""
        if not isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.Compare)):
            return frozenset()
        values = {backend: self.on(backend).value(node) for backend in sorted(set(words().values()) - {"cpu"})}
        told = {backend for backend, value in values.items() if value.of_platform and value.truth is True}
        sure = all(values[backend].truth is not None for backend in ("cuda", "rocm"))
        return frozenset(told) if sure and len(told) < len(values) else frozenset()


def branching_of(
    name: str, node: ast.FunctionDef | ast.AsyncFunctionDef, platforms: Platforms, asks: Callable[[ast.expr], bool]
) -> Branching | None:
    """None for a function that does not ask. ``asks``: whether an expression may ask for the platform at all."""
    asked: set[str] = set()
    for inner in _own(node):
        if isinstance(inner, ast.expr) and asks(inner):
            asked |= platforms.asked(inner)
    if not asked:
        return None
    ends = {}
    for backend in sorted(set(words().values())):
        run = _Run(platforms.on(backend))
        exits = run.block(node.body, "")
        only_no = _ASKS_FOR_SUPPORT.search(name) and run.answers and all(no for _, no in run.answers)
        refusal = run.answers[0][0] if only_no else 0  # who falls off the end says no as well
        early = "next" not in exits and run.answers and all(line in run.empty for line, _ in run.answers)
        leaves = run.answers[-1][0] if early else 0
        finishes = bool(exits & {"next", "return"})
        all_calls = len(run.returned_calls) == len(run.answers) and "next" not in exits
        calls = tuple(run.returned_calls) if all_calls else ()
        work, looks = frozenset(run.work), frozenset(run.looks)
        ends[backend] = End(finishes, tuple(run.raises), refusal, leaves, work, looks, run.cpu, calls)
    return Branching(name, node.lineno, frozenset(asked), ends)


def _own(node: ast.AST) -> list[ast.AST]:
    """What stands in a function itself, not in functions inside it."""
    found: list[ast.AST] = []
    todo = list(ast.iter_child_nodes(node))
    while todo:
        child = todo.pop()
        if not isinstance(child, _FUNCTIONS):
            found.append(child)
            todo += ast.iter_child_nodes(child)
    return found


class _Run:
    """A function on one platform."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self.raises: list[tuple[int, str]] = []
        self.answers: list[tuple[int, bool]] = []
        """The lines that return, and whether they say no."""
        self.empty: set[int] = set()
        """Those that return nothing."""
        self.returned_calls: list[tuple[str, int]] = []
        """Those that return what another function answers, with its name."""
        self.work: set[int] = set()
        self.looks: set[int] = set()
        self.cpu = (0, False)
        self.local: dict[str, Value] = {}
        """Names that hold an answer about the platform."""
        self.unsure = 0
        """How many branches around this one may not be taken."""

    def truth(self, node: ast.expr) -> bool | None:
        """Whether a condition holds on the platform; None when that is not known."""
        return self._evaluator.truth(node, self.local)

    def block(self, statements: list[ast.stmt], condition: str) -> set[str]:
        ends: set[str] = set()
        for statement in statements:
            found = self.statement(statement, condition)
            ends |= found - {"next"}
            if "next" not in found:
                return ends
        return ends | {"next"}

    def statement(self, statement: ast.stmt, condition: str) -> set[str]:
        if isinstance(statement, ast.Raise):
            self.raises.append((statement.lineno, condition))
            return {"raise"}
        if isinstance(statement, ast.Assert):
            truth = self.truth(statement.test)
            if truth is False:
                self.raises.append((statement.lineno, f"assert {ast.unparse(statement.test)}"[:80]))
            return {"raise"} if truth is False else {"next"}
        if isinstance(statement, ast.Return):
            self.answers.append((statement.lineno, self._says_no(statement.value)))
            is_nothing = is_idle(statement) or is_placeholder(statement.value)
            (self.empty if is_nothing else self.work).add(statement.lineno)
            if isinstance(statement.value, ast.Call) and isinstance(statement.value.func, (ast.Name, ast.Attribute)):
                self.returned_calls.append((ast.unparse(statement.value.func), statement.lineno))
            return {"return"}
        if isinstance(statement, (ast.Break, ast.Continue)):
            return {"loop"}
        if isinstance(statement, ast.If):
            return self._if(statement)
        if isinstance(statement, (ast.With, ast.AsyncWith)):
            return self.block(statement.body, condition)
        if isinstance(statement, (ast.For, ast.While, ast.AsyncFor)):
            return (self.block(statement.body, condition) - {"loop"}) | {"next"}
        if isinstance(statement, ast.Try):
            return self._try(statement, condition)
        if isinstance(statement, ast.Match):
            return {"next"}.union(*(self.block(case.body, ast.unparse(case.pattern)) for case in statement.cases))
        if isinstance(statement, (ast.Assign, ast.AnnAssign)):
            self._assigned(statement)
        if not is_idle(statement):
            (self.looks if _only_names(statement) else self.work).add(statement.lineno)
        return {"next"}

    def _assigned(self, statement: ast.Assign | ast.AnnAssign) -> None:
        target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
        if not isinstance(target, ast.Name):
            return
        if statement.value is not None:
            self.local[target.id] = self._evaluator.value(statement.value, self.local)

    def _says_no(self, value: ast.expr | None) -> bool:
        """`False`, `(False, "why not")`, or a condition that does not hold on the platform."""
        if isinstance(value, ast.Tuple) and value.elts:
            value = value.elts[0]
        return value is not None and self.truth(value) is False

    def _if(self, statement: ast.If) -> set[str]:
        truth = self.truth(statement.test)
        test = ast.unparse(statement.test)[:80]
        ends: set[str] = set()
        self.unsure += truth is None
        before = dict(self.local)
        if truth is not False:
            ends |= self.block(statement.body, test)
        if truth is None:
            after, self.local = self.local, dict(before)
        if truth is not True:
            ends |= self.block(statement.orelse, f"not ({test})")
        if truth is None:
            self.local = {
                name: joined([after.get(name, UNKNOWN), self.local.get(name, UNKNOWN)])
                for name in {**self.local, **after}
            }
        self.unsure -= truth is None
        if truth is not None and not self.unsure and not self.cpu[0]:
            line = taken_to_cpu(statement.body if truth else statement.orelse)
            self.cpu = (line, "next" not in ends) if line else self.cpu
        return ends

    def _try(self, statement: ast.Try, condition: str) -> set[str]:
        """What is raised inside and caught is no end."""
        known = len(self.raises)
        ends = self.block([*statement.body, *statement.orelse], condition)
        if statement.handlers:
            del self.raises[known:]
            is_raised = "raise" in ends
            ends.discard("raise")
            before = set(self.work)
            for handler in statement.handlers:
                ends |= self.block(handler.body, "except")
            self.work = self.work if is_raised else before  # what may go wrong is not what the function is for
            del self.raises[known:]  # who says differently what failed does not fail because of the platform
        after = self.block(statement.finalbody, condition)
        return ends if "next" in after else after


def _only_names(statement: ast.stmt) -> bool:
    """`self.disabled = True`, `found = look(x)`: a note or a look, not work."""
    if not isinstance(statement, (ast.Assign, ast.AnnAssign)):
        return False
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    return isinstance(statement.value, ast.Constant) or all(isinstance(target, ast.Name) for target in targets)
