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
from typing import NamedTuple

from rewarp.lang.kinds import Kind
from rewarp.lang.python_tree import FunctionNode, Scope
from rewarp.lang.python_values import PythonValues
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


class PythonNames(PythonValues):
    """A parsed Python file with its names resolved."""

    def __init__(self, source: SourceFile, tree: ast.Module, kind: Kind = Kind.PYTHON) -> None:
        super().__init__(source, tree, kind)
        self._paths: dict[ast.AST, str | None] = {}
        self._names: dict[tuple[Scope, str], str | None] = {}
        self._resolving: set[ast.AST] = set()

    # --- imports ------------------------------------------------------------------

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

    # --- paths --------------------------------------------------------------------

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
