"""One Rust file read: `read_file` is pure, and what it returns can be kept and sent to another process."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rewarp.errors import UnreadableSource
from rewarp.lang.rust_tree import base_type, error_nodes, last_segment, line, named, parse, rules_of, text
from rewarp.parity.rust.reading.facts import (
    Constant,
    FileFacts,
    Function,
    Impl,
    Macro,
    MacroUse,
    Member,
    Module,
    Parameter,
    SyntaxFault,
    Trait,
    Type,
)
from rewarp.parity.rust.reading.limits import check

if TYPE_CHECKING:
    from tree_sitter import Node

_CFG = re.compile(r"#!?\[\s*cfg\s*\((.*)\)\s*\]", re.S)
_FILE = re.compile(r"#\[\s*path\s*=\s*\"([^\"]*)\"")
_TEST = re.compile(r"(?<![\w=\"])test(?![\w\"])")
_DEEPEST = 200
"""Modules in modules; deeper ones are nobody's."""


@dataclass
class _Scope:
    """Where an item stands."""

    path: str
    module: tuple[str, ...] = ()
    cfg: tuple[str, ...] = ()
    owner: str = ""
    trait: str = ""
    generics: tuple[str, ...] = ()
    bounds: tuple[tuple[str, str], ...] = ()
    source: bytes = b""
    """The text that a macro wrote, where the items are read from it."""
    line: int = 0
    """The line where the macro is used."""
    local: Mapping[str, str] = field(default_factory=dict)
    """Types that stand inside a function, by the name that only its own code gives them."""


@dataclass
class _Found:
    functions: list[Function] = field(default_factory=list)
    impls: list[Impl] = field(default_factory=list)
    traits: list[Trait] = field(default_factory=list)
    types: list[Type] = field(default_factory=list)
    macros: list[Macro] = field(default_factory=list)
    macro_uses: list[MacroUse] = field(default_factory=list)
    constants: list[Constant] = field(default_factory=list)
    modules: list[Module] = field(default_factory=list)
    aliases: list[tuple[str, str]] = field(default_factory=list)


def read_file(path: str, data: bytes) -> FileFacts:
    """The declarations of a file; never fails."""
    try:
        check(data)
    except UnreadableSource as error:
        return FileFacts(path, faults=(SyntaxFault(1, f"is not read: {error}"),))
    tree, read = parse(data)
    found = _Found()
    scope = _Scope(path, cfg=tuple(_file_cfg(tree.root_node)))
    _items(tree.root_node, scope, found)
    faults = tuple(
        SyntaxFault(line(node), _fault(node, read)) for node in error_nodes(tree.root_node) if tree.root_node.has_error
    )
    return _facts(path, found, faults)


def read_items(source: str, use: MacroUse) -> FileFacts:
    """The declarations that a macro wrote."""
    data = source.encode()
    tree, _ = parse(data)
    found = _Found()
    # Everything that a macro writes stands where it is used.
    scope = _Scope(use.path, use.module, use.cfg, source=data, line=use.line)
    _items(tree.root_node, scope, found)
    return _facts(use.path, found, ())


def _facts(path: str, found: _Found, faults: tuple[SyntaxFault, ...]) -> FileFacts:
    return FileFacts(
        path,
        tuple(found.functions),
        tuple(found.impls),
        tuple(found.traits),
        tuple(found.types),
        tuple(found.macros),
        tuple(found.macro_uses),
        tuple(found.constants),
        tuple(found.modules),
        tuple(found.aliases),
        faults,
    )


def _fault(node: Node, data: bytes) -> str:
    if node.is_missing:
        return f"does not parse: {node.type!r} is missing"
    written = " ".join(data[node.start_byte : node.end_byte][:200].decode("utf-8", "replace").split())
    return f"does not parse near {written[:60]!r}"


def _file_cfg(root: Node) -> Iterator[str]:
    for child in root.children:
        if child.type == "inner_attribute_item" and (found := _CFG.match(text(child))):
            yield found[1]


def _with_attributes(node: Node) -> Iterator[tuple[Node, tuple[str, ...], str]]:
    """Children with the `cfg` conditions and the path that stand before them."""
    cfg: list[str] = []
    file = ""
    for child in node.named_children:
        if child.type == "attribute_item":
            written = text(child)
            if found := _CFG.match(written):
                cfg.append(found[1])
            if found := _FILE.search(written):
                file = found[1]
        elif child.type not in ("line_comment", "block_comment"):
            yield child, tuple(cfg), file
            cfg, file = [], ""


def is_for_tests(cfg: tuple[str, ...]) -> bool:
    return any(_TEST.search(condition) and "not(test" not in condition.replace(" ", "") for condition in cfg)


