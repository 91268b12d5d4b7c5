"""Python: the syntax tree with names resolved to what they were imported as.

Rules ask for *paths*: ``t.cuda.get_device_properties(0).major`` after ``import torch as t``
has the path ``torch.cuda.get_device_properties().major``. A call adds ``()``, a subscript
``[]``. Names are followed through imports, simple assignments (``cap = f()``; ``a, b = f()``),
``self`` attributes and scopes; a name bound in two different ways has no path.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from rewarp.errors import DecodeError, ParseError
from rewarp.lang.document import Command, Document, EnvRead, EnvSet, Requirement, Word
from rewarp.lang.kinds import Kind
from rewarp.lang.python_gates import GateFolder
from rewarp.lang.requirements import requirement
from rewarp.lang.shell import pip_requirements, split_command
from rewarp.source import SourceFile, Span
from rewarp.targets.base import Target

Node = TypeVar("Node", bound=ast.AST)
Scope = ast.AST
FunctionNode = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_SCOPES = frozenset((*FunctionNode, ast.ClassDef))
_MAX_PATH = 240
_BUILTINS = frozenset({"getattr", "hasattr"})
_ROOTS = _BUILTINS | frozenset(
    "torch triton os sys subprocess shutil platform ctypes cffi multiprocessing importlib setuptools distutils skbuild "
    "deepspeed transformers accelerate diffusers bitsandbytes xformers flash_attn apex transformer_engine faiss numba "
    "cupy jax onnxruntime tensorrt pynvml nvtx numpy ray pytest unittest".split()
)
"""Packages whose names ``references`` follows. Following every import of every file would cost as much as parsing."""
_ENV_NAME = re.compile(r"[A-Z][A-Z0-9_]{2,}")
_PROCESS_CALLS = frozenset(
    f"subprocess.{name}" for name in ("run", "call", "check_call", "check_output", "Popen", "getoutput")
) | {"os.system", "os.popen", "subprocess.getstatusoutput"}
_REQUIREMENT_NAMES = re.compile(
    r"(?i)_*((install|setup|extras|tests?|build|core)_?)*(requires?|requirements?|dependencies|deps)(_\w+)?|\w+_requires?"
)


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


def check_syntax(source: SourceFile) -> None:
    """Raise ParseError if the file is not Python. Cheaper than parsing: no tree is built."""
    import symtable

    _guarded(source, lambda: symtable.symtable(_code(source), source.path, "exec"))  # type: ignore[arg-type]


def parse(source: SourceFile, kind: Kind = Kind.PYTHON) -> PythonFile:
    return PythonFile(source, _guarded(source, lambda: ast.parse(_code(source), source.path)), kind)


def _code(source: SourceFile) -> bytes:
    # Asking for the encoding refuses binary files; Python itself reads BOM and coding cookie.
    if source.encoding.startswith(("utf-16", "utf-32")):
        raise DecodeError(f"{source.encoding}: Python does not accept source in this encoding")
    return source.data


Result = TypeVar("Result")


def _guarded(source: SourceFile, parse_it: Callable[[], Result]) -> Result:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return parse_it()
    except SyntaxError as error:
        raise ParseError(_syntax_reason(source, error), error.lineno) from None
    except (RecursionError, MemoryError):
        raise ParseError("nested too deeply for the Python parser") from None
    except (ValueError, UnicodeError) as error:
        raise ParseError(f"not valid Python: {error}") from None


_PYTHON2 = re.compile(
    rb"^[ \t]*(print[ \t]+[\"'\w]|exec[ \t]+[\"']|except[ \t]+[\w.]+[ \t]*,[ \t]*\w+[ \t]*:|raise[ \t]+\w+[ \t]*,)",
    re.M,
)


def _syntax_reason(source: SourceFile, error: SyntaxError) -> str:
    import platform

    reason = f"not valid Python {platform.python_version()}: {error.msg}"
    return reason + " (this looks like Python 2)" if _PYTHON2.search(source.data) else reason


class PythonFile(Document):
    """A parsed Python file with name resolution."""

    def __init__(self, source: SourceFile, tree: ast.Module, kind: Kind = Kind.PYTHON) -> None:
        super().__init__(source, kind)
        self.tree = tree
        self._nodes: dict[type, list[Any]] = {}
        self._parents: dict[ast.AST, ast.AST] = {}
        self._scopes: dict[ast.AST, Scope] = {}
        self._paths: dict[ast.AST, str | None] = {}
        self._names: dict[tuple[Scope, str], str | None] = {}
        self._resolving: set[ast.AST] = set()
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
            raw = self.source.data[start : self.source.line_span(line).end]
            prefix = raw.decode(self._codec, "replace").encode("utf-8")[:column]
            return start + len(prefix.decode("utf-8", "ignore").encode(self._codec, "replace"))
        if line == 1:
            start += len(self.source.bom)
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

    # --- bindings -----------------------------------------------------------------

    def scope(self, node: ast.AST) -> Scope:
        """The scope in which a node is evaluated. Decorators and defaults belong to the outer one."""
        known = self._scopes.get(node)
        while known is None:
            node = self._parents[node]
            known = self._scopes.get(node)
        return known

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
        scope: ast.AST | None = self.scope(name)
        first = True
        while scope is not None:
            # A class body's names are not visible inside its methods.
            if first or not isinstance(scope, ast.ClassDef):
                found = self._bindings.get(scope, {}).get(name.id)
                if found:
                    return found
            first = False
            scope = self.scope(scope) if scope is not self.tree else None
        return []

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

    # --- gates --------------------------------------------------------------------

    @cached_property
    def _gates(self) -> dict[str, GateFolder]:
        return {}

    def unreachable(self, where: Any, target: Target) -> bool:
        where = getattr(where, "where", where)
        return isinstance(where, ast.AST) and self._gate(target).unreachable(where)

    def settled(self, where: Any, target: Target) -> bool:
        return isinstance(where, ast.expr) and self._gate(target).settled(where)

    def _gate(self, target: Target) -> GateFolder:
        folder = self._gates.get(target.name)
        if folder is None:
            folder = self._gates[target.name] = GateFolder(self, target)
        return folder

    # --- what other kinds of file have too ------------------------------------------

    def _is_environment(self, node: ast.AST) -> bool:
        path = self.path(node) or ""
        if path in ("os.environ", "os.environ.copy()", "environ"):
            return True
        made = ("", "dict()", "copy.copy()", "copy.deepcopy()")
        return path in made and bool(re.fullmatch(r"(?i)(\w+\.)*\w*(env|environ|env_vars)", self.raw(node)))

    @cached_property
    def env_sets(self) -> list[EnvSet]:
        found: list[EnvSet] = []
        for node in self.nodes(ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Subscript) and self._is_environment(target.value):
                    name = self.string(target.slice)
                    if name:
                        found.append(EnvSet(name, self.string(node.value), node))
        for call in self.nodes(ast.Call):
            found += self._env_call(call)
        for keyword in self.nodes(ast.keyword):
            if keyword.arg in ("env", "extra_env", "env_vars") and isinstance(keyword.value, ast.Dict):
                found += self._env_dict(keyword.value)
        for table in self.nodes(ast.Dict):
            for key, value in zip(table.keys, table.values, strict=True):
                if isinstance(value, ast.Dict) and self.string(key) in ("env", "env_vars"):
                    found += self._env_dict(value)
        return found

    def _env_call(self, call: ast.Call) -> Iterator[EnvSet]:
        if not isinstance(call.func, ast.Attribute):
            return
        method = call.func.attr
        if method in ("setdefault", "putenv", "setenv") and len(call.args) >= 2:
            name = self.string(call.args[0])
            environment = method != "setdefault" or self._is_environment(call.func.value)
            if name and environment and _ENV_NAME.fullmatch(name):
                yield EnvSet(name, self.string(call.args[1]), call)
        elif method == "update" and self._is_environment(call.func.value):
            for argument in call.args:
                if isinstance(argument, ast.Dict):
                    yield from self._env_dict(argument)
            for keyword in call.keywords:
                if keyword.arg and _ENV_NAME.fullmatch(keyword.arg):
                    yield EnvSet(keyword.arg, self.string(keyword.value), keyword)

    def _env_dict(self, node: ast.Dict) -> Iterator[EnvSet]:
        for key, value in zip(node.keys, node.values, strict=True):
            name = self.string(key)
            if name and _ENV_NAME.fullmatch(name):
                yield EnvSet(name, self.string(value), key)

    @cached_property
    def env_reads(self) -> list[EnvRead]:
        found: list[EnvRead] = []
        for node in self.nodes(ast.Subscript):
            if isinstance(node.ctx, ast.Load) and self._is_environment(node.value):
                name = self.string(node.slice)
                if name:
                    found.append(EnvRead(name, node))
        for call in self.nodes(ast.Call):
            getter = isinstance(call.func, ast.Attribute) and call.func.attr in ("get", "pop")
            if call.args and (
                self.path(call.func) == "os.getenv" or (getter and self._is_environment(call.func.value))
            ):
                name = self.string(call.args[0])
                if name:
                    found.append(EnvRead(name, call))
        for compare in self.nodes(ast.Compare):
            if isinstance(compare.ops[0], (ast.In, ast.NotIn)) and self._is_environment(compare.comparators[0]):
                name = self.string(compare.left)
                if name:
                    found.append(EnvRead(name, compare))
        return found

    @cached_property
    def commands(self) -> list[Command]:
        found: list[Command] = []
        for _, call in self.calls(*_PROCESS_CALLS):
            if not call.args:
                continue
            first = call.args[0]
            if isinstance(first, ast.Name):
                values = [b.value for b in self.bindings(first)]
                if len(values) == 1 and isinstance(values[0], (ast.List, ast.Tuple, ast.Constant, ast.JoinedStr)):
                    first = values[0]
            if isinstance(first, (ast.List, ast.Tuple)):
                words = tuple(Word(self.string(item) or "{}", item) for item in first.elts)
                found.append(Command(words, call))
            else:
                text = self.string(first)
                if text:
                    found += [Command(tuple(Word(w, first) for w in words_), call) for words_ in split_command(text)]
        return found

    @cached_property
    def requirements(self) -> list[Requirement]:
        found = pip_requirements(self.commands) if b"pip" in self.source.data else []
        if b"setup" not in self.source.data:
            return found
        for keyword in self.nodes(ast.keyword):
            if keyword.arg in ("install_requires", "setup_requires", "extras_require", "tests_require"):
                found += self._requirements_in(keyword.value, "")
        for assign in self.nodes(ast.Assign):
            name = assign.targets[0]
            if isinstance(name, ast.Name) and _REQUIREMENT_NAMES.fullmatch(name.id):
                found += self._requirements_in(assign.value, "")
        return found

    def _requirements_in(self, node: ast.expr, group: str) -> Iterator[Requirement]:
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                yield from self._requirements_in(value, self.string(key) or group)
        elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            for item in node.elts:
                text = self.string(item)
                parsed = requirement(text, item, group) if text else None
                if parsed:
                    yield parsed
        elif isinstance(node, ast.BinOp):
            yield from self._requirements_in(node.left, group)
            yield from self._requirements_in(node.right, group)
