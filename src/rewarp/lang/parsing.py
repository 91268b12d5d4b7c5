"""From a source file and its kind to a document."""

from __future__ import annotations

from collections.abc import Callable

from rewarp.lang import notebook, python
from rewarp.lang.cmake import CMakeFile
from rewarp.lang.cpp.file import CodeFile, check_depth
from rewarp.lang.dockerfile import Dockerfile
from rewarp.lang.document import Document
from rewarp.lang.dotenv import DotEnv
from rewarp.lang.kinds import Kind
from rewarp.lang.makefile import Makefile
from rewarp.lang.requirements import RequirementsFile, SetupCfg
from rewarp.lang.shell import ShellFile
from rewarp.lang.toml import TomlFile
from rewarp.lang.yaml import YamlFile
from rewarp.source import SourceFile

_DOCUMENTS: dict[Kind, Callable[[SourceFile, Kind], Document]] = {
    Kind.CUDA: CodeFile,
    Kind.CPP: CodeFile,
    Kind.RUST: CodeFile,
    Kind.CMAKE: CMakeFile,
    Kind.MAKE: Makefile,
    Kind.SHELL: ShellFile,
    Kind.DOTENV: DotEnv,
    Kind.DOCKERFILE: Dockerfile,
    Kind.COMPOSE: YamlFile,
    Kind.ACTIONS: YamlFile,
    Kind.YAML: YamlFile,
    Kind.CONDA: YamlFile,
    Kind.REQUIREMENTS: RequirementsFile,
    Kind.PYPROJECT: TomlFile,
    Kind.SETUP_CFG: SetupCfg,
    Kind.CARGO: TomlFile,
}

_CODE = (Kind.CUDA, Kind.CPP, Kind.RUST)


def parse(source: SourceFile, kind: Kind) -> Document:
    """Parse a file. Raises UnreadableSource when that cannot be done."""
    if kind is Kind.PYTHON:
        return python.parse(source)
    if kind is Kind.NOTEBOOK:
        return notebook.parse(source)
    if kind in _CODE:
        check_depth(source, kind)
    return _DOCUMENTS[kind](source, kind)


_CHECKED = 3_000
"""Bytes up to which a Python file in which no rule can match is still checked for syntax. Parsing all the others
too would take longer than everything else a scan does, and could find nothing."""


def check(source: SourceFile, kind: Kind) -> bool:
    """Raise UnreadableSource if a file in which no rule can match is broken; False if that was not looked into."""
    if kind is Kind.PYTHON:
        _ = source.encoding
        if len(source.data) > _CHECKED:
            return False
        python.check_syntax(source)
    elif kind in (Kind.PYPROJECT, Kind.CARGO):
        parse(source, kind)
    else:
        _ = source.view
    return True
