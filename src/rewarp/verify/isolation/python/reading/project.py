"""One side of the project: its Python files, and which of them an import means."""

from __future__ import annotations

import ast
import posixpath
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any, TypeVar

from rewarp.lang import parsers
from rewarp.project.import_roots import packaging_roots, root_of, shown_roots
from rewarp.verify.isolation.file_verdict import Side, TreeView
from rewarp.verify.isolation.python.reading.patches import may_set, names_set

_REQUIRES = re.compile(rb"(?:requires-python|python_requires|\bpython)\s*=\s*(?:['\"]\s*)?(?:>=|\^|~=|==|>)\s*3\.(\d+)")
_TEST = re.compile(r"(^|/)tests?/|(^|/)(test_[^/]*|[^/]*_test|conftest)\.py$")
_Told = TypeVar("_Told")


def parses_on(data: bytes, minor: int) -> bool:
    """Whether an older Python 3 can read it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parsers.python(data, feature_version=(3, minor))
    except SyntaxError:
        return False
    return True


def parse(data: bytes) -> ast.Module | str:
    """The syntax tree, or why there is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return parsers.python(data)
    except SyntaxError as error:
        return f"not read as Python {sys.version_info.major}.{sys.version_info.minor}: {error.msg}, line {error.lineno}"
    except (ValueError, LookupError) as error:
        return f"not read as Python: {type(error).__name__}: {error}"


class Texts:
    """What texts say, whichever file and side they are of: most files are the same on both."""

    def __init__(self) -> None:
        self._told: dict[tuple[Callable[[bytes], Any], bytes], Any] = {}

    def ask(self, question: Callable[[bytes], _Told], data: bytes) -> _Told:
        """The answer is shared: nobody may change it."""
        key = (question, data)
        if key not in self._told:
            self._told[key] = question(data)
        answer: _Told = self._told[key]
        return answer


