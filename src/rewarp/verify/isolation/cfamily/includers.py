"""Which files of C include which, in one tree."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from rewarp.lang.cpp.includes import IncludeMap
from rewarp.source import SourceFile
from rewarp.verify.isolation.roles import Role, role_of
from rewarp.workspace import Tree

_maps: WeakKeyDictionary[Tree, dict[str, set[str]]] = WeakKeyDictionary()


def _includers(tree: Tree) -> dict[str, set[str]]:
    """For each file of C those that include it."""
    if tree not in _maps:
        paths = [path for path in tree.entries if role_of(path) is Role.C]
        tree.load(paths)
        includes = IncludeMap.of(SourceFile(path, data) for path in paths if (data := tree.read(path)) is not None)
        found: dict[str, set[str]] = {}
        for file in includes:
            for target in includes.included_by(file):
                found.setdefault(target, set()).add(file)
        _maps[tree] = found
    return _maps[tree]


def users(tree: Tree, path: str) -> set[str]:
    """A file and all that include it, however far away; by names alone, so rather too many."""
    includers = _includers(tree)
    found, waiting = {path}, [path]
    while waiting:
        for user in includers.get(waiting.pop(), ()):
            if user not in found:
                found.add(user)
                waiting.append(user)
    return found & set(tree.entries)
