"""Python code that does not run when the project is used: functions that nothing mentions, and what a module does only where it is
run by itself.

A function is alive where its name stands anywhere else in the tree, be it in a text or a comment; only what stands in a function
that is dead itself does not count. Methods may be called by a framework, and decorated functions by whoever decorates them: they
are alive."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from rewarp.lang.python import PythonFile
from rewarp.project.modules import PythonModules
from rewarp.workspace import Tree

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_PLAIN = frozenset("cache lru_cache contextmanager no_grad inference_mode wraps".split())
"""Decorators that leave a function to its callers."""
_ON_DEVICE = frozenset({"jit"})
"""Decorators of device code: what gives a value there is called by kernels; a kernel may be launched by whoever imports it."""
_TEXTS = (
    ".py",
    ".pyi",
    ".pyx",
    ".ipynb",
    ".md",
    ".rst",
    ".toml",
    ".cfg",
    ".ini",
    ".yaml",
    ".yml",
    ".json",
    ".txt",
    ".sh",
)
_ELSEWHERE = frozenset({"hubconf.py", "conftest.py", "setup.py", "noxfile.py", "tasks.py", "fabfile.py"})
"""Files whose functions some other program looks up."""
_MOST = 1_000_000
_FOR_USERS = frozenset({"parallelize"})
"""Methods of models that users call, and that no library calls by itself: transformers lays a model over several cards so."""


class _Definition(NamedTuple):
    path: str
    name: str
    first: int
    last: int
    line: int
    """Of ``def`` itself."""


class Callers:
    """Asked for places with findings: few names, whatever the size of the tree."""

    def __init__(self, tree: Tree) -> None:
        self._tree, self._modules = tree, PythonModules(tree)
        self._dead: dict[_Definition, bool] = {}
        self._places: dict[str, list[tuple[str, int]]] = {}
        self._imported: dict[str, bool] = {}

    def idle(self, path: str, line: int) -> str | None:
        """Why a line does not run where the project is used; None where it does, or may."""
        document = self._modules.document(path) if path.endswith(".py") else None
        if document is None:
            return None
        if _in_main(document, line) and self._is_imported(path):
            return "it runs only where this module is run by itself"
        if option := _kept_out_by_default(document, line):
            return f"the default of {option} keeps it out"
        outer = _function_at(document, path, line)
        if outer is not None and self._is_dead(outer):
            return f"nothing in this repository calls {outer.name}"
        for method in _methods_that_lead_to(document, line):
            if method in _FOR_USERS and not self._is_called(method) and not self._is_switched_elsewhere(path, line):
                return f"only {method}() leads here, which nothing in this repository calls"
        return None

    def _is_called(self, method: str) -> bool:
        """Whether any code calls a method, but for the same method of another class."""
        wanted = b".%s(" % method.encode()
        for path, text in self._texts:
            if wanted not in text or not path.endswith((".py", ".pyx", ".ipynb")):
                continue
            document = self._modules.document(path) if path.endswith(".py") else None
            if document is None or any(_calls(node, method) for node in _outside_of(document.tree, method)):
                return True
        return False

    def _is_switched_elsewhere(self, path: str, line: int) -> bool:
        """Whether another file sets one of the attributes on which a line depends."""
        document = self._modules.document(path)
        names = (
            {name for test in _tests_around(document, line) for name in _own_attributes(test)} if document else set()
        )
        return any(
            re.search(rb"\.%s\s*=[^=]" % name.encode(), text)
            for name in names
            for other, text in self._texts
            if other != path
            and other.endswith((".py", ".ipynb"))
            and name.encode() in text
            and not self._sets_only_for_users(other, name)
        )

    def _sets_only_for_users(self, path: str, name: str) -> bool:
        document = self._modules.document(path) if path.endswith(".py") else None
        return document is not None and _switched_on_by(document, name) <= _FOR_USERS

    def is_import(self, path: str, line: int) -> bool:
        """Whether a line is an import that its module makes whatever happens."""
        document = self._modules.document(path) if path.endswith(".py") else None
        return document is not None and any(
            isinstance(node, (ast.Import, ast.ImportFrom)) and node.lineno <= line <= (node.end_lineno or 0)
            for node in document.tree.body
        )

    def in_function(self, path: str, line: int) -> bool:
        """Whether a line runs when some function is called, not when its module is imported."""
        document = self._modules.document(path) if path.endswith(".py") else None
        return document is not None and any(
            isinstance(node, _FUNCTIONS) and node.body[0].lineno <= line <= (node.end_lineno or 0)
            for node in ast.walk(document.tree)
        )

    def _is_dead(self, definition: _Definition) -> bool:
        if definition not in self._dead:
            self._dead[definition] = True  # for functions that only call one another
            self._dead[definition] = all(
                self._is_in_dead(definition, path, line) for path, line in self._mentions(definition.name)
            )
        return self._dead[definition]

    def _is_in_dead(self, definition: _Definition, path: str, line: int) -> bool:
        if path == definition.path and definition.first <= line <= definition.last:
            return True
        document = self._modules.document(path) if path.endswith(".py") else None
        if document is None:
            return False
        if _in_main(document, line) and self._is_imported(path):
            return True
        around = _function_at(document, path, line)
        return around is not None and self._is_dead(around)

    def _mentions(self, name: str) -> list[tuple[str, int]]:
        """(file, line) of a word; enough of them to tell."""
        if name not in self._places:
            word, wanted = re.compile(rb"(?<!\w)%s(?!\w)" % name.encode()), name.encode()
            self._places[name] = [
                (path, text.count(b"\n", 0, match.start()) + 1)
                for path, text in self._texts
                if wanted in text
                for match in word.finditer(text)
            ]
        return self._places[name]

    @cached_property
    def _texts(self) -> list[tuple[str, bytes]]:
        entries = self._tree.entries
        return [
            (path, self._tree.read(path) or b"")
            for path in self._tree.files()
            if path.endswith(_TEXTS) and entries[path].size < _MOST
        ]

    def _is_imported(self, path: str) -> bool:
        """Whether another module imports a file."""
        if path not in self._imported:
            folder, name = posixpath.split(path.removesuffix(".py"))
            stem = posixpath.basename(folder) if name == "__init__" else name
            line = re.compile(rb"(?m)^[ \t]*(?:from|import)\b[^\n]*(?<!\w)%s(?!\w)" % re.escape(stem.encode()))
            self._imported[path] = any(
                other != path and other.endswith(".py") and stem.encode() in text and line.search(text) is not None
                for other, text in self._texts
            )
        return self._imported[path]


def _methods_that_lead_to(document: PythonFile, line: int) -> Iterator[str]:
    """Methods without which a line does not run: the one it stands in, and those that alone set an attribute that is
    tested around it."""
    for node in document.nodes(*_FUNCTIONS):
        if node.body[0].lineno <= line <= (node.end_lineno or 0) and isinstance(document.parent(node), ast.ClassDef):
            yield node.name
    for test in _tests_around(document, line):
        for name in _own_attributes(test):
            setters = _switched_on_by(document, name)
            if len(setters) == 1:
                yield from setters


def _tests_around(document: PythonFile, line: int) -> Iterator[ast.expr]:
    for node in document.nodes(ast.If):
        if node.body[0].lineno <= line <= (node.body[-1].end_lineno or 0):
            yield node.test


def _kept_out_by_default(document: PythonFile, line: int) -> str | None:
    """The option of the program's own parser whose default takes the other branch: ``if args.threads: … else:``."""
    for node in document.nodes(ast.If):
        name = node.test.attr if isinstance(node.test, ast.Attribute) and isinstance(node.test.value, ast.Name) else ""
        if not (name and node.orelse and node.orelse[0].lineno <= line <= (node.orelse[-1].end_lineno or 0)):
            continue
        options = [call for call in document.nodes(ast.Call) if _declares_option(call, name)]
        given = [keyword.value for call in options for keyword in call.keywords if keyword.arg == "default"]
        default = given[0].value if len(options) == len(given) == 1 and isinstance(given[0], ast.Constant) else None
        # A switch is there to be turned: what it keeps out is asked for.
        if default and not isinstance(default, bool) and not _is_set(document, node.test):
            return f"--{name}"
    return None


