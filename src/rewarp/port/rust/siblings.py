"""Siblings for AMD in files that several back ends share: every item, variant, field, arm, import and branch that names
CUDA gets one beside it that names ROCm. Nothing that stands there is changed: what is made is only put in."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rewarp.lang.rust_groups import Group, groups
from rewarp.lang.rust_tree import line, parse, text
from rewarp.port.rust.renaming import BINDING, SUPPLIED, Renaming

if TYPE_CHECKING:
    from tree_sitter import Node

_NAMED = {
    "function_item": "functions",
    "function_signature_item": "functions",
    "struct_item": "types",
    "enum_item": "types",
    "union_item": "types",
    "trait_item": "types",
    "type_item": "types",
    "const_item": "constants",
    "static_item": "constants",
    "associated_type": "types",
    "macro_definition": "macros",
    "mod_item": "modules",
}
_LISTED = {"enum_variant": "variants", "field_declaration": "fields", "field_initializer": "fields"}
_STATEMENTS = ("expression_statement", "macro_invocation", "block", "if_expression", "match_expression")
_GATE = b'#[cfg(feature = "rocm")]'
_CUDAS = b'#[cfg(feature = "cuda")]'
_TRAITS = frozenset({"DevicePtr", "DevicePtrMut", "DeviceRepr", "DeviceSlice", "HostSlice", "PushKernelArg"})
_BINDING_PATH = re.compile(rf"\b{BINDING}::(\w+)")
_VARIANT = re.compile(r"((?:\w+::)+)Cuda\b")
_REGISTERED = re.compile(r"\bwrap_pyfunction!\s*\(\s*(\w+)|\badd_class::<\s*(\w+)")
_META = re.compile(r"\$(\w+)\s*:\s*ident")
_METAVARIABLE = re.compile(rb"\$(?=\w)")
_BINDS_NOTHING = re.compile(r'(?:\w+::)+\w+(?:\((?:_|\.\.)\)|\s*\{\s*\.\.\s*\})?|"[^"]*"')
_PTX = (b"&'static str", b"&'static [u8]"), (b"ptx.rs", b"hsaco.rs")


@dataclass(frozen=True)
class Twinless:
    """What has no twin: cargo features, and names of modules and crates."""

    features: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()

    def named_in(self, code: str) -> str | None:
        """The first thing without a twin that code names."""
        for module in _BINDING_PATH.findall(code):
            if module not in SUPPLIED:
                return f"{BINDING}::{module}"
        found = [name for name in self.names if re.search(rf"\b{re.escape(name)}\s*::", code)]
        return min(found, default=None)


@dataclass(frozen=True)
class Left:
    """A place that names CUDA and got no sibling."""

    line: int
    what: str
    why: str


@dataclass
class Siblings:
    """A file with its siblings put in."""

    data: bytes
    made: Counter[str] = field(default_factory=Counter)
    modules: list[str] = field(default_factory=list)
    """The modules with files of their own that got a sibling."""
    left: list[Left] = field(default_factory=list)
    widened: list[tuple[int, str]] = field(default_factory=list)
    """Public enums with one variant more, that code outside may match in full: their lines and names."""


def with_siblings(
    data: bytes,
    renaming: Renaming,
    twinless: Twinless,
    *,
    gated: bool = False,
    call: str | None = None,
    delegated: Iterable[tuple[int, bytes]] | None = None,
) -> Siblings:
    """``gated``: what is put in stands behind the feature, as nothing else says that it is AMD's. ``call``: the function that
    the crate needed CUDA for in every build. What needs it gets the feature cuda for a condition, and on AMD it can fail. ``delegated``:
    where calls of another crate are put in, which does the same on AMD: nothing gets a sibling then."""
    tree, seen = parse(data)
    work = _Work(seen, data, renaming, twinless, gated, call=call)
    work.delegated = delegated is not None
    if tree.root_node.has_error:
        if renaming.concern(data):
            work.left.append(Left(1, "the file", "it was not read to the end"))
        return Siblings(data, left=work.left)
    work.listed(tree.root_node)
    work.insertions += delegated or ()
    made = data
    for at, new in sorted(work.insertions, key=lambda put: put[0], reverse=True):
        made = made[:at] + new + made[at:]
    return Siblings(made, work.made, work.modules, work.left, work.grown)


class _Work:
    def __init__(
        self,
        seen: bytes,
        data: bytes,
        renaming: Renaming,
        twinless: Twinless,
        gated: bool,
        shift: int = 0,
        call: str | None = None,
    ) -> None:
        self.seen, self.data, self.renaming, self.twinless, self.gated = seen, data, renaming, twinless, gated
        self.shift, self.call, self.delegated = shift, call, False
        self.meta = b""
        """The metavariable that what a macro makes can be named after; empty outside macros."""
        self.insertions: list[tuple[int, bytes]] = []
        self.made: Counter[str] = Counter()
        self.modules: list[str] = []
        self.left: list[Left] = []
        self.grown: list[tuple[int, str]] = []

    # --- lists of constructs --------------------------------------------------------------

    def listed(self, container: Node) -> None:
        for group in groups(container):
            if not group.left_out(self.twinless.features):
                self.construct(group)

    def construct(self, group: Group) -> None:
        kind = group.node.type
        if kind in _NAMED:
            self.named(group)
        elif kind in _LISTED:
            self.member(group)
        elif kind == "use_declaration":
            self.imported(group)
        elif kind == "impl_item":
            self.implemented(group)
        elif kind == "match_arm":
            self.arm(group)
        elif kind == "expression_statement" and self.registers(group.node):
            self.double(group, "registrations")
        elif group.for_cuda and kind in _STATEMENTS:
            self.double(group, "statements")
        elif group.for_cuda:
            self.leave(group, "it would be there twice where both features are on")
        else:
            self.inside(group.node)

    def registers(self, statement: Node) -> bool:
        """Whether a statement offers to Python what has a sibling."""
        found = _REGISTERED.search(text(statement))
        return found is not None and self.renaming.changes((found[1] or found[2]).encode())

    def named(self, group: Group) -> None:
        node = group.node
        name = node.child_by_field_name("name")
        metavariable = self.meta and name is not None and self.own(name.start_byte - 1, name.start_byte) == b"$"
        if self.call and name is not None and node.type == "mod_item" and text(name) == self.call.partition("::")[0]:
            self.put(group.start, _CUDAS + b"\n")
            if not self.delegated:
                self.put(node.end_byte, b"\n" + _GATE + b"\nmod rocm_" + _bytes(name) + b";")
                self.made["modules"] += 1
        elif name is not None and node.type == "mod_item" and _body(node) and text(name) in self.twinless.names:
            self.leave(group, "the build script makes what is in it for CUDA alone")
        elif name is not None and self.renaming.changes(_bytes(name)):
            if metavariable:
                self.made_by_macro(group, name)
            elif self.double(group, _NAMED[node.type]) and node.type == "mod_item" and not _body(node):
                self.modules.append(text(name))
        elif group.for_cuda:
            self.leave(group, "another of the same name is chosen where CUDA is not built")
        elif node.type == "macro_definition":
            self.macro(node)
        else:
            self.inside(node)

    def member(self, group: Group) -> None:
        name = group.node.child_by_field_name("name") or group.node.child_by_field_name("field")
        if name is not None and self.renaming.changes(_bytes(name)):
            if self.double(group, _LISTED[group.node.type]) and (enum := _open_enum(group.node)) is not None:
                self.grown.append((line(enum), text(enum.child_by_field_name("name"))))
        elif group.for_cuda:
            self.leave(group, "another of the same name is chosen where CUDA is not built")
        else:
            self.inside(group.node)

    def implemented(self, group: Group) -> None:
        of = group.node.child_by_field_name("type")
        if of is not None and self.renaming.concern(_bytes(of)):
            self.double(group, "implementations")
        else:
            self.inside(group.node)

    def imported(self, group: Group) -> None:
        argument = group.node.child_by_field_name("argument")
        if argument is None or not self.renaming.concern(_bytes(argument)):
            return
        leaves = list(_leaves(argument))
        changed = [leaf for leaf in leaves if self.renaming.changes(_bytes(leaf))]
        if self.call and not changed and all(text(leaf) in _TRAITS for leaf in leaves):
            self.methods(group, leaves)
        elif not changed:
            if group.for_cuda and (missing := self.twinless.named_in(text(group.node))):
                self.leave(group, f"{missing} has no twin")
        elif len(changed) == len(leaves):
            self.double(group, "imports")
        elif any(self.renaming.concern(_bytes(prefix)) for prefix in _prefixes(argument)):
            self.leave(group, "it brings in names that are there already, from a place that is CUDA's")
        else:
            for leaf in changed:
                whole = leaf.parent if leaf.parent is not None and leaf.parent.type == "use_as_clause" else leaf
                self.put(whole.end_byte, b", " + self.renaming.twin(_bytes(whole)))
                self.made["imports"] += 1

    def methods(self, group: Group, leaves: list[Node]) -> None:
        """Traits of both layers that are there for their methods: the second needs no name."""
        twin = self.renaming.twin(self.own(group.node.start_byte, leaves[0].start_byte))
        rest, at = b"", leaves[0].start_byte
        for leaf in leaves:
            rest += self.own(at, leaf.end_byte) + b" as _"
            at = leaf.end_byte
        indent = self.indent(group.start)
        self.put(group.start, _CUDAS + b"\n" + indent)
        if self.delegated:
            return
        rest += self.own(at, group.node.end_byte)
        self.put(group.node.end_byte, b"\n" + indent + _GATE + b"\n" + indent + twin + rest)
        self.made["imports"] += 1

    # --- what is in code -------------------------------------------------------------------

    def inside(self, node: Node) -> None:
        for child in node.children:
            if child.type in (
                "declaration_list",
                "block",
                "enum_variant_list",
                "field_declaration_list",
            ) or child.type in ("match_block", "field_initializer_list"):
                self.listed(child)
            elif child.type == "if_expression":
                self.branch(child)
            elif child.type == "use_declaration":
                self.construct(Group(child, (), child.start_byte))
            elif child.child_count:
                self.inside(child)

    def arm(self, group: Group) -> None:
        pattern = group.node.child_by_field_name("pattern")
        assert pattern is not None
        if not self.renaming.concern(_bytes(pattern)):
            self.inside(group.node)
            return
        alternatives = _alternatives(pattern)
        changed = [one for one in alternatives if self.renaming.concern(_bytes(one))]
        value = group.node.child_by_field_name("value")
        alike = value is not None and not self.renaming.concern(_bytes(value)) and not group.attributes
        if len(changed) < len(alternatives) or (alike and all(_BINDS_NOTHING.fullmatch(text(one)) for one in changed)):
            for one in changed:
                self.put(one.end_byte, b" | " + self.renaming.twin(_bytes(one)))
                self.made["arms"] += 1
            self.inside(group.node)
        else:
            self.double(group, "arms")

    def branch(self, node: Node) -> None:
        condition, block = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
        other = node.child_by_field_name("alternative")
        assert condition is not None
        assert block is not None
        if not self.renaming.concern(_bytes(condition)):
            self.inside(node)
            return
        if other is not None:
            self.inside(other)
        if "cfg!" in text(condition) and not self.renaming.concern(_bytes(block)):
            why = "what it chooses at compile time does not say whether it is CUDA's alone"
            self.left.append(Left(line(node) + self.shift, f"if {text(condition)}", why))
            return
        put = [] if "let" in condition.type or self.renaming.concern(_bytes(block)) else self.widened(condition)
        if put:
            self.insertions += put
        else:
            twin = self.renaming.twin(_bytes(condition) + b" " + self.own(block.start_byte, block.end_byte))
            self.put(block.end_byte, b" else if " + twin)
            self.inside(block)
        self.made["branches"] += 1

    def widened(self, condition: Node) -> list[tuple[int, bytes]]:
        """What makes a condition hold for AMD too, operand by operand; nothing where that cannot be said so."""
        put = []
        for operand in _operands(condition):
            if not self.renaming.concern(_bytes(operand)):
                continue
            negated = operand.type == "unary_expression" and text(operand).startswith("!")
            joined = b" && " if negated else b" || "
            parent = operand.parent
            operator = (
                text(parent.child_by_field_name("operator")) if parent and parent.type == "binary_expression" else ""
            )
            if operator not in ("", joined.decode().strip()):
                return []
            put.append((operand.end_byte, joined + self.renaming.twin(_bytes(operand))))
        return put

    # --- macros ---------------------------------------------------------------------------

    def macro(self, node: Node) -> None:
        for rule in node.children:
            body = rule.child_by_field_name("right") if rule.type == "macro_rule" else None
            if body is None or not self.renaming.concern(_bytes(body)):
                continue
            first, last = body.start_byte + 1, body.end_byte - 1
            masked = _METAVARIABLE.sub(b" ", self.seen[first:last])
            tree, seen = parse(b" " * first + masked)
            if tree.root_node.has_error:
                self.left.append(Left(line(body), "a rule of a macro", "what it makes was not read"))
                continue
            inner = _Work(seen, self.data, self.renaming, self.twinless, self.gated, line(body) - 1)
            given = _META.search(text(rule.child_by_field_name("left")))
            inner.meta = b"$" + given[1].encode() if given else b""
            inner.listed(tree.root_node)
            self.insertions += inner.insertions
            self.made += inner.made
            self.left += inner.left

    def made_by_macro(self, group: Group, name: Node) -> None:
        """An item that a macro names after what it is given: there is no such name for AMD, so it gets a module."""
        if not group.for_cuda or group.node.type != "function_item":
            self.leave(group, "a macro names it")
            return
        indent = self.indent(group.start)
        head = [attribute for attribute in group.attributes if "cuda" not in text(attribute)]
        body = self.own(name.end_byte, group.node.end_byte).replace(b"\n", b"\n    ")
        parts = [
            *(b'#[cfg(feature = "rocm")]', b"mod " + self.meta + b" {", b"    use super::*;"),
            *(b"    " + self.renaming.twin(_bytes(attribute)) for attribute in head),
            b"    fn rocm" + self.renaming.twin(body),
            b"}",
        ]
        self.put(group.node.end_byte, b"\n\n" + indent + (b"\n" + indent).join(parts))
        self.made["tests made by macros"] += 1

    # --- putting in ------------------------------------------------------------------------

    def double(self, group: Group, kind: str) -> bool:
        node = group.node
        if missing := self.twinless.named_in(text(node)):
            self.leave(group, f"{missing} has no twin")
            return False
        if self.delegated:
            self.put(group.start, _CUDAS + b"\n" + self.indent(group.start))
            return True
        text_of = self.own(group.start, node.end_byte)
        complements = sorted((*self.complements(node), *self.failing(node)), key=lambda put: put[0])
        twin, at = b"", group.start
        for place, for_original, for_twin in complements:
            self.put(place, for_original)
            twin += self.renaming.twin(self.own(at, place)) + for_twin
            at = place
        twin += self.renaming.twin(self.own(at, node.end_byte))
        if b"ptx" in text_of:
            for old, new in _PTX:
                twin = twin.replace(old, new)
        indent = self.indent(group.start)
        if self.gated and not group.for_cuda:
            twin = _GATE + b"\n" + indent + twin
        if self.call and not group.for_cuda:
            self.put(group.start, _CUDAS + b"\n" + indent)
        gap = b"\n\n" if self.blank_before(group.start) else b"\n"
        end = node.end_byte
        if node.type in _LISTED:
            if self.seen[end : end + 1] == b",":
                self.put(end + 1, b"\n" + indent + twin + b",")
            else:
                self.put(end, b",\n" + indent + twin)
        elif node.type == "match_arm" and not text_of.rstrip().endswith((b",", b"}")):
            self.put(end, b",\n" + indent + twin)
        else:
            self.put(end, (b"\n" if kind in ("arms", "imports", "registrations") else gap) + indent + twin)
        self.made[kind] += 1
        return True

    def failing(self, node: Node) -> Iterator[tuple[int, bytes, bytes]]:
        """Calls of what cannot fail on NVIDIA and can on AMD."""
        for call in _descendants(node, "call_expression") if self.call else ():
            if text(call.child_by_field_name("function")) == self.call:
                yield call.start_byte, b"", b"rocm_"
                yield call.end_byte, b"", b"?"

    def complements(self, node: Node) -> Iterator[tuple[int, bytes, bytes]]:
        """Arms that matches within CUDA's own code need: they name every variant, and now there is one more."""
        for block in _descendants(node, "match_block"):
            arms = [child for child in block.children if child.type == "match_arm"]
            patterns = [text(arm.child_by_field_name("pattern")).strip() for arm in arms]
            cuda = next((found for found in map(_VARIANT.match, patterns) if found), None)
            others = [n for n, pattern in enumerate(patterns) if cuda and pattern.startswith(cuda[1] + "")]
            others = [n for n in others if "Cuda" not in patterns[n]]
            if cuda is None or not others or any(re.fullmatch(r"_|[a-z]\w*", pattern) for pattern in patterns):
                continue
            model, prefix = others[-1], cuda[1].encode()
            variant = re.match(r"\w+", patterns[model][len(cuda[1]) :])
            value = arms[model].child_by_field_name("value")
            if variant is None or value is None:
                continue
            old = variant[0].encode()
            start = b"\n" + self.indent(arms[model].start_byte) + prefix
            body = self.own(value.start_byte, value.end_byte)
            names = re.compile(rb"\b(?:" + old + b"|" + old.lower() + rb")\b")
            yield (
                arms[model].end_byte,
                start + b"Rocm { .. } => " + names.sub(b"rocm", body) + b",",
                start + b"Cuda { .. } => " + names.sub(b"cuda", self.renaming.twin(body)) + b",",
            )

    def leave(self, group: Group, why: str) -> None:
        first = text(group.node).strip().split("\n")[0]
        self.left.append(Left(line(group.node) + self.shift, first[:80], why))

    def put(self, at: int, new: bytes) -> None:
        self.insertions.append((at, new))

    def own(self, start: int, end: int) -> bytes:
        return self.data[start:end]

    def indent(self, at: int) -> bytes:
        start = self.data.rfind(b"\n", 0, at) + 1
        found = re.match(rb"[ \t]*", self.data[start:at])
        return found[0] if found else b""

    def blank_before(self, at: int) -> bool:
        return self.data[:at].rstrip(b" \t").endswith((b"\n\n", b"\n\r\n", b"{\n"))


