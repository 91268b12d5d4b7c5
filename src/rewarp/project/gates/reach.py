"""Which Python code a platform never comes to.

``if torch.version.hip is None: import pynvml`` is no obstacle on AMD: the import never
runs there. A place is unreachable when some condition around it, an early exit before it in
the same block, or a skip decorator rules it out. Unknown never rules anything out.
"""

from __future__ import annotations

import ast
import re
import weakref
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from rewarp.lang.python_names import PythonNames
from rewarp.project.gates.evaluate import Evaluator, Modules
from rewarp.project.gates.flow import EXITS, importable
from rewarp.project.gates.platforms import PLATFORMS, Platform

_SKIPS = ("pytest.skip", "self.skipTest", "unittest.SkipTest")
_SKIP_NAME = re.compile(r"(?i)skip_?(?:cuda_?)?(?:if_?|on_?|for_?)*(\w+)|requires?_?(?:non|no|not)_?(\w+)")
# Decorators that leave a function to its callers.
_PLAIN_DECORATORS = frozenset({"cache", "lru_cache", "jit", "autotune", "heuristics", "compile", "no_grad"})
_Function = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEPTH = 6


class _Place(NamedTuple):
    block: list[ast.stmt] | list[ast.expr]
    at: int


class Reach:
    """What of one file a platform never comes to."""

    def __init__(self, document: PythonNames, platform: Platform, modules: Modules | None = None) -> None:
        # A proxy: the document owns this folder, and a cycle would keep whole trees alive until a collection.
        self.document: PythonNames = weakref.proxy(document)
        self.platform = platform
        self._evaluator = Evaluator(document, platform, modules)
        self._places: dict[ast.AST, _Place] = {}
        self._exits: dict[int, tuple[int, int | None]] = {}
        """By block: how many of its statements were looked at, and which of them leaves it."""
        self._decided: dict[ast.BoolOp, list[ast.expr]] = {}
        self._closed: dict[ast.AST, bool] = {}
        self._deciding_closed = 0
        self._off: dict[ast.AST, bool] = {}

    def unreachable(self, node: ast.AST) -> bool:
        """Whether something above a node keeps the target off it. Parts of one expression share what lies above it."""
        chain = [node]
        while chain[-1] not in self._off and (parent := self.document.parent(chain[-1])) is not None:
            chain.append(parent)
        off = self._off.get(chain[-1])
        if off is None:
            off = self._off_itself(chain[-1])
            self._remember(chain[-1], off)
        for parent, child in zip(reversed(chain), reversed(chain[:-1])):
            off = off or self._dead_edge(parent, child) or self._off_itself(child)
            self._remember(child, off)
        return off

    def _off_itself(self, node: ast.AST) -> bool:
        return isinstance(node, (*_Function, ast.ClassDef)) and (self._is_closed(node) or self._skips_all)

    def _remember(self, node: ast.AST, off: bool) -> None:
        if not self._deciding_closed:  # while that goes on, a function counts as open that may come out closed
            self._off[node] = off

    def _is_closed(self, definition: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
        """Whether a function or class is never entered on the target."""
        known = self._closed.get(definition)
        if known is None:
            self._closed[definition] = False  # for one that calls itself
            self._deciding_closed += 1
            skipped = any(self._skips(decorator) for decorator in definition.decorator_list)
            known = self._closed[definition] = skipped or self._never_called(definition)
            self._deciding_closed -= 1
        return known

    def settled(self, node: ast.AST) -> bool:
        """Whether the condition around an expression comes out the same whatever the expression says, because of
        another part of it: ``capability >= (9, 0) and torch.version.hip is None``."""
        child = node
        for parent in self.document.ancestors(node):
            if isinstance(parent, (ast.stmt, ast.Lambda)):
                return False
            if isinstance(parent, ast.BoolOp):
                if any(operand is not child for operand in self._deciding(parent)):
                    return True
            child = parent
        return False

    def _dead_edge(self, parent: ast.AST, child: ast.AST) -> bool:
        if isinstance(parent, (ast.If, ast.IfExp, ast.While)) and child is not parent.test:
            value = self.fold(parent.test)
            if value is not None and value is not self._in_body(parent, child):
                return True
        elif isinstance(parent, ast.BoolOp):
            deciding = self._deciding(parent)
            if deciding and deciding[0] is not child and self._comes_before(parent, deciding[0], child):
                return True
        return isinstance(child, ast.stmt) and self._after_exit(parent, child)

    def _deciding(self, condition: ast.BoolOp) -> list[ast.expr]:
        """The first two operands that decide a condition whatever the others say. Each of its many parts asks."""
        known = self._decided.get(condition)
        if known is None:
            decisive = isinstance(condition.op, ast.Or)
            found = (operand for operand in condition.values if self.fold(operand) is decisive)
            known = self._decided[condition] = list(islice(found, 2))
        return known

    def _comes_before(self, parent: ast.BoolOp, one: ast.AST, other: ast.AST) -> bool:
        first, second = self._place(parent, one), self._place(parent, other)
        return first is not None and second is not None and first.at < second.at

    def _in_body(self, parent: ast.If | ast.IfExp | ast.While, child: ast.AST) -> bool:
        if isinstance(parent, ast.IfExp):
            return child is parent.body
        place = self._place(parent, child)
        return place is not None and place.block is parent.body

    def _after_exit(self, parent: ast.AST, child: ast.stmt) -> bool:
        """Whether a statement before this one of its block leaves the block. Each is looked at once, however many follow."""
        place = self._place(parent, child)
        if place is None:
            return False
        checked, exit_at = self._exits.get(id(place.block), (0, None))
        while exit_at is None and checked < place.at:
            statement = place.block[checked]
            exit_at = checked if isinstance(statement, ast.stmt) and self._leaves(statement) else None
            checked += 1
        self._exits[id(place.block)] = checked, exit_at
        return exit_at is not None and exit_at < place.at

    def _place(self, parent: ast.AST, child: ast.AST) -> _Place | None:
        """Where a statement stands among those of its block."""
        if child not in self._places:
            for field in ("body", "orelse", "finalbody", "values"):
                block = getattr(parent, field, None)
                if isinstance(block, list):
                    self._places.update((statement, _Place(block, index)) for index, statement in enumerate(block))
        return self._places.get(child)

    def _leaves(self, statement: ast.stmt) -> bool:
        """Whether this statement ends the block on the target, on purpose.

        Failing because NVIDIA is not there (``if CUDA_HOME is None: raise``) is no gate: whoever
        mends that line meets what comes after it. Failing because it is the target is one."""
        if isinstance(statement, ast.Assert):
            return self.fold(statement.test) is False and self._names_target(statement.test)
        if isinstance(statement, (ast.Expr, ast.Assign)) and self._importorskip(statement.value):
            return True
        if isinstance(statement, ast.Expr) and self._is_refused(statement.value):
            return True
        if not isinstance(statement, ast.If):
            return False
        value = self.fold(statement.test)
        taken = statement.body if value else statement.orelse if value is False else []
        if not taken:
            return False
        last = taken[-1]
        if isinstance(last, (ast.Return, ast.Continue, ast.Break)):
            return True
        called = last.value if isinstance(last, ast.Expr) else None
        call = self.document.raw(called.func) if isinstance(called, ast.Call) else ""
        if call in _SKIPS:
            return True
        fails = isinstance(last, ast.Raise) or call in EXITS
        return fails and self._names_target(statement.test)

    def _importorskip(self, call: ast.expr) -> bool:
        """``pytest.importorskip("habana_frameworks")``: what the platform cannot have ends the tests here."""
        if not isinstance(call, ast.Call) or self.document.raw(call.func) != "pytest.importorskip" or not call.args:
            return False
        package = self.document.string(call.args[0])
        return package is not None and importable(self.platform.name, package) is False

    def _is_refused(self, call: ast.expr) -> bool:
        """``tl.static_assert(cuda_capability_geq(9))``: a kernel that Triton compiles for no other platform."""
        if not isinstance(call, ast.Call) or not call.args:
            return False
        return self.document.raw(call.func).rpartition(".")[2] == "static_assert" and self.fold(call.args[0]) is False

    def _names_target(self, test: ast.expr) -> bool:
        for node in ast.walk(test):
            if isinstance(node, (ast.Name, ast.Attribute)):
                name = node.attr if isinstance(node, ast.Attribute) else node.id
                if self._is_true(node) or self.platform.true_names.fullmatch(name):
                    return True
        return False

    def _is_true(self, node: ast.AST) -> bool:
        """Whether an expression is true on this platform and not on all: ``torch.version.hip``."""
        path = self.document.path(node) or ""
        facts = [platform.paths[path] for platform in PLATFORMS if path in platform.paths]
        told = any(fact.truth is not True for fact in facts)
        return told and self.fold_path(path) is True

    @cached_property
    def _skips_all(self) -> bool:
        """``pytestmark = pytest.mark.skipif(...)``, one mark or a list of them."""
        if b"pytestmark" not in self.document.source.data:
            return False
        for assign in self.document.tree.body:
            if isinstance(assign, ast.Assign) and self.document.raw(assign.targets[0]) == "pytestmark":
                marks = assign.value.elts if isinstance(assign.value, (ast.List, ast.Tuple)) else [assign.value]
                if any(self._skips(mark) for mark in marks):
                    return True
        return False

    def _skips(self, mark: ast.expr, depth: int = 0) -> bool:
        """Whether a decorator or mark skips on the target, given there or under a name of this file."""
        if isinstance(mark, ast.Call) and mark.args:
            name = self.document.raw(mark.func).rpartition(".")[2].lower()
            if name in ("skipif", "skip_if"):
                return self.fold(mark.args[0]) is True
            if name == "skipunless":
                return self.fold(mark.args[0]) is False
        if isinstance(mark, ast.Call) and self._wants_cuda_devices(mark):
            return self.fold_path("torch.cuda.is_available()") is False
        written = self.document.raw(mark.func if isinstance(mark, ast.Call) and not mark.args else mark)
        named = _SKIP_NAME.fullmatch(written.rpartition(".")[2])
        if named and self.platform.true_names.fullmatch(named[1] or named[2]):
            return True
        value = self.document.only_value(mark) if isinstance(mark, ast.Name) and depth < _DEPTH else None
        return value is not None and self._skips(value, depth + 1)

    def _wants_cuda_devices(self, mark: ast.Call) -> bool:
        """``@RunIf(min_cuda_gpus=1)``."""
        return self.document.raw(mark.func).rpartition(".")[2].strip("_") == "RunIf" and any(
            keyword.arg == "min_cuda_gpus" and isinstance(keyword.value, ast.Constant) and bool(keyword.value.value)
            for keyword in mark.keywords
        )

    def fold_path(self, path: str) -> bool | None:
        fact = self.platform.paths.get(path)
        return fact.truth if fact else None

    def _never_called(self, function: ast.AST) -> bool:
        """A private function that this file uses only where the target does not come."""
        if not isinstance(function, _Function) or not function.name.startswith("_") or function.name.endswith("__"):
            return False
        if isinstance(self.document.parent(function), ast.ClassDef):
            return False
        for decorator in function.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if self.document.raw(called).rpartition(".")[2] not in _PLAIN_DECORATORS:
                return False
        uses = self._uses.get(function.name, ())
        outside = [name for name in uses if function not in self.document.ancestors(name)]
        return bool(outside) and all(self.unreachable(name) for name in outside)

    # --- conditions -----------------------------------------------------------------

    def fold(self, test: ast.AST | None) -> bool | None:
        """The truth of a condition on the platform; None when it is not decided."""
        return self._evaluator.truth(test)

    @cached_property
    def _uses(self) -> dict[str, list[ast.Name]]:
        found: dict[str, list[ast.Name]] = {}
        for name in self.document.nodes(ast.Name):
            found.setdefault(name.id, []).append(name)
        return found
