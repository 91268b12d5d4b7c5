"""Which file of the tree an ``#include`` means, where that is certain."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator
from functools import lru_cache

from rewarp.lang.cpp.directives import Directive, Node, walk
from rewarp.lang.cpp.includes import Headers
from rewarp.verify.isolation.file_verdict import Side
from rewarp.verify.isolation.roles import Role, role_of
from rewarp.verify.isolation.tree import Trees
from rewarp.workspace import Tree

_FIRST = re.compile(rb"#[ \t]*include[ \t]*[<\"]([\w+-]+)[/.>]")


def included(node: Directive) -> tuple[str, bool] | None:
    """The path as written and whether it is quoted; None where a macro names it."""
    if node.word != "include" or not node.tokens:
        return None
    first = node.tokens[0]
    if first.kind == "string" and len(node.tokens) == 1 and first.text.startswith('"'):
        return first.text[1:-1], True
    if first.text == "<" and node.tokens[-1].text == ">":
        return "".join((" " if at and token.spaced else "") + token.text for at, token in enumerate(node.tokens))[
            1:-1
        ], False
    return None


@lru_cache(maxsize=4)
def headers(tree: Tree) -> Headers:
    return Headers(tree.entries)


def resolve(node: Directive, path: str, nodes_before: tuple[Node, ...], trees: Trees, side: Side) -> str | None:
    """The file that a file includes: beside it, or below a folder from which it included before this change."""
    found = included(node)
    if found is None:
        return None
    text, quoted = found
    here = posixpath.normpath(posixpath.join(posixpath.dirname(path), text))
    entries = trees.side(side).entries
    if quoted and here in entries:
        return here
    candidates = headers(trees.side(side)).ending_with(text)
    if len(candidates) != 1 or not text:
        return None
    root = candidates[0][: -len(text)]
    return candidates[0] if root in _roots(path, nodes_before, trees) else None


def _roots(path: str, nodes: tuple[Node, ...], trees: Trees) -> Iterator[str]:
    """Folders below which files were found that this one included: the build passes them."""
    entries = trees.before.entries
    for node in walk(nodes):
        found = included(node)
        if found is None or posixpath.normpath(posixpath.join(posixpath.dirname(path), found[0])) in entries:
            continue
        candidates = headers(trees.before).ending_with(found[0])
        if len(candidates) == 1:
            yield candidates[0][: -len(found[0])]


@lru_cache(maxsize=2)
def outside_roots(trees: Trees) -> frozenset[str]:
    """The first folders (or the files) of includes that no file of the project answers."""
    paths = trees.paths("before")
    found: set[str] = set()
    for path in paths:
        data = trees.read(path, "before") if role_of(path) is Role.C else None
        found.update(os.fsdecode(match[1]) for match in _FIRST.finditer(data or b""))
    own = {part.partition(".")[0] for path in paths for part in path.split("/")}
    return frozenset(found - own)
