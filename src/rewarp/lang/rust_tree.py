"""Rust text as a syntax tree, and where it does not parse."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Tree

_DYN_LIFETIME_FIRST = re.compile(rb"\bdyn\s+'\w+\s*\+")
_UNKNOWN = re.compile(rb"#\[(?:[^\[\]]|\[[^\[\]]*\])*\]|~")
_MOST_ERRORS = 20


@lru_cache(maxsize=1)
def _parser() -> Parser:
    import tree_sitter
    import tree_sitter_rust

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_rust.language()))


def parse(data: bytes) -> tuple[Tree, bytes]:
    """The tree of a file and the bytes it was read from, which are as many as were given.

    Three things are good Rust and unknown to the grammar: a lifetime as the first bound of `dyn`, attributes on arguments
    and patterns, and `~` in what a macro is given. They are blanked, the last two only where an error stands, so that
    `cfg` stays.
    """
    data = _DYN_LIFETIME_FIRST.sub(lambda found: b"dyn".ljust(len(found[0])), data)
    tree = _parser().parse(data)
    if tree.root_node.has_error:
        lines = {line for start, end in _error_rows(tree.root_node) for line in range(start - 1, end + 2)}
        blanked = _UNKNOWN.sub(
            lambda found: b" " * len(found[0]) if data.count(b"\n", 0, found.start()) in lines else found[0], data
        )
        second = _parser().parse(blanked)
        if not second.root_node.has_error:
            return second, blanked
    return tree, data


def _error_rows(node: Node) -> list[tuple[int, int]]:
    return [(found.start_point[0], found.end_point[0]) for found in error_nodes(node)]


def error_nodes(root: Node) -> list[Node]:
    """The outermost nodes that are errors, in file order."""
    found: list[Node] = []
    waiting = [root]
    while waiting and len(found) < _MOST_ERRORS:
        node = waiting.pop()
        if node.is_error or (node.is_missing and not _is_empty_bound(node)):
            found.append(node)
        elif node.has_error:
            waiting += reversed(node.children)
    return found


def _is_empty_bound(node: Node) -> bool:
    """`where D:,`, which is good Rust: a type that has to be nothing."""
    return node.type == "type_identifier" and node.parent is not None and node.parent.type == "trait_bounds"


def text(node: Node | None) -> str:
    return node.text.decode("utf-8", "replace") if node is not None and node.text is not None else ""


def line(node: Node) -> int:
    return node.start_point[0] + 1


def named(node: Node | None) -> list[Node]:
    """The named children that are code: no comments."""
    if node is None:
        return []
    return [child for child in node.named_children if child.type not in ("line_comment", "block_comment")]


def rules_of(definition: Node) -> tuple[tuple[str, str], ...]:
    """Pattern and body of every rule of a `macro_rules!`, without their brackets."""
    return tuple(
        (text(child.child_by_field_name("left"))[1:-1], text(child.child_by_field_name("right"))[1:-1])
        for child in named(definition)
        if child.type == "macro_rule"
    )


def last_segment(path: str) -> str:
    """`RocmStorage` of `crate::rocm::RocmStorage<'a, T>`."""
    return re.sub(r"<.*", "", path, flags=re.S).strip().rpartition("::")[2].strip()


_WRAPPERS = re.compile(r"^(?:Result|Option|Box|Arc|Rc|Cow|RefCell|Mutex|RwLock)\s*<(.*)>$", re.S)
_PREFIX = re.compile(r"^(?:&|\*const\b|\*mut\b|mut\b|dyn\b|impl\b|'\w+|\s)+")


def base_type(written: str) -> str:
    """The name of the type that a written type is about: `CudaStorage` of `Result<&'a mut crate::CudaStorage>`."""
    found = written
    while True:
        found = _PREFIX.sub("", found.strip())
        wrapped = _WRAPPERS.match(re.sub(r"^(?:\w+::)+(?=\w)", "", found))
        if wrapped is None:
            return found if found.startswith("Self::") else last_segment(found)
        found = _first_argument(wrapped[1])


def _first_argument(arguments: str) -> str:
    depth = 0
    for at, character in enumerate(arguments):
        if character in "<([":
            depth += 1
        elif character in ">)]":
            depth -= 1
        elif character == "," and depth == 0:
            return arguments[:at]
    return arguments
