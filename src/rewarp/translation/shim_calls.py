"""Calls whose arguments HIP takes otherwise, as macros with arguments: what the shim can say of them."""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from rewarp.lang.cpp.file import CodeFile
from rewarp.tables import cuda
from rewarp.translation.arguments import Rule, is_declared, rules
from rewarp.translation.code import call_arguments, has_bare_comma, skip_space

_NAMES = string.ascii_lowercase
_WRAPPED = {"pointer": "reinterpret_cast<const void*>({})", "symbol": "HIP_SYMBOL({})"}


@dataclass
class Calls:
    """The calls of one function in a project."""

    counts: set[int] = field(default_factory=set)
    """With how many arguments it is called."""
    plain: bool = True
    """Whether every use is a call of the function itself, with arguments that the preprocessor takes for as many."""

    def add(self, document: CodeFile, name: bytes, at: int) -> None:
        code = document.code
        call = call_arguments(code, skip_space(code, at + len(name)))
        if call is None or is_declared(code, at) or any(has_bare_comma(code[slice(*part)]) for part in call[0]):
            self.plain = False
            return
        self.counts.add(len(call[0]))


def macro(name: bytes, calls: Calls) -> bytes | None:
    """What follows ``#define`` to make HIP's call of every call; None where no one macro does."""
    if not calls.plain or not calls.counts:
        return None
    chosen = [_rules_for(name, count) for count in sorted(calls.counts)]
    if any(one != chosen[0] for one in chosen) or not chosen[0]:
        return None
    touched = max((rule.argument or 0) for rule in chosen[0])
    count, open_ended = min(calls.counts), len(calls.counts) > 1
    if open_ended:
        if touched >= count - 1 or any(rule.action in ("insert", "move") for rule in chosen[0]):
            return None
        count = touched + 1
    if count > len(_NAMES):
        return None
    new, words = _written(name, chosen[0], count)
    if new is None:
        return None
    rest = ["..."] if open_ended else []
    values = [*words, "__VA_ARGS__"] if open_ended else words
    return f"{name.decode()}({', '.join([*_NAMES[:count], *rest])}) {new}({', '.join(values)})".encode()


def _rules_for(name: bytes, count: int) -> tuple[Rule, ...]:
    return tuple(
        rule._replace(size=None, note="")
        for rule in rules().get(name, ())
        if rule.action != "note" and (rule.size is None or rule.size == count)
    )


def _written(name: bytes, chosen: Iterable[Rule], count: int) -> tuple[str | None, list[str]]:
    """The name of HIP's function, None where it has none, and its arguments."""
    usual = cuda.renames().get(name)
    new = usual.decode() if usual else None
    words: list[str | None] = list(_NAMES[:count])
    before: dict[int, list[str]] = {}
    for rule in chosen:
        at = rule.argument
        text = rule.text.decode()
        if rule.action == "name":
            new = text
        elif at is None or rule.action == "value" or (at >= count and rule.action != "insert"):
            return None, []
        elif rule.action == "insert":
            before.setdefault(at, []).append(text)
        elif rule.action == "remove":
            words[at] = None
        elif rule.action == "replace":
            words[at] = text
        elif rule.action == "move":
            before.setdefault(int(text), []).append(_NAMES[at])
            words[at] = None
        else:
            words[at] = _WRAPPED.get(rule.action, f"static_cast<{text}>({{}})").format(_NAMES[at])
    found: list[str] = []
    for at, word in enumerate([*words, None]):
        found += before.get(at, [])
        found += [word] if word is not None else []
    return new, found


def collected(files: Iterable[tuple[CodeFile, Mapping[bytes, list[int]]]]) -> dict[bytes, Calls]:
    """The calls of functions that take other arguments, by name."""
    found: dict[bytes, Calls] = {}
    for document, names in files:
        for name in names.keys() & rules().keys():
            for at in names[name]:
                found.setdefault(name, Calls()).add(document, name, at)
    return found
