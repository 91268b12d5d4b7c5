"""Which scope every name of a module belongs to, as Python's own compiler decides it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from rewarp.lang.python_parameters import parameters

Function = (ast.FunctionDef, ast.AsyncFunctionDef)
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True)
class Binding:
    """One way a name gets a value; `value` only where a plain assignment says what it is."""

    node: ast.AST
    value: ast.expr | None = None


@dataclass(eq=False)
class Scope:
    """A module, class, function, lambda or comprehension."""

    node: ast.AST
    parent: Scope | None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    global_names: set[str] = field(default_factory=set)
    nonlocal_names: set[str] = field(default_factory=set)
    star_imports: list[ast.ImportFrom] = field(default_factory=list)
    generator: bool = False
    annotated: bool = False

    @property
    def is_class(self) -> bool:
        return isinstance(self.node, ast.ClassDef)

    @property
    def is_comprehension(self) -> bool:
        return isinstance(self.node, _COMPREHENSIONS)

    @property
    def runs_later(self) -> bool:
        """Whether the code of this scope runs when it is called, not where it stands."""
        return isinstance(self.node, (*Function, ast.Lambda, ast.GeneratorExp))

    def around(self) -> Iterator[Scope]:
        """This scope and those around it, from the inside."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent


class Scopes:
    """The scopes of one module, with the parent and the scope of every node."""

    def __init__(self, tree: ast.Module) -> None:
        self.module = Scope(tree, None)
        self.parents: dict[ast.AST, ast.AST] = {}
        self.of: dict[ast.AST, Scope] = {}
        """The scope in which a node is evaluated."""
        self.made_by: dict[ast.AST, Scope] = {tree: self.module}
        """The scope that a function, class, lambda or comprehension opens."""
        self._nonlocal: list[tuple[Scope, str, Binding]] = []
        for statement in tree.body:
            self._visit(statement, tree, self.module)
        for scope, name, binding in self._nonlocal:
            for outer in scope.around():
                if outer is not scope and outer is not self.module and not outer.is_class:
                    outer.bindings.setdefault(name, []).append(binding)

    @classmethod
    def of_module(cls, tree: ast.Module) -> Scopes:
        """Found once for each tree, and never changed."""
        known = getattr(tree, "_rewarp_scopes", None)
        if not isinstance(known, Scopes):
            known = tree._rewarp_scopes = cls(tree)  # type: ignore[attr-defined]
        return known

    def find(self, name: str, scope: Scope) -> Scope | None:
        """The scope that a name belongs to when used in `scope`; None for a builtin or a name that nothing binds."""
        for number, outer in enumerate(scope.around()):
            if name in outer.global_names:
                return self.module if name in self.module.bindings else None
            if outer.is_class and number > 0:
                continue
            if name in outer.bindings and name not in outer.nonlocal_names:
                return outer
        return None

    def in_class(self, node: ast.AST) -> bool:
        return any(scope.is_class for scope in self.of[node].around())

    # --- the walk -----------------------------------------------------------------

    def _visit(self, node: ast.AST, parent: ast.AST, scope: Scope) -> None:
        self.parents[node] = parent
        self.of[node] = scope
        if isinstance(node, Function):
            self._bind(scope, node.name, Binding(node))
            self._open_function(node, scope)
        elif isinstance(node, ast.Lambda):
            self._open_function(node, scope)
        elif isinstance(node, ast.ClassDef):
            self._bind(scope, node.name, Binding(node))
            inner = self._open(node, scope, node.body)
            self._children(node, scope, skip=node.body)
            for statement in node.body:
                self._visit(statement, node, inner)
        elif isinstance(node, _COMPREHENSIONS):
            self._open_comprehension(node, scope)
        else:
            self._note(node, parent, scope)
            self._children(node, scope)

    def _children(self, node: ast.AST, scope: Scope, skip: Iterable[ast.AST] = ()) -> None:
        left_out = set(map(id, skip))
        for child in ast.iter_child_nodes(node):
            if id(child) not in left_out:
                self._visit(child, node, scope)

    def _open(self, node: ast.AST, parent: Scope, body: Iterable[ast.AST]) -> Scope:
        scope = Scope(node, parent)
        self.made_by[node] = scope
        for inner in _own_nodes(body):
            if isinstance(inner, ast.Global):
                scope.global_names.update(inner.names)
            elif isinstance(inner, ast.Nonlocal):
                scope.nonlocal_names.update(inner.names)
        return scope

    def _open_function(self, node: FunctionNode | ast.Lambda, scope: Scope) -> None:
        body = node.body if isinstance(node.body, list) else [node.body]
        inner = self._open(node, scope, body)
        self._children(node, scope, skip=body)  # defaults, annotations and decorators belong outside
        for argument in parameters(node.args):
            self._bind(inner, argument.arg, Binding(argument))
        for statement in body:
            self._visit(statement, node, inner)

    def _open_comprehension(self, node: ast.AST, scope: Scope) -> None:
        inner = self._open(node, scope, ())
        first = node.generators[0].iter  # type: ignore[attr-defined]
        for child in ast.iter_child_nodes(node):
            self._visit(child, node, inner)
        for outside in ast.walk(first):
            # What the first `for` runs over is evaluated outside; what it opens itself stays as it is.
            if self.of.get(outside) is inner:
                self.of[outside] = scope

    def _bind(self, scope: Scope, name: str, binding: Binding) -> None:
        if name in scope.global_names:
            self.module.bindings.setdefault(name, []).append(Binding(binding.node))
        elif name in scope.nonlocal_names:
            self._nonlocal.append((scope, name, Binding(binding.node)))
        else:
            scope.bindings.setdefault(name, []).append(binding)

    def _note(self, node: ast.AST, parent: ast.AST, scope: Scope) -> None:
        """What a node that opens no scope does to the one it stands in."""
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            owner = scope
            if isinstance(parent, ast.NamedExpr):
                owner = next(outer for outer in scope.around() if not outer.is_comprehension)
            self._bind(owner, node.id, _assignment(node, parent, self.parents.get(parent)))
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                if alias.name == "*":
                    scope.star_imports.append(node)  # type: ignore[arg-type]
                else:
                    name = alias.asname or (
                        alias.name if isinstance(node, ast.ImportFrom) else alias.name.partition(".")[0]
                    )
                    self._bind(scope, name, Binding(node))
        elif isinstance(node, (ast.Yield, ast.YieldFrom)):
            scope.generator = True
        elif isinstance(node, ast.AnnAssign):
            scope.annotated = True
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            self._bind(scope, node.name, Binding(node))
        elif isinstance(node, ast.MatchMapping) and node.rest:
            self._bind(scope, node.rest, Binding(node))
        elif type(node).__name__ in ("TypeVar", "ParamSpec", "TypeVarTuple"):
            self._bind(scope, node.name, Binding(node))  # type: ignore[attr-defined]


def _assignment(target: ast.Name, parent: ast.AST, around: ast.AST | None) -> Binding:
    """`a = x`, `a: t = x`, and `a, b = x, y` where each name has its value beside it."""
    if isinstance(parent, ast.Tuple) and isinstance(around, ast.Assign) and isinstance(around.value, ast.Tuple):
        names, values = parent.elts, around.value.elts
        plain = len(names) == len(values) and not any(isinstance(one, ast.Starred) for one in (*names, *values))
        if plain:
            return Binding(around, values[next(number for number, one in enumerate(names) if one is target)])
    if isinstance(parent, ast.Assign):
        return Binding(parent, parent.value)
    if isinstance(parent, ast.AnnAssign) and parent.target is target:
        return Binding(parent, parent.value)
    return Binding(target)


def _own_nodes(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The nodes of a body, without those of scopes opened inside it."""
    waiting = list(body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (*Function, ast.ClassDef, ast.Lambda, *_COMPREHENSIONS)):
            waiting.extend(ast.iter_child_nodes(node))