class Project:
    """Reads lazily: most proofs need no other file."""

    def __init__(self, tree: TreeView, side: Side, texts: Texts) -> None:
        self._tree = tree
        self.side = side
        self.texts = texts
        self._data: dict[str, bytes | None] = {}
        self._imported: dict[str, frozenset[str] | None] = {}

    @cached_property
    def paths(self) -> frozenset[str]:
        return frozenset(self._tree.paths(self.side))

    @cached_property
    def _folders(self) -> frozenset[str]:
        return frozenset(str(folder) for path in self.paths for folder in PurePosixPath(path).parents)

    def given(self, path: str, data: bytes) -> None:
        """The bytes of a file that the caller has in hand."""
        if self._data.get(path) != data:
            self._data[path] = data
            self._imported.pop(path, None)
        if path not in self.paths:
            self.paths |= {path}
            self.__dict__.pop("_programs", None)

    def read(self, path: str) -> bytes | None:
        if path not in self._data:
            self._data[path] = self._tree.read(path, self.side)
        return self._data[path]

    def tree_of(self, path: str) -> ast.Module | str | None:
        data = self.read(path)
        return None if data is None else self.texts.ask(parse, data)

    @cached_property
    def _programs(self) -> list[tuple[str, bool]]:
        """The Python files in order, each with whether it is a test."""
        return [(path, bool(_TEST.search(path))) for path in sorted(self.paths) if path.endswith(".py")]

    def python_files(self, tests: bool = True) -> Iterator[tuple[str, bytes]]:
        for path, is_test in self._programs:
            if tests or not is_test:
                data = self.read(path)
                if data is not None:
                    yield path, data

    def files_with_word(self, word: str, tests: bool = True) -> Iterator[tuple[str, bytes]]:
        needle = word.encode()
        pattern = re.compile(rb"\b" + re.escape(needle) + rb"\b")
        for path, data in self.python_files(tests):
            if needle in data and pattern.search(data):
                yield path, data

    def setters_of(self, name: str) -> Iterator[str]:
        """Files, tests aside, that may set a name from outside its module."""
        word = name.encode()
        for path, data in self.python_files(tests=False):
            if word in data and word in self.texts.ask(may_set, data):
                yield path

    def scripts_that_set(self, name: str) -> Iterator[str]:
        """Notebooks, and Python without a suffix, that may set a name from outside its module."""
        sets = re.compile(
            rb"\.\s*" + re.escape(name.encode()) + rb"\s*=(?!=)|setattr\([^\n]*\b" + re.escape(name.encode()) + rb"\b"
        )
        for path in sorted(self.paths):
            last = path.rpartition("/")[2]
            if last.endswith((".ipynb", ".pyw", ".pyx")) or "." not in last:
                data = self.read(path)
                if data is not None and (b"import" in data) and sets.search(data):
                    yield path

    @cached_property
    def reads_frames(self) -> bool:
        """Whether code of the project looks into the local names of functions that run."""
        return any(b"f_locals" in data for _, data in self.python_files(tests=False))

    def names_set(self, path: str) -> Mapping[str, int]:
        data = self.read(path)
        return {} if data is None else self.texts.ask(self._set_by, data)

    def _set_by(self, data: bytes) -> Mapping[str, int]:
        tree = self.texts.ask(parse, data)
        return names_set(tree) if isinstance(tree, ast.Module) else {}

    # --- imports ------------------------------------------------------------------

    def roots(self, path: str) -> list[str]:
        """Where an absolute import of a file may start: its package's folder, the project's, and src."""
        folder = PurePosixPath(path).parent
        while str(folder) != "." and str(folder / "__init__.py") in self.paths:
            folder = folder.parent
        return list(dict.fromkeys([str(folder), ".", "src"]))

    def is_own(self, path: str, module: str) -> bool:
        """Whether the first part of an absolute import may be something in the project, beside the file too: that is
        where Python looks first when the file is run as a script."""
        first = module.partition(".")[0]
        beside = str(PurePosixPath(path).parent)
        if first == "torch" and self._brings_torch:
            return True
        return any(self._is_module(_join(root, first)) for root in [*self.roots(path), beside])

    @cached_property
    def _brings_torch(self) -> bool:
        """A torch of its own, in a folder that may be put where imports start. All proofs rest on that name."""
        for path in self.paths:
            place = PurePosixPath(path)
            base = place.parent if place.name == "__init__.py" else place.with_suffix("")
            if place.suffix == ".py" and base.name == "torch" and str(base.parent / "__init__.py") not in self.paths:
                return True
        return False

    def _is_module(self, base: str) -> bool:
        return f"{base}.py" in self.paths or f"{base}/__init__.py" in self.paths

    def module_file(self, path: str, module: str, level: int = 0) -> str | None:
        """The file of a module imported by `path`; None where it is not the project's, or not surely one file."""
        if level:
            folder = PurePosixPath(path).parent
            for _ in range(level - 1):
                if str(folder) == ".":
                    return None
                folder = folder.parent
            return self._file(_join(str(folder), *module.split(".")) if module else str(folder))
        found = {self._file(_join(root, *module.split("."))) for root in self.roots(path)} - {None}
        return found.pop() if len(found) == 1 else None

    def surely_finds(self, path: str, module: str, file: str, body: Iterable[ast.stmt]) -> bool:
        """Whether an absolute import of a file leads to a file of the project, and not to an installed package that has
        the name of its folder: it starts beside a packaging file, beside the script, or where imports in ``body`` do."""
        roots = {
            root
            for name in (module, f"{module}.{PurePosixPath(file).stem}")
            if (root := root_of(file, name)) is not None
        }
        beside = str(PurePosixPath(path).parent).removeprefix(".")
        is_script = posixpath.join(beside, "__init__.py") not in self.paths
        if roots & self._packaging_roots or (is_script and beside in roots):
            return True
        return bool(shown_roots(path, body, self.paths, roots))

    @cached_property
    def _packaging_roots(self) -> frozenset[str]:
        return packaging_roots(self.paths)

    def _file(self, base: str) -> str | None:
        if base in self._compiled:
            return None  # a compiled module of the same name comes first
        package = "__init__.py" if base == "." else f"{base}/__init__.py"
        if package in self.paths:
            return package
        return f"{base}.py" if f"{base}.py" in self.paths else None

    @cached_property
    def _compiled(self) -> frozenset[str]:
        """Modules that are there compiled, or get compiled, without their suffixes."""
        found = (path for path in self.paths if path.endswith((".so", ".pyd", ".pyx", ".pyc")))
        return frozenset(path[: path.index(".", path.rfind("/") + 1)] for path in found)

    @cached_property
    def floor(self) -> int:
        """The oldest Python 3 that the project says it runs on; what PyTorch asks for where it says nothing."""
        for path in ("pyproject.toml", "setup.py", "setup.cfg"):
            stated = _REQUIRES.search(self.read(path) or b"")
            if stated:
                return int(stated[1])
        return 10

    def imported_by(self, path: str) -> frozenset[str] | None:
        """Files of the project that importing one of them imports, directly; None where it cannot be read."""
        if path not in self._imported:
            tree = self.tree_of(path)
            self._imported[path] = self._imports_of(path, tree) if isinstance(tree, ast.Module) else None
        return self._imported[path]

    def _imports_of(self, path: str, tree: ast.Module) -> frozenset[str]:
        found: set[str | None] = set()
        waiting: list[ast.AST] = [tree]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.Import):
                found |= {self.module_file(path, alias.name) for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                module = node.module or ""
                names = [module, *(f"{module}.{alias.name}".lstrip(".") for alias in node.names)]
                found |= {self.module_file(path, name, node.level) for name in names}
            elif isinstance(node, (ast.Module, ast.stmt, ast.ExceptHandler)):
                if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    waiting.extend(ast.iter_child_nodes(node))
        files = {file for file in found if file}
        for file in list(files):
            files |= set(self.packages_run(file, path))
        return frozenset(files - {path})

    def packages_run(self, path: str, importer: str) -> list[str]:
        """The `__init__.py` files that run when `importer` first imports `path`, without those around the importer."""
        around = {str(folder) for folder in PurePosixPath(importer).parents}
        folders = [str(folder) for folder in PurePosixPath(path).parents if str(folder) not in around]
        return [f"{folder}/__init__.py" for folder in folders if f"{folder}/__init__.py" in self.paths]


def _join(folder: str, *parts: str) -> str:
    return "/".join(parts) if folder == "." else "/".join([folder, *parts])
