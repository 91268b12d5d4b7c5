"""Rust that names only ROCm, taken out: items, variants, fields, imports, arms and branches that no value of another
platform reaches. What is left is what was there before, or it is not proved."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rewarp.lang.rust_groups import Group, groups
from rewarp.lang.rust_tree import parse, text

if TYPE_CHECKING:
    from tree_sitter import Node

_NAME = re.compile(r"(?i)rocm|^hsaco$")
_VARIANT = re.compile(r"\b\w+::\w*Rocm\w*\b|^\"rocm\"$")
_ASKS = re.compile(r'^!?[\w.:&*()\s]*\b\w*rocm\w*\s*\(\s*\)$|^!?cfg!\(feature = "rocm"\)$')
_GATE = re.compile(r'#\[\s*cfg\s*\(\s*feature\s*=\s*"rocm"\s*\)\s*\]')
_REGISTERED = re.compile(r"(?i)\b(?:wrap_pyfunction!\s*\(|add_class::<)\s*\w*rocm")
_NAMED = frozenset(
    "function_item function_signature_item struct_item enum_item union_item trait_item type_item const_item static_item "
    "associated_type macro_definition mod_item".split()
)
_MEMBERS = ("enum_variant", "field_declaration", "field_initializer")


def without_rocm(data: bytes) -> tuple[bytes, list[str]]:
    """The file without what names only ROCm, and the public enums that have one variant more."""
    tree, seen = parse(data)
    if tree.root_node.has_error:
        return data, []
    work = _Work(seen)
    work.listed(tree.root_node)
    left = data
    for start, end in sorted(work.cuts, reverse=True):
        left = left[:start] + left[end:]
    return left, work.widened


class _Work:
    def __init__(self, seen: bytes) -> None:
        self.seen = seen
        self.cuts: list[tuple[int, int]] = []
        self.widened: list[str] = []

    def listed(self, container: Node) -> None:
        for group in groups(container):
            if self.only_rocm(group):
                self.cut(group)
            elif group.node.type == "use_declaration":
                self.imports(group.node)
            elif group.node.type == "match_arm":
                self.alternatives(group.node)
                self.inside(group.node)
            else:
                self.inside(group.node)

    def only_rocm(self, group: Group) -> bool:
        node = group.node
        if any(_GATE.fullmatch(condition) for condition in group.conditions):
            return True
        if node.type in _NAMED or node.type in _MEMBERS:
            name = node.child_by_field_name("name") or node.child_by_field_name("field")
            return name is not None and bool(_NAME.search(text(name)))
        if node.type == "expression_statement":
            return bool(_REGISTERED.search(text(node)))
        if node.type == "impl_item":
            of = node.child_by_field_name("type")
            return of is not None and bool(_NAME.search(text(of).partition("<")[0].rpartition("::")[2]))
        if node.type == "use_declaration":
            names = [text(leaf) for leaf in _leaves(node)]
            return bool(names) and all(_NAME.search(name) for name in names)
        if node.type == "match_arm":
            pattern = node.child_by_field_name("pattern")
            return pattern is not None and all(_VARIANT.search(text(one)) for one in _alternatives(pattern))
        return False

    def cut(self, group: Group) -> None:
        node, end = group.node, group.node.end_byte
        if node.type == "enum_variant":
            parent = node.parent.parent if node.parent is not None else None
            if parent is not None and text(parent).lstrip().startswith("pub"):
                self.widened.append(text(parent.child_by_field_name("name")))
        start = group.start
        if node.type in _MEMBERS:
            start, end = self.with_comma(start, end)
        self.cuts.append((start, end))

    def with_comma(self, start: int, end: int) -> tuple[int, int]:
        after = re.compile(rb"\s*,").match(self.seen, end)
        if after:
            return start, after.end()
        before = re.search(rb",\s*$", self.seen[:start])
        return (before.start() if before else start), end

    def imports(self, node: Node) -> None:
        for leaf in _leaves(node):
            if _NAME.search(text(leaf)):
                whole = leaf.parent if leaf.parent is not None and leaf.parent.type == "use_as_clause" else leaf
                before = re.search(rb",\s*$", self.seen[: whole.start_byte])
                start, end = whole.start_byte, whole.end_byte
                self.cuts.append((before.start(), end) if before else self.with_comma(start, end))

    def alternatives(self, arm: Node) -> None:
        pattern = arm.child_by_field_name("pattern")
        for one in _alternatives(pattern) if pattern is not None else ():
            if _VARIANT.search(text(one)):
                before = re.search(rb"\|\s*$", self.seen[: one.start_byte])
                if before:
                    self.cuts.append((before.start(), one.end_byte))

    def inside(self, node: Node) -> None:
        for child in node.children:
            if child.type in (
                "declaration_list",
                "block",
                "enum_variant_list",
                "field_declaration_list",
            ) or child.type in (
                "match_block",
                "field_initializer_list",
            ):
                self.listed(child)
            elif child.type == "use_declaration":
                self.imports(child)
            elif child.type == "if_expression":
                self.branch(child)
            elif child.child_count:
                self.inside(child)

    def branch(self, node: Node) -> None:
        condition, other = node.child_by_field_name("condition"), node.child_by_field_name("alternative")
        block = node.child_by_field_name("consequence")
        if condition is not None:
            self.operands(condition)
        if block is not None:
            self.listed(block)
        nested = next((child for child in other.children if child.type == "if_expression"), None) if other else None
        if other is None or nested is None:
            if other is not None:
                self.inside(other)
            return
        asked, then = nested.child_by_field_name("condition"), nested.child_by_field_name("consequence")
        rest = nested.child_by_field_name("alternative")
        if asked is not None and then is not None and _asks_for_rocm(asked):
            self.cuts.append((other.start_byte, then.end_byte))
            if rest is not None:
                self.inside(rest)
        else:
            self.branch(nested)

    def operands(self, condition: Node) -> None:
        for node in _binary(condition):
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            operator = text(node.child_by_field_name("operator"))
            if left is None or right is None or not _ASKS.match(text(right)):
                continue
            # False on other platforms, so that `||` adds nothing; or true there, so that `&&` takes nothing away.
            if (operator == "||") != text(right).startswith("!"):
                self.cuts.append((left.end_byte, right.end_byte))


def _asks_for_rocm(condition: Node) -> bool:
    """Whether a condition holds on ROCm only."""
    if condition.type == "let_condition":
        return bool(_VARIANT.search(text(condition.child_by_field_name("pattern"))))
    if condition.type == "binary_expression" and text(condition.child_by_field_name("operator")) == "&&":
        sides = (condition.child_by_field_name("left"), condition.child_by_field_name("right"))
        return any(side is not None and _asks_for_rocm(side) for side in sides)
    return bool(_ASKS.match(text(condition))) and not text(condition).startswith("!")


def _binary(node: Node) -> Iterator[Node]:
    if node.type == "binary_expression":
        yield node
    if node.type in ("binary_expression", "parenthesized_expression"):
        for child in node.named_children:
            yield from _binary(child)


def _leaves(node: Node) -> Iterator[Node]:
    """The names that an import brings in."""
    if node.type == "use_declaration":
        argument = node.child_by_field_name("argument")
        yield from _leaves(argument) if argument is not None else ()
    elif node.type in ("identifier", "self"):
        yield node
    elif node.type in ("use_as_clause", "scoped_identifier"):
        name = node.child_by_field_name("alias" if node.type == "use_as_clause" else "name")
        yield from [name] if name is not None else []
    elif node.type in ("use_list", "scoped_use_list"):
        inner = node if node.type == "use_list" else node.child_by_field_name("list")
        for child in inner.named_children if inner is not None else ():
            yield from _leaves(child)


def _alternatives(pattern: Node) -> list[Node]:
    found = pattern
    while found.type == "match_pattern" and found.named_child_count == 1:
        found = found.named_children[0]
    if found.type != "or_pattern":
        return [found]
    return [one for child in found.named_children for one in _alternatives(child)]
