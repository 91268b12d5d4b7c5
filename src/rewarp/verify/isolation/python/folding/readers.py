"""Who reads the source of a function: there a gate is not code that runs, but text that is compiled.

`@triton.jit` and `torch.jit.script` compile what is written. So a function under them must be the same text of code;
and a decorator that is not known not to read the source is taken to do so.
"""

from __future__ import annotations

import ast
import os
import re
from functools import cached_property
from pathlib import PurePosixPath

from rewarp.verify.isolation.python.gates.gates import Gates
from rewarp.verify.isolation.python.gates.names import BUILTIN_NAMES
from rewarp.verify.isolation.python.reading.scopes import Function, FunctionNode

_COMPILERS = re.compile(r"(^|[._])(jit|script|script_method|kernel|njit|cuda_jit|prim_func|script_if_tracing|compile)$")
_MAY_READ = re.compile(
    rb"jit|script|source|__code__|\bdis\b|\bast\b|compile|\bexec\b|\beval\b|inspect|torch\.library|triton"
)
_READS_OWN = re.compile(rb"getsource|\.co_|__closure__")
READS_DOCUMENTATION = re.compile(
    rb"__doc__|\bgetdoc\b|\bhelp\(\w|\bpydoc\b|\bdoctest\b|\b(?:import|from)\s+(?:fire|typer|docopt|tyro|jsonargparse|cyclopts|simple_parsing)\b"
)
"""What puts docstrings to use."""
_READS_MODULES = re.compile(rb"doctest|pydoc")
_PLAIN_BUILTINS = {"property", "staticmethod", "classmethod"}
_PLAIN = {
    "abc.abstractmethod",
    "atexit.register",
    "contextlib.asynccontextmanager",
    "contextlib.contextmanager",
    "dataclasses.dataclass",
    "enum.unique",
    "functools.cache",
    "functools.cached_property",
    "functools.lru_cache",
    "functools.total_ordering",
    "functools.wraps",
    "torch.amp.custom_bwd",
    "torch.amp.custom_fwd",
    "torch.autograd.function.once_differentiable",
    "torch.compiler.disable",
    "torch.cuda.amp.custom_bwd",
    "torch.cuda.amp.custom_fwd",
    "torch.enable_grad",
    "torch.inference_mode",
    "torch.library.custom_op",
    "torch.library.register_fake",
    "torch.no_grad",
    "typing.final",
    "typing.overload",
    "typing.runtime_checkable",
    "typing_extensions.override",
}
_PLAIN_ROOTS = ("pytest.", "click.")