def _bytes(node: Node) -> bytes:
    return node.text or b""


def _open_enum(variant: Node) -> Node | None:
    """The enum of a variant, where it is public and does not say that there will be more."""
    enum = variant.parent.parent if variant.parent is not None else None
    if enum is None or enum.type != "enum_item" or not text(enum).startswith("pub "):
        return None
    before = enum.prev_sibling
    while before is not None and before.type in ("attribute_item", "line_comment"):
        if "non_exhaustive" in text(before):
            return None
        before = before.prev_sibling
    return enum


def _body(node: Node) -> Node | None:
    return node.child_by_field_name("body")


def _descendants(node: Node, kind: str) -> Iterator[Node]:
    for child in node.children:
        if child.type == kind:
            yield child
        yield from _descendants(child, kind)


def _leaves(node: Node) -> Iterator[Node]:
    """The names that an import brings in."""
    if node.type in ("identifier", "self"):
        yield node
    elif node.type == "use_as_clause":
        alias = node.child_by_field_name("alias")
        yield from [alias] if alias is not None else []
    elif node.type in ("use_list", "scoped_use_list"):
        inner = node if node.type == "use_list" else node.child_by_field_name("list")
        for child in inner.named_children if inner is not None else ():
            yield from _leaves(child)
    elif node.type == "scoped_identifier":
        name = node.child_by_field_name("name")
        yield from [name] if name is not None else []


def _prefixes(node: Node) -> Iterator[Node]:
    """The paths before the braces of an import."""
    if node.type == "scoped_use_list":
        path = node.child_by_field_name("path")
        yield from [path] if path is not None else []
    for child in node.named_children:
        if child.type in ("use_list", "scoped_use_list"):
            yield from _prefixes(child)


def _alternatives(pattern: Node) -> list[Node]:
    found = pattern
    while found.type == "match_pattern" and found.named_child_count == 1:
        found = found.named_children[0]
    if found.type != "or_pattern":
        return [found]
    return [one for child in found.named_children for one in _alternatives(child)]


def _operands(condition: Node) -> Iterator[Node]:
    if condition.type == "binary_expression" and text(condition.child_by_field_name("operator")) in ("&&", "||"):
        for side in ("left", "right"):
            child = condition.child_by_field_name(side)
            if child is not None:
                yield from _operands(child)
    elif condition.type == "parenthesized_expression":
        for child in condition.named_children:
            yield from _operands(child)
    else:
        yield condition
