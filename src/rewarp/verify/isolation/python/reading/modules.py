"""A module whose names are followed to where they get their value, and no further than that can be proved."""

from __future__ import annotations

import ast
import builtins
import re
from dataclasses import dataclass
from functools import cached_property

from rewarp.verify.isolation.python.reading.patches import called, own_tables
from rewarp.verify.isolation.python.reading.project import Project
from rewarp.verify.isolation.python.reading.reflection import Reflection, Reflections, reflection_of
from rewarp.verify.isolation.python.reading.scopes import Scopes

_REACHES_NAMES = {"exec", "eval", "globals", "locals", "vars"}
"""Builtins through which a module's names can be read or set without being written."""
READS_SOURCE = re.compile(
    rb"\bjit\.script\b|\bscript_method\b|\bimport(?:(?!\bimport)[^\n])*\bscript\b|\bgetsource(?:lines)?\b|\bgetblock\b|\bfindsource\b|"
    rb"\b__closure__\b|\.co_(?!filename\b|name\b|firstlineno\b)\w+|\bScriptModule\b|\btriton\.jit\s*\("
)
_MAY_CHANGE_TORCH = re.compile(
    rb"version\s*\.\s*(?:hip|cuda|xpu|rocm)\s*[^\w\s.()!<>=]?=(?!=)|"
    rb"\[\s*['\"]torch(?:\.version)?['\"]\s*\]|\bbuiltins\s*\.\s*\w+\s*=(?!=)|"
    rb"\btorch\s*\.\s*version\b(?!\s*\.\s*(?!__dict__)\w)|\bfrom\s+torch\s+import(?:(?!\bfrom\s+torch\s+import)[^\n])*\bversion\b|"
    rb"\b(?:__setattr__|setattr|delattr|patch(?:\.(?:object|multiple|dict))?)\s*\("
    rb"(?:(?!\b(?:__setattr__|setattr|delattr|patch(?:\.(?:object|multiple|dict))?)\s*\()[^\n])*(?:hip|version|torch)"
)
_COMPILER_SETTINGS = re.compile(r"torch\._(?:functorch|inductor|dynamo)\.config(?:\.\w+)*")
_BUILTIN_NAMES = frozenset(dir(builtins))
_MOST_MODULES = 400


_SOURCE_WORDS = (
    b"script",
    b"getsource",
    b"getblock",
    b"findsource",
    b"__closure__",
    b".co_",
    b"ScriptModule",
    b"triton.jit",
)
"""One of these is in whatever reads source: to look for them is far cheaper."""


def _reads_source(data: bytes) -> str | None:
    found = READS_SOURCE.search(data) if any(word in data for word in _SOURCE_WORDS) else None
    return found[0].decode() if found else None


@dataclass(frozen=True)
class Origin:
    """Where an imported name comes from: an outside module or name, or a file of the project (and a name in it)."""

    outside: str | None = None
    file: str | None = None
    name: str | None = None