def _declares_option(call: ast.Call, name: str) -> bool:
    """``parser.add_argument("--num-threads", default=4)`` declares ``args.num_threads``."""
    if not (isinstance(call.func, ast.Attribute) and call.func.attr == "add_argument"):
        return False
    texts = [argument.value for argument in call.args if isinstance(argument, ast.Constant)]
    return any(isinstance(text, str) and text.startswith("--") and text[2:].replace("-", "_") == name for text in texts)


def _is_set(document: PythonFile, attribute: ast.expr) -> bool:
    """Whether the module gives an attribute another value itself."""
    written = document.raw(attribute)
    return any(isinstance(n.ctx, ast.Store) and document.raw(n) == written for n in document.nodes(ast.Attribute))


def _own_attributes(test: ast.expr) -> Iterator[str]:
    """``self.model_parallel``, alone or beside others that must hold too."""
    for part in test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]:
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id == "self":
            yield part.attr


def _switched_on_by(document: PythonFile, attribute: str) -> set[str]:
    """The functions in which an attribute gets another value than False or None; an empty name for none."""
    found: set[str] = set()
    for statement in document.nodes(ast.Assign):
        value = statement.value
        off = isinstance(value, ast.Constant) and not value.value
        if not off and any(isinstance(t, ast.Attribute) and t.attr == attribute for t in statement.targets):
            found.add(getattr(document.scope(statement), "name", ""))
    return found


