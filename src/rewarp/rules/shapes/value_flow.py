"""Following one kind of value through a file: which expressions hold it, and in what form.

A subclass of ``Flow`` names the source (say, a device name) and says what becomes of it; the
class here walks names, loops, conditional expressions and the file's own functions. A value that one of several bindings
holds counts, where ``PythonValues`` says what a name surely stands for.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

from rewarp.lang.python import PythonFile

_KEEPERS = frozenset(
    {"int", "float", "str", "tuple", "list", "set", "sorted", "max", "min", "next", "iter", "reversed"}
)
_DEEPEST = 12
"""Lists in lists that are looked into; one may hold itself."""
_Function = ast.FunctionDef | ast.AsyncFunctionDef


class Flow:
    """Labels expressions that hold a value from the source; None for all others."""

    def __init__(self, document: PythonFile) -> None:
        self.document = document
        self._labels: dict[ast.AST, str | None] = {}
        self._busy: set[ast.AST] = set()

    # --- what a subclass says -------------------------------------------------------

    def source(self, node: ast.expr) -> str | None:
        """The label of an expression that is a source itself."""
        raise NotImplementedError

    def attribute(self, label: str, name: str) -> str | None:
        """What an attribute of a labelled value is."""
        return None

    def method(self, label: str, name: str) -> str | None:
        """What a method of a labelled value returns."""
        return label

    def item(self, label: str, index: int | None) -> str | None:
        """What an element of a labelled value is; ``index`` is None when it is not a literal."""
        return label

    def element(self, label: str) -> str | None:
        """What a loop over a labelled value yields."""
        return label

    def sequence(self, labels: list[str | None]) -> str | None:
        """What a tuple or list display of labelled values is."""
        return next((label for label in labels if label), None)

    def text(self, labels: list[str | None]) -> str | None:
        """What a formatted string of labelled values is."""
        return next((label for label in labels if label), None)

    def arithmetic(self, node: ast.BinOp, labels: list[str | None]) -> str | None:
        """What an operator makes of labelled values."""
        return next((label for label in labels if label), None)

    def passed(self, function: str, label: str) -> str | None:
        """What a builtin such as ``int`` or ``max`` makes of a labelled value."""
        return label

    # --- following ------------------------------------------------------------------

    def label(self, node: ast.AST | None) -> str | None:
        if not isinstance(node, ast.expr) or node in self._busy:
            return None
        if node not in self._labels:
            self._busy.add(node)
            try:
                self._labels[node] = self.source(node) or self._follow(node)
            finally:
                self._busy.discard(node)
        return self._labels[node]

    def _follow(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Name):
            return self._name(node)
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        if isinstance(node, ast.Subscript):
            label = self.label(node.value)
            if label is None or isinstance(node.slice, ast.Slice):
                return label
            number = self.document.number(node.slice)
            return self.item(label, None if number is None else int(number))
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.BinOp):
            labels = [self.label(node.left), self.label(node.right)]
            if isinstance(node.op, ast.Mod) and self.document.string(node.left) is not None:
                return self.text(labels)
            return self.arithmetic(node, labels) if any(labels) else None
        if isinstance(node, ast.IfExp):
            return self.label(node.body) or self.label(node.orelse)
        if isinstance(node, ast.BoolOp):
            return next((label for value in node.values if (label := self.label(value))), None)
        if isinstance(node, (ast.NamedExpr, ast.Starred, ast.Await, ast.FormattedValue)):
            return self.label(node.value)
        if isinstance(node, (ast.Tuple, ast.List)):
            labels = [self.label(item) for item in node.elts]
            return self.sequence(labels) if any(labels) else None
        if isinstance(node, ast.JoinedStr):
            labels = [self.label(part) for part in node.values]
            return self.text(labels) if any(labels) else None
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
            return self.label(node.elt)
        return None

    def _name(self, node: ast.Name) -> str | None:
        for binding in self.document.bindings(node):
            if binding.value is not None:
                label = self._unpacked(binding.value, node.id) if binding.suffix else self.label(binding.value)
            else:
                label = self._looped(node) if binding.path is None else None
            if label:
                return label
        return None

    def _unpacked(self, value: ast.expr, name: str) -> str | None:
        """The label of ``name`` in ``a, name = value``."""
        index = self._position(value, name)
        if isinstance(value, ast.Call) and (function := self._own_function(value)):
            for returned in self._returns(function):
                if isinstance(returned, ast.Tuple) and index is not None and index < len(returned.elts):
                    if label := self.label(returned.elts[index]):
                        return label
        label = self.label(value)
        return self.item(label, index) if label else None

    def _position(self, value: ast.expr, name: str) -> int | None:
        assign = self.document.parent(value)
        for target in getattr(assign, "targets", ()):
            for index, part in enumerate(getattr(target, "elts", ())):
                if isinstance(part, ast.Name) and part.id == name:
                    return index
        return None

    def _looped(self, node: ast.Name) -> str | None:
        loop = self.document.loop(node)
        label = self.label(loop.iter) if loop is not None else None
        return self.element(label) if label else None

    def _attribute(self, node: ast.Attribute) -> str | None:
        if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
            for value in self.document.self_values(node):
                if label := self.label(value):
                    return label
            method = self._method_named(node)
            if method and any(self.document.raw(d).endswith("property") for d in method.decorator_list):
                return self._returned(method)
            return None
        label = self.label(node.value)
        return self.attribute(label, node.attr) if label else None

    def _call(self, node: ast.Call) -> str | None:
        function = node.func
        if isinstance(function, ast.Attribute):
            if label := self.label(function.value):
                return self.method(label, function.attr)
            if function.attr == "format" and self.document.string(function.value) is not None:
                labels = [self.label(arg) for arg in node.args]
                return self.text(labels) if any(labels) else None
        if isinstance(function, ast.Name) and function.id in _KEEPERS:
            for argument in node.args:
                if label := self.label(argument):
                    return self.passed(function.id, label)
            return None
        own = self._own_function(node)
        return self._returned(own) if own else None

    # --- the file's own functions -----------------------------------------------------

    @cached_property
    def _functions(self) -> dict[tuple[ast.AST, str], list[_Function]]:
        table: dict[tuple[ast.AST, str], list[_Function]] = {}
        for function in self.document.nodes(ast.FunctionDef, ast.AsyncFunctionDef):
            table.setdefault((self.document.scope(function), function.name), []).append(function)
        return table

    def _own_function(self, call: ast.Call) -> _Function | None:
        if isinstance(call.func, ast.Attribute):
            return self._method_named(call.func)
        if not isinstance(call.func, ast.Name):
            return None
        found = self._functions.get((self.document.tree, call.func.id), [])
        return found[0] if len(found) == 1 else None

    def _method_named(self, node: ast.Attribute) -> _Function | None:
        if not isinstance(node.value, ast.Name) or node.value.id not in ("self", "cls"):
            return None
        cls = self.document.enclosing(node, ast.ClassDef)
        found = self._functions.get((cls, node.attr), []) if cls else []
        return found[0] if len(found) == 1 else None

    def _returns(self, function: _Function) -> Iterator[ast.expr]:
        for node in ast.walk(function):
            if isinstance(node, ast.Return) and node.value is not None:
                if self.document.enclosing(node, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda) is function:
                    yield node.value

    def _returned(self, function: _Function) -> str | None:
        return next((label for value in self._returns(function) if (label := self.label(value))), None)


def constants(flow: Flow, node: ast.AST | None, depth: int = 0) -> list[object]:
    """The literal values an expression can have: a literal, a name bound to literals, the members
    of a literal collection, or a loop variable that runs over one. What is not literal among them is left out, where
    ``PythonValues.texts`` then says nothing at all."""
    if not isinstance(node, ast.expr) or depth > _DEEPEST:
        return []
    node = flow.document.value_of(node)
    if isinstance(node, ast.Constant):
        return [node.value]
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return [value for item in node.elts for value in constants(flow, item, depth + 1)]
    if isinstance(node, ast.Dict):
        return [value for key in node.keys for value in constants(flow, key, depth + 1)]
    if isinstance(node, ast.Name):
        loop = flow.document.loop(node) if len(flow.document.bindings(node)) == 1 else None
        return constants(flow, loop.iter, depth + 1) if loop is not None else []
    return []


def strings(flow: Flow, node: ast.AST | None) -> list[str]:
    """The literal strings an expression can have."""
    return [value for value in constants(flow, node) if isinstance(value, str)]
