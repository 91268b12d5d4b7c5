"""What a change adds to a module, and whether an NVIDIA user could tell that it is there."""

from __future__ import annotations

import ast
import importlib
import re
import typing

from rewarp.lang.python_parameters import parameters
from rewarp.verify.isolation.python.comparing.added_names import NewNames, words_of
from rewarp.verify.isolation.python.gates.gates import Gates
from rewarp.verify.isolation.python.gates.names import ALWAYS_IN_TORCH, BUILTIN_NAMES, LOOKS_LIKE_GATE
from rewarp.verify.isolation.python.reading.modules import Module
from rewarp.verify.isolation.python.reading.scopes import Function, FunctionNode

_PURE_MODULES = {
    "abc", "argparse", "ast", "collections", "collections.abc", "contextlib", "copy", "dataclasses",
    "enum", "functools", "glob", "importlib", "importlib.metadata", "importlib.util", "inspect", "io", "itertools",
    "json", "logging", "math", "operator", "os", "os.path", "pathlib", "platform", "re", "shutil", "string",
    "subprocess", "sys", "tempfile", "textwrap", "time", "types", "typing", "warnings",
}  # fmt: skip
"""Modules of the standard library that do nothing but get loaded."""
_DECORATORS = {
    "contextlib.contextmanager", "functools.cache", "functools.lru_cache", "torch.inference_mode", "torch.no_grad",
    "triton.jit", "abc.abstractmethod",
}  # fmt: skip
_BASES = {"torch.nn.Module", "torch.autograd.Function"}
_ANNOTATIONS = {"torch.Tensor", "torch.device", "torch.dtype", "torch.nn.Module", "torch.Size", "torch.Generator"}
_NEW_NAMES = frozenset(
    """Concatenate EllipsisType EnumCheck EnumType FlagBoundary KW_ONLY LiteralString Never NoDefault NoneType NotRequired
    NotImplementedType ParamSpec ParamSpecArgs ParamSpecKwargs Placeholder ReadOnly ReprEnum Required Self StrEnum TypeAlias
    TypeAliasType TypeGuard TypeIs TypeVarTuple UnionType UnsupportedOperation Unpack aclosing assert_never assert_type batched
    call cbrt chdir dataclass_transform deprecated exp2 fma get_annotations get_original_bases get_overloads
    getHandlerByName getHandlerNames getLevelNamesMapping getmembers_static global_enum is_typeddict member nonmember
    orig_argv override packages_distributions pairwise reveal_type stdlib_module_names sumprod verify""".split()
)
"""Names of these modules that came after Python 3.9."""
NEW = "a new statement"


