"""Code that lists, sets or asks for names of modules and classes without writing them down."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from rewarp.verify.isolation.python.patches import called

if TYPE_CHECKING:
    from rewarp.verify.isolation.python.modules import Module, Modules

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
_ASKS = ("getattr", "hasattr", "attrgetter", "methodcaller")


@dataclass
class Reflection:
    """What one file does with names that it does not write down."""

    listed: set[str] = field(default_factory=set)
    """Files whose names it lists, or `file:Class`; ANY for a module that is found at run time."""
    set: set[str] = field(default_factory=set)
    """Files whose names it may set."""


class Reflections:
    """What all files of one side do."""

    def __init__(self, modules: Modules) -> None:
        self._modules = modules
        self._known: dict[bool, list[tuple[str, Reflection]]] = {}

    def who_lists(self, *subjects: str) -> str | None:
        return next((path for path, one in self._of(True) if one.listed.intersection((ANY, *subjects))), None)

    def who_sets(self, file: str) -> str | None:
        """Tests aside: they set what they like, for themselves."""
        return next((path for path, one in self._of(False) if one.set.intersection((ANY, file))), None)

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

    def _of(self, tests: bool) -> list[tuple[str, Reflection]]:
        if tests not in self._known:
            found = self._known[tests] = []
            for path, data in self._modules.project.python_files(tests=tests):
                module = self._modules.get(path) if _concerned(data) else None
                if module is not None:
                    found.append((path, module.reflection))
        return self._known[tests]


def _concerned(data: bytes) -> bool:
    """Whether a file may list or set names of something imported; most do so with objects of their own."""
    subjects = {match[1] or match[2] for match in _SUBJECT.finditer(data)}
    if _DYNAMIC.search(data):
        return bool(subjects) or bool(_ANY_CALL.search(data))
    return any(not subjects.isdisjoint(re.findall(rb"\w+", match[0])) for match in _IMPORTED.finditer(data))


def reflection_of(module: Module) -> Reflection:
    found = Reflection()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call):
            name = called(node)
            if name in _LISTS and node.args and not _asks_for_one(node, module):
                found.listed.update(_subjects(node.args[0], module))
            if name in _SETS and len(node.args) > 1 and not isinstance(node.args[1], ast.Constant):
                found.set.update(_subjects(node.args[0], module))
            if name == "vars" and node.args and _may_set(node, module):
                found.set.update(_subjects(node.args[0], module))
        elif isinstance(node, ast.Attribute) and node.attr == "__dict__":
            subjects = set(_subjects(node.value, module))
            found.listed |= set() if _asks_for_one(node, module) else subjects
            found.set |= subjects if _may_set(node, module) else set()
    return found


def _asks_for_one(node: ast.expr, module: Module) -> bool:
    """`m.__dict__[name]`"""
    parent = module.scopes.parents.get(node)
    return isinstance(parent, ast.Subscript) and parent.value is node and isinstance(parent.ctx, ast.Load)


def _may_set(node: ast.expr, module: Module) -> bool:
    """Whether something is set in, or called on, the dictionary of names."""
    parent = module.scopes.parents.get(node)
    if isinstance(parent, ast.Subscript):
        return not isinstance(parent.ctx, ast.Load)
    return isinstance(parent, (ast.Attribute, ast.Assign, ast.NamedExpr))


def _subjects(node: ast.expr, module: Module) -> Iterator[str]:
    """The files, or the classes in files, that an expression may be; nothing for an object of the program."""
    if isinstance(node, ast.Subscript) and re.fullmatch(
        r"sys\.modules\[(?:__name__|\w+\.__module__)\]", ast.unparse(node)
    ):
        yield module.path
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
