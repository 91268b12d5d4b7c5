"""Crates that call a library which another crate of the workspace calls too, of another generation of NVIDIA's GPUs, say. On
AMD both would run the same kernel: the functions of the one delegate to those of the other."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rewarp.lang.rust_groups import groups
from rewarp.lang.rust_tree import named, parse, text
from rewarp.port.rust.attention import Interface
from rewarp.port.rust.manifests import Crate
from rewarp.port.tree import Tree

if TYPE_CHECKING:
    from tree_sitter import Node

_UNUSED = b'#![cfg_attr(feature = "rocm", allow(dead_code, unused_imports))]\n\n'
"""On AMD nothing asks for what only CUDA's calls need."""
_TENSOR = "&Tensor"


@dataclass(frozen=True)
class Function:
    """A function that a crate offers: its parameters with their types, and where its body begins."""

    parameters: Mapping[str, str]
    returns: str
    body: int

    def takes_part_of(self, other: Function) -> bool:
        return self.parameters.items() <= other.parameters.items() and self.returns == other.returns


@dataclass(frozen=True)
class Delegation:
    """What a crate delegates, and to which."""

    to: str
    calls: Mapping[str, tuple[tuple[int, bytes], ...]]
    """What is put into files, and where."""


def delegations(tree: Tree, crates: Mapping[str, Crate], supplied: Mapping[str, Interface]) -> dict[str, Delegation]:
    """The crates whose every function has one of the same name in another that takes nothing that it is not given."""
    offered = {name: _functions(tree.read(_root(crates[name])) or b"") for name in supplied}
    found: dict[str, Delegation] = {}
    for name, own in offered.items():
        for other, theirs in offered.items():
            wider = own.keys() < theirs.keys() and all(theirs[one].takes_part_of(own[one]) for one in own)
            if own and wider and supplied[name].kernels and supplied[name].kernels == supplied[other].kernels:
                if name not in _reached(crates, other) and other not in crates[name].dependencies.values():
                    calls = [(one.body, _call(other, key, one, theirs[key])) for key, one in own.items()]
                    root = _root(crates[name])
                    found[name] = Delegation(other, {root: ((_first(tree.read(root) or b""), _UNUSED), *calls)})
    return {name: one for name, one in found.items() if one.to not in found}


def _root(crate: Crate) -> str:
    return posixpath.join(crate.folder, "src/lib.rs")


def _reached(crates: Mapping[str, Crate], name: str) -> set[str]:
    reached: set[str] = set()
    waiting = [name]
    while waiting:
        new: Iterable[str] = crates[waiting.pop()].dependencies.values()
        new = [one for one in new if one in crates and one not in reached]
        reached.update(new)
        waiting += new
    return reached


def _first(data: bytes) -> int:
    return next(group.start for group in groups(parse(data)[0].root_node))


def _functions(data: bytes) -> dict[str, Function]:
    """Those that are public and whose first parameter is a tensor, which knows its device."""
    found: dict[str, Function] = {}
    for group in groups(parse(data)[0].root_node):
        node, body = group.node, group.node.child_by_field_name("body")
        if node.type == "function_item" and text(node).startswith("pub fn") and body is not None:
            found[text(node.child_by_field_name("name"))] = Function(
                _parameters(node.child_by_field_name("parameters")),
                _plain(node.child_by_field_name("return_type")),
                body.start_byte + 1,
            )
    return {} if any(next(iter(one.parameters.values()), "") != _TENSOR for one in found.values()) else found


def _parameters(node: Node | None) -> dict[str, str]:
    given = [child for child in named(node) if child.type == "parameter"]
    return {text(one.child_by_field_name("pattern")): _plain(one.child_by_field_name("type")) for one in given}


def _plain(node: Node | None) -> str:
    return re.sub(r"\s+", "", text(node))


def _call(to: str, name: str, own: Function, theirs: Function) -> bytes:
    arguments = ", ".join(theirs.parameters)
    lines = [
        '#[cfg(feature = "rocm")]',
        f"if {next(iter(own.parameters))}.device().is_rocm() {{",
        f"    return {to.replace('-', '_')}::{name}({arguments});",
        "}",
    ]
    return ("\n    " + "\n    ".join(lines)).encode()
