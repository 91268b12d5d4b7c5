"""How large a port is: the lines that it adds and takes away, by what they are."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from typing import NamedTuple

from rewarp.lang.kinds import CPP_KINDS, Kind, kind_of_path
from rewarp.port.tree import Tree
from rewarp.port.writing.differences import differences
from rewarp.translation.changes import SUPPORT_HEADER
from rewarp.translation.shim_text import SHIM_HEADER
from rewarp.waves.support import HEADER as WAVES_HEADER

_BUILD = frozenset({Kind.CMAKE, Kind.MAKE})
_PACKAGING = frozenset({Kind.REQUIREMENTS, Kind.PYPROJECT, Kind.DOCKERFILE, Kind.COMPOSE, Kind.ACTIONS})
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")


class Lines(NamedTuple):
    added: int
    removed: int


def sizes(tree: Tree) -> dict[str, Lines]:
    """By path, the lines that differ from the disk."""
    return {path: _lines(tree.on_disk(path), tree.read(path)) for path in sorted(tree.changes())}


def by_kind(tree: Tree) -> Counter[str]:
    """The added lines by what they are, the most first."""
    found: Counter[str] = Counter()
    for path, lines in sizes(tree).items():
        found[kind_of_change(path, tree)] += lines.added
    return Counter(dict(found.most_common()))


def kind_of_change(path: str, tree: Tree) -> str:
    """What a changed file is, in words for a person."""
    kind, name = kind_of_path(path), posixpath.basename(path)
    if name in (SUPPORT_HEADER, WAVES_HEADER) or name == "rewarp_runtime.py":
        return "helpers"
    if path.startswith("hip_shim/") or name == SHIM_HEADER:
        return "alias headers"
    if kind in CPP_KINDS:
        return "HIP versions" if tree.on_disk(path) is None else "sources"
    if kind in _BUILD or name == "setup.py" or (".rocm" in name and "makefile" in name.lower()):
        return "build"
    return "packaging" if kind in _PACKAGING else "Python" if kind is Kind.PYTHON else "other"


def _lines(before: bytes | None, after: bytes | None) -> Lines:
    old, new = _LINE.findall(before or b""), _LINE.findall(after or b"")
    found = list(differences(old, new))
    return Lines(sum(end - begin for _, _, begin, end in found), sum(last - first for first, last, _, _ in found))
