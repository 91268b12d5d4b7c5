"""What a file of a project shows of its support for a target, read as what it is: comments and texts say nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from contextlib import suppress

from rewarp.errors import RewarpError
from rewarp.lang.cmake.file import CMakeFile
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.kinds import CPP_KINDS, Kind, kind_of_path
from rewarp.lang.parsing import parse
from rewarp.lang.python import PythonFile
from rewarp.project.support.evidence import Evidence, Way
from rewarp.project.support.words import Words
from rewarp.source import SourceFile

_EXTENSION = (b"cpp_extension", b"CUDAExtension", b"ext_modules", b"setuptools")
_OPTIONS = frozenset({"option", "cmake_dependent_option", "enable_language", "find_package", "check_language"})
_LISTING = frozenset({"if", "elseif", "project"})
_CI = re.compile(
    r"(?:^|/)(?:\.github/workflows/|\.buildkite/|\.circleci/|\.azure-pipelines/|\.gitlab-ci|\.jenkins/|Jenkinsfile)"
)
_WORD = re.compile(r"\w+")
_MAKE_TEST = re.compile(r"\s*(?:else\s+)?if(?:eq|def)\b(.*)")
_MAKE_WORD = re.compile(r"[\w-]+")
_PROCESSOR = re.compile(r"(?i)amd[-_]?64")
_COMMENT = re.compile(r"(?m)(?:^|(?<=\s))#.*$")
_LINE_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_LISTS = (Kind.REQUIREMENTS, Kind.PYPROJECT, Kind.SETUP_CFG, Kind.CONDA)
_IMAGES = (Kind.DOCKERFILE, Kind.COMPOSE)
_NAMED = (*_LISTS, *_IMAGES)


def may_tell(path: str) -> bool:
    return kind_of_path(path) is not None or bool(_CI.search(path))


def way_of(path: str, data: bytes) -> Way:
    """Where support shows, if a file that may tell shows any."""
    kind = kind_of_path(path)
    if _CI.search(path):
        return Way.CI
    if kind in _NAMED:
        return Way.PACKAGING
    if kind is Kind.PYTHON:
        builds = path.endswith("setup.py") or any(word in data for word in _EXTENSION)
        return Way.BUILD if builds else Way.CODE
    return Way.SOURCES if kind in CPP_KINDS else Way.BUILD


def evidence_of(path: str, data: bytes, words: Words) -> Iterator[Evidence]:
    way, kind, name = way_of(path, data), kind_of_path(path), path.rpartition("/")[2]
    if (way is Way.PACKAGING or (way is Way.BUILD and kind is Kind.MAKE)) and words.file.search(name):
        yield Evidence(way, path, 1, name)
    if way in (Way.CI, Way.PACKAGING):
        yield from _lines(way, path, data, words)
        return
    reader = _READERS.get(kind) if kind else None
    if reader is not None:
        with suppress(RewarpError, RecursionError, ValueError):
            yield from reader(path, data, words)


def _lines(way: Way, path: str, data: bytes, words: Words) -> Iterator[Evidence]:
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        if words.command.search(_COMMENT.sub("", line)):
            yield Evidence(way, path, number, line.strip()[:160])


def _python(path: str, data: bytes, words: Words) -> Iterator[Evidence]:
    has_path = words.of_path.search(data) is not None
    if not has_path and not any(map(words.name_target, set(_WORD.findall(data.decode("utf-8", "replace"))))):
        return  # parsing takes much longer
    document = parse(SourceFile(path, data), Kind.PYTHON)
    if not isinstance(document, PythonFile):
        return
    way = way_of(path, data)
    seen: set[int] = set()
    for node in document.nodes(ast.Name, ast.Attribute):
        if not isinstance(node.ctx, ast.Load) or node.lineno in seen:
            continue
        name = node.id if isinstance(node, ast.Name) else node.attr
        if words.name_target(name) or (has_path and words.path.fullmatch(document.path(node) or "")):
            seen.add(node.lineno)
            yield Evidence(way, path, node.lineno, document.source.line_text(node.lineno).strip()[:160])


def _cpp(path: str, data: bytes, words: Words) -> Iterator[Evidence]:
    document = CodeFile(SourceFile(path, data), Kind.CUDA)
    if path.endswith(".hip"):
        yield Evidence(Way.SOURCES, path, 1, path.rpartition("/")[2])
    for include in document.includes:
        if words.header.fullmatch(include.path):
            yield _at(Way.SOURCES, document, include.where.start)
    for directive in document.directives:
        if any(words.macro.fullmatch(word) for word in _WORD.findall(directive.condition)):
            yield _at(Way.SOURCES, document, directive.where.start)


def _cmake(path: str, data: bytes, words: Words) -> Iterator[Evidence]:
    document = CMakeFile(SourceFile(path, data), Kind.CMAKE)
    for call in document.calls:
        said = [argument.text for argument in call.arguments]
        named = said[:1] if call.name in _OPTIONS else said if call.name in _LISTING else ()
        if any(words.build.fullmatch(word) for text in named for word in _WORD.findall(text)):
            yield _at(Way.BUILD, document, call.where.start)


def _make(path: str, data: bytes, words: Words) -> Iterator[Evidence]:
    yield from _lines(Way.BUILD, path, data, words)
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        test = _MAKE_TEST.match(_COMMENT.sub("", line))
        if test and any(words.file.search(word) for word in _MAKE_WORD.findall(_PROCESSOR.sub("", test[1]))):
            yield Evidence(Way.BUILD, path, number, line.strip()[:160])


def _rust(path: str, data: bytes, words: Words) -> Iterator[Evidence]:
    if not path.endswith("build.rs"):
        return
    text = _LINE_COMMENT.sub(lambda found: "\n" * found[0].count("\n"), data.decode("utf-8", "replace"))
    for number, line in enumerate(text.splitlines(), 1):
        if any(words.build.fullmatch(word) for word in _WORD.findall(line)):
            yield Evidence(Way.BUILD, path, number, line.strip()[:160])


def _cargo(path: str, data: bytes, words: Words) -> Iterator[Evidence]:
    section = ""
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        section = line.strip() if line.startswith("[") else section
        if section == "[features]" and words.build.fullmatch(line.partition("=")[0].strip()):
            yield Evidence(Way.BUILD, path, number, line.strip()[:160])


def _at(way: Way, document: CodeFile | CMakeFile, place: int) -> Evidence:
    line = document.source.line_at(place)
    return Evidence(way, document.source.path, line, document.source.line_text(line).strip()[:160])


_READERS: dict[Kind, Callable[[str, bytes, Words], Iterator[Evidence]]] = {
    Kind.PYTHON: _python,
    Kind.CUDA: _cpp,
    Kind.CPP: _cpp,
    Kind.CMAKE: _cmake,
    Kind.MAKE: _make,
    Kind.RUST: _rust,
    Kind.CARGO: _cargo,
}
