"""Shapes that many environment rules share."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from rewarp.lang.cmake import CMakeFile
from rewarp.lang.document import Command, Document, EnvSet, Word
from rewarp.lang.kinds import Kind
from rewarp.lang.notebook import NotebookFile
from rewarp.lang.python import PythonFile
from rewarp.lang.shell import ShellFile, split_command
from rewarp.registry import Hit
from rewarp.rules._files import by_side
from rewarp.rules._processes import is_left_to_a_shell

ENV_KINDS = (
    Kind.PYTHON,
    Kind.NOTEBOOK,
    Kind.SHELL,
    Kind.DOTENV,
    Kind.DOCKERFILE,
    Kind.COMPOSE,
    Kind.ACTIONS,
    Kind.YAML,
    Kind.CONDA,
    Kind.MAKE,
    Kind.SETUP_CFG,
)
"""Every kind of file that can set an environment variable."""

_WRAPPERS = frozenset(
    "watch timeout srun mpirun mpiexec torchrun docker podman kubectl ssh xargs taskset numactl stdbuf unbuffer nice "
    "bash sh zsh eval trap then time exec strace setsid screen tmux conda uv poetry".split()
)


_MISSING = ("FileNotFoundError", "OSError", "IOError", "EnvironmentError")


def sets_of(document: Document, *names: str) -> list[EnvSet]:
    """Where the file sets one of these variables for real."""
    return [item for item in document.env_sets if item.name in names and not _pretended(item)]


def _pretended(item: EnvSet) -> bool:
    """Whether a test only makes believe that a variable is set, as ``monkeypatch.setenv`` does."""
    call = item.where
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "setenv"


def only_named(document: Document, name: str, *twins: str) -> Iterator[EnvSet]:
    """Where a variable is set in a file that sets none of its twins for the target."""
    if not sets_of(document, *twins):
        yield from sets_of(document, name)


def set_text(document: Document, item: EnvSet) -> str:
    """The value a variable gets, or the source text of the place where it is not a literal."""
    if item.value is not None:
        return item.value
    span = document.span(item)
    return document.source.text(span)


def neutral(document: Document, hits: Iterator[Hit]) -> Iterator[Hit]:
    """Hits in files that are for no other platform; on the NVIDIA side they inform."""
    return by_side(document, hits, real=False)


def runs(command: Command, *programs: str) -> Word | None:
    """The word by which a command runs one of these programs, itself or through a wrapper such as ``srun``."""
    if command.name in programs:
        return command.words[0]
    if command.name not in _WRAPPERS:
        return None
    for word in command.words[1:]:
        if word.text.rpartition("/")[2] in programs:
            return word
        if " " in word.text and any(part[0].rpartition("/")[2] in programs for part in split_command(word.text)):
            return word
    return None


def failure_is_handled(document: Document, command: Command) -> bool:
    """Whether the code around a command expects that the program may be missing."""
    if isinstance(document, (ShellFile, CMakeFile)):
        # Whoever throws its errors away expects them.
        line = document.source.line_text(document.source.line_at(document.span(command).start))
        return document.failure_is_handled(command) or re.search(r"(2|&)>\s*/dev/null", line) is not None
    if not isinstance(document, PythonFile):
        return False
    if not isinstance(command.where, ast.AST):
        return isinstance(document, NotebookFile) and document.failure_is_handled(command)
    starts = document.started_in(command.where) if isinstance(command.where, ast.Call) else command.where
    if any(
        document.caught(place, *_MISSING, "CalledProcessError", "SubprocessError") for place in (command.where, starts)
    ):
        return True
    if isinstance(command.where, ast.Call) and is_left_to_a_shell(document, command.where):
        return True
    child: ast.AST = command.where
    for ancestor in document.ancestors(child):
        if isinstance(ancestor, (ast.If, ast.IfExp)) and child is not ancestor.test:
            if any(document.path(node) == "shutil.which()" for node in ast.walk(ancestor.test)):
                return True
        child = ancestor
    return False


def goes_on_without(document: Document, command: Command) -> bool:
    """Whether nothing changes where a command that only shows or prepares something cannot run."""
    ignored = isinstance(document, ShellFile) and document.failure_is_ignored(command)
    return ignored or failure_is_handled(document, command)


def exclusive(document: Document, one: Any, other: Any) -> bool:
    """Whether two places cannot both run: other arms of an ``if``, other functions, other jobs."""
    one, other = getattr(one, "where", one), getattr(other, "where", other)
    if isinstance(document, ShellFile):
        return document.exclusive(one, other)
    if not isinstance(document, PythonFile):
        return False
    if not isinstance(one, ast.AST) or not isinstance(other, ast.AST):
        return False
    if document.scope(one) is not document.scope(other):
        return True
    arms = dict(_arms(document, one))
    return any(arms.get(test, arm) is not arm for test, arm in _arms(document, other))


def _arms(document: PythonFile, node: ast.AST) -> Iterator[tuple[ast.AST, bool]]:
    child = node
    for ancestor in document.ancestors(node):
        if isinstance(ancestor, ast.If):
            yield ancestor, child in ancestor.body
        child = ancestor
