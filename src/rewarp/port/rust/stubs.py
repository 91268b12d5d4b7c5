"""Stub functions that share one body: written once, for a list of signatures. A back end that is not built is made of little
else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from rewarp.lang.rust_groups import groups
from rewarp.lang.rust_tree import parse, text

if TYPE_CHECKING:
    from tree_sitter import Node

NAME = "all_the_same"
_MACRO = b"""/// Functions that all do the same: their signatures, each in brackets.
macro_rules! all_the_same {
    ($body:block $([$($signature:tt)*])*) => { $($($signature)* $body)* };
}

"""
_FEWEST = 8
"""Fewer functions are told more plainly one by one."""
_WIDTH = 100


def said_once(data: bytes) -> bytes:
    """The file with the functions of each implementation that do the same behind one body."""
    tree, _ = parse(data)
    if tree.root_node.has_error or NAME.encode() in data:
        return data
    edits: list[tuple[int, int, bytes]] = []
    first: int | None = None
    for group in groups(tree.root_node):
        if group.node.type == "impl_item" and (found := list(_joined(group.node))):
            edits += [(len(data[:start].rstrip()) if end > start else start, end, new) for start, end, new in found]
            first = group.start if first is None else first
    if first is None:
        return data
    for start, end, new in sorted([*edits, (first, first, _MACRO)], reverse=True):
        data = data[:start] + new + data[end:]
    return data


def _joined(implementation: Node) -> Iterator[tuple[int, int, bytes]]:
    body = implementation.child_by_field_name("body")
    functions = [group for group in groups(body) if group.node.type == "function_item"] if body is not None else []
    plain = [one.node for one in functions if one.start == one.node.start_byte and not _remarked(one.node)]
    for same, alike in groupby(sorted(plain, key=_does), key=_does):
        nodes = list(alike)
        if body is None or len(nodes) < _FEWEST:
            continue
        for node in nodes:
            yield node.start_byte, node.end_byte, b""
        lines = [f"    {NAME}! {{", f"        {same}", *map(_signature, nodes), "    }"]
        yield body.end_byte - 1, body.end_byte - 1, "\n".join(lines).encode() + b"\n"


def _remarked(function: Node) -> bool:
    """Whether a comment stands in its signature or its body, which is said of it alone."""
    return "//" in text(function) or "/*" in text(function)


def _does(function: Node) -> str:
    return re.sub(r"\s+", " ", text(function.child_by_field_name("body")))


def _signature(function: Node) -> str:
    body = text(function.child_by_field_name("body"))
    line = re.sub(r",? \)", ")", re.sub(r"\s+", " ", text(function).removesuffix(body)).replace("( ", "(").strip())
    return "\n".join(_wrapped(f"        [{line}]"))


def _wrapped(line: str) -> Iterator[str]:
    while len(line) > _WIDTH:
        at = line.rfind(", ", 0, _WIDTH)
        if at < 0:
            break
        yield line[: at + 1]
        line = " " * 12 + line[at + 2 :]
    yield line
