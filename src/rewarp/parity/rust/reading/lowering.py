"""Lowering: from the parsed Rust text to the small tree of `reading.tree`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from rewarp.lang.rust_tree import line, named, parse, rules_of, text
from rewarp.parity.rust.reading.tree import (
    AnyOf,
    Anything,
    Arm,
    Binary,
    Block,
    Call,
    Closure,
    Expression,
    Field,
    Guarded,
    If,
    Is,
    Let,
    Literal,
    Loop,
    MacroCall,
    Match,
    Method,
    Not,
    Other,
    Path,
    Pattern,
    Return,
    Several,
    Struct,
    Text,
    Try,
    Tuple,
    Variant,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

_CFG = re.compile(r"#\[\s*cfg\s*\((.*)\)\s*\]", re.S)
_TODO = re.compile(r"\b(?:TODO|FIXME|XXX|unimplemented|not (?:yet )?implemented)\b", re.I)
_SEEN_THROUGH = frozenset(
    "reference_expression parenthesized_expression type_cast_expression await_expression unsafe_block "
    "async_block const_block expression_statement else_clause match_pattern".split()
)


def body_of(source: bytes, first_line: int) -> Expression:
    """The body of a function item that starts in a line of its file."""
    tree, _ = parse(source)
    function = next((node for node in tree.root_node.named_children if node.type == "function_item"), None)
    body = function.child_by_field_name("body") if function is not None else None
    return _Lowering(first_line - 1).expression(body) if body is not None else Other()


@lru_cache(maxsize=20_000)
def expressions_of(arguments: str, first_line: int) -> tuple[Expression, ...]:
    """What stands between the brackets of a macro, read as arguments; nothing where they are not."""
    tree, _ = parse(f"fn f() {{ f({arguments}); }}".encode())
    if tree.root_node.has_error:
        return ()
    call = next(iter(named(tree.root_node.named_children[0].child_by_field_name("body"))))
    found = call.named_children[0].child_by_field_name("arguments")
    return tuple(_Lowering(first_line - 1).expression(node) for node in named(found))


@lru_cache(maxsize=20_000)
def block_of(source: str, first_line: int) -> Expression | None:
    """Statements, as a macro wrote them; None where they do not parse."""
    tree, _ = parse(f"fn f() {{ {source} }}".encode())
    if tree.root_node.has_error:
        return None
    body = tree.root_node.named_children[0].child_by_field_name("body")
    return _Lowering(first_line, fixed=True).expression(body) if body is not None else None


@lru_cache(maxsize=20_000)
def condition_of_matches(arguments: str, first_line: int) -> Is | None:
    """`matches!(VALUE, PATTERN)` as a condition."""
    depth = 0
    for at, character in enumerate(arguments):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            value, pattern = arguments[:at], arguments[at + 1 :].rstrip().rstrip(",")
            tree, _ = parse(f"fn f() {{ match {value} {{ {pattern} => {{}} }} }}".encode())
            found = _first(tree.root_node, "match_expression")
            if tree.root_node.has_error or found is None:
                return None
            match = _Lowering(first_line - 1).expression(found)
            assert isinstance(match, Match)
            return Is(match.value, match.arms[0].pattern)
    return None


def _first(node: Node, kind: str) -> Node | None:
    waiting = [node]
    while waiting:
        child = waiting.pop()
        if child.type == kind:
            return child
        waiting += reversed(child.named_children)
    return None


class _Lowering:
    """Knows the line of the file that the text starts in."""

    def __init__(self, lines_before: int, *, fixed: bool = False) -> None:
        self._before, self._fixed = lines_before, fixed

    def _line(self, node: Node) -> int:
        return self._before if self._fixed else self._before + line(node)

    def expression(self, node: Node | None) -> Expression:
        while node is not None and node.type in _SEEN_THROUGH:
            node = node.child_by_field_name("value") or next(iter(named(node)), None)
        if node is None:
            return Other()
        lower: Callable[[_Lowering, Node], Expression] = _LOWERINGS.get(node.type, _Lowering._other)
        return lower(self, node)

    def _other(self, node: Node) -> Expression:
        parts = tuple(self.expression(child) for child in named(node))
        return Other(tuple(part for part in parts if part != Other()))

    def _path(self, node: Node) -> Expression:
        return Path(text(node.child_by_field_name("function") or node))

    def _text(self, node: Node) -> Expression:
        return Text("".join(text(child) for child in node.named_children))

    def _field(self, node: Node) -> Expression:
        return Field(self.expression(node.child_by_field_name("value")), text(node.child_by_field_name("field")))

    def _index(self, node: Node) -> Expression:
        value, *index = named(node)
        if len(index) == 1 and index[0].type == "integer_literal":
            return Field(self.expression(value), text(index[0]))
        return self._other(node)

    def _call(self, node: Node) -> Expression:
        function, generics = node.child_by_field_name("function"), ""
        arguments = tuple(self.expression(child) for child in named(node.child_by_field_name("arguments")))
        if function is not None and function.type == "generic_function":
            generics = text(function.child_by_field_name("type_arguments"))
            function = function.child_by_field_name("function")
        if function is None:
            return Other(arguments)
        at = self._line(function)
        if function.type == "field_expression":
            name = function.child_by_field_name("field")
            receiver = self.expression(function.child_by_field_name("value"))
            return Method(self._line(name) if name else at, receiver, text(name), generics, arguments)
        if function.type in ("identifier", "scoped_identifier", "self"):
            return Call(at, text(function), generics, arguments)
        called = self.expression(function)
        if isinstance(called, Closure):
            called = Closure(called.body, is_called=True)
            return Block(arguments, called) if arguments else called
        return Other((called, *arguments))

    def _struct(self, node: Node) -> Expression:
        fields: list[tuple[str, Expression]] = []
        for child in named(node.child_by_field_name("body")):
            if child.type == "field_initializer":
                value = self.expression(child.child_by_field_name("value"))
                fields.append((text(child.child_by_field_name("field")), value))
            elif child.type == "shorthand_field_initializer":
                fields.append((text(child), Path(text(child))))
            else:
                fields.append(("..", self.expression(child)))
        return Struct(text(node.child_by_field_name("name")), tuple(fields))

    def _tuple(self, node: Node) -> Expression:
        return Tuple(tuple(self.expression(child) for child in named(node)))

    def _array(self, node: Node) -> Expression:
        has_length = node.child_by_field_name("length") is not None
        return self._other(node) if has_length or not named(node) else self._tuple(node)

    def _match(self, node: Node) -> Expression:
        arms: list[Arm] = []
        for child, cfg in self._with_cfg(node.child_by_field_name("body")):
            pattern = child.child_by_field_name("pattern")
            if child.type == "match_arm" and pattern is not None:
                guard = pattern.child_by_field_name("condition")
                # Attributes of an arm are its children, not its siblings.
                own = tuple(found[1] for c in child.children if (found := _CFG.match(text(c))) and "attr" in c.type)
                arms.append(
                    Arm(
                        self._line(child),
                        self.pattern(next(iter(named(pattern)), None) or pattern),
                        self.expression(guard) if guard is not None else None,
                        self.expression(child.child_by_field_name("value")),
                        cfg + own,
                    )
                )
        return Match(self._line(node), self.expression(node.child_by_field_name("value")), tuple(arms))

    def _if(self, node: Node) -> Expression:
        otherwise = node.child_by_field_name("alternative")
        return If(
            self._line(node),
            self.expression(node.child_by_field_name("condition")),
            self.expression(node.child_by_field_name("consequence")),
            self.expression(otherwise) if otherwise is not None else None,
        )

    def _is(self, node: Node) -> Expression:
        return Is(self.expression(node.child_by_field_name("value")), self.pattern(node.child_by_field_name("pattern")))

    def _binary(self, node: Node) -> Expression:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        return Binary(self.expression(left), text(node.child_by_field_name("operator")), self.expression(right))

    def _chain(self, node: Node) -> Expression:
        parts = [self.expression(child) for child in named(node)]
        found = parts[0] if parts else Other()
        for part in parts[1:]:
            found = Binary(found, "&&", part)
        return found

    def _unary(self, node: Node) -> Expression:
        value = self.expression(next(iter(named(node)), None))
        return Not(value) if text(node).startswith("!") else value

    def _let(self, node: Node) -> Expression:
        value, otherwise = node.child_by_field_name("value"), node.child_by_field_name("alternative")
        return Let(
            self._line(node),
            self.pattern(node.child_by_field_name("pattern")),
            text(node.child_by_field_name("type")),
            self.expression(value) if value is not None else None,
            self.expression(otherwise) if otherwise is not None else None,
            is_mutable=any(child.type == "mutable_specifier" for child in node.children),
        )

    def _with_cfg(self, node: Node | None) -> Iterator[tuple[Node, tuple[str, ...]]]:
        cfg: list[str] = []
        for child in named(node):
            if child.type == "attribute_item":
                if found := _CFG.match(text(child)):
                    cfg.append(found[1])
            else:
                yield child, tuple(cfg)
                cfg = []

    def _block(self, node: Node) -> Expression:
        items: list[Expression] = []
        functions: list[tuple[str, int, int, int]] = []
        macros: list[tuple[str, tuple[tuple[str, str], ...]]] = []
        tail: Expression | None = None
        children = list(self._with_cfg(node))
        for place, (child, cfg) in enumerate(children):
            if child.type == "function_item":
                name = text(child.child_by_field_name("name"))
                functions.append((name, self._line(child), child.start_byte, child.end_byte))
            elif child.type == "macro_definition":
                macros.append((text(child.child_by_field_name("name")), rules_of(child)))
            elif not child.type.endswith("_item") and child.type not in ("use_declaration", "empty_statement"):
                value = self.expression(child)
                guarded = Guarded(cfg, value) if cfg else value
                if place == len(children) - 1 and not text(child).endswith(";"):
                    tail = guarded
                else:
                    items.append(guarded)
        todo = any(_TODO.search(text(child)) for child in node.named_children if child.type.endswith("comment"))
        return Block(tuple(items), tail, tuple(functions), tuple(macros), todo)

    def _return(self, node: Node) -> Expression:
        value = next(iter(named(node)), None)
        return Return(self.expression(value) if value is not None else None)

    def _try(self, node: Node) -> Expression:
        return Try(self.expression(next(iter(named(node)), None)))

    def _macro(self, node: Node) -> Expression:
        arguments = next((text(child)[1:-1] for child in node.children if child.type == "token_tree"), "")
        return MacroCall(self._line(node), text(node.child_by_field_name("macro")), arguments)

    def _closure(self, node: Node) -> Expression:
        return Closure(self.expression(node.child_by_field_name("body")))

    def _loop(self, node: Node) -> Expression:
        written = node.child_by_field_name("value") or node.child_by_field_name("condition")
        head = self.expression(written) if written is not None else None
        if isinstance(head, Method) and head.name in ("iter", "into_iter"):
            head = head.receiver
        pattern = node.child_by_field_name("pattern")
        return Loop(
            head,
            self.expression(node.child_by_field_name("body")),
            self.pattern(pattern) if pattern is not None else None,
            is_endless=node.type == "loop_expression",
        )

    def pattern(self, node: Node | None) -> Pattern:
        if node is None:
            return Anything()
        kind, inner = node.type, named(node)
        if kind == "or_pattern":
            return AnyOf(tuple(self.pattern(child) for child in inner))
        if kind in ("tuple_pattern", "slice_pattern"):
            return Several(tuple(self.pattern(child) for child in inner))
        if kind == "tuple_struct_pattern":
            return Variant(text(node.child_by_field_name("type")), tuple(self.pattern(child) for child in inner[1:]))
        if kind == "struct_pattern":
            return Variant(text(node.child_by_field_name("type")))
        if kind == "scoped_identifier":
            return Variant(text(node))
        if kind == "captured_pattern" and len(inner) == 2:
            return Anything(text(inner[0]), self.pattern(inner[1]))
        if kind in ("ref_pattern", "mut_pattern", "reference_pattern", "match_pattern"):
            wrapped = [child for child in inner if child.type != "mutable_specifier"]
            return self.pattern(wrapped[0]) if wrapped else Anything()
        if kind == "identifier":
            # A bare name with a capital is a variant that was imported, or a constant.
            return Variant(text(node)) if text(node)[:1].isupper() else Anything(text(node))
        if kind == "string_literal":
            return Literal("".join(text(child) for child in node.named_children))
        if kind.endswith(("literal", "range_pattern", "const_block")):
            return Literal(text(node))
        return Anything()


_LOWERINGS: dict[str, Callable[[_Lowering, Node], Expression]] = {
    "identifier": _Lowering._path,
    "scoped_identifier": _Lowering._path,
    "self": _Lowering._path,
    "boolean_literal": _Lowering._path,
    "integer_literal": _Lowering._path,
    "generic_function": _Lowering._path,
    "string_literal": _Lowering._text,
    "raw_string_literal": _Lowering._text,
    "field_expression": _Lowering._field,
    "index_expression": _Lowering._index,
    "call_expression": _Lowering._call,
    "struct_expression": _Lowering._struct,
    "tuple_expression": _Lowering._tuple,
    "array_expression": _Lowering._array,
    "match_expression": _Lowering._match,
    "if_expression": _Lowering._if,
    "let_condition": _Lowering._is,
    "let_chain": _Lowering._chain,
    "binary_expression": _Lowering._binary,
    "unary_expression": _Lowering._unary,
    "let_declaration": _Lowering._let,
    "block": _Lowering._block,
    "return_expression": _Lowering._return,
    "try_expression": _Lowering._try,
    "macro_invocation": _Lowering._macro,
    "closure_expression": _Lowering._closure,
    "for_expression": _Lowering._loop,
    "while_expression": _Lowering._loop,
    "loop_expression": _Lowering._loop,
}
