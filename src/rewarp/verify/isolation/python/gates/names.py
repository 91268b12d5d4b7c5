"""Which binding of a name holds at a place, on NVIDIA's path: rebinding, order and imports followed as far as sure."""

from __future__ import annotations

import ast
import builtins
import re
from abc import ABC, abstractmethod

from rewarp.verify.isolation.python.gates.facts import Fact
from rewarp.verify.isolation.python.reading.modules import Module
from rewarp.verify.isolation.python.reading.scopes import Binding, Function, Scope

LOOKS_LIKE_GATE = re.compile(r"(?i)rocm|(?<![a-z])hip(?![a-z])|\bhip|_hip|hpu|gaudi|habana|xpu|(?<![a-z])amd(?![a-z])")
ALWAYS_IN_TORCH = ("torch", "torch.nn", "torch.nn.functional", "torch.version")
"""Modules that are loaded, and loadable, with torch itself."""
BUILTIN_NAMES = frozenset(dir(builtins))


class Names(ABC):
    """The names of one module; what conditions around them come to, a subclass says."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.scopes = module.scopes
        self._branches: dict[ast.AST, list[tuple[ast.If, bool]]] = {}

    @abstractmethod
    def fact(self, node: ast.expr) -> Fact | None:
        """What an expression is on NVIDIA; None where evaluating it may do anything."""

    # --- bindings -----------------------------------------------------------------

    def _live(self, scope: Scope, name: str, use: ast.AST | None) -> list[Binding] | None:
        """The bindings of a name that NVIDIA's path can run, if one of them surely has run before `use`."""
        live = [binding for binding in scope.bindings.get(name, []) if not self.dead(binding.node)]
        if not live or not isinstance(scope.node, (ast.Module, *Function)):
            return None
        why = self._rebound(scope, name, live)
        if why is None and use is not None and not any(self._before(use, binding, name) for binding in live):
            why = "it may be used before it is set"
        if why is None and use is None and not any(self._surely_runs(b.node, name) for b in live):
            why = "it is not set on every path"
        if why:
            self._not_followed(use, name, why)
            return None
        return live

    def _rebound(self, scope: Scope, name: str, live: list[Binding]) -> str | None:
        if any(b.value is None and not isinstance(b.node, (ast.Import, ast.ImportFrom, *Function)) for b in live):
            other = next(b.node for b in live if b.value is None)
            return f"it is bound again on line {getattr(other, 'lineno', '?')}"
        if scope is not self.scopes.module:
            return None if len(live) == 1 or all(b.value is not None for b in live) else "it is bound more than once"
        if any(isinstance(b.node, Function) for b in live) and len(live) > 1:
            return "it is bound more than once"
        if self._star_may_bind(live[0]):
            return "a star import after it may bind it again"
        return self.module.reached_by

    def _star_may_bind(self, binding: Binding | None) -> bool:
        line = 0 if binding is None else getattr(binding.node, "lineno", 0)
        stars = [star for star in self.scopes.module.star_imports if star.lineno > line]
        return any(not self._harmless_star(star) and not self.dead(star) for star in stars)

    def _harmless_star(self, star: ast.ImportFrom) -> bool:
        """pynvml brings its own names, those of ctypes and modules of Python's library."""
        own = star.module == "pynvml" and self.module.project.is_own(self.module.path, "pynvml")
        return not star.level and not own and star.module in ("typing", "math", "ctypes", "pynvml")

    def _not_followed(self, use: ast.AST | None, name: str, why: str) -> None:
        if use is not None and LOOKS_LIKE_GATE.search(name):
            self.module.note(use, f"{name} is not a gate to rely on: {why}")

    # --- imports ------------------------------------------------------------------

    def outside(self, node: ast.expr) -> str | None:
        """The dotted path of something imported from outside the project, surely so."""
        if isinstance(node, ast.Attribute):
            base = self.outside(node.value)
            return f"{base}.{node.attr}" if base else None
        if not isinstance(node, ast.Name):
            return None
        scope = self.scopes.find(node.id, self.scopes.of[node])
        if scope is None or not isinstance(scope.node, (ast.Module, *Function)):
            return None
        every = scope.bindings[node.id]
        live = [b for b in every if not self.dead(b.node) and not self._instead_of_torch(b)]
        origins = {self.module.origin(binding.node, node.id) for binding in live}
        origin = origins.pop() if len(origins) == 1 else None
        if origin is None or origin.outside is None:
            return None
        star = "a star import after it may bind it again" if self._star_may_bind(live[0]) else None
        rebound = star or self.module.reached_by if scope is self.scopes.module else None
        before = rebound is None and any(self._before(node, b, node.id) for b in live)
        if before and scope is self.scopes.module:
            self.module.rely_on(node.id)
        if rebound or not before:
            if origin.outside.partition(".")[0] == "torch":
                self.module.note(node, f"{node.id} may not be PyTorch here: {rebound or 'not surely imported before'}")
            return None
        return origin.outside

    def _instead_of_torch(self, binding: Binding) -> bool:
        """A stand-in for torch where it cannot be imported: no NVIDIA user's case."""
        for node in self.module.chain(binding.node):
            owner = self.scopes.parents.get(node)
            if isinstance(node, ast.ExceptHandler) and isinstance(owner, ast.Try):
                return self.imports_torch(owner.body[0]) and all(map(self._cannot_fail, owner.body))
        return False

    def _cannot_fail(self, statement: ast.stmt) -> bool:
        if isinstance(statement, ast.Assign):
            return all(isinstance(t, ast.Name) for t in statement.targets) and self.fact(statement.value) is not None
        return self.imports_torch(statement)

    def imports_torch(self, statement: ast.stmt) -> bool:
        return (
            isinstance(statement, ast.Import)
            and all(alias.name in ALWAYS_IN_TORCH for alias in statement.names)
            and not self.module.project.is_own(self.module.path, "torch")
        )

    def has_torch(self, place: ast.AST) -> bool:
        """Whether torch is surely imported, by the module itself, before a place runs: importing it again does
        nothing."""
        return any(
            isinstance(node, (ast.Import, ast.ImportFrom))
            and self.scopes.of[node] is self.scopes.module
            and self._loads_torch(node)
            and self._before(place, Binding(node), "torch")
            for node in self.scopes.of
        )

    def _loads_torch(self, node: ast.Import | ast.ImportFrom) -> bool:
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        own = self.module.project.is_own(self.module.path, "torch")
        return not own and not getattr(node, "level", 0) and any(name.partition(".")[0] == "torch" for name in names)

    # --- order --------------------------------------------------------------------

    def dead(self, node: ast.AST) -> bool:
        """Whether a gate keeps NVIDIA off a node."""
        for parent, is_first in self._branches_around(node):
            fact = self.fact(parent.test)
            if fact is not None and fact.truth is not None and fact.truth is not is_first:
                return True
        return False

    def _branches_around(self, node: ast.AST) -> list[tuple[ast.If, bool]]:
        """Each `if` around a node, and whether the node is in its first branch: every use of a name asks for that of every
        binding."""
        if node not in self._branches:
            chain = self.module.chain(node)
            self._branches[node] = [
                (parent, any(statement is child for statement in parent.body))
                for child, parent in zip(chain, chain[1:])
                if isinstance(parent, ast.If) and child is not parent.test
            ]
        return self._branches[node]

    def _before(self, use: ast.AST, binding: Binding, name: str) -> bool:
        node = binding.node
        while True:
            if self.module.follows(use, node) or self._in_else_of(use, node):
                return True
            owner = self._carried_by(node, name)
            if owner is None:
                return self._called_later(use, node)
            node = owner

    def _in_else_of(self, use: ast.AST, node: ast.AST) -> bool:
        """`try: import torch` with the use in its `else`."""
        owner = self.scopes.parents.get(node)
        if not isinstance(owner, ast.Try) or not any(one is node for one in owner.body):
            return False
        around = set(map(id, self.module.chain(use)))
        return any(id(one) in around for one in owner.orelse)

    def _surely_runs(self, node: ast.AST, name: str) -> bool:
        while node not in self.module.tree.body:
            owner = self._carried_by(node, name)
            if owner is None:
                return False
            node = owner
        return True

    def _carried_by(self, node: ast.AST, name: str) -> ast.AST | None:
        """The statement around this one, where running that surely runs this, or sets the name otherwise."""
        owner = self.scopes.parents.get(node)
        if isinstance(owner, ast.If) and isinstance(node, ast.stmt):
            fact = self.fact(owner.test)
            decided = fact is not None and fact.truth is not None and not self.dead(node)
            return owner if decided or (fact is not None and self._always_binds(owner, name)) else None
        if isinstance(owner, ast.Try) and any(s is node for s in owner.body):
            bound_or_left = all(_binds_or_raises(handler, name) for handler in owner.handlers)
            torch_only = owner.body[0] is node and isinstance(node, ast.stmt) and self.imports_torch(node)
            return owner if torch_only or bound_or_left else None
        return None

    def _always_binds(self, owner: ast.If, name: str) -> bool:
        """Whether each branch that NVIDIA's path can take sets a plain name; a word from the environment is one of those that it is
        compared with."""
        fact = self.fact(owner.test)
        if fact is None:
            return False
        blocks = [owner.body, owner.orelse] if fact.truth is None else [owner.body if fact.truth else owner.orelse]
        if not owner.orelse and self._compares_told(owner.test):
            blocks = [block for block in blocks if block]
        return all(any(self._sets(statement, name) for statement in block) for block in blocks)

    def _sets(self, statement: ast.stmt, name: str) -> bool:
        if isinstance(statement, ast.If):
            return self._always_binds(statement, name)
        return isinstance(statement, ast.Assign) and any(getattr(t, "id", "") == name for t in statement.targets)

    def _compares_told(self, test: ast.expr) -> bool:
        fact = self.fact(test.left) if isinstance(test, ast.Compare) else None
        return fact is not None and fact.told

    def _called_later(self, use: ast.AST, binding: ast.AST) -> bool:
        """A function above a gate that nothing can call before the gate is set: only definitions lie between."""
        if not any(scope.runs_later for scope in self.scopes.of.get(use, self.scopes.module).around()):
            return False
        body = self.module.tree.body
        around = set(map(id, self.module.chain(use)))
        first = next((number for number, one in enumerate(body) if id(one) in around), None)
        last = next((number for number, one in enumerate(body) if one is binding), None)
        if first is None or last is None or last <= first:
            return False
        return all(self._only_defines(statement) for statement in body[first:last])

    @staticmethod
    def _only_defines(statement: ast.stmt) -> bool:
        if isinstance(statement, Function):
            calls = [*statement.args.defaults, *statement.args.kw_defaults, *statement.decorator_list]
            every = [n for part in (*calls, statement.args, statement.returns) if part for n in ast.walk(part)]
            return not statement.decorator_list and not any(isinstance(n, ast.Call) for n in every)
        return isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant)


def _binds_or_raises(handler: ast.ExceptHandler, name: str) -> bool:
    last = handler.body[-1]
    if isinstance(last, ast.Raise):
        return True
    return any(
        isinstance(statement, ast.Assign) and any(getattr(t, "id", "") == name for t in statement.targets)
        for statement in handler.body
    )