def _outside_of(tree: ast.AST, function: str) -> Iterator[ast.AST]:
    """The nodes of a tree, without what stands in functions of this name."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        below = ast.iter_child_nodes(node)
        waiting += [child for child in below if not (isinstance(child, _FUNCTIONS) and child.name == function)]


def _calls(node: ast.AST, method: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == method


def _in_main(document: PythonFile, line: int) -> bool:
    """Whether a line stands below ``if __name__ == "__main__":``."""
    for statement in document.tree.body:
        if isinstance(statement, ast.If) and statement.lineno <= line <= (statement.end_lineno or 0):
            names = {node.id for node in ast.walk(statement.test) if isinstance(node, ast.Name)}
            return "__name__" in names and line <= (statement.body[-1].end_lineno or 0)
    return False


def _function_at(document: PythonFile, path: str, line: int) -> _Definition | None:
    """The function of a module that a line stands in, where only its name leads to it."""
    if posixpath.basename(path) in _ELSEWHERE or path.endswith("__init__.py") or _is_opened(document):
        return None
    for node in _module_functions(document.tree.body):
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        if first <= line <= (node.end_lineno or 0):
            leaving = _PLAIN | _ON_DEVICE if _gives_value(node) else _PLAIN
            plain = all(_decorator(document, decorator) in leaving for decorator in node.decorator_list)
            if not plain or node.name.startswith(("__", "test")) or node.name == "main":
                return None
            return _Definition(path, node.name, first, node.end_lineno or 0, node.lineno)
    return None


def _gives_value(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(isinstance(node, ast.Return) and node.value is not None for node in ast.walk(function))


def _module_functions(body: list[ast.stmt]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for statement in body:
        if isinstance(statement, _FUNCTIONS):
            yield statement
        elif isinstance(statement, (ast.If, ast.Try)):
            yield from _module_functions([*statement.body, *statement.orelse])


def _decorator(document: PythonFile, decorator: ast.expr) -> str:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return document.raw(called).rpartition(".")[2]


def _is_opened(document: PythonFile) -> bool:
    """Whether a module looks its own functions up by text, so that a name need not be written."""
    return b"globals()" in document.source.data or b"getattr(sys.modules" in document.source.data
