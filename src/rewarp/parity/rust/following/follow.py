"""A function followed, and what it calls: which data types come through, by which ways, and where they end.

No type checker stands behind it. What it knows of a value is where it came from; whom a call means is resolved, guessed
or external, and it keeps count.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from rewarp.lang.rust_tree import base_type, last_segment
from rewarp.parity.rust.following import branches, calls, conditions, patterns, texts
from rewarp.parity.rust.following.paths import UNSEEN, Exit, Live, Record, Run, marked, merged, only, reach
from rewarp.parity.rust.following.values import NOTHING, UNKNOWN, Generics, Value, either
from rewarp.parity.rust.reading.cfg import holds, is_built
from rewarp.parity.rust.reading.facts import Function, Macro
from rewarp.parity.rust.reading.lowering import block_of, expressions_of
from rewarp.parity.rust.reading.macros import expand
from rewarp.parity.rust.reading.reader import local_name
from rewarp.parity.rust.reading.tree import (
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
from rewarp.parity.units import Place

if TYPE_CHECKING:
    from rewarp.parity.rust.following.follower import Follower

_ERRORS = frozenset(("bail", "todo", "unimplemented", "unreachable", "panic", "err", "compile_error"))
_ASSERTS = frozenset(("assert", "assert_eq", "assert_ne", "ensure"))
_SOUNDS_LIKE_AN_ERROR = re.compile(
    r"\w*_(?:bail|todo|panic|unimplemented|unsupported)|unsupported|not_(?:yet_)?implemented"
)
"""Macros of other crates whose name says that they do not come back."""
_TODOS = frozenset(("todo", "unimplemented"))
_MAY_END = re.compile(r"\b(?:bail|return|Err|panic|todo|unimplemented|to_cpu\w*)\b")
_DEEPEST_MACRO = 6
_MOST_TURNS = 8


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
        self.compared: list[tuple[frozenset[str], bool]] = []
        """The parameters whose data types the condition at hand compares, and whether it wants them equal."""
        self.names: dict[str, Value] = {}
        if function.takes_self:
            self.names["self"] = receiver if receiver.type else replace(receiver, type=function.owner)
        for place, parameter in enumerate(function.parameters):
            given = arguments[place] if place < len(arguments) else UNKNOWN
            if parameter.is_mutable:
                given = given.forgetful()
            kind = base_type(parameter.type)
            self.names[parameter.name.removeprefix("mut ").strip()] = (
                replace(given, type=self.own_type(kind), is_generic=kind in function.generics)
                if not given.type
                else given
            )

    def is_followed_parameter(self, node: Expression) -> bool:
        return (
            isinstance(node, Path)
            and any(parameter.name == node.name for parameter in self.function.parameters)
            and self.names.get(node.name, UNKNOWN).subject == self.axis != ""
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
        self.returns(value, live)
        through = merged(self.record.returned)
        found = either(value for value, _ in self.record.values)
        return self.record.run(through, replace(found, holds=_held(self.record.values)))

    def returns(self, value: Value, live: Live) -> None:
        """A way out of the function that is no error."""
        if dtypes := reach(live):
            self.record.returned.append(live)
            self.record.values.append((value.where(dtypes), dtypes))

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
            return branches.match(self, node, live)
        if isinstance(node, If):
            return branches.branch(self, node, live)
        if isinstance(node, Block):
            return self._block(node, live)
        if isinstance(node, Let):
            return self._let(node, live)
        if isinstance(node, MacroCall):
            return self.macro(node, live)
        return self._plain(node, live)

    def _plain(self, node: Expression, live: Live) -> tuple[Value, Live]:
        if isinstance(node, (Is, Not, Binary)):
            return self._truth(node, live)
        if isinstance(node, Try):
            return self.expression(node.value, live)
        if isinstance(node, Guarded):
            return self.expression(node.value, live) if is_built(node.cfg, self.follower.backend) else (UNKNOWN, live)
        if isinstance(node, Return):
            value, live = self.expression(node.value, live) if node.value is not None else (UNKNOWN, live)
            self.returns(value, live)
            return UNKNOWN, {}
        if isinstance(node, Closure):
            if node.is_called:
                return UNKNOWN, self.invoked(node, live)
            return Value(called=node), self._closure(node, live)
        if isinstance(node, Loop):
            return UNKNOWN, self._loop(node, live)
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

    def _truth(self, node: Expression, live: Live) -> tuple[Value, Live]:
        """A condition as a value: `let is_fast = matches!(dtype, …);`."""
        true, false, live = conditions.condition(self, node, live)
        is_told = true != self.dtypes.every or false != self.dtypes.every
        return Value(holds=(true, false)) if is_told else UNKNOWN, only(live, true | false)

    def _loop(self, node: Loop, live: Live) -> Live:
        """A loop, gone through once; one over what is written out, once for each part."""
        head = UNKNOWN
        if node.head is not None:
            head, live = self.expression(node.head, live)
        if node.pattern is None or not head.items:
            if node.pattern is not None:
                self.bind(node.pattern, Value(subject=head.subject))
            _, inside = self.expression(node.body, live)
            # Loops are there to be gone through: what ends in an error inside does so.
            return inside if node.is_endless else inside or live
        for item in head.items[:_MOST_TURNS]:
            self.bind(node.pattern, item)
            _, inside = self.expression(node.body, live)
            live = inside or live
        return live

    def invoked(self, node: Closure, live: Live) -> Live:
        """A closure that is called: what it returns, it returns to here."""
        returned, values = len(self.record.returned), len(self.record.values)
        _, inside = self.expression(node.body, live)
        came_back = self.record.returned[returned:]
        del self.record.returned[returned:], self.record.values[values:]
        return merged((inside, *came_back))

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
            true, false, _ = patterns.of_pattern(self, node.pattern, value)
            self.expression(node.otherwise, only(live, false))
            live = only(live, true)
        if node.is_mutable:
            # What is true of it now need not be so later.
            value = value.forgetful()
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
            payload = (
                replace(value, holds=None) if is_wrapper else Value(type=self._payload(pattern), subject=value.subject)
            )
            for inner in pattern.inner:
                self.bind(inner, payload)
        elif isinstance(pattern, AnyOf):
            for inner in pattern.items:
                self.bind(inner, value)

    def _payload(self, pattern: Variant) -> str:
        """The type of what a variant of an enum of the project holds, where it holds one thing."""
        owner, _, name = pattern.path.rpartition("::")
        if len(pattern.inner) != 1 or not owner:
            return ""
        kinds = self.index.types.get(self.own_type(last_segment(owner)), ())
        held = {m.type[1:-1] for kind in kinds if kind.is_enum for m in kind.members if m.name == name}
        return self.own_type(base_type(held.pop())) if len(held) == 1 else ""

    def path(self, name: str) -> Value:
        """What a name stands for."""
        if name in self.names:
            return self.names[name]
        if name in ("None", "true", "false"):
            every = self.dtypes.every
            if name == "true":
                return Value(holds=(every, 0))
            return replace(NOTHING if name == "None" else UNKNOWN, holds=(0, every))
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
        return Value(called=name) if name in self.index.free else UNKNOWN

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
        """A macro: an error, a string, one of the project's own that is written out, or a third party's."""
        name = last_segment(node.name)
        if node.name == TOO_DEEP:
            return UNKNOWN, self.unseen(live, node.line, "nested too deep to be read")
        if name in _ERRORS:
            self.fails(
                live, node.line, f"{node.name}!({' '.join(node.arguments.split())[:80]})", is_todo=name in _TODOS
            )
            return UNKNOWN, {}
        if name in _ASSERTS and self.index.macro(name, self.function.path) is None:
            return UNKNOWN, conditions.asserted(self, node, live)
        if name == "cfg":
            built = holds(node.arguments, self.follower.backend)
            every = self.dtypes.every
            return UNKNOWN if built is None else Value(holds=(every, 0) if built else (0, every)), live
        if name == "matches":
            return self._truth(node, live)
        if name in texts.MACROS:
            return texts.macro(self, name, node), live
        own = self.local_macros.get(name) or self.index.macro(name, self.function.path)
        if own is None and _SOUNDS_LIKE_AN_ERROR.fullmatch(name):
            self.fails(live, node.line, f"{node.name}!")
            return UNKNOWN, {}
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


def _held(outcomes: list[tuple[Value, int]]) -> tuple[int, int] | None:
    """For which data types a function gives back `true` or `Some`, and for which it does not; None for neither kind."""
    if not any(value.holds for value, _ in outcomes):
        return None
    yes = no = 0
    for value, dtypes in outcomes:
        true, false = value.holds or (dtypes, dtypes)
        yes, no = yes | (true & dtypes), no | (false & dtypes)
    return yes, no