class SourceReaders:
    """What reads the source of the functions and classes of one module."""

    def __init__(self, gates: Gates) -> None:
        self.gates = gates
        self.module = gates.module
        self._compiled = {
            argument.id
            for node in ast.walk(self.module.tree)
            if isinstance(node, ast.Call) and _COMPILERS.search(ast.unparse(node.func))
            for argument in node.args
            if isinstance(argument, ast.Name)
        }

    def why(self, node: FunctionNode | ast.ClassDef) -> str | None:
        """Why the source of a function or class counts as it is written."""
        if node.name in self._compiled:
            return f"{node.name} is compiled from its source"
        if isinstance(node, ast.ClassDef):
            if any("ScriptModule" in ast.unparse(base) for base in node.bases):
                return f"{node.name} is compiled from its source (ScriptModule)"
        for decorator in node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if any(_COMPILERS.search(name) for name in _names_in(decorator)):
                return f"{node.name} is compiled from its source by @{ast.unparse(decorator)}"
            if not self._plain(called):
                return f"@{ast.unparse(called)} may read the source of {node.name}"
        return None

    def _plain(self, called: ast.expr) -> bool:
        gates = self.gates
        path = gates.outside(called)
        if path is not None:
            return path in _PLAIN or path.startswith(_PLAIN_ROOTS)
        if isinstance(called, ast.Attribute) and called.attr in ("setter", "getter", "deleter"):
            return self._is_property(called.value)
        if not isinstance(called, ast.Name):
            return False
        scope = gates.scopes.find(called.id, gates.scopes.of[called])
        if scope is None:
            return called.id in _PLAIN_BUILTINS and called.id in BUILTIN_NAMES and not gates.scopes.module.star_imports
        return self._own_and_plain(called.id, [binding.node for binding in scope.bindings[called.id]])

    def _is_property(self, node: ast.expr) -> bool:
        scope = self.gates.scopes.of[node]
        bound = scope.bindings.get(node.id, []) if isinstance(node, ast.Name) else []
        return scope.is_class and bool(bound) and all(isinstance(binding.node, Function) for binding in bound)

    def _own_and_plain(self, name: str, bound: list[ast.AST]) -> bool:
        """A decorator of the project, in a file that has nothing to do with source or code objects."""
        if len(bound) != 1:
            return False
        file = self.module.path
        if not isinstance(bound[0], Function):
            origin = self.module.origin(bound[0], name)
            if origin is None or origin.file is None or origin.name is None:
                return False
            file = origin.file
            tree = self.module.project.tree_of(file)
            if not isinstance(tree, ast.Module) or not any(
                isinstance(statement, Function) and statement.name == origin.name for statement in tree.body
            ):
                return False
        data = self.module.project.read(file)
        return data is not None and not _MAY_READ.search(data)

    def of_changed(self, functions: set[str], classes: set[str]) -> str | None:
        """Who may read the source of functions, or of methods of classes, that are written otherwise now."""
        if not functions and not classes:
            return None
        names = sorted(functions | classes)
        for name in names:
            if name in self._named_in_compiled:
                return f"{name} is used by something that is compiled from its source"
        pattern = re.compile(rb"\b(" + b"|".join(re.escape(name.encode()) for name in names) + rb")\b")
        for path, data, reads in self.module.modules.source_readers:
            own = path == self.module.path and not _READS_OWN.search(data)
            if re.search(
                rb"getsource(?:lines)?\(\s*[\w.]*\b"
                + re.escape(os.fsencode(PurePosixPath(self.module.path).stem))
                + rb"\s*\)",
                data,
            ):
                return f"{path} reads the source of the whole module"
            found = None if own else pattern.search(data)
            if found:
                return f"{path} reads source ({reads}) and names {found[0].decode()}"
            if classes and b"jit.script(" in data:
                return f"{path} calls torch.jit.script, and it is not clear that it is not on {names[0]}"
        return None

    def of_documentation(self, names: set[str]) -> str | None:
        """Who may read the docstrings of these functions, classes or modules, elsewhere in the project."""
        pattern = re.compile(rb"\b(?:" + b"|".join(re.escape(name.encode()) for name in sorted(names)) + rb")\b")
        whole = re.compile(rb"\b" + re.escape(os.fsencode(PurePosixPath(self.module.path).stem)) + rb"\b")
        for path, data in self.module.project.python_files() if names else ():
            if path != self.module.path and READS_DOCUMENTATION.search(data):
                found = pattern.search(data) or (_READS_MODULES.search(data) and whole.search(data))
                if found:
                    return f"{path} reads docstrings, and speaks of {found[0].decode()}"
        return None

    @cached_property
    def _named_in_compiled(self) -> frozenset[str]:
        """Names inside functions that are compiled from source, and in what is given to a compiler."""
        found: set[str] = set()
        for node in ast.walk(self.module.tree):
            compiled = isinstance(node, (*Function, ast.ClassDef)) and "compiled" in (self.why(node) or "")
            given = isinstance(node, ast.Call) and _COMPILERS.search(ast.unparse(node.func))
            if compiled or given:
                found |= {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
                found |= {inner.attr for inner in ast.walk(node) if isinstance(inner, ast.Attribute)}
        return frozenset(found)


def _names_in(node: ast.AST) -> list[str]:
    return [ast.unparse(inner) for inner in ast.walk(node) if isinstance(inner, (ast.Name, ast.Attribute))]
