"""What only code for AMD loads or calls: files, and functions, that nothing left of NVIDIA's program speaks of.

Every file that names one is folded to what NVIDIA runs; what is still named there is reached. A library's files and functions are
also called by people: those must say by their own name that they are AMD's.
"""

from __future__ import annotations

import ast
import re
from pathlib import PurePosixPath
from weakref import WeakKeyDictionary

from rewarp.lang.python_parameters import parameters
from rewarp.verify.isolation.python.folding.added_files import FOUND_BY_NAME, who_look
from rewarp.verify.isolation.python.folding.program import Folder, text_of
from rewarp.verify.isolation.python.folding.registries import members_of, why_taken
from rewarp.verify.isolation.python.gates.gates import Gates
from rewarp.verify.isolation.python.gates.methods import methods_of
from rewarp.verify.isolation.python.reading.modules import Modules
from rewarp.verify.isolation.python.reading.scopes import Function

_OF_AMD = re.compile(r"(?i)(?:^|[^a-z])_?(?:rocm|hip|amd|amdgpu|aiter|rdna\d?|cdna\d?|gfx\d+\w*|mi\d{3}x?)(?:[^a-z]|$)")
_NOT_ALONE = re.compile(r"(?i)(?:^|[^a-z])(?:no|not|non|without|cuda|nvidia|cpu|or|and)(?:[^a-z]|$)")
_IMPORTS_TOLD = re.compile(
    rb"\b(?:import_module|__import__|exec|spec_from\w*|run_path|run_module|load_module|LazyLoader)\b"
)
_LISTS_MODULES = ("iter_modules", "walk_packages", "import_module", "__import__", "find_spec(")


def says_amd(name: str) -> bool:
    return bool(_OF_AMD.search(name)) and not _NOT_ALONE.search(name)


class Unreached:
    """What NVIDIA's program of one side does not come to."""

    def __init__(self, modules: Modules) -> None:
        self._modules = modules
        self._project = modules.project
        self._left: dict[str, list[ast.stmt] | None] = {}
        self._why: dict[str, str | None] = {}
        self._called: dict[tuple[str, str], str | None] = {}

    def why_loaded(self, path: str) -> str | None:
        """Why an NVIDIA user may load a file; None where only code for AMD does."""
        if path not in self._why:
            before = self._answered()
            self._why[path] = None  # files of AMD's may load each other
            why = self._why[path] = self._find(path)
            self._settle(before, why)
        return self._why[path]

    def _answered(self) -> set[object]:
        return {*self._why, *self._called}

    def _settle(self, before: set[object], why: str | None) -> None:
        """What rested on an assumption that did not hold is asked anew."""
        self._modules.keep()
        if why is not None:
            self._why = {key: one for key, one in self._why.items() if key in before or one is not None}
            self._called = {key: one for key, one in self._called.items() if key in before or one is not None}

    def _find(self, path: str) -> str | None:
        place = PurePosixPath(path)
        package = place.name == "__init__.py"
        name = place.parent.name if package else place.stem
        if not any(says_amd(part) for part in (*place.parts[:-1], place.stem)):
            return "neither its name nor its folder says that it is AMD's"
        if FOUND_BY_NAME.fullmatch(name) or not name:
            return f"{name} is a name that Python or its tools look for"
        for looker, by in who_look(place.parent if package else place, self._project):
            imports = by.endswith(_LISTS_MODULES) or _IMPORTS_TOLD.search(self._project.read(looker) or b"")
            packs = looker.endswith("setup.py") or not imports
            if looker != path and not packs and not (says_amd(looker) and self.why_loaded(looker) is None):
                return f"{looker} looks for files by itself ({by})"
        if other := self._declared(name):
            return f"{other} names it"
        for other, _ in self._project.files_with_word(name, tests=False):
            if other == path or (says_amd(other) and self.why_loaded(other) is None):
                continue
            left = self.left(other)
            if left is None:
                return f"{other} names it, and cannot be read"
            for statement in left:
                if any(self._loads(node, other, path, name) for node in ast.walk(statement)):
                    if why := self._why_run(statement, other, path, name):
                        return why
        return None

    def _why_run(self, statement: ast.stmt, other: str, path: str, name: str) -> str | None:
        """Why NVIDIA may come to what a statement of another file loads."""
        if self._is_idle(other, statement):
            return None
        line = f"{other}:{statement.lineno} may load it for NVIDIA"
        members = members_of(statement, lambda node: self._loads(node, other, path, name), says_amd)
        if not members or not isinstance(statement, ast.ClassDef):
            return line
        why = why_taken(statement, members, self._project, self.left, self._is_aside)
        return f"{line}: {why}" if why else None

    def _is_aside(self, path: str, statement: ast.stmt) -> bool:
        return (says_amd(path) and self.why_loaded(path) is None) or self._is_idle(path, statement)

    def _is_idle(self, path: str, statement: ast.stmt) -> bool:
        """Whether a statement of a module is a function that NVIDIA does not come to."""
        return isinstance(statement, Function) and not self.why_called(path, statement.name)

    def _declared(self, name: str) -> str | None:
        """A table of packaging that names a module: entry points."""
        word = re.compile(rb"[.:/]" + re.escape(name.encode()) + rb"\b")
        for path in ("pyproject.toml", "setup.cfg", "python/pyproject.toml"):
            if word.search(self._project.read(path) or b""):
                return path
        return None

    def left(self, path: str) -> list[ast.stmt] | None:
        """What NVIDIA runs of a file."""
        if path in self._left:
            return self._left[path]
        module = self._modules.get(path)
        gates = Gates(module) if module else None
        left = Folder(gates, frozenset(), frozenset()).module() if gates else None
        if gates is None or not methods_of(gates).open:
            self._left[path] = left
        return left

    def _loads(self, node: ast.AST, importer: str, path: str, name: str) -> bool:
        """Whether a node imports a file, or is a text that may name it."""
        project = self._project
        if isinstance(node, ast.Import):
            return any(self._runs(importer, alias.name, 0, path) for alias in node.names if name in alias.name)
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            return any(
                self._runs(importer, one, node.level, path)
                for one in (module, *(f"{module}.{alias.name}".lstrip(".") for alias in node.names))
                if name in one.split(".") or project.module_file(importer, one, node.level) == path
            )
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            return False
        if len(node.value) > 300 or name not in node.value:
            return False
        folders = PurePosixPath(path).parent.parts
        folder = folders[-2] if path.endswith("__init__.py") and folders[1:] else folders[-1] if folders else ""
        text = rf"(?:^|[./\\]){re.escape(folder)}[./\\]{re.escape(name)}(?:$|\.py$|[.:/\\]\w)"
        if re.search(text, node.value):
            return True
        data = project.read(importer) or b""
        near = PurePosixPath(importer).parent == PurePosixPath(path).parent
        joins = near or re.search(re.escape(folder.encode()) + rb"[./\\](?:['\"{]|%s)", data)
        alone = re.fullmatch(rf"\.?{re.escape(name)}(?:\.py)?", node.value)
        return bool(alone and joins and _IMPORTS_TOLD.search(data))

    def _runs(self, importer: str, module: str, level: int, path: str) -> bool:
        """Whether importing a module runs a file: it, or a package around it; where that is not clear it may."""
        file = self._project.module_file(importer, module, level)
        if file is None:
            return level > 0 or self._project.is_own(importer, module)
        return file == path or path in self._project.packages_run(file, importer)

    # --- functions ----------------------------------------------------------------

    def why_called(self, path: str, name: str) -> str | None:
        """Why NVIDIA may come to a function or class of a file; what is being asked may rest on itself."""
        if (path, name) not in self._called:
            before = self._answered()
            self._called[path, name] = None
            why = self._called[path, name] = self._find_call(path, name)
            self._settle(before, why)
        return self._called[path, name]

    def _find_call(self, path: str, name: str) -> str | None:
        module, left = self._modules.get(path), self.left(path)
        if module is None or left is None or module.reached_by or module.looks_at_names:
            return "names of the module may be looked at"
        callers = _callers(left, name)
        if callers is None:
            return f"{name} is used for NVIDIA"
        return next((why for one in sorted(callers) if (why := self._called_elsewhere(path, one))), None)

    def _called_elsewhere(self, path: str, name: str) -> str | None:
        if not path.endswith("setup.py") and not name.startswith("_") and not says_amd(name):
            return f"{name} may be called by who uses the project"
        place = PurePosixPath(path)
        stem = place.parent.name if place.name == "__init__.py" else place.stem
        for other, data in self._project.files_with_word(name, tests=False):
            if other == path or stem.encode() not in data:
                continue
            if says_amd(other) and self.why_loaded(other) is None:
                continue
            rest = self.left(other)
            if rest is None:
                return f"{other} may use {name} for NVIDIA"
            for statement in rest:
                if any(_speaks(node, {name}) for node in ast.walk(statement)) and not self._is_idle(other, statement):
                    return f"{other} may use {name} for NVIDIA"
        return None


