"""One translation unit, preprocessed as far as its files and the given switches decide it.

A condition that neither decides (`__CUDA_ARCH__ >= 800`, a switch of the build) leaves both branches in, each with
its condition noted. A macro defined differently in such branches is expanded in each way. What a condition asks hangs on the
macros that were defined before it, in this file or one that includes it, so it follows the conditionals as it reads, and has no
tree of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Protocol, Union

from rewarp.errors import ParseError
from rewarp.lang.cpp import conditions
from rewarp.lang.cpp.directives import Directive
from rewarp.lang.cpp.file import check_depth
from rewarp.lang.cpp.macros import Expansion, MacroTable, TooLarge
from rewarp.lang.cpp.tokens import Token, joined, logical_lines, names_in
from rewarp.source import SourceFile

_DEEPEST = 60
_MOST_FILES = 1500
_LONGEST_CONDITION = 4_000
"""What is said of a condition: each branch of a chain without end would repeat all that came before it."""
_HEADER_S_NAME = re.compile(r"_(?:H|HH|HPP|HXX|CUH|INL|INC|INCLUDED?|GUARD)_*\Z", re.I)
_GROWS = "a macro grows too large to be expanded"


@dataclass(frozen=True)
class Code:
    """A stretch of code between directives."""

    tokens: tuple[Token, ...]
    names: frozenset[str]


Item = Union[Code, Directive]
Resolve = Callable[[str, str, bool], Union[str, None]]
"""(includer, name, whether it stands in quotes): the file that an include means."""


class Unread(NamedTuple):
    """Something that was not read, or not expanded."""

    path: str
    line: int
    why: str


class Sink(Protocol):
    """What takes the code: it must be able to go back to where a branch began."""

    def feed(self, tokens: list[Token], path: str, condition: str) -> None: ...
    def state(self) -> object: ...
    def restore(self, state: object) -> None: ...


class _Branch(NamedTuple):
    live: bool
    """Whether this branch is read."""
    taken: bool | None
    """Whether it, or one before it, is the one compiled; None where that is not decided."""
    condition: str
    """What must hold for it and for those around it, where that is not decided."""
    denied: str
    """That none of the undecided tests so far holds: so it is in an `#else`."""
    before: object
    """The sink's state at the `#if`; _UNREAD where the code around it is not read."""
    after: object
    """Its state after the first branch that was read; _UNREAD where none was."""


_UNREAD = object()


@lru_cache(maxsize=2_000)
def read_items(data: bytes) -> tuple[Item, ...]:
    """The items of a file in order. Raises ParseError for what nests without end."""
    check_depth(SourceFile("", data))
    items: list[Item] = []
    code: list[Token] = []
    for line in logical_lines(data):
        if line[0].text != "#":
            code += line
            continue
        if code:
            items.append(Code(tuple(code), names_in(code)))
            code = []
        if len(line) > 1:
            items.append(Directive(line[1].text, tuple(line[2:]), line[0].line))
    return (*items, Code(tuple(code), names_in(code)))


