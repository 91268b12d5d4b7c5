"""A function followed, and what it calls: which data types come through, by which ways, and where they end.

No type checker stands behind it. What it knows of a value is where it came from; whom a call means is resolved, guessed
or external, and it keeps count.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from rewarp.parity.model import Place
from rewarp.parity.rust import calls, choices, texts
from rewarp.parity.rust.conditions import is_built
from rewarp.parity.rust.facts import Function, Macro
from rewarp.parity.rust.index import Index
from rewarp.parity.rust.lowering import block_of, expressions_of
from rewarp.parity.rust.macros import expand
from rewarp.parity.rust.paths import UNSEEN, Exit, Live, Record, Run, marked, merged, only, reach
from rewarp.parity.rust.reader import local_name
from rewarp.parity.rust.syntax import base_type, last_segment
from rewarp.parity.rust.tree import (
    TOO_DEEP,
    AnyOf,
    Anything,
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
from rewarp.parity.rust.values import NOTHING, UNKNOWN, Generics, Value, either

_ERRORS = frozenset(("bail", "todo", "unimplemented", "unreachable", "panic", "err", "compile_error"))
_TODOS = frozenset(("todo", "unimplemented"))
_MAY_END = re.compile(r"\b(?:bail|return|Err|panic|todo|unimplemented|to_cpu\w*)\b")
_DEEPEST_CALL = 16
_DEEPEST_MACRO = 6

Exists = Callable[[str], "bool | None"]
"""Whether a kernel of a name or a pattern exists; None where nobody can tell."""


@dataclass
class Follower:
    """Follows functions for one back end."""

    index: Index
    backend: str
    exists: Exists
    unit: str = ""
    """The method under examination; one that fetches is not charged with fetching."""
    shared: frozenset[str] = frozenset()
    """The methods that the CPU has as well: its own are no work of the device."""
    deepest: int = _DEEPEST_CALL
    _known: dict[object, Run] = field(default_factory=dict)
    _open: list[object] = field(default_factory=list)
    _cut: set[object] = field(default_factory=set)

    def run(
        self,
        function: Function,
        receiver: Value,
        arguments: tuple[Value, ...],
        axis: str,
        generics: Generics = frozenset(),
    ) -> Run:
        """Follow a call. What it finds does not depend on the way that led to it."""
        if not any(value.is_about(axis) for value in (receiver, *arguments, *(v for _, v in generics))):
            axis = ""
        own = (function.path, function.span, function.source)
        key = (own, receiver, arguments, axis, generics, calls.fetches(self.unit), self.shared)
        if key in self._known:
            return self._known[key]
        every = self.index.dtypes.every
        if key in self._open:
            # What calls itself comes to an end by its other ways.
            self._cut.add(key)
            return Run({0: every})
        if len(self._open) >= self.deepest or not function.has_body:
            return Run({0: every})
        if function.is_broken:
            return Run({UNSEEN: every}, unseen=(Place(function.path, function.line, "does not parse"),))
        self._open.append(key)
        is_first = len(self._open) == 1
        try:
            found = Frame(self, function, receiver, arguments, axis, generics).run()
        except RecursionError:
            if not is_first:
                raise
            place = Place(function.path, function.line, "calls too deep to be followed")
            found = Run({UNSEEN: every}, unseen=(place,))
        finally:
            self._open.pop()
        self._cut.discard(key)
        if not self._cut:
            # Found inside a circle of calls, it would be only part of the truth.
            self._known[key] = found
        return found


class Frame:
    """One function on its way."""

    def __init__(
        self,
        follower: Follower,
        function: Function,
        receiver: Value,
        arguments: tuple[Value, ...],
        axis: str,
        generics: Generics,
    ) -> None:
        self.follower, self.function, self.axis, self.generics = follower, function, axis, dict(generics)
        self.index, self.dtypes = follower.index, follower.index.dtypes
        self.record = Record()
        self.local_functions: dict[str, Function] = {}
        self.local_macros: dict[str, Macro] = {}
        self._macro_depth = 0
        self.open_constants: set[str] = set()
        self.names: dict[str, Value] = {}
        if function.takes_self:
            self.names["self"] = receiver if receiver.type else replace(receiver, type=function.owner)
        for place, parameter in enumerate(function.parameters):
            given = arguments[place] if place < len(arguments) else UNKNOWN
            kind = base_type(parameter.type)
            self.names[parameter.name.removeprefix("mut ").strip()] = (
                replace(given, type=self.own_type(kind), is_generic=kind in function.generics)
                if not given.type
                else given
            )

    def own_type(self, name: str) -> str:
        """The type that a name means here."""
        if name == "Self":
            return self.function.owner
        if (local := local_name(name, self.function.line)) in self.index.types:
            return local
        if name.startswith("Self::"):
            wanted = name.removeprefix("Self::")
            for impl in self.index.impls_of(self.function.owner):
                for own, kind in impl.associated:
                    if own == wanted:
                        return base_type(kind)
            return ""
        return name if name in self.function.generics else self.index.alias(name, self.function.path)

    def place(self, line: int, what: str = "") -> Place:
        return Place(self.function.path, line, what)

    def run(self) -> Run:
        body = self.index.body(self.function)
        value, live = self.expression(body, {0: self.dtypes.every})
        self.record.returned.append(live)
        if reach(live):
            self.record.values.append(value)
        through = merged(self.record.returned)
        return self.record.run(through, either(self.record.values))

    def expression(self, node: Expression, live: Live) -> tuple[Value, Live]:
        """The value of an expression, and the ways on after it."""
        if not live:
            return UNKNOWN, live
        if isinstance(node, Path):
            return self.path(node.name), live
        if isinstance(node, Text):
            return Value(type="str", strings=((node.value, self.dtypes.every),)), live
        if isinstance(node, Field):
            value, live = self.expression(node.value, live)
            return self.typed_field(value, node.name), live
        if isinstance(node, (Call, Method)):
            return calls.call(self, node, live)
        if isinstance(node, Match):
            return choices.match(self, node, live)
        if isinstance(node, If):
            return choices.branch(self, node, live)
        if isinstance(node, Block):
            return self._block(node, live)
        if isinstance(node, Let):
            return self._let(node, live)
        if isinstance(node, MacroCall):
            return self.macro(node, live)
        return self._plain(node, live)

    def _plain(self, node: Expression, live: Live) -> tuple[Value, Live]:
        if isinstance(node, (Is, Not, Binary)):
            true, false, live = choices.condition(self, node, live)
            return UNKNOWN, only(live, true | false)
        if isinstance(node, Try):
            return self.expression(node.value, live)
        if isinstance(node, Guarded):
            return self.expression(node.value, live) if is_built(node.cfg, self.follower.backend) else (UNKNOWN, live)
        if isinstance(node, Return):
            value, live = self.expression(node.value, live) if node.value is not None else (UNKNOWN, live)
            if live:
                self.record.returned.append(live)
                self.record.values.append(value.where(reach(live)))
            return UNKNOWN, {}
        if isinstance(node, Closure):
            return UNKNOWN, self._closure(node, live)
        if isinstance(node, Loop):
            if node.head is not None:
                _, live = self.expression(node.head, live)
            _, inside = self.expression(node.body, live)
            return UNKNOWN, merged((live, inside))
        if isinstance(node, Struct):
            return self._struct(node, live)
        if isinstance(node, Tuple):
            values: list[Value] = []
            for item in node.items:
                value, live = self.expression(item, live)
                values.append(value)
            return Value(items=tuple(values)), live
        assert isinstance(node, Other)
        for part in node.parts:
            _, live = self.expression(part, live)
        return UNKNOWN, live

    def _closure(self, node: Closure, live: Live) -> Live:
        """A closure may be called or not; an error that it makes is for whoever called it."""
        exits, returned, values = len(self.record.exits), len(self.record.returned), len(self.record.values)
        _, inside = self.expression(node.body, live)
        del self.record.exits[exits:]
        came_back = self.record.returned[returned:]
        del self.record.returned[returned:], self.record.values[values:]
        return merged((live, inside, *came_back))

    def _struct(self, node: Struct, live: Live) -> tuple[Value, Live]:
        fields: list[tuple[str, Value]] = []
        for name, item in node.fields:
            value, live = self.expression(item, live)
            fields.append((name, value))
        kind = self.own_type(base_type(node.name))
        return Value(type=kind, fields=tuple(fields)), live

    def _block(self, node: Block, live: Live) -> tuple[Value, Live]:
        self.record.says_todo |= node.says_todo
        for name, line, start, end in node.functions:
            source = (self.function.source or self.index.files[self.function.path][slice(*self.function.span)])[
                start:end
            ]
            self.local_functions[name] = calls.local_function(self.function, name, line, source)
        for name, rules in node.macros:
            self.local_macros[name] = Macro(self.function.path, 0, name, rules)
        outside = dict(self.names)
        for item in node.items:
            _, live = self.expression(item, live)
            if not live:
                break
        value, live = self.expression(node.tail, live) if node.tail is not None else (UNKNOWN, live)
        self.names = outside
        return value, live

    def _let(self, node: Let, live: Live) -> tuple[Value, Live]:
        if node.value is None:
            self.bind(node.pattern, UNKNOWN)
            return UNKNOWN, live
        value, live = self.expression(node.value, live)
        if node.otherwise is not None:
            # What does not fit leaves; the rest goes on.
            true, false, _ = choices.of_pattern(self, node.pattern, value)
            self.expression(node.otherwise, only(live, false))
            live = only(live, true)
        if node.type and not value.type:
            value = replace(value, type=self.own_type(base_type(node.type)))
        self.bind(node.pattern, value)
        return UNKNOWN, live

    def bind(self, pattern: Pattern, value: Value) -> None:
        """The names that a pattern gives to the parts of a value."""
        if isinstance(pattern, Anything):
            if pattern.name:
                self.names[pattern.name] = value
            if pattern.inner is not None:
                self.bind(pattern.inner, value)
        elif isinstance(pattern, Several):
            for place, inner in enumerate(pattern.items):
                self.bind(inner, value.items[place] if place < len(value.items) else Value(subject=value.subject))
        elif isinstance(pattern, Variant):
            is_wrapper = last_segment(pattern.path) in ("Some", "Ok", "Err")
            payload = value if is_wrapper else replace(UNKNOWN, subject=value.subject)
            for inner in pattern.inner:
                self.bind(inner, payload)
        elif isinstance(pattern, AnyOf):
            for inner in pattern.items:
                self.bind(inner, value)

    def path(self, name: str) -> Value:
        """What a name stands for."""
        if name in self.names:
            return self.names[name]
        if name == "None":
            return NOTHING
        first, _, rest = name.partition("::")
        if rest and first in self.function.generics:
            # `T::DTYPE` of a type parameter that is the followed data type, or a constant of whatever it can be.
            known = self.generics.get(first) or texts.associated(self, first, rest)
            return replace(known, is_generic=True)
        dtypes = self.dtypes.of(name)
        if dtypes and rest:
            return Value(dtypes=dtypes)
        owner = self.own_type(last_segment(name.rpartition("::")[0])) if rest else ""
        if owner in self.index.types and self.index.types[owner][0].is_enum:
            return Value(type=owner, variant=last_segment(name))
        if name in self.index.types or self.own_type(name) in self.index.types:
            return Value(type=self.own_type(name))
        if last_segment(name).isupper() or rest:
            return texts.constant(self, name)
        return UNKNOWN

    def typed_field(self, value: Value, name: str) -> Value:
        """A field, with the type that its struct declares."""
        found = value.field(name)
        if found.type or not value.type:
            return found
        for kind in self.index.types.get(value.type, ()):
            for member in kind.members:
                if member.name == name:
                    return replace(found, type=self.own_type(base_type(member.type)))
        return found

    def fails(self, live: Live, line: int, what: str, *, is_todo: bool = False) -> None:
        if live:
            self.record.exits.append(Exit(reach(live), (self.place(line, what),), is_todo))

    def unseen(self, live: Live, line: int, what: str) -> Live:
        self.record.unseen.append(self.place(line, what))
        return marked(live, UNSEEN)

    def macro(self, node: MacroCall, live: Live) -> tuple[Value, Live]:
        """A macro: an error, a string, one of the project's own that is written out, or one of somebody else's."""
        name = last_segment(node.name)
        if node.name == TOO_DEEP:
            return UNKNOWN, self.unseen(live, node.line, "nested too deep to be read")
        if name in _ERRORS:
            self.fails(
                live, node.line, f"{node.name}!({' '.join(node.arguments.split())[:80]})", is_todo=name in _TODOS
            )
            return UNKNOWN, {}
        if name in texts.MACROS:
            return texts.macro(self, name, node), live
        own = self.local_macros.get(name) or self.index.macro(name, self.function.path)
        if own is None or self._macro_depth >= _DEEPEST_MACRO:
            for argument in expressions_of(node.arguments, node.line):
                _, live = self.expression(argument, live)
            return UNKNOWN, live
        source = expand(own, node.arguments)
        body = block_of(source, node.line) if source is not None else None
        if body is None and not any(_MAY_END.search(written) for _, written in own.rules):
            return UNKNOWN, live
        if body is None:
            return UNKNOWN, self.unseen(live, node.line, f"{node.name}! cannot be seen through")
        self._macro_depth += 1
        names = dict(self.names)
        try:
            return self.expression(body, live)
        finally:
            # What a macro names is its own, but for what it was told to name.
            self.names = {**self.names, **names}
            self._macro_depth -= 1
