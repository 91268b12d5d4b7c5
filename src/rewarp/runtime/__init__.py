"""The one small file that a port may add to a project, cut down to what the project uses."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rewarp import __version__

HELPER_MODULE = "rewarp_runtime"
_HEADER = re.compile(rb"# Vendored from rewarp \S+ .*\n# SPDX\S+ .*\n# digest (\w+)\n")


@dataclass(frozen=True)
class _Definition:
    """A statement of the helper, with the comments above it."""

    binds: frozenset[str]
    reads: frozenset[str]
    text: str


def public_names() -> list[str]:
    """What a project may import from the helper."""
    names = (
        name
        for part in _definitions()
        if not part.text.lstrip().startswith(("import ", "from "))
        for name in part.binds
    )
    return sorted(name for name in names if not name.startswith("_"))


def helper(names: Iterable[str]) -> bytes:
    """The helper with these names and what they need, and nothing else."""
    wanted = set(names)
    unknown = wanted.difference(public_names())
    if unknown or not wanted:
        raise ValueError(f"the helper has no {sorted(unknown)}" if unknown else "no names: no helper")
    kept = _closure(wanted)
    texts = [part.text for part in _definitions() if part in kept]
    imports = ("import ", "from ")
    for at, (above, text) in enumerate(zip(texts, texts[1:]), 1):
        if above.lstrip().startswith(imports) and not text.startswith(("\n", *imports)):
            texts[at] = "\n" + text
    parts = "".join(texts).lstrip("\n")
    apart = "\n" if parts.startswith(("def ", "class ", "@")) else ""
    body = f"{_docstring()}\nfrom __future__ import annotations\n\n{apart}{parts}"
    data = body.encode()
    return _header(data) + data


def provided(data: bytes) -> frozenset[str]:
    """The names that a helper, vendored earlier and perhaps changed since, defines."""
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError):
        return frozenset()
    return frozenset(name for node in tree.body for name in _binds(node))


def is_untouched(data: bytes) -> bool:
    """Whether a vendored helper is as rewarp, this version or another, wrote it."""
    header = _HEADER.match(data)
    return header is not None and header[1].decode() == _digest(data[header.end() :])


def _header(body: bytes) -> bytes:
    return (
        f"# Vendored from rewarp {__version__} (`rewarp port`), cut to what this project uses.\n"
        "# SPDX-License-Identifier: Apache-2.0\n"
        f"# digest {_digest(body)}\n"
    ).encode()


def _digest(body: bytes) -> str:
    # Checkouts on Windows may have other line ends.
    return hashlib.sha256(body.replace(b"\r\n", b"\n")).hexdigest()[:16]


def _closure(wanted: set[str]) -> set[_Definition]:
    kept: set[_Definition] = set()
    while True:
        more = {part for part in _definitions() if part.binds & wanted} - kept
        if not more:
            return kept
        kept |= more
        wanted = {name for part in more for name in part.reads}


@cache
def _source() -> str:
    return Path(__file__).with_name(f"{HELPER_MODULE}.py").read_text(encoding="utf-8")


def _docstring() -> str:
    return _source().partition("\n\n")[0] + "\n"


@cache
def _definitions() -> tuple[_Definition, ...]:
    lines = _source().splitlines(keepends=True)
    found: list[_Definition] = []
    end = 0
    for node in ast.parse(_source()).body:
        text = "".join(lines[end : node.end_lineno])
        end = node.end_lineno or end
        is_docstring = isinstance(node, ast.Expr)
        if not is_docstring and not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            found.append(_Definition(frozenset(_binds(node)), _reads(node), text))
    return tuple(found)


def _binds(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
    elif isinstance(node, (ast.Assign, ast.AnnAssign)):
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            yield from (name.id for name in ast.walk(target) if isinstance(name, ast.Name))


def _reads(node: ast.stmt) -> frozenset[str]:
    return frozenset(part.id for part in ast.walk(node) if isinstance(part, ast.Name))
