"""A twin as its project's own linter wants it: without empty branches, and with branches that became alike written once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rewarp.lang.rust_tree import parse, text

if TYPE_CHECKING:
    from tree_sitter import Node

_ALLOWED = b"#[allow(clippy::if_same_then_else)] // AMD has one way for both\n"
_ACTS = ("assignment_expression", "compound_assignment_expr", "macro_invocation", "try_expression", "let_condition")


def tidy(data: bytes) -> bytes:
    """Without branches that hold nothing; two branches that read alike now as one, or with a word to clippy where their
    condition does something."""
    tree, seen = parse(data)
    edits: list[tuple[int, int, bytes]] = []
    for found in _ifs(tree.root_node):
        block, other = found.child_by_field_name("consequence"), found.child_by_field_name("alternative")
        if block is None:
            continue
        statement = found.parent
        if other is None and not text(block)[1:-1].strip() and statement is not None and not _acts(found):
            if statement.type == "expression_statement":
                edits.append((*_line(seen, statement), b""))
        elif other is not None and _same(block, other) and (one := _one(block)) is not None and not _acts(found):
            edits.append((found.start_byte, found.end_byte, one))
        elif other is not None and _same(block, other) and (function := _function(found)) is not None:
            at = function.start_byte
            before = seen[seen.rfind(b"\n", 0, at) + 1 : at]
            edits.append((at, at, _ALLOWED + (b"" if before.strip() else before)))
    for start, end, new in sorted(set(edits), reverse=True):
        data = data[:start] + new + data[end:]
    return data


def _ifs(node: Node) -> Iterator[Node]:
    for child in node.children:
        if child.type == "if_expression":
            yield child
        yield from _ifs(child)


def _acts(branch: Node) -> bool:
    """Whether asking the condition may do something."""
    condition = branch.child_by_field_name("condition")
    waiting = [condition] if condition is not None else []
    while waiting:
        node = waiting.pop()
        if node.type in _ACTS:
            return True
        waiting += node.children
    return False


def _same(block: Node, other: Node) -> bool:
    """Whether the branch that is taken otherwise does the same."""
    last = next((child for child in other.children if child.type == "block"), None)
    return last is not None and _words(block) == _words(last)


def _one(block: Node) -> bytes | None:
    """The expression that a block is; None where it is more."""
    inner = [child for child in block.named_children if "comment" not in child.type]
    alone = len(inner) == 1 and not inner[0].type.endswith(("statement", "declaration", "item"))
    return inner[0].text if alone else None


def _words(node: Node) -> list[str]:
    return re.findall(r"\w+|\S", text(node))


def _function(node: Node) -> Node | None:
    found: Node | None = node
    while found is not None and found.type != "function_item":
        found = found.parent
    return found


def _line(seen: bytes, statement: Node) -> tuple[int, int]:
    start = seen.rfind(b"\n", 0, statement.start_byte) + 1
    end = seen.find(b"\n", statement.end_byte) + 1
    alone = end and not seen[start : statement.start_byte].strip() and not seen[statement.end_byte : end].strip()
    return (start, end) if alone else (statement.start_byte, statement.end_byte)
