"""Code that lists, sets or asks for names of modules and classes without writing them down."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from rewarp.verify.isolation.python.reading.patches import called

if TYPE_CHECKING:
    from rewarp.verify.isolation.python.reading.modules import Module, Modules

ANY = "any module"
_SUBJECT = re.compile(rb"\b(?:vars|dir|getmembers\w*|setattr|delattr)\s*\(\s*(\w+)|\b(\w+)\s*\.\s*__dict__\b")
_ANY_CALL = re.compile(rb"\b(?:vars|dir|getmembers\w*|setattr|delattr)\s*\(|__dict__")
_IMPORTED = re.compile(rb"^[ \t]*(?:from|import)\b(?:[^\n(]*\([^)]*\)|[^\n]*)", re.M)
_DYNAMIC = re.compile(rb"\bsys\.modules\b|\bimport_module\b|__import__|\bmodule_from_spec\b")
_COMPOSED = re.compile(
    rb"\b(?:getattr|hasattr|attrgetter|methodcaller)\s*\("
    rb"(?:(?!\b(?:getattr|hasattr|attrgetter|methodcaller)\s*\()[^\n])*(?:\b[fF][\"']|[\"']\s*[%+]|\+\s*[\"']|\.format\b)"
)
_LISTS = ("dir", "vars", "getmembers", "getmembers_static")
_SETS = ("setattr", "delattr")
_VIEWS = ("items", "keys", "values", "copy")
"""What a dictionary gives of itself, through which nothing can be set in it."""
_ASKS = ("getattr", "hasattr", "attrgetter", "methodcaller")


@dataclass
class Reflection:
    """What one file does with names that it does not write down."""

    listed: set[tuple[str, str]] = field(default_factory=set)
    """Files whose names it lists, or `file:Class`; ANY for a module that is found at run time; each with the pattern of the names
    that it does something with."""
    classes: set[str] = field(default_factory=set)
    """Those of which it lists classes alone."""
    set: set[str] = field(default_factory=set)
    """Files whose names it may set."""

    def comes_to(self, name: str, subjects: tuple[str, ...], is_class: bool) -> bool:
        if is_class and not self.classes.isdisjoint(subjects):
            return True
        return any(subject in subjects and re.fullmatch(pattern, name) for subject, pattern in self.listed)


class Reflections:
    """What all files of one side do."""

    def __init__(self, modules: Modules) -> None:
        self._modules = modules
        self._named: dict[tuple[bool, str], list[str]] = {}

    def who_lists(self, name: str, *subjects: str, is_class: bool = True) -> str | None:
        """Who comes to a name by listing all that a module, or a class, has; ``is_class``: it may be that of a class."""
        asked = (ANY, *subjects)
        return next((path for path, one in self._of(True, subjects) if one.comes_to(name, asked, is_class)), None)

    def who_sets(self, file: str) -> str | None:
        """Tests aside: they set what they like, for themselves."""
        return next((path for path, one in self._of(False, (file,)) if one.set.intersection((ANY, file))), None)

    def who_asks(self, name: str) -> str | None:
        """Who puts a name together from parts, and then asks for it."""
        return next((path for path, asked in self._asked if asked.fullmatch(name)), None)

    @cached_property
    def _asked(self) -> list[tuple[str, re.Pattern[str]]]:
        found: list[tuple[str, re.Pattern[str]]] = []
        for path, data in self._modules.project.python_files():
            tree = self._modules.project.tree_of(path) if _COMPOSED.search(data) else None
            for node in ast.walk(tree) if isinstance(tree, ast.Module) else ():
                if isinstance(node, ast.Call) and called(node) in _ASKS:
                    found += [(path, pattern) for pattern in map(_pattern, node.args[:2]) if pattern]
        return found

    def _of(self, tests: bool, subjects: tuple[str, ...]) -> Iterator[tuple[str, Reflection]]:
        """What each file does that may do something with these subjects; only such files are parsed."""
        for path in self._candidates(tests, _word_of(subjects[0])):
            module = self._modules.get(path)
            if module is not None:
                yield path, module.reflection

    def _candidates(self, tests: bool, word: str) -> list[str]:
        if (tests, word) not in self._named:
            project = self._modules.project
            self._named[tests, word] = [
                path
                for path, data in project.python_files(tests=tests)
                if (concerns := project.texts.ask(_concerns, data))
                and (concerns == ANY or os.fsencode(word) in data or PurePosixPath(path).stem == word)
            ]
        return self._named[tests, word]


def _word_of(subject: str) -> str:
    """What stands in every file that imports a file, or something from it: its own name, or that of its package."""
    place = PurePosixPath(subject.partition(":")[0])
    return "" if place.name == "__init__.py" else place.stem


def _concerns(data: bytes) -> str | None:
    """Whether a file may list or set names of something imported; most do so with objects of their own. ANY: of what is found at
    run time."""
    subjects = {match[1] or match[2] for match in _SUBJECT.finditer(data)}
    if _DYNAMIC.search(data):
        return ANY if subjects or _ANY_CALL.search(data) else None
    named = (
        any(not subjects.isdisjoint(re.findall(rb"\w+", match[0])) for match in _IMPORTED.finditer(data))
        if subjects
        else False
    )
    return "imported" if named else None


def reflection_of(module: Module) -> Reflection:
    found = Reflection()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call):
            name = called(node)
            if name in _LISTS and node.args and not _asks_for_one(node, module):
                if _lists_classes(node, module):
                    found.classes.update(_subjects(node.args[0], module))
                    continue
                pattern = _picked(node, module)
                found.listed.update((subject, pattern) for subject in _subjects(node.args[0], module))
            if name in _SETS and len(node.args) > 1 and not isinstance(node.args[1], ast.Constant):
                found.set.update(_subjects(node.args[0], module))
            if name == "vars" and node.args and _may_set(node, module):
                found.set.update(_subjects(node.args[0], module))
        elif isinstance(node, ast.Attribute) and node.attr == "__dict__":
            subjects = set(_subjects(node.value, module))
            if not _asks_for_one(node, module):
                found.listed.update((subject, _picked(node, module)) for subject in subjects)
            found.set |= subjects if _may_set(node, module) else set()
    return found


def _lists_classes(node: ast.Call, module: Module) -> bool:
    """`inspect.getmembers(m, inspect.isclass)`"""
    if (
        not called(node).startswith("getmembers")
        or len(node.args) != 2
        or ast.unparse(node.args[1]) != "inspect.isclass"
    ):
        return False
    scope = module.scopes.find("inspect", module.scopes.of[node])
    origins = [module.origin(one.node, "inspect") for one in (scope.bindings["inspect"] if scope else [])]
    return bool(origins) and all(one is not None and one.outside == "inspect" for one in origins)


def _asks_for_one(node: ast.expr, module: Module) -> bool:
    """`m.__dict__[name]`"""
    parent = module.scopes.parents.get(node)
    return isinstance(parent, ast.Subscript) and parent.value is node and isinstance(parent.ctx, ast.Load)


def _may_set(node: ast.expr, module: Module) -> bool:
    """Whether something is set in, or called on, the dictionary of names."""
    parent = module.scopes.parents.get(node)
    if isinstance(parent, ast.Subscript):
        return not isinstance(parent.ctx, ast.Load)
    if isinstance(parent, ast.Attribute):
        return not (parent.attr in _VIEWS and _is_called(parent, module))
    return isinstance(parent, (ast.Assign, ast.NamedExpr))


def _is_called(node: ast.expr, module: Module) -> bool:
    parent = module.scopes.parents.get(node)
    return isinstance(parent, ast.Call) and parent.func is node and not parent.args


def _picked(node: ast.expr, module: Module) -> str:
    """The names that a loop over a listing does something with: `for name in dir(m): if name.endswith("Kwargs"):` and nothing else."""
    parents = module.scopes.parents
    parent = parents.get(node)
    if isinstance(parent, ast.Attribute) and parent.attr in ("items", "keys") and _is_called(parent, module):
        node, pairs = parents[parent], parent.attr == "items"  # type: ignore[assignment]
    else:
        pairs = isinstance(node, ast.Call) and called(node).startswith("getmembers")
    loop = parents.get(node)
    if not isinstance(loop, (ast.For, ast.comprehension)) or loop.iter is not node:
        return ".*"
    target = loop.target.elts[0] if pairs and isinstance(loop.target, ast.Tuple) and loop.target.elts else loop.target
    if isinstance(loop, ast.comprehension):
        test = loop.ifs[0] if loop.ifs else None
    else:
        only = loop.body[0] if len(loop.body) == 1 else None
        test = only.test if isinstance(only, ast.If) and not only.orelse and not loop.orelse else None
    first = test.values[0] if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else test
    if pairs and target is loop.target:
        return ".*"
    return _asked_of(first, target)


def _asked_of(test: ast.expr | None, target: ast.expr) -> str:
    """`name.endswith("…")`, `name.startswith("…")` as a pattern; any name where the test is another."""
    if not (isinstance(test, ast.Call) and isinstance(test.func, ast.Attribute) and isinstance(target, ast.Name)):
        return ".*"
    of_name = isinstance(test.func.value, ast.Name) and test.func.value.id == target.id
    text = test.args[0].value if len(test.args) == 1 and isinstance(test.args[0], ast.Constant) else None
    if not of_name or test.keywords or not isinstance(text, str):
        return ".*"
    return {"endswith": f".*{re.escape(text)}", "startswith": f"{re.escape(text)}.*"}.get(test.func.attr, ".*")


def _subjects(node: ast.expr, module: Module) -> Iterator[str]:
    """The files, or the classes in files, that an expression may be; nothing for an object of the program."""
    if isinstance(node, ast.Subscript) and re.fullmatch(
        r"sys\.modules\[(?:__name__|\w+\.__module__)\]", ast.unparse(node)
    ):
        yield module.path
    elif (name := _named_module(node)) is not None:
        file = module.project.module_file(module.path, name)
        if file or module.project.is_own(module.path, name):
            yield file or ANY
    elif _is_dynamic(node):
        yield ANY
    if not isinstance(node, ast.Name):
        return
    scope = module.scopes.find(node.id, module.scopes.of[node])
    for binding in scope.bindings[node.id] if scope else ():
        if binding.value is not None and not isinstance(binding.value, ast.Name):
            yield from _subjects(binding.value, module)
        parent = module.scopes.parents.get(binding.node)
        if isinstance(parent, ast.Tuple):
            parent = module.scopes.parents.get(parent)
        if isinstance(parent, (ast.For, ast.comprehension)) and "sys.modules" in ast.unparse(parent.iter):
            yield ANY
        origin = module.origin(binding.node, node.id)
        if origin and origin.file:
            yield f"{origin.file}:{origin.name}" if origin.name else origin.file


def _named_module(node: ast.expr) -> str | None:
    """The module that is written out: `sys.modules["a.b"]`, `sys.modules.get("a.b")`, `import_module("a.b")`."""
    name: ast.expr | None = None
    if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "sys.modules":
        name = node.slice
    elif isinstance(node, ast.Call) and node.args and not node.keywords:
        whole = ast.unparse(node.func)
        name = node.args[0] if whole in ("sys.modules.get", "importlib.import_module", "import_module") else None
        name = None if len(node.args) > 1 else name
    text = name.value if isinstance(name, ast.Constant) else None
    return text if isinstance(text, str) and not text.startswith(".") else None


def _is_dynamic(node: ast.expr) -> bool:
    """A module that is found at run time."""
    if isinstance(node, ast.Call):
        return called(node) in ("import_module", "__import__", "module_from_spec") or (
            called(node) == "get" and "sys.modules" in ast.unparse(node.func)
        )
    return isinstance(node, ast.Subscript) and ast.unparse(node.value) == "sys.modules"


def _pattern(node: ast.expr) -> re.Pattern[str] | None:
    """The names that a text put together from parts can be; None where it is whole, or where nothing of it is known."""
    text = _text(node)
    known = text.replace("\0", "")
    if "\0" not in text or not re.search(r"\w", known):
        return None
    return re.compile(".*".join(re.escape(part) for part in text.split("\0")))


def _text(node: ast.expr) -> str:
    """The text with a mark for whatever is filled in: a proof believes no name, as ``PythonValues.string`` does."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(map(_text, node.values))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _text(node.left) + _text(node.right)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return re.sub(r"%\w", "\0", _text(node.left))
    if isinstance(node, ast.Call) and called(node) == "format" and isinstance(node.func, ast.Attribute):
        return re.sub(r"\{[^}]*(?:\}|\Z)", "\0", _text(node.func.value))
    return "\0"
