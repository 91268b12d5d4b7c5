"""What the names of a Python file are bound to, and which constants expressions are by that, whatever the platform.

Nothing is run and no order of statements is followed: a name that is bound once stands for what it is bound to, wherever
it is read. What a condition on the platform leaves of several bindings is a question for ``project/gates``; what a whole
script comes to, one for ``project/execution``."""

from __future__ import annotations

import ast
from functools import cached_property
from typing import Any, NamedTuple

from rewarp.lang.python_parameters import parameters
from rewarp.lang.python_tree import PythonTree, Scope

_LONGEST = 8
"""Names for names that are followed: nobody writes more, and one may be bound to itself."""
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
Loop = ast.For | ast.AsyncFor | ast.comprehension


class Binding(NamedTuple):
    """One way a name gets its value: a known path, an expression (plus suffix), or neither."""

    path: str | None = None
    value: ast.expr | None = None
    suffix: str = ""


_OPAQUE = Binding()


class PythonValues(PythonTree):
    """A parsed Python file with what its names are bound to."""

    # --- bindings -----------------------------------------------------------------

    @cached_property
    def _bindings(self) -> dict[Scope, dict[str, list[Binding]]]:
        table: dict[Scope, dict[str, list[Binding]]] = {}

        def bind(node: ast.AST, name: str, binding: Binding) -> None:
            table.setdefault(self.scope(node), {}).setdefault(name, []).append(binding)

        for plain in self.nodes(ast.Import):
            for alias in plain.names:
                if alias.asname:
                    bind(plain, alias.asname, Binding(path=alias.name))
                else:
                    root = alias.name.partition(".")[0]
                    bind(plain, root, Binding(path=root))
        for node in self.nodes(ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            for alias in node.names:
                bind(node, alias.asname or alias.name, Binding(path=f"{module}.{alias.name}"))
        for assign in self.nodes(ast.Assign):
            for target in assign.targets:
                self._bind_target(bind, assign, target, assign.value, "")
        for annotated in self.nodes(ast.AnnAssign):
            if annotated.value is not None:
                self._bind_target(bind, annotated, annotated.target, annotated.value, "")
        for walrus in self.nodes(ast.NamedExpr):
            bind(walrus, walrus.target.id, Binding(value=walrus.value))
        for function in self.nodes(ast.FunctionDef, ast.AsyncFunctionDef):
            bind(function, function.name, _OPAQUE)
            self._bind_arguments(table.setdefault(function, {}), function.args)
        for lambda_ in self.nodes(ast.Lambda):
            self._bind_arguments(table.setdefault(lambda_, {}), lambda_.args)
        for cls in self.nodes(ast.ClassDef):
            bind(cls, cls.name, _OPAQUE)
        opaque: list[tuple[ast.AST, ast.AST]] = [
            (n, n.target) for n in self.nodes(ast.For, ast.AsyncFor, ast.AugAssign)
        ]
        opaque += [(n, n.target) for n in self.nodes(ast.comprehension)]
        opaque += [(n, n.optional_vars) for n in self.nodes(ast.withitem) if n.optional_vars]
        for owner, bound in opaque:
            for name in (bound,) if bound.__class__ is ast.Name else ast.walk(bound):
                if isinstance(name, ast.Name):
                    bind(owner, name.id, _OPAQUE)
        for handler in self.nodes(ast.ExceptHandler):
            if handler.name:
                bind(handler, handler.name, _OPAQUE)
        return table

    @staticmethod
    def _bind_arguments(scope: dict[str, list[Binding]], args: ast.arguments) -> None:
        for arg in parameters(args):
            scope.setdefault(arg.arg, []).append(_OPAQUE)

    def _bind_target(self, bind: Any, node: ast.AST, target: ast.expr, value: ast.expr, suffix: str) -> None:
        if isinstance(target, ast.Name):
            bind(node, target.id, Binding(value=value, suffix=suffix))
        elif isinstance(target, (ast.Tuple, ast.List)):
            pairwise = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts) and not suffix
            for index, part in enumerate(target.elts):
                if isinstance(part, ast.Starred):
                    bind(node, getattr(part.value, "id", ""), _OPAQUE)
                elif pairwise:
                    self._bind_target(bind, node, part, value.elts[index], "")  # type: ignore[attr-defined]
                else:
                    self._bind_target(bind, node, part, value, suffix + "[]")

    @cached_property
    def _self_attributes(self) -> dict[ast.ClassDef, dict[str, list[ast.expr]]]:
        table: dict[ast.ClassDef, dict[str, list[ast.expr]]] = {}
        for assign in self.nodes(ast.Assign):
            for target in assign.targets:
                if (
                    isinstance(target, ast.Attribute)
                    and isinstance(target.value, ast.Name)
                    and target.value.id == "self"
                ):
                    cls = self.enclosing(assign, ast.ClassDef)
                    if cls is not None:
                        table.setdefault(cls, {}).setdefault(target.attr, []).append(assign.value)
        return table

    def bindings(self, name: ast.Name) -> list[Binding]:
        """The ways a name gets its value, in the nearest scope that binds it."""
        scope = self.binder(name)
        return self._bindings[scope][name.id] if scope is not None else []

    def binder(self, name: ast.Name) -> Scope | None:
        """The nearest scope that binds a name."""
        scope: ast.AST | None = self.scope(name)
        first = True
        while scope is not None:
            # A class body's names are not visible inside its methods.
            if first or not isinstance(scope, ast.ClassDef):
                if self._bindings.get(scope, {}).get(name.id):
                    return scope
            first = False
            scope = self.scope(scope) if scope is not self.tree else None
        return None

    def module_bindings(self, name: str) -> list[Binding]:
        """The ways a name of the module itself gets its value."""
        return self._bindings.get(self.tree, {}).get(name, [])

    def self_values(self, node: ast.Attribute) -> list[ast.expr]:
        """What ``self.attr`` is set to in the class around a node, apart from None."""
        cls = self.enclosing(node, ast.ClassDef)
        values = self._self_attributes.get(cls, {}).get(node.attr, []) if cls else []
        return [v for v in values if not (isinstance(v, ast.Constant) and v.value is None)]

    # --- values -------------------------------------------------------------------

    def only_value(self, name: ast.Name) -> ast.expr | None:
        """The one expression that a name is bound to; None where it is bound otherwise, to a part of one, or again."""
        bindings = self.bindings(name)
        only = bindings[0] if len(bindings) == 1 else _OPAQUE
        return only.value if not only.suffix else None

    def given(self, name: ast.Name) -> list[ast.expr]:
        """Every expression that a name is bound to, or to a part of: it may hold each of them, and others where it is also
        bound by a loop, a parameter or an import."""
        return [binding.value for binding in self.bindings(name) if binding.value is not None]

    def value_of(self, node: ast.expr) -> ast.expr:
        """What a name stands for, through names for names; any other expression is itself. What is added to a list later
        is not seen."""
        for _ in range(_LONGEST):
            value = self.only_value(node) if isinstance(node, ast.Name) else None
            if value is None:
                break
            node = value
        return node

    def loop(self, name: ast.Name) -> Loop | None:
        """The innermost loop or comprehension around a name that it is the variable of."""
        for ancestor in self.ancestors(name):
            loops: list[Loop] = []
            if isinstance(ancestor, (ast.For, ast.AsyncFor)):
                loops = [ancestor]
            elif isinstance(ancestor, _COMPREHENSIONS):
                loops = list(ancestor.generators)
            for loop in loops:
                if isinstance(loop.target, ast.Name) and loop.target.id == name.id:
                    return loop
        return None

    def texts(self, node: ast.expr, depth: int = 0) -> list[str]:
        """The texts of a literal, of a list of them, or of a name for one; empty where one of them is not known."""
        node = self.value_of(node)
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            # A list may hold itself.
            found = [self.texts(item, depth + 1) for item in node.elts] if depth < _LONGEST else [[]]
            return [text for texts in found for text in texts] if all(found) else []
        return [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []

    @cached_property
    def strings(self) -> list[ast.Constant]:
        """String literals that are values: no docstrings, no other bare expression statements."""
        return [
            node
            for node in self.nodes(ast.Constant)
            if node.value.__class__ is str and self._parents.get(node).__class__ is not ast.Expr
        ]

    def string(self, node: ast.AST | None) -> str | None:
        """The value of a string expression: a literal, a name bound to one literal, an f-string or a
        concatenation (unknown parts become ``{}``)."""
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, str) else None
        if isinstance(node, ast.JoinedStr):
            return "".join(
                part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else "{}"
                for part in node.values
            )
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            left, right = self.string(node.left), self.string(node.right)
            return None if left is None and right is None else (left or "{}") + (right or "{}")
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            value = self.value_of(node)
            return self.string(value) if isinstance(value, (ast.Constant, ast.JoinedStr)) else None
        return None

    def number(self, node: ast.AST | None) -> float | None:
        """The value of a numeric literal, or of a name bound to one."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = self.number(node.operand)
            return None if inner is None else -inner
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
            return node.value
        if isinstance(node, ast.Name):
            value = self.value_of(node)
            return self.number(value) if isinstance(value, ast.Constant) else None
        return None
