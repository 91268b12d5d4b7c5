"""Functions that ask which platform this is (`is_rocm()`, `torch.version.hip`): where do they end on each?"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass

from rewarp.parity.backends import words
from rewarp.parity.python.bodies import is_idle
from rewarp.parity.python.fallback import taken_to_cpu

_ASKS = re.compile(r"_*(is|on)_(?P<what>\w+?)_*\Z", re.I)
ALIKE = {"cuda_alike": frozenset({"cuda", "rocm"}), "cuda_like": frozenset({"cuda", "rocm"})}
_TORCH_VERSIONS = {"hip": "rocm", "cuda": "cuda", "xpu": "xpu"}
_ASKS_FOR_SUPPORT = re.compile(r"(^|[._])(is_supported|is_available|can_|has_)|support|_enabled$", re.I)
_DEVICE_NAME = re.compile(r"(device|platform|backend)(_?(type|name))?\Z", re.I)
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


@dataclass(frozen=True)
class Branching:
    """A function that asks for platforms."""

    name: str
    line: int
    asked: frozenset[str]
    """The back ends it asks for."""
    ends: Mapping[str, End]


def branching_of(name: str, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Branching | None:
    """None for a function that does not ask."""
    asked: set[str] = set()
    for inner in _own(node):
        if isinstance(inner, ast.expr):
            asked |= _asked(inner) or frozenset()
    if not asked:
        return None
    ends = {}
    for backend in sorted(set(words().values())):
        run = _Run(backend)
        exits = run.block(node.body, "")
        only_no = _ASKS_FOR_SUPPORT.search(name) and run.answers and all(no for _, no in run.answers)
        refusal = run.answers[0][0] if only_no else 0  # who falls off the end says no as well
        early = "next" not in exits and run.answers and all(line in run.empty for line, _ in run.answers)
        leaves = run.answers[-1][0] if early else 0
        finishes = bool(exits & {"next", "return"})
        ends[backend] = End(
            finishes, tuple(run.raises), refusal, leaves, frozenset(run.work), frozenset(run.looks), run.cpu
        )
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


def _asked(node: ast.expr) -> frozenset[str] | None:
    """The back ends for which an expression is true; None where it does not ask for one."""
    if isinstance(node, ast.Compare):
        return _compared(node)
    called = node.func if isinstance(node, ast.Call) else node
    name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
    if isinstance(called, ast.Attribute) and ast.unparse(called.value) == "torch.version":
        found = _TORCH_VERSIONS.get(called.attr)
        return frozenset({found}) if found else None
    asks = _ASKS.match(name)
    if not asks:
        return None
    if isinstance(called, ast.Attribute) and isinstance(node, ast.Attribute):
        # `tensor.is_cuda` is about where a tensor lies, which is `cuda` on ROCm too; `flags.is_rocm` is not.
        if asks["what"].lower() in ("cuda", "cpu", "xpu", "hpu", "mps"):
            return None
    what = asks["what"].lower()
    if what in ALIKE:
        return ALIKE[what]
    found = words().get(what)
    return frozenset({found}) if found else None


def _compared(node: ast.Compare) -> frozenset[str] | None:
    """`SYSTEM == "rocm"`, `SYSTEM in ("cuda", "rocm")`: a constant of the module that holds the name of the platform."""
    name = node.left.attr if isinstance(node.left, ast.Attribute) else getattr(node.left, "id", "")
    # A device's type is `cuda` on ROCm too.
    if len(node.ops) != 1 or not name.isupper() or "DEVICE" in name:
        return None
    right = node.comparators[0]
    values = right.elts if isinstance(right, (ast.List, ast.Tuple, ast.Set)) else [right]
    texts = [value.value for value in values if isinstance(value, ast.Constant) and isinstance(value.value, str)]
    found = frozenset(words()[text] for text in texts if text in words())
    if not found or len(found) != len(values):
        return None
    if isinstance(node.ops[0], (ast.Eq, ast.In)):
        return found
    return frozenset(words().values()) - found if isinstance(node.ops[0], (ast.NotEq, ast.NotIn)) else None


class _Run:
    """A function on one platform."""

    def __init__(self, backend: str) -> None:
        self.backend = backend
        self.raises: list[tuple[int, str]] = []
        self.answers: list[tuple[int, bool]] = []
        """The lines that return, and whether they say no."""
        self.empty: set[int] = set()
        """Those that return nothing."""
        self.work: set[int] = set()
        self.looks: set[int] = set()
        self.cpu = (0, False)
        self.local: dict[str, bool] = {}
        """Names that hold an answer about the platform."""
        self.unsure = 0
        """How many branches around this one may not be taken."""

    def truth(self, node: ast.expr) -> bool | None:
        """Whether a condition holds on the platform; None when that is not known."""
        asked = _asked(node)
        if asked is not None:
            return self.backend in asked
        if isinstance(node, ast.Name):
            return self.local.get(node.id)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self.truth(node.operand)
            return None if inner is None else not inner
        if isinstance(node, ast.BoolOp):
            truths = [self.truth(value) for value in node.values]
            decisive = isinstance(node.op, ast.Or)
            return decisive if decisive in truths else None if None in truths else not decisive
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            right = node.comparators[0]
            inner = self.truth(node.left)
            if inner is not None and isinstance(right, ast.Constant) and right.value is None:
                return inner if isinstance(node.ops[0], ast.IsNot) else not inner
            if self._is_other_device(node.left, right):
                return not isinstance(node.ops[0], (ast.Eq, ast.In, ast.Is))
        return node.value if isinstance(node, ast.Constant) and isinstance(node.value, bool) else None

    def _is_other_device(self, left: ast.expr, right: ast.expr) -> bool:
        """Whether `device_type == "npu"`, or `in ["npu", …]`, can only be so on other platforms."""
        name = left.attr if isinstance(left, ast.Attribute) else left.id if isinstance(left, ast.Name) else ""
        values = right.elts if isinstance(right, (ast.List, ast.Tuple, ast.Set)) else [right]
        if not _DEVICE_NAME.search(name) or not values:
            return False
        # PyTorch for ROCm calls its devices `cuda`; the CPU is there on every platform.
        mine = {self.backend, "cpu", None} | ({"cuda"} if self.backend == "rocm" else set())
        texts = [value.value if isinstance(value, ast.Constant) else None for value in values]
        return all(isinstance(text, str) and words().get(text.lower()) not in mine for text in texts)

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
            (self.empty if is_idle(statement) else self.work).add(statement.lineno)
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
        truth = self.truth(statement.value) if statement.value is not None else None
        if truth is None:
            self.local.pop(target.id, None)
        else:
            self.local[target.id] = truth

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
            self.local = {name: value for name, value in self.local.items() if after.get(name) is value}
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
            ends.discard("raise")
            for handler in statement.handlers:
                ends |= self.block(handler.body, "except")
            del self.raises[known:]  # who says differently what failed does not fail because of the platform
        after = self.block(statement.finalbody, condition)
        return ends if "next" in after else after


def _only_names(statement: ast.stmt) -> bool:
    """`self.disabled = True`, `found = look(x)`: a note or a look, not work."""
    if not isinstance(statement, (ast.Assign, ast.AnnAssign)):
        return False
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    return isinstance(statement.value, ast.Constant) or all(isinstance(target, ast.Name) for target in targets)


def truth_on(backend: str, condition: ast.expr) -> bool | None:
    """Whether a condition holds on a platform; None when that is not known."""
    return _Run(backend).truth(condition)
