"""Python's syntax tree, indexed in one pass: nodes by class, parents, scopes, and where each node stands."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from typing import Any, TypeVar

from rewarp.lang.document import Document
from rewarp.lang.kinds import Kind
from rewarp.source import SourceFile, Span

Node = TypeVar("Node", bound=ast.AST)
Scope = ast.AST
FunctionNode = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_SCOPES = frozenset((*FunctionNode, ast.ClassDef))


def _child_fields() -> dict[type, tuple[str, ...]]:
    """For every node class, the fields that hold nodes a rule cares about, and nothing but nodes."""
    skipped = set("ctx op ops type_comment id attr arg kind level module n s str simple is_async conversion".split())
    skipped |= set("lineno type_ignores type_params asname name rest kwd_attrs".split())
    table: dict[type, tuple[str, ...]] = {}
    for cls in vars(ast).values():
        if isinstance(cls, type) and issubclass(cls, ast.AST):
            table[cls] = tuple(f for f in cls._fields if f not in skipped)
    for leaf in (ast.Constant, ast.Name, ast.alias, ast.Global, ast.Nonlocal, ast.MatchSingleton):
        table[leaf] = ()
    for scope in _SCOPES:  # their bodies are scopes of their own
        table[scope] = tuple(f for f in table[scope] if f != "body")
    return table


_FIELDS = _child_fields()


class PythonTree(Document):
    """A parsed Python file: what stands where."""

    def __init__(self, source: SourceFile, tree: ast.Module, kind: Kind = Kind.PYTHON) -> None:
        super().__init__(source, kind)
        self.tree = tree
        self._nodes: dict[type, list[Any]] = {}
        self._parents: dict[ast.AST, ast.AST] = {}
        self._scopes: dict[ast.AST, Scope] = {}
        self._index()

    # --- the tree -----------------------------------------------------------------

    def _index(self) -> None:
        """One pass over the tree, scope by scope: nodes by class, parents, and where scopes begin."""
        nodes, parents, scopes, fields = self._nodes, self._parents, self._scopes, _FIELDS
        scopes[self.tree] = self.tree
        nodes[ast.Module] = [self.tree]
        pending: list[tuple[Any, list[Any]]] = [(self.tree, self.tree.body)]
        for scope, todo in pending:
            todo = list(todo)
            parents.update(dict.fromkeys(todo, scope))
            scopes.update(dict.fromkeys(todo, scope))
            push = todo.append
            for node in todo:
                cls = node.__class__
                try:
                    nodes[cls].append(node)
                except KeyError:
                    nodes[cls] = [node]
                if cls is ast.Name:
                    scopes[node] = scope
                    continue
                for name in fields[cls]:
                    value = getattr(node, name, None)
                    if not value:
                        continue
                    if value.__class__ is list:
                        for child in value:
                            if child is not None:  # `{**x}`, and keyword-only parameters without a default
                                parents[child] = node
                                push(child)
                    else:
                        parents[value] = node
                        push(value)
                if cls in _SCOPES:
                    # Decorators, defaults and bases are evaluated outside, as above; the body inside.
                    scopes[node] = scope
                    pending.append((node, [node.body] if cls is ast.Lambda else node.body))

    def nodes(self, *classes: type[Node]) -> Iterator[Any]:
        """All nodes of these classes."""
        for cls in classes:
            yield from self._nodes.get(cls, ())

    def parent(self, node: ast.AST) -> ast.AST | None:
        return self._parents.get(node)

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        parent = self._parents.get(node)
        while parent is not None:
            yield parent
            parent = self._parents.get(parent)

    def enclosing(self, node: ast.AST, *classes: type[Node]) -> Node | None:
        """The nearest ancestor of one of these classes."""
        return next((a for a in self.ancestors(node) if isinstance(a, classes)), None)

    def statement(self, node: ast.AST) -> ast.stmt | None:
        """The statement a node belongs to."""
        return node if isinstance(node, ast.stmt) else self.enclosing(node, ast.stmt)

    def span(self, where: Any) -> Span:
        if not isinstance(where, ast.AST):
            return super().span(where)
        node: Any = where
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            # The name line, not the whole body.
            start = self.offset(node.lineno, node.col_offset)
            return Span(start, self.source.line_span(self.source.line_at(start)).end)
        while not hasattr(node, "lineno"):
            node = self._parents[node]
        return Span(self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset))

    def offset(self, line: int, column: int) -> int:
        """Offset in the view of a line and UTF-8 column as the syntax tree counts them."""
        start = self.source.line_starts[line - 1]
        if self._codec is not None:
            raw = self.source.view[start : self.source.line_span(line).end]
            prefix = raw.decode(self._codec, "replace").encode("utf-8")[:column]
            return start + len(prefix.decode("utf-8", "ignore").encode(self._codec, "replace"))
        return start + column

    @cached_property
    def _codec(self) -> str | None:
        """The declared encoding when it is not UTF-8: then tree columns are not byte offsets."""
        if self.source.data.isascii() or self.source.bom:
            return None
        import io
        import tokenize

        try:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(self.source.data).readline)
        except SyntaxError:  # stray bytes in a comment, which the parser passes over
            return None
        return None if encoding in ("utf-8", "utf-8-sig") else encoding

    def scope(self, node: ast.AST) -> Scope:
        """The scope in which a node is evaluated. Decorators and defaults belong to the outer one."""
        known = self._scopes.get(node)
        while known is None:
            node = self._parents[node]
            known = self._scopes.get(node)
        return known

    # --- as it is written ----------------------------------------------------------

    def raw(self, node: ast.AST | None) -> str:
        """Dotted text of a name or attribute chain as written, unresolved; '' for anything else."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if isinstance(node, ast.Call):
            return ".".join([self.raw(node.func) + "()", *reversed(parts)])
        if not isinstance(node, ast.Name):
            return ""
        return ".".join([node.id, *reversed(parts)])

    def argument(self, call: ast.Call, position: int | None, keyword: str) -> ast.expr | None:
        """An argument by position or keyword."""
        for item in call.keywords:
            if item.arg == keyword:
                return item.value
        if position is not None and position < len(call.args):
            if not any(isinstance(arg, ast.Starred) for arg in call.args[: position + 1]):
                return call.args[position]
        return None
