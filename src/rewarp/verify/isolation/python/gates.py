"""What a condition is for an NVIDIA user: gates followed to their definition, never trusted by name."""

from __future__ import annotations

import ast

from rewarp.verify.isolation.python.facts import (
    ASKED,
    EITHER,
    ENVIRONMENT,
    EXTENSION_VALUES,
    GUARDED_CALLS,
    OPTIONAL_VALUES,
    SOMETHING,
    TORCH_VALUES,
    TYPING_VALUES,
    Fact,
    both,
    either,
)
from rewarp.verify.isolation.python.modules import Module
from rewarp.verify.isolation.python.names import Names
from rewarp.verify.isolation.python.scopes import Binding, Function, FunctionNode, Scope

_CACHES = {"functools.lru_cache", "functools.cache"}
Guards = frozenset[tuple[str, str]]


class Gates(Names):
    """The facts of one module. An expression with no fact may do anything."""

    def __init__(self, module: Module, others: dict[str, Gates] | None = None) -> None:
        super().__init__(module)
        self.others = {} if others is None else others
        self.others[module.path] = self
        self._facts: dict[ast.AST, Fact | None] = {}
        self._open: set[object] = set()

    # --- expressions --------------------------------------------------------------

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
        if self.outside(node.func) in ENVIRONMENT:
            texts = [
                a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, (str, type(None)))
            ]
            return SOMETHING if len(texts) == len(node.args) <= 2 and isinstance(texts[0], str) else None
        asked = self._asked(node)
        if asked:
            return ASKED.get(asked) if not self._unsure_of_torch(node) else None
        return self._getattr(node)

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

    # --- names --------------------------------------------------------------------

    def _name(self, node: ast.Name) -> Fact | None:
        scope = self.scopes.find(node.id, self.scopes.of[node])
        if scope is None:
            return None
        if node.id.startswith("__") and not node.id.endswith("__") and self.scopes.in_class(node):
            return None  # mangled: another name
        return self._value(scope, node.id, node)

    def _value(self, scope: Scope, name: str, use: ast.AST | None) -> Fact | None:
        """The one value a name can have on NVIDIA, at a place or (`use` None) once its module has run."""
        key = (id(scope), name)
        if key in self._open:
            return None
        self._open.add(key)
        try:
            live = self._live(scope, name, use)
            if live is None:
                return None
            facts = [self._bound_fact(binding, name) for binding in live]
        finally:
            self._open.discard(key)
        known = [fact for fact in facts if fact is not None]
        decided = any(fact.platform for fact in known) or len(live) < len(scope.bindings[name])
        if len(known) < len(facts) or not all(known[0].same(fact) for fact in known):
            self._not_followed(use, name, "its value is not decided by the platform alone")
            return None
        if not decided and known[0].truth is not None:
            # A plain constant is a setting: someone may have a reason to change it.
            self._not_followed(use, name, "its value is not decided by the platform alone")
            return None
        if scope is self.scopes.module:
            self.module.rely_on(name)
        return known[0].by(Fact(None, platform=decided))

    def _bound_fact(self, binding: Binding, name: str) -> Fact | None:
        if binding.value is not None:
            return self.fact(binding.value)
        origin = self.module.origin(binding.node, name)
        if origin is None:
            return None
        if origin.file and origin.name:
            return self._exported(origin.file, origin.name, binding.node)
        path = origin.outside or ""
        if path in TYPING_VALUES:
            return TYPING_VALUES[path]
        if path in TORCH_VALUES or path in EXTENSION_VALUES:
            return None if self._unsure_of_torch(binding.node) else {**TORCH_VALUES, **EXTENSION_VALUES}[path]
        return None

    # --- other modules ------------------------------------------------------------

    def of_file(self, file: str) -> Gates | None:
        if file not in self.others:
            module = self.module.modules.get(file)
            if module is None:
                return None
            Gates(module, self.others)
        return self.others[file]

    def _exported(self, file: str, name: str, use: ast.AST) -> Fact | None:
        other = self.of_file(file)
        if other is None or other is self:
            return None
        fact = other._value(other.scopes.module, name, None)
        if fact is None:
            self._not_followed(use, name, f"its definition in {file} could not be followed")
        elif self.module.imports_back(file):
            self._not_followed(use, name, f"{file} is part of a circular import, or of one too large to follow")
            return None
        return fact

    def _file_of(self, node: ast.expr) -> str | None:
        """The project's module that a name means."""
        if not isinstance(node, ast.Name):
            return None
        scope = self.scopes.find(node.id, self.scopes.of[node])
        live = self._live(scope, node.id, node) if scope else None
        origins = {self.module.origin(binding.node, node.id) for binding in live or []}
        origin = origins.pop() if len(origins) == 1 else None
        file = origin.file if origin and origin.name is None else None
        if file:
            self.module.rely_on(node.id)
        return file

    # --- functions ----------------------------------------------------------------

    def _called(self, call: ast.Call) -> Fact | None:
        """`is_rocm()`: what a function without arguments returns."""
        if isinstance(call.func, ast.Attribute):
            file = self._file_of(call.func.value)
            return self._returned_by_export(file, call.func.attr, call) if file else None
        if not isinstance(call.func, ast.Name):
            return None
        name = call.func.id
        scope = self.scopes.find(name, self.scopes.of[call.func])
        live = self._live(scope, name, call.func) if scope else None
        if not live or len(live) != 1:
            return None
        fact = None
        origin = self.module.origin(live[0].node, name)
        if isinstance(live[0].node, Function):
            fact = self._returned(live[0].node)
        elif origin and origin.file and origin.name:
            fact = self._returned_by_export(origin.file, origin.name, call)
        if fact:
            self.module.rely_on(name)
        return fact

    def _returned_by_export(self, file: str, name: str, use: ast.AST) -> Fact | None:
        other = self.of_file(file)
        key = (file, name)
        if other is None or other is self or key in self._open:
            return None
        self._open.add(key)
        try:
            fact = self._export_returns(other, name)
        finally:
            self._open.discard(key)
        if fact is None:
            self._not_followed(use, name, f"its definition in {file} could not be followed")
        elif self.module.imports_back(file):
            self._not_followed(use, name, f"{file} is part of a circular import, or of one too large to follow")
            return None
        return fact

    @staticmethod
    def _export_returns(other: Gates, name: str) -> Fact | None:
        live = other._live(other.scopes.module, name, None)
        fact = None
        if live and len(live) == 1:
            node = live[0].node
            origin = other.module.origin(node, name)
            if isinstance(node, Function):
                fact = other._returned(node)
            elif origin and origin.file and origin.name:
                fact = other._returned_by_export(origin.file, origin.name, node)
        other.module.rely_on(name)
        return fact

    def _returned(self, function: FunctionNode) -> Fact | None:
        arguments = function.args
        any_argument = [
            *arguments.posonlyargs,
            *arguments.args,
            *arguments.kwonlyargs,
            arguments.vararg,
            arguments.kwarg,
        ]
        scope = self.scopes.made_by[function]
        if any(any_argument) or isinstance(function, ast.AsyncFunctionDef) or scope.generator or scope.global_names:
            return None
        for decorator in function.decorator_list:
            path = self.outside(decorator.func if isinstance(decorator, ast.Call) else decorator)
            if path not in _CACHES:
                return None
        fact = self._result(function.body)
        return fact if isinstance(fact, Fact) and fact.platform else None

    def _result(self, body: list[ast.stmt]) -> Fact | bool | None:
        """What a body returns; False where it runs through without returning, None where it does something."""
        for number, statement in enumerate(body):
            found: Fact | bool | None = False
            if isinstance(statement, ast.Return):
                return Fact.of(None) if statement.value is None else self.fact(statement.value)
            if isinstance(statement, ast.If):
                test = self.fact(statement.test)
                if test is None or test.truth is None:
                    return None
                found = self._result(statement.body if test.truth else statement.orelse)
                if found is False and test.platform:
                    found = self._result(body[number + 1 :])
                if isinstance(found, Fact):
                    return found.by(test)
            elif isinstance(statement, ast.Try) and not statement.finalbody:
                found = self._result(statement.body)
                if found is False:
                    found = self._result(statement.orelse)
            elif not self._does_nothing(statement):
                return None
            if found is not False:
                return found
        return False

    def _does_nothing(self, statement: ast.stmt) -> bool:
        if isinstance(statement, (ast.Pass, ast.Nonlocal)):
            return isinstance(statement, ast.Pass)
        if isinstance(statement, ast.Expr):
            return isinstance(statement.value, ast.Constant)
        if isinstance(statement, ast.Assign):
            only_names = all(isinstance(target, ast.Name) for target in statement.targets)
            return only_names and self.fact(statement.value) is not None
        return isinstance(statement, ast.Import) and self.imports_torch(statement) and self.has_torch(statement)


def _contained(left: Fact, operator: ast.cmpop, right: ast.expr) -> Fact | None:
    if not left.known or not isinstance(right, (ast.Tuple, ast.List, ast.Set)):
        return None
    if not all(isinstance(item, ast.Constant) for item in right.elts):
        return None
    values = [item.value for item in right.elts if isinstance(item, ast.Constant)]
    return Fact.of((left.value in values) is isinstance(operator, ast.In)).by(left)
