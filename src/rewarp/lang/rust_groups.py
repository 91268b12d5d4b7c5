"""Rust constructs with the attributes and the documentation that stand before them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rewarp.lang import rust_cfg as conditions
from rewarp.lang.rust_tree import text

if TYPE_CHECKING:
    from tree_sitter import Node

_COMMENTS = ("line_comment", "block_comment")


@dataclass(frozen=True)
class Group:
    """An item, variant, field, arm or statement, from its first attribute on."""

    node: Node
    attributes: tuple[Node, ...]
    start: int

    @property
    def conditions(self) -> list[str]:
        return [text(attribute) for attribute in self.attributes]

    @property
    def features(self) -> frozenset[str]:
        """The features that decide whether it is compiled."""
        return frozenset().union(*(conditions.features(attribute) for attribute in self.conditions))

    @property
    def for_cuda(self) -> bool:
        return conditions.CUDA in self.features

    def left_out(self, absent: frozenset[str]) -> bool:
        """Whether it is there only with a feature that has no twin."""
        return any(conditions.holds(attribute, absent) is False for attribute in self.conditions)


def groups(container: Node) -> Iterator[Group]:
    """The constructs of a list, block or file, in their order."""
    attributes: list[Node] = []
    start: int | None = None
    for child in container.children:
        if child.type == "attribute_item":
            attributes.append(child)
            start = child.start_byte if start is None else start
        elif child.type in _COMMENTS and text(child).startswith(("///", "/**")):
            start = child.start_byte if start is None else start
        elif child.is_named and child.type not in (*_COMMENTS, "inner_attribute_item"):
            holds_its_own = child.type in ("match_arm", "field_initializer")
            own = tuple(inner for inner in child.children if holds_its_own and inner.type == "attribute_item")
            yield Group(child, (*attributes, *own), child.start_byte if start is None else start)
            attributes, start = [], None
        elif child.type in (",", ";", "{", "}"):
            attributes, start = [], None
