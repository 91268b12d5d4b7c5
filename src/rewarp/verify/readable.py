"""Files that cannot be read: which of them are broken, and which only cannot be read here."""

from __future__ import annotations

import re
import sys

from rewarp import api
from rewarp.errors import RewarpError
from rewarp.findings import Failed, Skipped
from rewarp.lang.kinds import CPP_KINDS, Kind, kind_of_path
from rewarp.lang.parsing import parse
from rewarp.lang.toml import TomlFile
from rewarp.source import SourceFile
from rewarp.translation.tree import TranslatedTree
from rewarp.verify.checks import Check, Level, Outcome

READABLE = "every source file can be read and parsed"
_TEMPLATE = re.compile(rb"\{\{[^{}\n]{1,200}\}\}|\{%-?[ \t]*\w")
_NEWER = (
    ((3, 12), re.compile("f-string"), re.compile(rb"\b[rR]?[fF][rR]?[\"']")),
    (
        (3, 12),
        re.compile(""),
        re.compile(rb"[ \t]*(?:type[ \t]+\w+[^=\n(]*=|(?:async[ \t]+)?def[ \t]+\w+[ \t]*\[|class[ \t]+\w+[ \t]*\[)"),
    ),
    ((3, 14), re.compile("parenthesized"), re.compile(rb"[ \t]*except\*?[ \t]+[\w.]+[ \t]*,")),
)
"""Since when Python takes a line, what an older one says of it, and how the line looks."""
_OLDER = re.compile(
    r"Missing parentheses in call to '(?:print|exec)'|leading zeros in decimal|multiple exception types must be parenthesized"
)
"""What Python 3 says of Python 2."""
_PYTHON_WANTED = re.compile(r">=?\s*(\d+)\.(\d+)")


def readable(report: api.ScanReport, tree: TranslatedTree) -> list[Check]:
    checks = []
    for item in report.result.outcomes:
        if isinstance(item, Failed):
            excuse = _excuse(item, report, tree)
            outcome = Outcome.NOT_CHECKED if excuse else Outcome.FAILED
            reason = f"{excuse}: {item.reason}" if excuse else item.reason
            checks.append(Check(Level.STATIC, READABLE, outcome, reason, item.path, item.line))
        elif isinstance(item, Skipped):
            checks.append(Check(Level.STATIC, READABLE, Outcome.NOT_CHECKED, item.reason, item.path))
    return checks or [Check(Level.STATIC, READABLE, Outcome.PASSED)]


def _excuse(item: Failed, report: api.ScanReport, tree: TranslatedTree) -> str | None:
    """Why a file that cannot be read is not held to be broken."""
    try:
        data = tree.place(item.path).read_bytes()
    except OSError:
        return None
    if _is_template(item.path, data):
        return "a template, which says nothing until it is filled in"
    if role := report.project.roles.get(item.path):
        return f"no part of the package ({role})"
    if kind_of_path(item.path) is not Kind.PYTHON:
        return None
    if _OLDER.search(item.reason):
        return "Python 2, which nothing here reads"
    lines = data.splitlines()
    line = lines[item.line - 1] if item.line and item.line <= len(lines) else b""
    needed = max(
        (since for since, says, looks in _NEWER if says.search(item.reason) and looks.search(line)), default=None
    )
    wanted = _wanted(tree)
    for version in (needed, wanted):
        if version and version > sys.version_info[:2]:
            return (
                f"it is for Python {version[0]}.{version[1]}, and this is {sys.version_info[0]}.{sys.version_info[1]}"
            )
    return None


def _wanted(tree: TranslatedTree) -> tuple[int, int] | None:
    """The Python that the project says it needs."""
    path = "pyproject.toml"
    try:
        document = parse(SourceFile(path, tree.place(path).read_bytes()), Kind.PYPROJECT)
    except (OSError, RewarpError):
        return None
    if not isinstance(document, TomlFile):
        return None
    texts = (item.value for item in document.strings if item.path[-1:] == ("requires-python",))
    found = _PYTHON_WANTED.search(next(texts, ""))
    return (int(found[1]), int(found[2])) if found else None


def _is_template(path: str, data: bytes) -> bool:
    """Whether a manifest is for Jinja, Cookiecutter or their like to write another from. In programs such braces mean something
    else."""
    if kind_of_path(path) in (Kind.PYTHON, Kind.NOTEBOOK, Kind.RUST, *CPP_KINDS):
        return False
    return _TEMPLATE.search(data) is not None
