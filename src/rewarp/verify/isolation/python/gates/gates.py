"""What a condition is for an NVIDIA user: gates followed to their definition, never trusted by name."""

from __future__ import annotations

import ast

from rewarp.lang.python_parameters import parameters
from rewarp.verify.isolation.python.gates.facts import Fact
from rewarp.verify.isolation.python.gates.methods import methods_of
from rewarp.verify.isolation.python.gates.names import LOOKS_LIKE_GATE
from rewarp.verify.isolation.python.gates.values import Values
from rewarp.verify.isolation.python.reading.modules import Module
from rewarp.verify.isolation.python.reading.scopes import Function, FunctionNode

_CACHES = {"functools.lru_cache", "functools.cache"}


class Gates(Values):
    """The facts of one module. An expression with no fact may do anything."""

    def __init__(self, module: Module, others: dict[str, Gates] | None = None) -> None:
        super().__init__(module)
        self.others = {} if others is None else others
        self.others[module.path] = self

    def of_file(self, file: str) -> Gates | None:
        if file not in self.others:
            module = self.module.modules.get(file)
            if module is None:
                return None
            Gates(module, self.others)
        return self.others[file]

    def _called(self, call: ast.Call) -> Fact | None:
        """`is_rocm()`: what a function without arguments returns."""
        if isinstance(call.func, ast.Attribute):
            file = self._file_of(call.func.value)
            return self._returned_by_export(file, call.func.attr, call) if file else self._method(call.func)
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
            fact = self._returned_by_export(origin.file, origin.name, call, imported=True)
        if fact:
            self.module.rely_on(name)
        return fact

    def _method(self, called: ast.Attribute) -> Fact | None:
        """`self.is_rocm()`, of an object of a class of the project; `current_platform.is_rocm()`, of one that a module of it has."""
        if not LOOKS_LIKE_GATE.search(called.attr) or not self._is_of_project(called):
            return None
        fact = methods_of(self).returned(called.attr)
        return fact if fact is not None and fact.platform else None

    def _is_of_project(self, called: ast.Attribute) -> bool:
        base = called.value
        if not isinstance(base, ast.Name):
            return False
        if base.id in ("self", "cls"):
            return any(scope.is_class and self._has(scope.node, called.attr) for scope in self.scopes.of[base].around())
        scope = self.scopes.find(base.id, self.scopes.of[base])
        bindings = scope.bindings[base.id] if scope else []
        origins = [self.module.origin(binding.node, base.id) for binding in bindings if not self.dead(binding.node)]
        if origins and all(origin is not None and origin.file and origin.name for origin in origins):
            return any(self._before(base, binding, base.id) for binding in bindings)
        return len(bindings) == 1 and self._has(bindings[0].node, called.attr)

    def _has(self, node: ast.AST, name: str) -> bool:
        """Whether a class of this module defines a method, itself or by a class that it is derived from by name."""
        if not isinstance(node, ast.ClassDef):
            return False
        if any(isinstance(one, Function) and one.name == name for one in node.body):
            return True
        for base in node.bases:
            scope = self.scopes.find(base.id, self.scopes.of[base]) if isinstance(base, ast.Name) else None
            bound = scope.bindings[base.id] if scope and isinstance(base, ast.Name) else []
            for binding in bound:
                origin = self.module.origin(binding.node, base.id)  # type: ignore[attr-defined]
                if binding.node is not node and self._has(binding.node, name):
                    return True
                if origin and origin.file and (other := self.of_file(origin.file)) and other is not self:
                    inner = other.scopes.module.bindings.get(origin.name or "", [])
                    if any(other._has(one.node, name) for one in inner):
                        return True
        return False

    def platform_fact(self, value: ast.expr) -> Fact | None:
        fact = self.fact(value)
        return fact if fact is not None and fact.platform else None

    def left_for_nvidia(self, path: str) -> list[ast.stmt] | None:
        """What NVIDIA runs of a file."""
        from rewarp.verify.isolation.python.folding.unreached import unreached_of

        return unreached_of(self.module.modules).left(path)

    def _returned_by_export(self, file: str, name: str, use: ast.AST, imported: bool = False) -> Fact | None:
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
        elif not imported and self.module.imports_back(file):
            self._not_followed(use, name, f"{file} is part of a circular import, or of one too large to follow")
            return None
        return fact

    @staticmethod
    def _export_returns(other: Gates, name: str) -> Fact | None:
        if star := other.through_star(name):
            return other._returned_by_export(star[1], name, star[0], True)
        live = other._live(other.scopes.module, name, None)
        fact = None
        if live and len(live) == 1:
            node = live[0].node
            origin = other.module.origin(node, name)
            if isinstance(node, Function):
                fact = other._returned(node)
            elif origin and origin.file and origin.name:
                fact = other._returned_by_export(origin.file, origin.name, node, True)
        other.module.rely_on(name)
        return fact

    def _returned(self, function: FunctionNode) -> Fact | None:
        scope = self.scopes.made_by[function]
        if (
            parameters(function.args)
            or isinstance(function, ast.AsyncFunctionDef)
            or scope.generator
            or scope.global_names
        ):
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