class Additions:
    """Judges the statements of one changed module that its old version does not have."""

    def __init__(self, gates: Gates, before: Module) -> None:
        self.gates = gates
        self.module = gates.module
        self.before = before
        self.names = NewNames(before, self.module)
        self._words = words_of(before.tree)
        self._lazy = any(
            isinstance(node, ast.ImportFrom) and node.module == "__future__" and node.names[0].name == "annotations"
            for node in self.module.tree.body
        )

    def why_not(self, node: ast.AST, loaded: set[str]) -> str | None:
        """Why a new statement of the module may matter; None where it does nothing but add names that nothing uses.

        `loaded` are the modules that both versions have surely imported before."""
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            why = self._import(node, loaded)
            names = [alias.asname or alias.name.partition(".")[0] for alias in node.names]
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [target.id for target in targets if isinstance(target, ast.Name)]
            if len(names) < len(targets):
                return NEW
            plain = node.value is not None and self._harmless(node.value)
            if isinstance(node, ast.AnnAssign):
                plain = plain and self._annotation(node.annotation) and self._has_annotations()
            why = None if plain else "the new assignment may do something"
        elif isinstance(node, Function):
            names, why = [node.name], self._function(node)
        elif isinstance(node, ast.ClassDef):
            names, why = [node.name], self._class(node)
        else:
            return NEW
        is_class = not isinstance(node, (*Function, ast.Import)) or bool(getattr(node, "decorator_list", ()))
        return why or next(filter(None, (self.names.why_known(name, is_class) for name in names)), None)

    def _has_annotations(self) -> bool:
        """Annotated names fill the module's __annotations__; that nobody looks unless the word is there."""
        return "__annotations__" not in self._words and "get_type_hints" not in self._words

    # --- statements ---------------------------------------------------------------

    def _function(self, node: FunctionNode) -> str | None:
        for decorator in node.decorator_list:
            if not self._decorator(decorator):
                return f"the decorator {ast.unparse(decorator)} may register {node.name} somewhere"
        arguments = node.args
        if not all(self._harmless(default) for default in [*arguments.defaults, *arguments.kw_defaults] if default):
            return f"a default of {node.name} may do something"
        annotations = [argument.annotation for argument in parameters(arguments)] + [node.returns]
        if not all(self._annotation(annotation) for annotation in annotations if annotation):
            return f"an annotation of {node.name} may fail or do something"
        return None

    def _decorator(self, decorator: ast.expr) -> bool:
        if isinstance(decorator, ast.Name) and decorator.id in ("staticmethod", "classmethod", "property"):
            return self.gates.scopes.find(decorator.id, self.gates.scopes.of[decorator]) is None
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        given = [*decorator.args, *(k.value for k in decorator.keywords)] if isinstance(decorator, ast.Call) else []
        return self.gates.outside(called) in _DECORATORS and all(map(self._harmless, given))

    def _class(self, node: ast.ClassDef) -> str | None:
        if why := self._counted(node):
            return why
        if node.decorator_list or node.keywords:
            return f"{node.name} has decorators or a metaclass"
        for base in node.bases:
            plain = isinstance(base, ast.Name) and base.id in ("object", "Exception", "RuntimeError", "ValueError")
            if not (plain and self.gates.scopes.find(base.id, self.gates.scopes.module) is None):  # type: ignore[attr-defined]
                if self.gates.outside(base) not in _BASES:
                    return f"the base class {ast.unparse(base)} of {node.name} may notice it"
        for statement in node.body:
            if isinstance(statement, Function):
                why = self._function(statement)
                if why or statement.name in ("__init_subclass__", "__set_name__", "__class_getitem__"):
                    return why or f"{node.name} runs code when it is made"
            elif isinstance(statement, ast.ClassDef):
                if why := self._class(statement):
                    return why
            elif isinstance(statement, ast.Assign):
                if not all(isinstance(t, ast.Name) for t in statement.targets) or not self._harmless(statement.value):
                    return f"the body of {node.name} may do something"
            elif not isinstance(statement, ast.Pass) and not _is_text(statement):
                return f"the body of {node.name} may do something"
        return None

    def _counted(self, node: ast.ClassDef) -> str | None:
        """Whether someone looks for the subclasses of a base."""
        for base in node.bases:
            name = ast.unparse(base).rpartition(".")[2].encode()
            for path, data in self.before.project.python_files():
                if b"__subclasses__" in data and re.search(rb"\b" + re.escape(name) + rb"\.__subclasses__", data):
                    return f"{path} looks for the subclasses of {name.decode()}"
        return None

    def _import(self, node: ast.Import | ast.ImportFrom, loaded: set[str]) -> str | None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                why = self._loads(alias.name, loaded)
                if why is None and not alias.asname and "." in alias.name and alias.name not in _PURE_MODULES:
                    why = f"import {alias.name} binds more than its own name"
                if why:
                    return why
            return None
        return next(filter(None, (self.why_not_name(node, alias.name, loaded) for alias in node.names)), None)

    def why_not_name(self, node: ast.ImportFrom, name: str, loaded: set[str]) -> str | None:
        """Why `from m import name` may do something or fail."""
        if name == "*":
            return "a new star import"
        origin = self.module.from_origin(node, name)
        if origin is None:
            return f"where {name} comes from is not clear"
        if origin.outside:
            module = node.module or ""
            if module == "torch" and name in ("version", "nn"):
                return self._loads("torch", loaded)
            if module in _PURE_MODULES and name not in _NEW_NAMES and hasattr(importlib.import_module(module), name):
                return self._loads(module, loaded)
            if origin.outside == "torch.utils.cpp_extension.IS_HIP_EXTENSION" and module in loaded:
                return None
            return f"a new import from {module}"
        file = origin.file or ""
        module = node.module or ""
        if not node.level and not self.module.project.surely_finds(
            self.module.path, module, file, self.before.tree.body
        ):
            return f"whether {module} is {file}, or something installed under that name, is not clear"
        why = self._loads_file(file, loaded)
        if why is None and origin.name and not self._surely_defines(file, origin.name):
            why = f"{file} does not surely define {origin.name}"
        return why

    def _surely_defines(self, file: str, name: str) -> bool:
        other = self.gates.of_file(file)
        bindings = other.scopes.module.bindings.get(name, []) if other else []
        return bool(other) and any(binding.node in other.module.tree.body for binding in bindings)  # type: ignore[union-attr]

    def _loads(self, module: str, loaded: set[str]) -> str | None:
        if self.module.project.is_own(self.module.path, module):
            file = self.module.project.module_file(self.module.path, module)
            return self._loads_file(file, loaded) if file else f"which file {module} is, is not clear"
        if module in loaded or module in _PURE_MODULES:
            return None
        if module in ALWAYS_IN_TORCH and "torch" in loaded:
            return None
        return f"a new import of {module}"

    def _loads_file(self, file: str, loaded: set[str]) -> str | None:
        """Why importing a file of the project may do something new."""
        if self.module.imports_back(file):
            return f"{file} is part of a circular import, or of one too large to follow"
        if file in loaded:
            return None
        return self._runs([file, *self.module.project.packages_run(file, self.module.path)], loaded)

    def _runs(self, files: list[str], loaded: set[str]) -> str | None:
        for file in files:
            if file in loaded:
                continue
            other = self.gates.of_file(file)
            if other is None:
                return f"{file} could not be read"
            inner = Additions(other, other.module)
            here = {"torch"} & loaded
            for statement in other.module.tree.body:
                if not inner.only_defines(statement, loaded | here):
                    return f"importing {file} may do something (line {statement.lineno})"
                loaded = loaded | modules_of(statement, other.module)
        return None

    def only_defines(self, statement: ast.stmt, loaded: set[str]) -> bool:
        """Whether a statement of another module does nothing but define names there."""
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            own = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
            return own or self._import(statement, loaded) is None
        if isinstance(statement, Function):
            return self._function(statement) is None
        if isinstance(statement, ast.ClassDef):
            return self._class(statement) is None
        if isinstance(statement, ast.Assign):
            return all(isinstance(t, ast.Name) for t in statement.targets) and self._harmless(statement.value)
        if isinstance(statement, ast.AnnAssign):
            return statement.value is None or (
                self._harmless(statement.value) and self._annotation(statement.annotation)
            )
        if isinstance(statement, ast.If):
            test = self.gates.fact(statement.test)
            if test is None or test.truth is None:
                return False
            return all(self.only_defines(one, loaded) for one in (statement.body if test.truth else statement.orelse))
        return isinstance(statement, ast.Pass) or _is_text(statement)

    # --- expressions --------------------------------------------------------------

    def _harmless(self, node: ast.expr) -> bool:
        """Whether evaluating an expression does nothing and cannot fail."""
        if self.gates.fact(node) is not None or isinstance(node, ast.Lambda):
            return not isinstance(node, ast.Lambda) or not (node.args.defaults or node.args.kw_defaults)
        if isinstance(node, (ast.Tuple, ast.List)):
            return all(map(self._harmless, node.elts))
        if isinstance(node, ast.Dict):
            constant_keys = all(isinstance(key, ast.Constant) for key in node.keys)
            return constant_keys and all(map(self._harmless, node.values))
        if isinstance(node, ast.Set):
            return all(isinstance(item, ast.Constant) for item in node.elts)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return isinstance(node.operand, ast.Constant) and isinstance(node.operand.value, (int, float))
        if isinstance(node, ast.Call) and ast.unparse(node) == "logging.getLogger(__name__)":
            return self.gates.outside(node.func) == "logging.getLogger"
        return False

    def _annotation(self, node: ast.expr) -> bool:
        if self._lazy or isinstance(node, ast.Constant):
            return True
        if isinstance(node, ast.Name):
            free = self.gates.scopes.find(node.id, self.gates.scopes.of[node]) is None
            return (free and node.id in BUILTIN_NAMES) or _is_of_typing(self.gates.outside(node) or "")
        if isinstance(node, ast.Attribute):
            path = self.gates.outside(node) or ""
            return path in _ANNOTATIONS or _is_of_typing(path)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            generic = node.value.id in ("Optional", "List", "Dict", "Tuple", "Union") or (
                node.value.id in ("list", "dict", "tuple", "set") and self.module.project.floor >= 9
            )
            return generic and self._annotation(node.value) and all(map(self._annotation, inner))
        return False

    # --- classes ------------------------------------------------------------------

    def why_not_method(self, node: ast.AST, owner: ast.ClassDef) -> str | None:
        """Why a new method may be noticed: by a base class that calls it, a subclass, or by looking at the class."""
        if not isinstance(node, Function):
            return "something new in a class body"
        if not LOOKS_LIKE_GATE.search(node.name) or node.name.startswith("__"):
            return f"a new method {node.name} may override one of a base class"
        bases = [self.gates.outside(base) for base in owner.bases]
        if owner.decorator_list or owner.keywords or not all(base == "torch.nn.Module" for base in bases):
            return f"the class of the new method {node.name} may notice it"
        if self.module.reached_by or {"dir", "getmembers", "getattr", "__dict__"} & words_of(self.module.tree):
            return f"{node.name} is new, and the module looks at names at run time"
        reflections = self.before.modules.reflections
        if other := reflections.who_lists(node.name, f"{self.module.path}:{owner.name}") or reflections.who_asks(
            node.name
        ):
            return f"{node.name} is new, and {other} may look for it"
        if any(True for _ in self.before.project.files_with_word(node.name)):
            return f"the old tree knows the name {node.name} already"
        return self._function(node)


def modules_of(statement: ast.AST, module: Module) -> set[str]:
    """The modules and files that are surely loaded once an import statement has run."""
    found: set[str] = set()
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            parts = alias.name.split(".")
            found |= {".".join(parts[: n + 1]) for n in range(len(parts))}
            found.add(module.project.module_file(module.path, alias.name) or "")
    elif isinstance(statement, ast.ImportFrom):
        if not statement.level and statement.module:
            parts = statement.module.split(".")
            found |= {".".join(parts[: n + 1]) for n in range(len(parts))}
        found.add(module.project.module_file(module.path, statement.module or "", statement.level) or "")
        for alias in statement.names:
            inner = f"{statement.module}.{alias.name}" if statement.module else alias.name
            found.add(module.project.module_file(module.path, inner, statement.level) or "")
    if module.project.is_own(module.path, "torch"):
        found -= {"torch"}
    return found - {""}


def _is_of_typing(path: str) -> bool:
    module, _, name = path.rpartition(".")
    return module == "typing" and name not in _NEW_NAMES and hasattr(typing, name)


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