_known: WeakKeyDictionary[Modules, Unreached] = WeakKeyDictionary()


def unreached_of(modules: Modules) -> Unreached:
    if modules not in _known:
        _known[modules] = Unreached(modules)
    return _known[modules]


def _callers(left: list[ast.stmt], name: str) -> set[str] | None:
    """A definition of a module and all those through which alone it is come to; None where other code speaks of one."""
    found = {name}
    while True:
        speaking = {
            statement.name if isinstance(statement, (*Function, ast.ClassDef)) else ""
            for statement in left
            if getattr(statement, "name", "") not in found and any(_speaks(node, found) for node in ast.walk(statement))
        }
        if "" in speaking:
            return None
        if not speaking:
            return found
        found |= speaking


def _speaks(node: ast.AST, names: set[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in names
    if isinstance(node, ast.Attribute):
        return node.attr in names
    if isinstance(node, ast.ImportFrom):
        return any(alias.name in names for alias in node.names)
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in names


def same_frame(old: ast.stmt, new: ast.stmt) -> bool:
    """Whether two definitions do the same where they stand: decorators, defaults, annotations, and what a class runs."""
    if isinstance(old, Function) and isinstance(new, Function):
        return type(old) is type(new) and not old.decorator_list and not new.decorator_list and _head(old) == _head(new)
    if isinstance(old, ast.ClassDef) and isinstance(new, ast.ClassDef):
        plain = not any((old.decorator_list, new.decorator_list, old.keywords, new.keywords))
        return plain and _head(old) == _head(new)
    return False


def _head(node: ast.stmt) -> list[str]:
    if isinstance(node, Function):
        arguments = node.args
        ran = [*arguments.defaults, *arguments.kw_defaults, node.returns]
        ran += [argument.annotation for argument in parameters(arguments)]
        return sorted({text_of(part) for part in ran if part is not None and not isinstance(part, ast.Constant)})
    assert isinstance(node, ast.ClassDef)
    body = [text_of(one) for one in node.body if not isinstance(one, (*Function, ast.Expr, ast.Pass))]
    inner = [
        text
        for one in node.body
        if isinstance(one, Function)
        for text in (*_head(one), *map(text_of, one.decorator_list))
    ]
    return [*map(text_of, node.bases), *body, *sorted(set(inner))]
