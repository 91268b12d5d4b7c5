"""Calls whose arguments differ between CUDA and HIP, from ``tables/arguments.csv``.

A row says what to do with one argument (counted from 0) of a function, or only of calls with so many arguments:

    pointer   cast to ``const void*``
    symbol    wrap in ``HIP_SYMBOL``
    cast      cast to the type in ``text``
    const_cast  the same where only ``const`` differs
    insert    put ``text`` before the argument, or after the last
    remove    leave the argument out; a note is given only where it was not null
    replace   put ``text`` in its place
    value     where it is one of the words in ``text``, put what stands behind it: ``old=new old=new``
    move      put the argument before another one, whose number is ``text``
    name      call ``text`` instead
    note      leave the call as it is, and say what to check
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from rewarp.lang.cpp.file import CodeFile, is_declaration
from rewarp.source import Span
from rewarp.tables import rows
from rewarp.translation.changes import Changes, Options, Problem, Replacement
from rewarp.translation.code import call_arguments, skip_space, stripped
from rewarp.translation.lexing import Lexed
from rewarp.translation.names import renamed
from rewarp.translation.reported_rules import RUNTIME_API

ACTIONS = ("pointer", "symbol", "cast", "const_cast", "insert", "remove", "replace", "value", "move", "name", "note")
_NULLS = (b"0", b"NULL", b"nullptr", b"{}", b"")
_MEMBER = re.compile(rb"(?:\.|->|\w::)\s*\Z")
"""Of an object, a class or a namespace: a wrapper of the project's own has the arguments that it says."""
_DIRECTIVE = re.compile(rb"[ \t]*#")


class Rule(NamedTuple):
    """What changes in a call."""

    size: int | None
    """Only in calls with that many arguments."""
    argument: int | None
    action: str
    text: bytes
    note: str


@lru_cache(maxsize=1)
def rules() -> dict[bytes, list[Rule]]:
    """The table, by function."""
    found: dict[bytes, list[Rule]] = {}
    for row in rows("arguments.csv"):
        rule = Rule(
            int(row["count"]) if row["count"] else None,
            int(row["argument"]) if row["argument"] else None,
            row["action"],
            row["text"].encode(),
            row["note"],
        )
        found.setdefault(row["function"].encode(), []).append(rule)
    return found


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    return not lexed.names.keys().isdisjoint(rules())


def translate(document: CodeFile, names: Mapping[bytes, list[int]], options: Options) -> Changes:
    """Casts, moved, added and dropped arguments, and names that depend on how many there are."""
    changes = Changes()
    for name in names.keys() & rules().keys():
        for at in names[name]:
            if not is_declared(document.code, at):
                _Call(document, name, at).change(rules()[name], changes)
    changes.replacements = _outermost(changes.replacements)
    return changes


class _Call:
    """One call of a function that has rules."""

    def __init__(self, document: CodeFile, name: bytes, at: int) -> None:
        self.code, self.view = document.code, document.source.view
        self.name = Span(at, at + len(name))
        call = call_arguments(self.code, skip_space(self.code, self.name.end))
        self.is_call = call is not None
        self.arguments = call[0] if call else []
        self.end = stripped(self.code, self.arguments[-1]).end if self.arguments else call[1] if call else 0
        """Behind the last argument."""

    def change(self, chosen: Iterable[Rule], changes: Changes) -> None:
        if not self.is_call:
            return
        for rule in chosen:
            if rule.size is not None and rule.size != len(self.arguments):
                continue
            noted = bool(rule.note)
            if rule.argument is None:
                if rule.action == "name":
                    changes.replacements.append(Replacement(*self.name, rule.text))
            elif rule.action == "insert":
                changes.replacements.append(self._inserted(rule.argument, rule.text))
            elif rule.argument < len(self.arguments):
                changes.replacements += self._edited(rule.argument, rule)
                noted = noted and not (rule.action == "remove" and self._text(rule.argument) in _NULLS)
            else:
                noted = False
            if noted:
                text = self.code[slice(*self.name)].decode()
                problem = Problem(RUNTIME_API, self.name, "noted", f"{text}: {rule.note}", "Check this call.", text)
                changes.problems.append(problem)

    def _edited(self, index: int, rule: Rule) -> list[Replacement]:
        where = stripped(self.code, self.arguments[index])
        if rule.action in ("remove", "move"):
            removed = [Replacement(*self._with_comma(index), b"")]
            return removed + (
                [self._inserted(int(rule.text), renamed(self.view[slice(*where)]))] if rule.action == "move" else []
            )
        if rule.action == "replace":
            return [Replacement(*where, rule.text)]
        if rule.action == "value":
            new = dict(pair.split(b"=") for pair in rule.text.split()).get(self._text(index))
            return [Replacement(*where, new)] if new else []
        before = {
            "pointer": b"reinterpret_cast<const void*>(",
            "symbol": b"HIP_SYMBOL(",
            "cast": b"static_cast<" + rule.text + b">(",
            "const_cast": b"const_cast<" + rule.text + b">(",
        }.get(rule.action)
        text = self._text(index)
        if before is None or text in _NULLS or (rule.action == "pointer" and _is_pointer(text)):
            return []
        return [Replacement(where.start, where.start, before), Replacement(where.end, where.end, b")")]

    def _text(self, index: int) -> bytes:
        return self.code[slice(*self.arguments[index])].strip()

    def _inserted(self, index: int, text: bytes) -> Replacement:
        if index < len(self.arguments):
            place = stripped(self.code, self.arguments[index]).start
            return Replacement(place, place, text + b", ")
        return Replacement(self.end, self.end, (b", " if self.arguments else b"") + text)

    def _with_comma(self, index: int) -> Span:
        if index + 1 < len(self.arguments):
            where, following = (stripped(self.code, self.arguments[at]) for at in (index, index + 1))
            return Span(where.start, following.start)
        if index:
            return Span(self.arguments[index - 1].end, self.arguments[index].end)
        return self.arguments[index]


def is_declared(code: bytes, at: int) -> bool:
    """Whether the name is not called: a declaration, or a member of something that bears the same name."""
    line = code.rfind(b"\n", 0, at) + 1
    if _MEMBER.search(code, max(0, at - 40), at):
        return True
    return not _DIRECTIVE.match(code, line) and is_declaration(code, at)


def _is_pointer(text: bytes) -> bool:
    """Whether an argument is cast already: ``(const void*)kernel``."""
    return bool(text.startswith((b"(", b"reinterpret_cast", b"static_cast")) and b"void" in text)


def _outermost(replacements: list[Replacement]) -> list[Replacement]:
    """Without those inside an argument that another one takes away: a call in a call."""
    longer = sorted((item for item in replacements if item.end > item.start), key=lambda item: (item.start, -item.end))
    kept: list[Replacement] = []
    for item in longer:
        if not kept or item.start >= kept[-1].end:
            kept.append(item)
    covered = set(kept)
    return [item for item in replacements if item in covered or not any(_inside(item, cover) for cover in kept)]


def _inside(item: Replacement, cover: Replacement) -> bool:
    if item.start == item.end:
        return cover.start < item.start < cover.end
    return cover.start <= item.start and item.end <= cover.end