def _items(node: Node, scope: _Scope, found: _Found) -> None:
    for child, cfg, file in _with_attributes(node):
        if is_for_tests(cfg):
            continue
        inner = replace(scope, cfg=scope.cfg + cfg)
        if child.type == "ERROR":
            _items(child, inner, found)
        elif child.type == "expression_statement" or child.type == "macro_invocation":
            _macro_use(child, inner, found)
        elif (read := _READERS.get(child.type)) is not None:
            read(child, inner, found, file)


def _macro_use(node: Node, scope: _Scope, found: _Found) -> None:
    call = node if node.type == "macro_invocation" else next(iter(named(node)), None)
    if call is None or call.type != "macro_invocation":
        return
    arguments = next((text(child)[1:-1] for child in call.children if child.type == "token_tree"), "")
    name = last_segment(text(call.child_by_field_name("macro")))
    found.macro_uses.append(MacroUse(scope.path, _at(call, scope), name, arguments, scope.module, scope.cfg))


def _at(node: Node, scope: _Scope) -> int:
    # What a macro wrote has no lines of its own: it is where the macro is used.
    return scope.line if scope.source else line(node)


def _module(node: Node, scope: _Scope, found: _Found, file: str) -> None:
    name = text(node.child_by_field_name("name"))
    body = node.child_by_field_name("body")
    if body is None:
        found.modules.append(Module(name, scope.cfg, file))
    elif len(scope.module) < _DEEPEST:
        _items(body, replace(scope, module=(*scope.module, name)), found)


def _function(node: Node, scope: _Scope, found: _Found, _: str) -> None:
    found.functions.append(function_of(node, scope))
    _local_items(node, scope, found)


def _local_items(function: Node, scope: _Scope, found: _Found) -> None:
    """Types and their `impl`s inside a function: named after it, so that they are not taken for others."""
    body = function.child_by_field_name("body")
    inside = [child for child in named(body) if child.type in ("struct_item", "enum_item", "impl_item")]
    types = [text(child.child_by_field_name("name")) for child in inside if child.type != "impl_item"]
    if types and body is not None:
        local = {name: local_name(name, _at(function, scope)) for name in types}
        inner = replace(scope, owner="", trait="", generics=(), bounds=(), local=local)
        for child, cfg, _file in _with_attributes(body):
            if child.type in ("struct_item", "enum_item", "impl_item"):
                _READERS[child.type](child, replace(inner, cfg=scope.cfg + cfg), found, "")


def local_name(name: str, line: int) -> str:
    """What a type inside the function of a line is called everywhere else."""
    return f"{name}@{line}"


def function_of(node: Node, scope: _Scope) -> Function:
    """A function item or the signature of one."""
    parameters, takes_self = _parameters(node.child_by_field_name("parameters"))
    return Function(
        scope.path,
        _at(node, scope),
        text(node.child_by_field_name("name")),
        (node.start_byte, node.end_byte),
        source=scope.source[node.start_byte : node.end_byte],
        owner=scope.owner,
        trait=scope.trait,
        module=scope.module,
        parameters=parameters,
        takes_self=takes_self,
        returns=text(node.child_by_field_name("return_type")),
        generics=scope.generics + _generics(node),
        bounds=scope.bounds + _bounds(node),
        cfg=scope.cfg,
        is_public=any(child.type == "visibility_modifier" for child in node.children),
        has_body=node.child_by_field_name("body") is not None,
        is_broken=node.has_error and bool(error_nodes(node)),
    )


def _parameters(node: Node | None) -> tuple[tuple[Parameter, ...], bool]:
    found: list[Parameter] = []
    takes_self = False
    for child in named(node):
        if child.type == "self_parameter":
            takes_self = True
        elif child.type == "parameter":
            pattern = text(child.child_by_field_name("pattern"))
            if pattern == "self":
                takes_self = True
            else:
                is_mutable = any(part.type == "mutable_specifier" for part in child.children)
                found.append(Parameter(pattern, text(child.child_by_field_name("type")), is_mutable))
    return tuple(found), takes_self


def _generics(node: Node) -> tuple[str, ...]:
    parameters = node.child_by_field_name("type_parameters")
    return tuple(
        text(child.child_by_field_name("name") or child)
        for child in named(parameters)
        if child.type == "type_parameter"
    )


def _bounds(node: Node) -> tuple[tuple[str, str], ...]:
    found = [child for child in named(node.child_by_field_name("type_parameters")) if child.type == "type_parameter"]
    where = next((child for child in node.named_children if child.type == "where_clause"), None)
    found += [child for child in named(where) if child.type == "where_predicate"]
    return tuple(
        (text(child.child_by_field_name("name") or child.child_by_field_name("left")), text(bounds))
        for child in found
        if (bounds := child.child_by_field_name("bounds")) is not None
    )


