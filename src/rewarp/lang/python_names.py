"""What the names in a Python file denote.

Rules ask for *paths*: ``t.cuda.get_device_properties(0).major`` after ``import torch as t``
has the path ``torch.cuda.get_device_properties().major``. A call adds ``()``, a subscript
``[]``. Names are followed through imports, simple assignments (``cap = f()``; ``a, b = f()``),
``self`` attributes and scopes; a name bound in two different ways has no path.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

from rewarp.lang.kinds import Kind
from rewarp.lang.python_tree import FunctionNode, PythonTree, Scope
from rewarp.source import SourceFile

_MAX_PATH = 240
_BUILTINS = frozenset({"getattr", "hasattr"})
_ROOTS = _BUILTINS | frozenset(
    "torch triton os sys subprocess shutil platform ctypes cffi multiprocessing importlib setuptools distutils skbuild "
    "deepspeed transformers accelerate diffusers bitsandbytes xformers flash_attn apex transformer_engine faiss numba "
    "cupy jax onnxruntime tensorrt pynvml nvtx numpy ray pytest unittest mxnet caffe".split()
)
"""Packages whose names ``references`` follows. Following every import of every file would cost as much as parsing."""


class Import(NamedTuple):
    """One imported name: ``import a.b`` has no ``name``; ``from a import b`` has."""

    module: str
    name: str | None
    node: ast.AST
    optional: bool
    """Inside a try that catches ImportError."""
    deferred: bool
    """Inside a function, so it runs only when that function does."""

    @property
    def full(self) -> str:
        return f"{self.module}.{self.name}" if self.name else self.module


class _Binding(NamedTuple):
    """One way a name gets its value: a known path, an expression (plus suffix), or neither."""

    path: str | None = None
    value: ast.expr | None = None
    suffix: str = ""


_OPAQUE = _Binding()


class PythonNames(PythonTree):
    """A parsed Python file with its names resolved."""

    def __init__(self, source: SourceFile, tree: ast.Module, kind: Kind = Kind.PYTHON) -> None:
        super().__init__(source, tree, kind)
        self._paths: dict[ast.AST, str | None] = {}
        self._names: dict[tuple[Scope, str], str | None] = {}
        self._resolving: set[ast.AST] = set()

    # --- bindings -----------------------------------------------------------------

    @cached_property
    def imports(self) -> list[Import]:
        found: list[Import] = []
        for plain in self.nodes(ast.Import):
            optional, deferred = self._optional(plain), self.scope(plain) is not self.tree
            found += [Import(alias.name, None, plain, optional, deferred) for alias in plain.names]
        for node in self.nodes(ast.ImportFrom):
            optional, deferred = self._optional(node), self.scope(node) is not self.tree
            module = "." * node.level + (node.module or "")
            found += [Import(module, alias.name, node, optional, deferred) for alias in node.names]
        dynamic = b"import_module" in self.source.data or b"__import__" in self.source.data
        for call in self.nodes(ast.Call) if dynamic else ():
            if call.args and self.raw(call.func) in ("importlib.import_module", "import_module", "__import__"):
                name = self.string(call.args[0])
                if name and "{}" not in name:
                    found.append(Import(name, None, call, self._optional(call), self.scope(call) is not self.tree))
        return found

    def imports_of(self, *packages: str) -> Iterator[Import]:
        """Imports of these packages or anything below them, one for each statement and package."""
        seen: set[tuple[ast.AST, str]] = set()
        for item in self.imports:
            for package in packages:
                inside = item.module == package or item.module.startswith(package + ".")
                inside = inside or item.full == package or item.full.startswith(package + ".")
                if inside and (item.node, package) not in seen:
                    seen.add((item.node, package))
                    yield item

    def _optional(self, node: ast.AST) -> bool:
        return self.caught(node, "ImportError", "ModuleNotFoundError", callers=False)

    def caught(self, node: ast.AST, *exceptions: str, callers: bool = True) -> bool:
        """Whether a failure here is expected: inside a try (or suppress) that catches one of these exceptions or
        all, or, with ``callers``, in a function that this file calls only from inside such a try."""
        child = node
        for ancestor in self.ancestors(node):
            if isinstance(ancestor, ast.Try) and child in ancestor.body:
                if any(self._catches(handler.type, exceptions) for handler in ancestor.handlers):
                    return True
            elif isinstance(ancestor, ast.With) and child in ancestor.body:
                for item in ancestor.items:
                    call = item.context_expr
                    if isinstance(call, ast.Call) and self.raw(call.func).endswith("suppress"):
                        if any(self._catches(argument, exceptions) for argument in call.args):
                            return True
            elif isinstance(ancestor, FunctionNode):
                return callers and self._called_in_try(ancestor, exceptions)
            child = ancestor
        return False

    def _called_in_try(self, function: ast.AST, exceptions: tuple[str, ...]) -> bool:
        name = getattr(function, "name", None)
        calls = [call for call in self.nodes(ast.Call) if getattr(call.func, "id", None) == name]
        return bool(name and calls) and all(self.caught(call, *exceptions, callers=False) for call in calls)

    def _catches(self, expr: ast.expr | None, exceptions: tuple[str, ...]) -> bool:
        if expr is None:
            return True
        if isinstance(expr, ast.Tuple):
            return any(self._catches(item, exceptions) for item in expr.elts)
        return self.raw(expr).rpartition(".")[2] in (*exceptions, "Exception", "BaseException")

    @cached_property
    def _bindings(self) -> dict[Scope, dict[str, list[_Binding]]]:
        table: dict[Scope, dict[str, list[_Binding]]] = {}

        def bind(node: ast.AST, name: str, binding: _Binding) -> None:
            table.setdefault(self.scope(node), {}).setdefault(name, []).append(binding)

        for plain in self.nodes(ast.Import):
            for alias in plain.names:
                if alias.asname:
                    bind(plain, alias.asname, _Binding(path=alias.name))
                else:
                    root = alias.name.partition(".")[0]
                    bind(plain, root, _Binding(path=root))
        for node in self.nodes(ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            for alias in node.names:
                bind(node, alias.asname or alias.name, _Binding(path=f"{module}.{alias.name}"))
        for assign in self.nodes(ast.Assign):
            for target in assign.targets:
                self._bind_target(bind, assign, target, assign.value, "")
        for annotated in self.nodes(ast.AnnAssign):
            if annotated.value is not None:
                self._bind_target(bind, annotated, annotated.target, annotated.value, "")
        for walrus in self.nodes(ast.NamedExpr):
            bind(walrus, walrus.target.id, _Binding(value=walrus.value))
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
    def _bind_arguments(scope: dict[str, list[_Binding]], args: ast.arguments) -> None:
        every = [*args.posonlyargs, *args.args, *args.kwonlyargs]
        every += [arg for arg in (args.vararg, args.kwarg) if arg]
        for arg in every:
            scope.setdefault(arg.arg, []).append(_OPAQUE)

    def _bind_target(self, bind: Any, node: ast.AST, target: ast.expr, value: ast.expr, suffix: str) -> None:
        if isinstance(target, ast.Name):
            bind(node, target.id, _Binding(value=value, suffix=suffix))
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

    def bindings(self, name: ast.Name) -> list[_Binding]:
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

    def module_bindings(self, name: str) -> list[_Binding]:
        """The ways a name of the module itself gets its value."""
        return self._bindings.get(self.tree, {}).get(name, [])

    # --- paths --------------------------------------------------------------------

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

    def path(self, node: ast.AST) -> str | None:
        """What an expression denotes, or None when that is not known."""
        known = self._paths.get(node, "")
        if known != "":
            return known
        if node in self._resolving:
            return None
        self._resolving.add(node)
        try:
            path = self._resolve(node)
        except RecursionError:
            path = None
        finally:
            self._resolving.discard(node)
        if path is not None and len(path) > _MAX_PATH:
            path = None
        self._paths[node] = path
        return path

    def _resolve(self, node: ast.AST) -> str | None:
        if isinstance(node, ast.Name):
            return self._resolve_name(node)
        if isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Name) and node.value.id == "self":
                return self._resolve_self(node)
            base = self.path(node.value)
            return f"{base}.{node.attr}" if base else None
        if isinstance(node, ast.Call):
            base = self.path(node.func)
            if base == "getattr" and len(node.args) >= 2 and isinstance(node.args[1], ast.Constant):
                inner = self.path(node.args[0])
                return f"{inner}.{node.args[1].value!s}" if inner else None
            return f"{base}()" if base else None
        if isinstance(node, ast.Subscript):
            base = self.path(node.value)
            return f"{base}[]" if base else None
        if isinstance(node, ast.NamedExpr):
            return self.path(node.value)
        return None

    def _resolve_name(self, node: ast.Name) -> str | None:
        key = (self._scopes[node], node.id)
        if key not in self._names:
            self._names[key] = self._bound_path(node)
        return self._names[key]

    def _bound_path(self, node: ast.Name) -> str | None:
        bindings = self.bindings(node)
        if not bindings:
            return node.id
        paths: set[str | None] = set()
        for binding in bindings:
            if isinstance(binding.value, ast.Constant) and binding.value.value is None:
                continue  # `x = None` beside a real value: the usual placeholder
            if binding.path is not None:
                paths.add(binding.path)
            else:
                base = self.path(binding.value) if binding.value is not None else None
                paths.add(base + binding.suffix if base else None)
        return paths.pop() if len(paths) == 1 else None

    def _resolve_self(self, node: ast.Attribute) -> str | None:
        paths = {self.path(value) for value in self.self_values(node)}
        return paths.pop() if len(paths) == 1 else None

    def self_values(self, node: ast.Attribute) -> list[ast.expr]:
        """What ``self.attr`` is set to in the class around a node, apart from None."""
        cls = self.enclosing(node, ast.ClassDef)
        values = self._self_attributes.get(cls, {}).get(node.attr, []) if cls else []
        return [v for v in values if not (isinstance(v, ast.Constant) and v.value is None)]

    @cached_property
    def _followed(self) -> frozenset[str]:
        """Names worth resolving: imported ones, and names assigned from those."""
        names: set[str] = set()
        for node in self.nodes(ast.Import):
            for alias in node.names:
                root = alias.name.partition(".")[0]
                if root in _ROOTS:
                    names.add(alias.asname or root)
        for node in self.nodes(ast.ImportFrom):
            if node.level == 0 and (node.module or "").partition(".")[0] in _ROOTS:
                names |= {alias.asname or alias.name for alias in node.names}
        names |= _BUILTINS | {"self"}
        given: list[tuple[str, set[str]]] = []
        for assign in self.nodes(ast.Assign, ast.AnnAssign):
            targets = assign.targets if isinstance(assign, ast.Assign) else [assign.target]
            value = assign.value
            for item in value.elts if isinstance(value, (ast.Tuple, ast.List)) else [value]:
                root = self._root(item) if item is not None else None
                if root is None:
                    continue
                for target in targets:
                    if isinstance(target, ast.Name):
                        given.append((root, {target.id}))
                    elif isinstance(target, (ast.Tuple, ast.List)):
                        given.append((root, {part.id for part in target.elts if isinstance(part, ast.Name)}))
        for walrus in self.nodes(ast.NamedExpr):
            given.append((self._root(walrus.value) or "", {walrus.target.id}))
        for _ in range(2):  # aliases of aliases, wherever they stand
            for root, bound in given:
                if root in names:
                    names |= bound
        return frozenset(names)

    @staticmethod
    def _root(node: ast.AST) -> str | None:
        while True:
            if isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
                node = node.value
            elif isinstance(node, ast.Call):
                node = node.func
            else:
                return node.id if isinstance(node, ast.Name) else None

    @cached_property
    def references(self) -> dict[str, list[ast.expr]]:
        """Every attribute chain and imported name that resolves, by path. Longest chains only:
        ``torch.cuda.Stream`` is listed, its inner ``torch.cuda`` is not."""
        table: dict[str, list[ast.expr]] = {}
        followed, parents, paths = self._followed, self._parents, self._paths
        for node in self._nodes.get(ast.Attribute, ()):
            if parents[node].__class__ is ast.Attribute:
                continue
            # Plain chains (`torch.cuda.Stream`) are resolved right here: this loop sees every one of every file.
            names, root = [node.attr], node.value
            while root.__class__ is ast.Attribute:
                names.append(root.attr)
                root = root.value
            if root.__class__ is not ast.Name:
                path = self.path(node) if self._root(root) in followed else None
            elif root.id == "self":
                path = self.path(node) if names[-1] in self._followed_attributes else None
            elif root.id in followed:
                base = self._resolve_name(root)
                if base is None:
                    continue
                names.append(base)
                path = ".".join(reversed(names))
                if len(path) > _MAX_PATH:
                    path = None
                paths[node] = path
            else:
                continue
            if path:
                table.setdefault(path, []).append(node)
        for node in self._nodes.get(ast.Name, ()):
            if node.id in followed and parents[node].__class__ is not ast.Attribute and node.ctx.__class__ is ast.Load:
                path = self._resolve_name(node)
                if path:
                    table.setdefault(path, []).append(node)
        return table

    @cached_property
    def _followed_attributes(self) -> frozenset[str]:
        """Names of ``self`` attributes that some class assigns something worth resolving."""
        return frozenset(
            name
            for attributes in self._self_attributes.values()
            for name, values in attributes.items()
            if any(self._root(value) in self._followed for value in values)
        )

    def refs(self, *paths: str) -> Iterator[tuple[str, ast.expr]]:
        """References with exactly these paths; a path ending in ``.*`` means anything below it."""
        for wanted in paths:
            if wanted.partition(".")[0] not in _ROOTS:
                raise LookupError(f"{wanted}: references into this package are not followed; add it to _ROOTS")
            if wanted.endswith(".*"):
                prefix = wanted[:-1]
                for path, nodes in self.references.items():
                    if path.startswith(prefix):
                        yield from ((path, node) for node in nodes)
            else:
                yield from ((wanted, node) for node in self.references.get(wanted, ()))

    def calls(self, *paths: str) -> Iterator[tuple[str, ast.Call]]:
        """Calls of these functions; ``.*`` as in ``refs``."""
        for path, node in self.refs(*paths):
            call = self._parents.get(node)
            if isinstance(call, ast.Call) and call.func is node:
                yield path, call

    def argument(self, call: ast.Call, position: int | None, keyword: str) -> ast.expr | None:
        """An argument by position or keyword."""
        for item in call.keywords:
            if item.arg == keyword:
                return item.value
        if position is not None and position < len(call.args):
            if not any(isinstance(arg, ast.Starred) for arg in call.args[: position + 1]):
                return call.args[position]
        return None

    # --- strings ------------------------------------------------------------------

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
            values = [b.value for b in self.bindings(node)]
            if len(values) == 1 and isinstance(values[0], (ast.Constant, ast.JoinedStr)):
                return self.string(values[0])
        return None

    def number(self, node: ast.AST | None) -> float | None:
        """The value of a numeric literal, or of a name bound to one."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = self.number(node.operand)
            return None if inner is None else -inner
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
            return node.value
        if isinstance(node, ast.Name):
            values = [b.value for b in self.bindings(node)]
            if len(values) == 1 and isinstance(values[0], ast.Constant):
                return self.number(values[0])
        return None

    def decorated_with(self, node: ast.AST, *suffixes: str) -> bool:
        """Whether a node stands inside a function with a decorator whose path ends so."""
        for function in (node, *self.ancestors(node)):
            if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
                for decorator in function.decorator_list:
                    target = decorator.func if isinstance(decorator, ast.Call) else decorator
                    path = self.path(target) or self.raw(target)
                    if path.endswith(suffixes):
                        return True
        return False


def bound_names(statement: ast.Import | ast.ImportFrom) -> list[str]:
    """The names that an import brings in."""
    return [alias.asname or alias.name.partition(".")[0] for alias in statement.names]
