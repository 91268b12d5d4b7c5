"""What an expression is for an NVIDIA user: its operators, comparisons and calls, and what PyTorch says of itself."""

from __future__ import annotations

import ast
from abc import abstractmethod

from rewarp.verify.isolation.python.gates.facts import (
    AMDS_WORDS,
    ASKED,
    COUNTS_AMD,
    EITHER,
    ENVIRONMENT,
    EXTENSION_VALUES,
    GUARDED_CALLS,
    OPTIONAL_VALUES,
    SOMETHING,
    TOLD,
    TORCH_VALUES,
    TYPING_VALUES,
    Fact,
    both,
    either,
)
from rewarp.verify.isolation.python.gates.names import Names
from rewarp.verify.isolation.python.reading.modules import Module
from rewarp.verify.isolation.python.reading.scopes import Function

Guards = frozenset[tuple[str, str]]


class Expressions(Names):
    """The expressions of one module; what names and functions of the project stand for, a subclass says."""

    def __init__(self, module: Module) -> None:
        super().__init__(module)
        self._facts: dict[ast.AST, Fact | None] = {}
        self._open: set[object] = set()

    @abstractmethod
    def _name(self, node: ast.Name) -> Fact | None:
        """What a name holds."""

    @abstractmethod
    def _file_of(self, node: ast.expr) -> str | None:
        """The project's module that a name means."""

    @abstractmethod
    def _exported(self, file: str, name: str, use: ast.AST, imported: bool = False) -> Fact | None:
        """What a name of another module of the project holds."""

    @abstractmethod
    def _called(self, call: ast.Call) -> Fact | None:
        """What a function of the project returns that is called without arguments."""

    def fact(self, node: ast.expr, guards: Guards = frozenset()) -> Fact | None:
        if guards:
            return self._fact(node, guards)
        if node not in self._facts:
            if node in self._open:
                return None
            self._open.add(node)
            try:
                self._facts[node] = self._fact(node, guards)
            finally:
                self._open.discard(node)
        return self._facts[node]

    def _fact(self, node: ast.expr, guards: Guards) -> Fact | None:
        if isinstance(node, ast.Constant):
            return Fact.of(node.value)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self.fact(node.operand, guards)
            return None if inner is None else EITHER if inner.truth is None else Fact.of(not inner.truth).by(inner)
        if isinstance(node, ast.BoolOp):
            return self._bool(node, guards)
        if isinstance(node, ast.Compare):
            return self._compare(node, guards)
        if isinstance(node, ast.IfExp):
            test = self.fact(node.test, guards)
            if test is None or test.truth is None:
                return None
            branch = self.fact(node.body if test.truth else node.orelse, guards)
            return branch.by(test) if branch else None
        if isinstance(node, ast.Call):
            return self._call(node, guards)
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            return self._name(node)
        return None

    def _bool(self, node: ast.BoolOp, guards: Guards) -> Fact | None:
        conjunction = isinstance(node.op, ast.And)
        facts: list[Fact] = []
        for operand in node.values:
            fact = self.fact(operand, guards)
            if fact is None:
                return None
            facts.append(fact)
            if fact.truth is not None and fact.truth is not conjunction:
                break
            asked = self._asked(operand)
            if conjunction and asked:
                guards |= {asked}
        return both(facts) if conjunction else either(facts)

    def _compare(self, node: ast.Compare, guards: Guards) -> Fact | None:
        if len(node.ops) != 1:
            return None
        operator, right = node.ops[0], node.comparators[0]
        if isinstance(operator, (ast.Is, ast.IsNot)) and isinstance(right, ast.Constant) and right.value is None:
            if self._is_bound(node.left) and self.fact(node.left, guards) is None:
                return EITHER
        if (
            isinstance(operator, ast.Gt)
            and ast.unparse(node) == COUNTS_AMD
            and not self.module.scopes.module.bindings.get("len")
        ):
            return Fact.of(False, platform=True)
        left = self.fact(node.left, guards)
        if left is None:
            return None
        if isinstance(operator, (ast.In, ast.NotIn)):
            return _contained(left, operator, right)
        other = self.fact(right, guards)
        if other is None or not other.known:
            return None
        positive = isinstance(operator, (ast.Is, ast.Eq))
        if not positive and not isinstance(operator, (ast.IsNot, ast.NotEq)):
            return None
        if left.told and str(other.value).lower() in AMDS_WORDS:
            return Fact.of(not positive, platform=True)
        if left.options and not any(_may_equal(value, other.value) for value in left.options):
            return Fact.of(not positive).by(left, other)
        if not left.known:
            # What is not known is a text, a bool or None: comparing it with a constant does nothing.
            return Fact.of(not positive).by(left) if other.value is None and left.truth else EITHER
        if isinstance(operator, (ast.Is, ast.IsNot)):
            singletons = (None, True, False)
            if not any(other.value is one for one in singletons) or not any(left.value is one for one in singletons):
                return None
            return Fact.of((left.value is other.value) is positive).by(left, other)
        return Fact.of((left.value == other.value) is positive).by(left, other)

    def _is_bound(self, node: ast.expr) -> bool:
        """A parameter that its function neither deletes nor loses: reading it cannot fail."""
        if not isinstance(node, ast.Name):
            return False
        scope = self.scopes.find(node.id, self.scopes.of[node])
        return (
            scope is not None
            and isinstance(scope.node, Function)
            and isinstance(scope.bindings[node.id][0].node, ast.arg)
            and not any(
                isinstance(b.node, ast.Name) and isinstance(b.node.ctx, ast.Del) for b in scope.bindings[node.id]
            )
            and not any(isinstance(b.node, ast.ExceptHandler) for b in scope.bindings[node.id])
        )

    def _builtin(self, node: ast.expr, name: str) -> bool:
        return (
            isinstance(node, ast.Name)
            and node.id == name
            and self.scopes.find(name, self.scopes.of[node]) is None
            and not self._star_may_bind(None)
            and self.module.reached_by is None
        )

    def _call(self, node: ast.Call, guards: Guards) -> Fact | None:
        if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
            return None
        if not node.args:
            path = self.outside(node.func)
            if path in GUARDED_CALLS:
                needed, fact = GUARDED_CALLS[path]
                return fact if needed in guards and not self._unsure_of_torch(node) else None
            return self._called(node)
        if self._builtin(node.func, "bool") and len(node.args) == 1:
            inner = self.fact(node.args[0], guards)
            return None if inner is None else EITHER if inner.truth is None else Fact.of(inner.truth).by(inner)
        if self._builtin(node.func, "isinstance") and len(node.args) == 2 and self._builtin(node.args[1], "str"):
            inner = self.fact(node.args[0], guards)
            if inner is not None and (inner.known or inner.truth):
                return Fact.of(isinstance(inner.value, str) if inner.known else True).by(inner)
        if self.outside(node.func) in ENVIRONMENT and len(node.args) <= 2:
            return self._environment(node.args)
        asked = self._asked(node)
        if asked:
            return ASKED.get(asked) if not self._unsure_of_torch(node) else None
        return self._getattr(node)

    def _environment(self, given: list[ast.expr]) -> Fact | None:
        """`os.environ.get(NAME, default)`"""
        name, default = given[0], self.fact(given[1]) if given[1:] else Fact.of(None)
        if not isinstance(name, ast.Constant) or not isinstance(name.value, str) or default is None:
            return None
        is_word = default.known and str(default.value).lower() in AMDS_WORDS
        return SOMETHING if is_word or not default.known else TOLD

    def _asked(self, node: ast.expr) -> tuple[str, str] | None:
        """`hasattr(torch, "xpu")` as ("torch", "xpu")."""
        if isinstance(node, ast.Call) and len(node.args) == 2 and self._builtin(node.func, "hasattr"):
            path, name = self.outside(node.args[0]), node.args[1]
            if path and isinstance(name, ast.Constant) and isinstance(name.value, str):
                return path, name.value
        return None

    def _getattr(self, node: ast.Call) -> Fact | None:
        if not self._builtin(node.func, "getattr") or len(node.args) not in (2, 3):
            return None
        base, name = self.outside(node.args[0]), node.args[1]
        if (
            base is None
            or not isinstance(name, ast.Constant)
            or not isinstance(name.value, str)
            or self._unsure_of_torch(node)
        ):
            return None
        path = f"{base}.{name.value}"
        if len(node.args) == 2:
            return TORCH_VALUES.get(path)
        default = self.fact(node.args[2])
        if default is None:
            return None
        if path in TORCH_VALUES:
            return TORCH_VALUES[path]
        if path in OPTIONAL_VALUES and default.known and default.value is OPTIONAL_VALUES[path]:
            return Fact.of(default.value, platform=True)
        return None

    def _unsure_of_torch(self, node: ast.AST) -> bool:
        why = self.module.changes_torch
        self.module.rely_on("torch.version")
        if why:
            self.module.note(node, f"what torch says of itself is changed: {why}")
        return why is not None

    def _attribute(self, node: ast.Attribute) -> Fact | None:
        path = self.outside(node)
        if path in TORCH_VALUES:
            return None if self._unsure_of_torch(node) else TORCH_VALUES[path]
        if path in TYPING_VALUES:
            return TYPING_VALUES[path]
        if path in EXTENSION_VALUES and self.outside(node.value) == "torch.utils.cpp_extension":
            loaded = isinstance(node.value, ast.Name)  # imported by that name, and not through `import torch` alone
            return EXTENSION_VALUES[path] if loaded and not self._unsure_of_torch(node) else None
        file = self._file_of(node.value)
        return self._exported(file, node.attr, node) if file else None


def _may_equal(one: object, other: object) -> bool:
    return one is other or one == other


def _contained(left: Fact, operator: ast.cmpop, right: ast.expr) -> Fact | None:
    if not (left.known or left.options) or not isinstance(right, (ast.Tuple, ast.List, ast.Set)):
        return None
    if not all(isinstance(item, ast.Constant) for item in right.elts):
        return None
    values = [item.value for item in right.elts if isinstance(item, ast.Constant)]
    if left.options:
        found = {value in values for value in left.options}
        return Fact.of(found.pop() is isinstance(operator, ast.In)).by(left) if len(found) == 1 else EITHER
    return Fact.of((left.value in values) is isinstance(operator, ast.In)).by(left)