class Modules:
    """The modules of one side, each read once."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._known: dict[str, Module | None] = {}
        self.relied_on: dict[tuple[str, str], Module] = {}
        """Names whose value a proof stands on, with the module that has them; "torch.version" for torch itself."""
        self._kept: dict[tuple[str, str], Module] = {}
        self.reflections = Reflections(self)

    def keep(self) -> None:
        """What is found out once for all files rests on what was relied on for it: every later proof does, too."""
        self._kept.update(self.relied_on)

    def forget(self) -> None:
        """Before the next file is compared."""
        self.relied_on = dict(self._kept)

    def put(self, path: str, tree: ast.Module) -> Module:
        known = self._known.get(path)
        if known is None or known.tree is not tree:
            known = self._known[path] = Module(path, tree, self)
        known.notes.clear()
        return known

    def unreliable(self) -> str | None:
        """Why something that was relied on may be set from elsewhere; asked last, as it looks through the project."""
        for (_, name), module in self.relied_on.items():
            why = self.torch_changed if name == "torch.version" else module.patched(name)
            if why:
                return f"{name} is not to be relied on: {why}"
        return None

    @cached_property
    def source_readers(self) -> list[tuple[str, bytes, str]]:
        """Files that read the source of functions: path, bytes, and by what."""
        ask = self.project.texts.ask
        found = ((path, data, ask(_reads_source, data)) for path, data in self.project.python_files())
        return [(path, data, reads) for path, data, reads in found if reads]

    @cached_property
    def torch_changed(self) -> str | None:
        """Where the project, tests aside, changes what torch says of itself."""
        for path, data in self.project.python_files(tests=False):
            if _MAY_CHANGE_TORCH.search(data):
                module = self.get(path)
                why = module.changes_torch if module else "not read as Python"
                if why:
                    return f"{path}, {why}"
        return None

    def get(self, path: str) -> Module | None:
        if path not in self._known:
            tree = self.project.tree_of(path)
            self._known[path] = Module(path, tree, self) if isinstance(tree, ast.Module) else None
        return self._known[path]


class Module:
    """One file: scopes, imports, and which binding of a name holds at a place."""

    def __init__(self, path: str, tree: ast.Module, modules: Modules) -> None:
        self.path = path
        self.tree = tree
        self.modules = modules
        self.project = modules.project
        self.scopes = Scopes.of_module(tree)
        self.notes: dict[int, str] = {}
        """Why something that looks like a gate was not followed, by line."""
        self._patched: dict[str, str | None] = {}
        self._back: dict[str, bool] = {}

    @cached_property
    def reflection(self) -> Reflection:
        return reflection_of(self)

    def note(self, node: ast.AST, reason: str) -> None:
        self.notes.setdefault(getattr(node, "lineno", 0), reason)

    # --- what could rebind a name unseen --------------------------------------------

    @cached_property
    def reached_by(self) -> str | None:
        """What in this module may set or read its global names without naming them."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Name) and node.id in _REACHES_NAMES:
                inside = node.id in ("locals", "vars") and self._only_reads_locals(node)
                if not inside:
                    return f"{node.id}() on line {node.lineno} can reach any name of the module"
            if isinstance(node, ast.Name) and node.id in ("builtins", "__builtins__"):
                if not isinstance(self.scopes.parents[node], ast.Attribute):
                    return f"{node.id} on line {node.lineno} is handed on, and exec with it"
            if isinstance(node, ast.Attribute):
                if node.attr in ("__dict__", "__globals__") and not self._is_no_module(node.value):
                    return f"{node.attr} on line {node.lineno} can reach any name of a module"
                if node.attr == "__code__" and not isinstance(node.ctx, ast.Load):
                    return f"line {node.lineno} gives a function another body"
                if node.attr in ("modules", "reload") and isinstance(node.value, ast.Name):
                    if node.value.id in ("sys", "importlib"):
                        return f"{node.value.id}.{node.attr} on line {node.lineno} can reach any name of the module"
            if isinstance(node, ast.ImportFrom) and (node.module, {a.name for a in node.names} & {"modules"}) == (
                "sys",
                {"modules"},
            ):
                return f"sys.modules on line {node.lineno} can reach any name of the module"
        return None

    @cached_property
    def looks_at_names(self) -> str | None:
        """What in this module may list the names of a module, or answer for those that are missing."""
        if "__getattr__" in self.scopes.module.bindings:
            return "its __getattr__"
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Attribute) and node.attr == "__subclasses__":
                return f"__subclasses__ on line {node.lineno}"
            if isinstance(node, ast.Call) and called(node) in ("dir", "getmembers"):
                if not node.args or not self._is_no_module(node.args[0]):
                    return f"{called(node)}() on line {node.lineno}"
        return None

    def _is_no_module(self, node: ast.expr) -> bool:
        """A plain variable: an object of the program, as far as anyone writes `x.__dict__`."""
        scope = self.scopes.find(node.id, self.scopes.of[node]) if isinstance(node, ast.Name) else None
        return scope is not None and not any(
            isinstance(binding.node, (ast.Import, ast.ImportFrom))
            for binding in scope.bindings[node.id]  # type: ignore[attr-defined]
        )

    def _only_reads_locals(self, name: ast.Name) -> bool:
        """`locals()` in a function, or `vars(x)`: not the names of the module."""
        call = self.scopes.parents[name]
        if not isinstance(call, ast.Call) or call.func is not name:
            return False
        if name.id == "vars" and call.args:
            return True
        return any(scope.runs_later for scope in self.scopes.of[name].around())

    @cached_property
    def changes_torch(self) -> str | None:
        """Where this module sets something of torch that the facts speak of, or of the builtins."""
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.Name, ast.Attribute)) and self._hands_on_version(node):
                return f"line {node.lineno} hands torch.version on"
            if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                base = node.value
                through = base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "")
                if node.attr == "hip" or (node.attr in ("cuda", "xpu", "rocm") and "version" in through):
                    return f"line {node.lineno} sets {ast.unparse(node)}"
                if node.attr == "version" and isinstance(base, ast.Name) and self._names_outside(base, "torch"):
                    return f"line {node.lineno} sets {ast.unparse(node)}"
                if through in ("builtins", "__builtins__") and node.attr in _BUILTIN_NAMES:
                    return f"line {node.lineno} sets {ast.unparse(node)}"
            if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
                named = isinstance(node.slice, ast.Constant) and node.slice.value in ("torch", "torch.version")
                if named and not (isinstance(node.value, ast.Name) and node.value.id in own_tables(self.tree)):
                    return f"line {node.lineno} sets {ast.unparse(node)}"
            if isinstance(node, ast.Call) and called(node) in (
                "setattr",
                "delattr",
                "__setattr__",
                "patch",
                "object",
                "dict",
                "multiple",
            ):
                if any(isinstance(a, ast.Constant) and _about_version(a.value) for a in ast.walk(node)):
                    return f"line {node.lineno} sets {ast.unparse(node)}"
                if node.args and isinstance(node.args[0], (ast.Name, ast.Attribute)):
                    root = node.args[0]
                    if isinstance(root, ast.Attribute) and root.attr == "version":
                        return f"line {node.lineno} sets something of a version: {ast.unparse(node)}"
                    while isinstance(root, ast.Attribute):
                        root = root.value  # type: ignore[assignment]
                    if isinstance(root, ast.Name) and self._names_outside(root, "torch") and not _sets_no_fact(node):
                        return f"line {node.lineno} sets something of torch: {ast.unparse(node)}"
        return None

    def _hands_on_version(self, node: ast.Name | ast.Attribute) -> bool:
        """`v = torch.version`, `vars(torch.version)`: through another name anything can be set in it."""
        if not isinstance(node.ctx, ast.Load):
            return False
        if isinstance(node, ast.Attribute):
            whole = node.attr == "version" and isinstance(node.value, ast.Name) and self._imports(node.value, "torch")
        else:
            whole = self._imports(node, "torch.version")
        parent = self.scopes.parents.get(node)
        if not whole or isinstance(parent, ast.Attribute):
            return whole and isinstance(parent, ast.Attribute) and parent.attr == "__dict__"
        return not (
            isinstance(parent, ast.Call) and called(parent) in ("getattr", "hasattr") and parent.args[0] is node
        )

    def _imports(self, name: ast.Name, path: str) -> bool:
        scope = self.scopes.find(name.id, self.scopes.of[name])
        origins = [self.origin(binding.node, name.id) for binding in (scope.bindings[name.id] if scope else [])]
        return any(origin is not None and origin.outside == path for origin in origins)

    def _names_outside(self, name: ast.Name, root: str) -> bool:
        """Whether any binding of a name imports from an outside package."""
        scope = self.scopes.find(name.id, self.scopes.of[name])
        for binding in scope.bindings[name.id] if scope else []:
            origin = self.origin(binding.node, name.id)
            if origin and (origin.outside or "").partition(".")[0] == root:
                return True
        return False

    def rely_on(self, name: str) -> None:
        self.modules.relied_on[self.path, name] = self

    def patched(self, name: str) -> str | None:
        """Where code of the project (tests aside) sets a global of this name from outside its module."""
        if name not in self._patched:
            self._patched[name] = self._find_patch(name)
        return self._patched[name]

    def _find_patch(self, name: str) -> str | None:
        for path in self.project.setters_of(name):
            line = self.project.names_set(path).get(name)
            if line is not None:
                return f"{path}, line {line} sets a {name} from outside"
        for path in self.project.scripts_that_set(name):
            return f"{path} may set a {name} from outside"
        origins = [self.origin(binding.node, name) for binding in self.scopes.module.bindings.get(name, [])]
        if name != "torch" and origins and all(origin and origin.outside for origin in origins):
            return None  # nobody computes the name of what comes from outside to put another thing in its place
        who = self.modules.reflections.who_sets(self.path)
        return f"{who} may set any name of {self.path}" if who else None

    # --- imports ------------------------------------------------------------------

    def origin(self, node: ast.AST, name: str) -> Origin | None:
        """What an import binds to a name; None where the node is no import or it is not clear."""
        if isinstance(node, ast.Import):
            return self._import_origin(node, name)
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return self.from_origin(node, alias.name)
        return None

    def _import_origin(self, node: ast.Import, name: str) -> Origin | None:
        for alias in node.names:
            first = alias.name.partition(".")[0]
            if name != (alias.asname or first):
                continue
            module = alias.name if alias.asname else first
            if self.project.is_own(self.path, module):
                file = self.project.module_file(self.path, module)
                return Origin(file=file) if file else None
            return Origin(outside=module)
        return None

    def from_origin(self, node: ast.ImportFrom, name: str) -> Origin | None:
        module = node.module or ""
        if not node.level and not self.project.is_own(self.path, module):
            return Origin(outside=f"{module}.{name}")
        file = self.project.module_file(self.path, module, node.level)
        inner = self.project.module_file(self.path, f"{module}.{name}" if module else name, node.level)
        if file is None:
            return Origin(file=inner) if inner else None
        if inner and inner != file and file.endswith("__init__.py"):
            package = self.modules.get(file)
            if package is None or name in package.scopes.module.bindings or package.scopes.module.star_imports:
                return None
            return Origin(file=inner)
        return Origin(file=file, name=name)

    def imports_back(self, file: str) -> bool:
        """Whether importing a file may meet this one half-way: a circle, or too much to follow."""
        if file not in self._back:
            self._back[file] = self._meets_itself(file)
        return self._back[file]

    def _meets_itself(self, file: str) -> bool:
        waiting, seen = [file], {file}
        while waiting:
            current = waiting.pop()
            imported = self.project.imported_by(current)
            if current == self.path or imported is None or len(seen) > _MOST_MODULES:
                return True
            for other in imported - seen:
                seen.add(other)
                waiting.append(other)
        return False

    # --- order --------------------------------------------------------------------

    @cached_property
    def _places(self) -> dict[ast.AST, tuple[int, int]]:
        """Of each statement its block, by identity, and its number there: every use of a name asks for them."""
        return {
            statement: (id(block), number)
            for parent in (self.tree, *self.scopes.parents)
            for field in ("body", "orelse", "finalbody")
            if isinstance(block := getattr(parent, field, None), list)
            for number, statement in enumerate(block)
        }

    def chain(self, node: ast.AST) -> list[ast.AST]:
        """A node and everything around it."""
        nodes = [node]
        while nodes[-1] in self.scopes.parents:
            nodes.append(self.scopes.parents[nodes[-1]])
        return nodes

    def follows(self, use: ast.AST, statement: ast.AST) -> bool:
        """Whether a place is only reached once a statement of a block around it has run."""
        if statement not in self._places:
            return False
        block, number = self._places[statement]
        places = (self._places[node] for node in self.chain(use) if node in self._places)
        return any(around == block and later > number for around, later in places)


def _about_version(value: object) -> bool:
    return isinstance(value, str) and (value == "hip" or bool(re.fullmatch(r"torch(\.version(\.\w+)?)?", value)))


def _sets_no_fact(call: ast.Call) -> bool:
    """`setattr(torch.nn.Linear, "reset_parameters", …)`, one thing of a layer, and settings of torch's compilers: no fact speaks of them."""
    whole = ast.unparse(call.args[0])
    name = call.args[1] if len(call.args) > 1 else None
    named = isinstance(name, ast.Constant) and isinstance(name.value, str)
    plain = called(call) in ("setattr", "delattr")
    return plain and (bool(_COMPILER_SETTINGS.fullmatch(whole)) or (named and whole.startswith("torch.nn.")))
