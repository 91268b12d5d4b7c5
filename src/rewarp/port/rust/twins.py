"""Files that are CUDA's alone, carried over whole: renamed, without what has no twin."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rewarp.lang import rust_cfg as conditions
from rewarp.lang.rust_groups import Group, groups
from rewarp.lang.rust_tree import line, parse, text
from rewarp.port.rust.renaming import Renaming
from rewarp.port.rust.siblings import Left, Twinless
from rewarp.port.rust.stubs import said_once
from rewarp.port.rust.tidy import tidy

if TYPE_CHECKING:
    from tree_sitter import Node

_EXPORTED = re.compile(r"#\[\s*macro_export\b")


@dataclass
class Twin:
    """A file for AMD, and what of CUDA's it leaves out."""

    path: str
    data: bytes
    left: list[Left] = field(default_factory=list)


def module_files(declared_in: str, name: str, paths: Iterable[str]) -> str | None:
    """The file of a module that another file declares."""
    folder, base = posixpath.split(declared_in)
    if base not in ("lib.rs", "main.rs", "mod.rs"):
        folder = posixpath.join(folder, base.removesuffix(".rs"))
    known = set(paths)
    for path in (posixpath.join(folder, f"{name}.rs"), posixpath.join(folder, name, "mod.rs")):
        if path in known:
            return path
    return None


def whole(path: str, read: Callable[[str], bytes | None], paths: Iterable[str], twinless: Twinless) -> Iterator[str]:
    """A file of CUDA's and those of the modules in it, without those that a feature without a twin brings in."""
    data = read(path)
    if data is None:
        return
    yield path
    for group in groups(parse(data)[0].root_node):
        if group.node.type == "mod_item" and group.node.child_by_field_name("body") is None:
            name = text(group.node.child_by_field_name("name"))
            inner = module_files(path, name, paths)
            if inner is not None and not group.left_out(twinless.features):
                yield from whole(inner, read, paths, twinless)


def collisions(files: Iterable[bytes]) -> frozenset[bytes]:
    """Names in files of CUDA's that say nothing of CUDA and that a crate can have only once: exported macros, and methods
    that are added to types which stand elsewhere."""
    found: set[bytes] = set()
    trees = [parse(data)[0].root_node for data in files]
    own = {name for root in trees for name in _types(root)}
    for root in trees:
        for group in groups(root):
            node = group.node
            if node.type == "macro_definition" and any(map(_EXPORTED.match, group.conditions)):
                found.add(_name(node))
            of = node.child_by_field_name("type")
            if node.type == "impl_item" and node.child_by_field_name("trait") is None and of is not None:
                if text(of).partition("<")[0].rpartition("::")[2] not in own:
                    found |= {_name(inner) for inner in _functions(node)}
    return frozenset(found)


def gated_names(files: Iterable[bytes]) -> frozenset[bytes]:
    """Functions of shared files that are there for CUDA alone and whose names do not say so: beside them the twin needs a
    name of its own. One that is defined elsewhere too keeps its name, and gets no twin."""
    gated: set[bytes] = set()
    plain: set[bytes] = set()
    renaming = Renaming()
    for data in files:
        for group in _all_functions(parse(data)[0].root_node):
            name = _name(group.node)
            if group.for_cuda and renaming.concern(group.node.text or b"") and not _negated(group):
                gated.add(name)
            else:
                plain.add(name)
    return frozenset(gated - plain)


def _all_functions(node: Node) -> Iterator[Group]:
    for group in groups(node):
        if group.node.type == "function_item":
            yield group
        elif group.node.type in ("impl_item", "mod_item", "trait_item", "declaration_list"):
            body = group.node.child_by_field_name("body")
            yield from _all_functions(body) if body is not None else ()


def _negated(group: Group) -> bool:
    only = frozenset({conditions.CUDA})
    return any(conditions.holds(attribute, only) is True for attribute in group.conditions)


def twin_of(path: str, new_path: str, data: bytes, renaming: Renaming, twinless: Twinless) -> Twin:
    tree, seen = parse(data)
    if tree.root_node.has_error:
        return Twin(new_path, b"", [Left(1, path, "it was not read to the end")])
    cuts: list[tuple[int, int, bytes]] = []
    left: list[Left] = []
    _cut(tree.root_node, seen, twinless, cuts, left)
    made = data
    for start, end, new in sorted(cuts, reverse=True):
        made = made[:start] + new + made[end:]
    return Twin(new_path, said_once(tidy(renaming.twin(made))), left)


def _cut(node: Node, seen: bytes, twinless: Twinless, cuts: list[tuple[int, int, bytes]], left: list[Left]) -> None:
    for group in groups(node):
        if group.left_out(twinless.features):
            cuts.append((*_whole_lines(seen, group.start, group.node.end_byte), b""))
            features = " and ".join(sorted(group.features & twinless.features))
            left.append(Left(line(group.node), _first(group), f"the feature {features} has no twin"))
            continue
        for attribute in group.attributes:
            if conditions.holds(text(attribute), twinless.features) is True:
                cuts.append((*_whole_lines(seen, attribute.start_byte, attribute.end_byte), b""))
        missing = twinless.named_in(text(group.node)) if group.node.type in _LAST else None
        if missing is None:
            _cut(group.node, seen, twinless, cuts, left)
        elif not _smaller(group.node, twinless):
            why = f"{missing} has no twin: the path without it is taken"
            left.append(Left(line(group.node), _first(group), why))
            cuts.append((*_whole_lines(seen, group.start, group.node.end_byte), b""))
        else:
            _cut(group.node, seen, twinless, cuts, left)


_LAST = ("use_declaration", "expression_statement", "let_declaration", "if_expression", "function_item")


def _smaller(node: Node, twinless: Twinless) -> bool:
    """Whether something smaller within a construct is what names a thing without a twin."""
    for child in node.children:
        for group in groups(child):
            if group.node.type in _LAST and twinless.named_in(text(group.node)):
                return True
        if _smaller(child, twinless):
            return True
    return False


def _first(group: Group) -> str:
    return text(group.node).strip().split("\n")[0][:80]


def _whole_lines(seen: bytes, start: int, end: int) -> tuple[int, int]:
    """The lines of a construct, where it has them to itself."""
    first = seen.rfind(b"\n", 0, start) + 1
    last = seen.find(b"\n", end)
    if not seen[first:start].strip() and last >= 0 and not seen[end:last].strip():
        return first, last + 1
    return start, end


def _types(root: Node) -> Iterator[str]:
    for group in groups(root):
        if group.node.type in ("struct_item", "enum_item", "union_item", "type_item"):
            yield text(group.node.child_by_field_name("name"))


def _functions(implementation: Node) -> Iterator[Node]:
    body = implementation.child_by_field_name("body")
    for group in groups(body) if body is not None else ():
        if group.node.type == "function_item":
            yield group.node


def _name(node: Node) -> bytes:
    name = node.child_by_field_name("name")
    return (name.text or b"") if name is not None else b""