def _impl(node: Node, scope: _Scope, found: _Found, _: str) -> None:
    written = text(node.child_by_field_name("type"))
    owner, trait = base_type(written), last_segment(text(node.child_by_field_name("trait")))
    owner = scope.local.get(owner, owner)
    generics = _generics(node)
    inner = replace(scope, owner=owner, trait=trait, generics=generics, bounds=_bounds(node))
    functions: list[Function] = []
    associated: list[tuple[str, str]] = []
    for child, cfg, _file in _with_attributes(node.child_by_field_name("body") or node):
        if child.type == "function_item" and not is_for_tests(cfg):
            functions.append(function_of(child, replace(inner, cfg=scope.cfg + cfg)))
            _local_items(child, replace(inner, cfg=scope.cfg + cfg), found)
        elif child.type == "type_item":
            associated.append((text(child.child_by_field_name("name")), text(child.child_by_field_name("type"))))
        elif child.type == "const_item":
            _constant(child, inner, found, "")
        elif child.type == "macro_invocation":
            _macro_use(child, inner, found)
    found.impls.append(
        Impl(
            scope.path,
            _at(node, scope),
            owner,
            trait,
            owner in generics,
            tuple(functions),
            tuple(associated),
            scope.cfg,
        )
    )


def _trait(node: Node, scope: _Scope, found: _Found, _: str) -> None:
    name = text(node.child_by_field_name("name"))
    inner = replace(scope, owner=name, trait=name, generics=_generics(node))
    functions = [
        function_of(child, replace(inner, cfg=scope.cfg + cfg))
        for child, cfg, _file in _with_attributes(node.child_by_field_name("body") or node)
        if child.type in ("function_item", "function_signature_item")
    ]
    found.traits.append(Trait(scope.path, _at(node, scope), name, tuple(functions)))


def _struct(node: Node, scope: _Scope, found: _Found, _: str) -> None:
    body = node.child_by_field_name("body")
    members: list[Member] = []
    if body is not None and body.type == "ordered_field_declaration_list":
        types = [child for child in named(body) if child.type not in ("visibility_modifier", "attribute_item")]
        members = [Member(str(place), text(child), _at(child, scope)) for place, child in enumerate(types)]
    elif body is not None:
        members = [
            Member(
                text(child.child_by_field_name("name")), text(child.child_by_field_name("type")), _at(child, scope), cfg
            )
            for child, cfg, _file in _with_attributes(body)
            if child.type == "field_declaration"
        ]
    name = text(node.child_by_field_name("name"))
    name = scope.local.get(name, name)
    found.types.append(Type(scope.path, _at(node, scope), name, False, tuple(members), scope.cfg))


def _enum(node: Node, scope: _Scope, found: _Found, _: str) -> None:
    members = [
        Member(text(child.child_by_field_name("name")), text(child.child_by_field_name("body")), _at(child, scope), cfg)
        for child, cfg, _file in _with_attributes(node.child_by_field_name("body") or node)
        if child.type == "enum_variant"
    ]
    name = text(node.child_by_field_name("name"))
    name = scope.local.get(name, name)
    found.types.append(Type(scope.path, _at(node, scope), name, True, tuple(members), scope.cfg))


def _macro(node: Node, scope: _Scope, found: _Found, _: str) -> None:
    found.macros.append(Macro(scope.path, _at(node, scope), text(node.child_by_field_name("name")), rules_of(node)))


def _constant(node: Node, scope: _Scope, found: _Found, _: str) -> None:
    value, name = node.child_by_field_name("value"), text(node.child_by_field_name("name"))
    if value is not None and value.text is not None:
        found.constants.append(Constant(scope.path, _at(node, scope), name, scope.module, value.text, scope.owner))


def _alias(node: Node, _scope: _Scope, found: _Found, _: str) -> None:
    found.aliases.append((text(node.child_by_field_name("name")), base_type(text(node.child_by_field_name("type")))))


def _use(node: Node, _scope: _Scope, found: _Found, _: str) -> None:
    waiting = [node]
    while waiting:
        child = waiting.pop()
        if child.type == "use_as_clause":
            path, alias = text(child.child_by_field_name("path")), text(child.child_by_field_name("alias"))
            found.aliases.append((alias, last_segment(path)))
        else:
            waiting += child.named_children


_READERS = {
    "mod_item": _module,
    "function_item": _function,
    "impl_item": _impl,
    "trait_item": _trait,
    "struct_item": _struct,
    "enum_item": _enum,
    "macro_definition": _macro,
    "const_item": _constant,
    "static_item": _constant,
    "type_item": _alias,
    "use_declaration": _use,
}
