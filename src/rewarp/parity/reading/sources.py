"""What parity reads of a tree: contents by path, and for those that could not be had, the reason."""

from __future__ import annotations

from collections.abc import Iterable

from rewarp.workspace import Tree

_LARGEST = 4_000_000
"""Bytes; larger sources are generated or data."""


def read(tree: Tree, paths: Iterable[str]) -> tuple[dict[str, bytes], dict[str, str]]:
    wanted = list(paths)
    unread: dict[str, str] = {}
    for path in wanted:
        entry = tree.entries.get(path)
        if entry is not None and entry.size > _LARGEST:
            unread[path] = f"larger than {_LARGEST // 1_000_000} MB"
        elif entry is None or entry.nature != "file":
            unread[path] = "a symbolic link: not followed" if entry and entry.nature == "symlink" else tree.why(path)
    tree.load(path for path in wanted if path not in unread)
    found: dict[str, bytes] = {}
    for path in wanted:
        if path not in unread:
            data = tree.read(path)
            if data is None:
                unread[path] = tree.why(path)
            else:
                found[path] = data
    return found, unread
