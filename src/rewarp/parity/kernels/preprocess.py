"""One translation unit, preprocessed for one back end as far as the tree and the platform decide it.

A condition that neither decides (`__CUDA_ARCH__ >= 800`, a switch of the build) leaves both branches in, each with
its condition noted. A macro defined differently in such branches is expanded in each way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

from rewarp.errors import ParseError
from rewarp.lang.cpp import conditions
from rewarp.parity.kernels.lexer import read
from rewarp.parity.kernels.macros import Expansion, MacroTable, TooLarge
from rewarp.parity.kernels.tokens import Code, Directive, Item, Token
from rewarp.parity.model import Problem

_DEEPEST = 60
_MOST_FILES = 1500
_LONGEST_CONDITION = 4_000
"""What is said of a condition: each branch of a chain without end would repeat all that came before it."""
_OPENING = ("if", "ifdef", "ifndef")


class Sink(Protocol):
    """What takes the code: it must be able to go back to where a branch began."""

    marks: frozenset[str]
    """Names without which, and without a macro that writes one, a statement defines no kernel."""

    @property
    def is_idle(self) -> bool:
        """Whether no statement is begun."""
        ...

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
    """The sink's state at the `#if`."""
    after: object | None
    """Its state after the first branch that was read."""


class Unit:
    """A translation unit as it is read."""

    def __init__(
        self,
        sink: Sink,
        platform: conditions.Macros,
        resolve: Callable[[str, str], str | None],
        files: Mapping[str, bytes],
    ) -> None:
        self.sink, self.platform, self.resolve, self.files = sink, platform, resolve, files
        self.table = MacroTable(sink.marks)
        self.macros = self.table.definitions
        self.reached: set[str] = set()
        self.problems: list[Problem] = []
        self.unseen_includes: set[str] = set()
        """Files of the tree, by the way they are written, that are not there."""
        self.has_unknown_names = False
        """Whether some code was not expanded: any name may come from it."""
        self._once: set[str] = set()
        self._branches: list[_Branch] = []
        self._is_live, self._condition = True, ""
        self._evaluated: set[str] = set()
        self._count = 0

    def read(self, path: str) -> None:
        self._read(path, self._items(path), 0)

    def _items(self, path: str) -> tuple[Item, ...]:
        try:
            return read(self.files[path])
        except ParseError as error:
            self.has_unknown_names = True
            self.problems.append(Problem(path, 1, f"not read: {error}"))
            return ()

    def _read(self, path: str, items: tuple[Item, ...], depth: int) -> None:
        self._count += 1
        if depth > _DEEPEST or self._count > _MOST_FILES or path in self._once:
            return
        self.reached.add(path)
        open_before = len(self._branches)
        for at, item in enumerate(items):
            if isinstance(item, Code):
                if self._is_live:
                    self._code(item, path)
            elif item.word in _OPENING:
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
            self._branches.append(_Branch(False, True, self._condition, "", None, None))
            return
        value = self._decided(directive, is_guard=is_guard)
        test = _test(directive)
        undecided = test if value is None else ""
        condition = _all(self._condition, undecided)
        denied = f"!({test})" if value is None else ""
        self._branches.append(_Branch(value is not False, value, condition, denied, self.sink.state(), None))

    def _next(self, directive: Directive) -> None:
        branch = self._branches.pop()
        if branch.before is None:
            # Inside a branch that is not read.
            if directive.word != "endif":
                self._branches.append(branch)
            return
        after = branch.after
        if branch.live and after is None:
            after = self.sink.state()
        if directive.word == "endif":
            self.sink.restore(after if after is not None else branch.before)
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
        if directive.word == "else":
            return True
        if is_guard:
            return directive.name not in self.macros
        if directive.word.endswith("def") and directive.name in self.macros:
            return not directive.word.endswith("ndef")
        return conditions.fold_directive(directive.word, directive.text, self._value)

    def _value(self, name: str) -> conditions.Macro:
        """What a macro is worth in a condition; None where it is not decided."""
        definitions = self.macros.get(name)
        if definitions is None:
            return self.platform(name)
        if len(definitions) > 1 or definitions[0].parameters is not None:
            return None
        text = definitions[0].text
        if not text or name in self._evaluated:
            return None if text else True
        self._evaluated.add(name)
        try:
            return conditions.number(text, self._value)
        finally:
            self._evaluated.discard(name)

    # --- the rest -----------------------------------------------------------------------

    def _directive(self, directive: Directive, path: str, depth: int) -> None:
        if directive.word == "define":
            if directive.macro:
                self.table.define(directive.macro, is_sure=not self._condition)
        elif directive.word == "undef":
            if not self._condition:
                self.table.undefine(directive.name)
        elif directive.word in ("include", "import", "include_next"):
            self._include(directive, path, depth)
        elif directive.word == "pragma" and directive.text == "once":
            # Says so of the file it stands in, which is being read for the first time.
            self._once.add(path)

    def _include(self, directive: Directive, path: str, depth: int) -> None:
        tokens = directive.tokens
        if tokens and tokens[0].is_name:
            tokens = tuple(Expansion(self.macros).expand(tokens))
        name = "".join(token.text for token in tokens).strip().strip('"<>')
        found = self.resolve(path, name)
        if found is None:
            if directive.text.startswith('"'):
                self.unseen_includes.add(name)
        else:
            self._read(found, self._items(found), depth + 1)

    def _code(self, code: Code, path: str) -> None:
        if code.is_whole and self.sink.is_idle and self.table.telling.isdisjoint(code.names):
            if not code.is_call or code.tokens[0].text in self.macros:
                return
        if self.macros.keys().isdisjoint(code.names):
            self.sink.feed(list(code.tokens), path, self._condition)
            return
        before = self.sink.state()
        after = None
        choice, choices = 0, 1
        try:
            while choice < choices:
                expansion = Expansion(self.macros, choice)
                tokens = expansion.expand(code.tokens)
                choices = max(choices, expansion.alternatives)
                if choice:
                    self.sink.restore(before)
                self.sink.feed(tokens, path, self._condition)
                after = after or self.sink.state()
                choice += 1
        except (TooLarge, RecursionError):
            self.has_unknown_names = True
            self.problems.append(Problem(path, code.tokens[0].line, "a macro grows too large to be expanded"))
        if after is not None:
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


def _is_guard(directive: Directive, following: tuple[Item, ...]) -> bool:
    """`#ifndef X` with `#define X` right after it: an include guard, or a value that the build may set."""
    if directive.word == "ifndef":
        name = directive.name
    else:
        text = directive.text.replace(" ", "")
        if not text.startswith("!defined"):
            return False
        name = text.removeprefix("!defined").strip("()")
    following_define = following[0] if following else None
    return (
        isinstance(following_define, Directive) and following_define.word == "define" and following_define.name == name
    )