class Preprocessor:
    """A translation unit as it is read."""

    def __init__(
        self,
        sink: Sink,
        platform: conditions.Macros,
        resolve: Resolve,
        files: Mapping[str, bytes],
        table: MacroTable | None = None,
    ) -> None:
        self.sink, self.platform, self.resolve, self.files = sink, platform, resolve, files
        self.table = table or MacroTable()
        self.macros = self.table.definitions
        self.reached: set[str] = set()
        self.unread: list[Unread] = []
        self.unseen_includes: set[str] = set()
        """Files in quotes, by the way they are written, that are not there."""
        self.has_unknown_names = False
        """Whether some code was not expanded: any name may come from it."""
        self._once: set[str] = set()
        self._branches: list[_Branch] = []
        self._is_live, self._condition = True, ""
        self._count = 0

    def read(self, path: str) -> None:
        self._read(path, 0)

    def items(self, data: bytes) -> tuple[Item, ...]:
        return read_items(data)

    def _items(self, path: str) -> tuple[Item, ...]:
        try:
            return self.items(self.files[path])
        except ParseError as error:
            self._not_read(path, 1, f"not read: {error}")
            return ()

    def _not_read(self, path: str, line: int, why: str) -> None:
        self.has_unknown_names = True
        self.unread.append(Unread(path, line, why))

    def _read(self, path: str, depth: int) -> None:
        if path in self._once:
            return
        self._count += 1
        if depth > _DEEPEST or self._count > _MOST_FILES:
            if self._count <= _MOST_FILES + 1:
                self._not_read(path, 1, "not read: includes without end, or more of them than are followed")
            return
        self.reached.add(path)
        open_before = len(self._branches)
        items = self._items(path)
        for at, item in enumerate(items):
            if not isinstance(item, Directive):
                if self._is_live:
                    self.code(item, path)
            elif item.word in conditions.OPENING:
                self._open(item, is_guard=_is_guard(item, items[at + 1 : at + 2]))
                self._branched()
            elif item.word in ("elif", "elifdef", "elifndef", "else", "endif"):
                if len(self._branches) > open_before:
                    self._next(item)
                    self._branched()
            elif self._is_live:
                self._directive(item, path, depth)
        del self._branches[open_before:]
        self._branched()

    def _branched(self) -> None:
        """Note where the reading stands now: it is asked for at every statement."""
        self._is_live = not self._branches or self._branches[-1].live
        self._condition = self._branches[-1].condition if self._branches else ""

    # --- conditions -------------------------------------------------------------------

    def _open(self, directive: Directive, *, is_guard: bool) -> None:
        if not self._is_live:
            self._branches.append(_Branch(False, True, self._condition, "", _UNREAD, _UNREAD))
            return
        value = self._decided(directive, is_guard=is_guard)
        test = _test(directive)
        undecided = test if value is None else ""
        condition = _all(self._condition, undecided)
        denied = f"!({test})" if value is None else ""
        self._branches.append(_Branch(value is not False, value, condition, denied, self.sink.state(), _UNREAD))

    def _next(self, directive: Directive) -> None:
        branch = self._branches.pop()
        if branch.before is _UNREAD:
            if directive.word != "endif":
                self._branches.append(branch)
            return
        after = branch.after
        if branch.live and after is _UNREAD:
            after = self.sink.state()
        if directive.word == "endif":
            self.sink.restore(branch.before if after is _UNREAD else after)
            return
        self.sink.restore(branch.before)
        value = False if branch.taken is True else self._decided(directive, is_guard=False)
        around = self._branches[-1].condition if self._branches else ""
        denied = branch.denied
        condition = _all(around, denied)
        if value is None:
            test = _test(directive)
            condition, denied = _all(condition, test), _all(denied, f"!({test})")
        taken = True if branch.taken is True or value is True else None if denied else False
        self._branches.append(_Branch(value is not False, taken, condition, denied, branch.before, after))

    def _decided(self, directive: Directive, *, is_guard: bool) -> bool | None:
        word = directive.word
        if word == "else":
            return True
        if is_guard:
            name = _guarded(directive)
            # `KOKKOS_HIP_SPACE_HPP` names a header, whatever platforms are called.
            return name not in self.macros and (bool(_HEADER_S_NAME.search(name)) or not self.platform(name))
        if word.endswith("def"):
            defined = self._is_defined(directive.name)
            return defined if defined is None or not word.endswith("ndef") else not defined
        return conditions.fold(self._expanded(directive), self._value)

    def _is_defined(self, name: str) -> bool | None:
        if name in self.macros:
            return None if name in self.table.unsure else True
        given = self.platform(name)
        return None if given is None else given is not False

    def _expanded(self, directive: Directive) -> str:
        """A condition with all that is surely defined put in."""
        names = names_in(directive.tokens)
        if self.macros.keys().isdisjoint(names):
            return directive.text
        try:
            tokens = self._without_defined(directive.tokens)
            return joined(Expansion(self.table.sure(names_in(tokens))).expand(tokens))
        except (TooLarge, RecursionError):
            return ""

    def _without_defined(self, tokens: tuple[Token, ...]) -> list[Token]:
        """`defined X` of what is surely defined answered; of the rest, kept from expansion."""
        kept: list[Token] = []
        at = 0
        while at < len(tokens):
            kept.append(tokens[at])
            wrapped = at + 1 < len(tokens) and tokens[at + 1].text == "("
            name = at + 1 + wrapped
            if tokens[at].text == "defined" and name < len(tokens):
                asked = tokens[name]
                if self._is_defined(asked.text) and asked.text in self.macros:
                    kept[-1] = tokens[at]._replace(kind="number", text="1")
                    at = name + wrapped
                else:
                    kept += [*tokens[at + 1 : name], asked._replace(hidden=frozenset((asked.text,)))]
                    at = name
            at += 1
        return kept

    def _value(self, name: str) -> conditions.Macro:
        """What a name that expansion left in a condition is worth; None where it is not decided."""
        if name not in self.macros:
            return self.platform(name)
        if name in self.table.unsure or len(self.macros[name]) > 1:
            return None
        return False  # the name of a macro with parameters, or one inside itself: a plain name, and so 0

    # --- the rest -----------------------------------------------------------------------

    def _directive(self, directive: Directive, path: str, depth: int) -> None:
        if directive.word == "define":
            if directive.macro:
                self.table.define(directive.macro, is_sure=not self._condition)
        elif directive.word == "undef":
            self.table.undefine(directive.name, is_sure=not self._condition)
        elif directive.word in ("include", "import", "include_next"):
            self._include(directive, path, depth)
        elif directive.word == "pragma" and directive.text == "once":
            # Says so of the file it stands in, which is being read for the first time.
            self._once.add(path)

    def _include(self, directive: Directive, path: str, depth: int) -> None:
        tokens = directive.tokens
        if tokens and tokens[0].is_name:
            try:
                tokens = tuple(Expansion(self.macros).expand(tokens))
            except (TooLarge, RecursionError):
                self._not_read(path, directive.line, _GROWS)
                return
        text = joined(tokens)
        name, quoted = text.strip('"<>').strip(), text.startswith('"')
        found = self.resolve(path, name, quoted)
        if found is not None:
            self._read(found, depth + 1)
        elif quoted:
            self.unseen_includes.add(name)

    def code(self, code: Code, path: str) -> None:
        """Take a stretch of code that is compiled, or may be."""
        if self.macros.keys().isdisjoint(code.names):
            self.sink.feed(list(code.tokens), path, self._condition)
            return
        before = self.sink.state()
        after = _UNREAD
        choice, choices = 0, 1
        try:
            while choice < choices:
                expansion = Expansion(self.macros, choice)
                tokens = expansion.expand(code.tokens)
                choices = max(choices, expansion.alternatives)
                if choice:
                    self.sink.restore(before)
                self.sink.feed(tokens, path, self._condition)
                after = self.sink.state() if after is _UNREAD else after
                choice += 1
        except (TooLarge, RecursionError):
            self._not_read(path, code.tokens[0].line, _GROWS)
        if after is not _UNREAD:
            self.sink.restore(after)


def _all(*tests: str) -> str:
    """That every one of the tests holds, as far as it is said."""
    together = " && ".join(filter(None, tests))
    return together if len(together) <= _LONGEST_CONDITION else together[:_LONGEST_CONDITION] + "…"


def _test(directive: Directive) -> str:
    """The condition of a directive, in words that can be joined."""
    word, text = directive.word, directive.text
    if word.endswith("def"):
        return f"!defined({text})" if word.endswith("ndef") else f"defined({text})"
    return f"({text})" if "&&" in text or "||" in text else text


def _guarded(directive: Directive) -> str:
    """The name that `#ifndef X` or `#if !defined(X)` asks for; empty for other conditions."""
    if directive.word == "ifndef":
        return directive.name
    text = directive.text.replace(" ", "")
    return text.removeprefix("!defined").strip("()") if text.startswith("!defined") else ""


def _is_guard(directive: Directive, following: tuple[Item, ...]) -> bool:
    """`#ifndef X` with `#define X` right after it: an include guard, or a value that the build may set."""
    define = following[0] if following else None
    return isinstance(define, Directive) and define.word == "define" and define.name == _guarded(directive)
