"""Which files of C include which, in one tree."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from rewarp.lang.cpp.includes import IncludeMap
from rewarp.source import SourceFile
from rewarp.verify.isolation.roles import Role, role_of
from rewarp.workspace import Tree

_maps: WeakKeyDictionary[Tree, IncludeMap] = WeakKeyDictionary()


def _include_map(tree: Tree) -> IncludeMap:
    if tree not in _maps:
        paths = [path for path in tree.entries if role_of(path) is Role.C]
        tree.load(paths)
        _maps[tree] = IncludeMap.of(SourceFile(path, data) for path in paths if (data := tree.read(path)) is not None)
    return _maps[tree]


def users(tree: Tree, path: str) -> set[str]:
    """A file and all that include it, however far away; by names alone, so rather too many."""
    return set(_include_map(tree).reaching([path]) & tree.entries.keys())
