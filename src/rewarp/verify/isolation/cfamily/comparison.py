"""C, C++ and CUDA: is the file, as NVIDIA's compiler preprocesses it, what it was?"""

from __future__ import annotations

from collections.abc import Callable
from difflib import SequenceMatcher
from itertools import groupby

from rewarp.lang.cpp.directives import Directive
from rewarp.lang.cpp.tokens import Token, Unreadable
from rewarp.verify.isolation.cfamily.conditions import NOTHING_KNOWN
from rewarp.verify.isolation.cfamily.macros import shape_of
from rewarp.verify.isolation.cfamily.reduction import Reduction
from rewarp.verify.isolation.cfamily.residue import Close, Item, key, residue, words
from rewarp.verify.isolation.context import Context
from rewarp.verify.isolation.file_verdict import FileVerdict, IsolationVerdict, Place
from rewarp.verify.isolation.outcome import Says

METHOD = "tokens after preprocessing for NVIDIA"
_SHOWN = 6
_WIDTH = 160
_COMPARED = 4000
Line = tuple[int, tuple[tuple[object, ...], ...], str]


def compare(path: str, before: bytes, after: bytes, context: Context) -> FileVerdict:
    """Proved where both leave the same tokens once what only HIP's compiler sees is gone."""
    said = Says(path, before, after, METHOD)
    macros = context.macros
    try:
        shape_before, shape_after = shape_of(path, before).nodes, shape_of(path, after).nodes
    except Unreadable as error:
        return said(
            IsolationVerdict.UNPROVABLE,
            f"cannot be read with certainty: {error.why}",
            [Place(None, error.line, error.why)],
        )
    old, new = _launching(residue(shape_before, macros["before"])), _launching(residue(shape_after, macros["after"]))
    hip = next((item for item in new if _includes_hip(item)), None)
    if hip is not None:
        old, new = _launching(residue(shape_before, NOTHING_KNOWN)), _launching(residue(shape_after, NOTHING_KNOWN))
        if not _same(old, new):
            why = "includes HIP's headers for NVIDIA too, and these define HIP's macros"
            return said(IsolationVerdict.UNPROVABLE, why, [Place(None, hip.line, _text([hip]))])
    if not _same(old, new) and _brings(old, new):
        new = Reduction(path, shape_before, old, context).reduced(new)
    if _same(old, new):
        spaced = _differently_spaced(old, new, macros["after"].becomes_text)
        if spaced:
            why = "white space differs inside something that a macro may turn into text"
            return said(IsolationVerdict.UNPROVABLE, why, [Place(None, spaced.line, spaced.text)])
        counted = _counted_line(old, new)
        if counted:
            return said(
                IsolationVerdict.UNPROVABLE,
                "the number of a line is part of what is compiled",
                [Place(None, counted.line, counted.text)],
            )
        context.trees.assume(
            "Macros from outside the project in small letters, assert aside, do not turn arguments into text."
        )
        context.trees.assume("Line numbers in messages are not part of what a program does.")
        return said(IsolationVerdict.IDENTICAL, "the same tokens reach NVIDIA's compiler")
    return _difference(said, old, new, context)


def _launching(items: list[Item]) -> list[Item]:
    """The items with chevrons in one piece: nvcc reads ``<< <grid, block >> >`` as it reads ``<<<grid, block>>>``."""
    found: list[Item] = []
    opened = 0
    for item in items:
        last = found[-1] if found else None
        if isinstance(item, Token) and isinstance(last, Token) and item.text in ("<", ">"):
            if last.text == item.text * 2 and (item.text == "<" or opened):
                item = last._replace(kind="split", text=item.text * 3)
                found.pop()
        if isinstance(item, Token):
            opened = opened + 1 if item.text == "<<<" else max(opened - (item.text == ">>>"), 0)
            opened = 0 if item.text == ";" else opened
        found.append(item)
    return found


def _same(old: list[Item], new: list[Item]) -> bool:
    return len(old) == len(new) and all(key(one) == key(other) for one, other in zip(old, new))


def _differently_spaced(old: list[Item], new: list[Item], becomes_text: Callable[[str], bool]) -> Token | None:
    """A token with other white space before it, in the arguments of a macro that may turn them into text."""
    calls: list[bool] = []
    before: Token | None = None
    for one, token in zip(old, new):
        if not isinstance(token, Token) or not isinstance(one, Token):
            continue
        alike = token.spaced == one.spaced and token.kind == one.kind
        if any(calls) and not alike and not (before and before.text == "(" and calls == [True]):
            return token
        if token.text == ")" and calls:
            calls.pop()
        elif token.text == "(":
            calls.append(before is not None and before.kind == "word" and becomes_text(before.text))
        before = token
    return None


def _counted_line(old: list[Item], new: list[Item]) -> Token | None:
    """A `__LINE__` on another line than before that is more than an argument, as messages have it."""
    for at, (one, token) in enumerate(zip(old, new)):
        if isinstance(token, Token) and isinstance(one, Token) and token.text == "__LINE__" and one.line != token.line:
            around = [getattr(item, "text", "") for item in (new[at - 1], new[at + 1] if at + 1 < len(new) else token)]
            if not at or around[0] not in ("(", ",", "<<") or around[1] not in (")", ",", "<<"):
                return token
    return None


def _brings(old: list[Item], new: list[Item]) -> bool:
    """Whether there is an include, or a macro, that was not there: only then can any of it be found inert."""
    known = {key(item) for item in old}
    uses = {"include", "define"}
    brought = any(isinstance(item, Directive) and item.word in uses and key(item) not in known for item in new)
    return brought or bool(words(new) - words(old))


def _includes_hip(item: Item) -> bool:
    if not isinstance(item, Directive) or item.word != "include":
        return False
    return "".join(token.text for token in item.tokens).strip('<">').startswith(("hip/", "hipblas", "rocm"))


def _difference(said: Says, old: list[Item], new: list[Item], context: Context) -> FileVerdict:
    places: list[Place] = []
    doubts: list[str] = []
    unread = ""
    for one, other in _hunks(_lines(old), _lines(new)):
        removed, added = " ".join(line[2] for line in one), " ".join(line[2] for line in other)
        text = " → ".join((_short(removed) or "nothing", _short(added) or "nothing"))
        places.append(Place(one[0][0] if one else None, other[0][0] if other else None, text))
        for side, shown in (("before", removed), ("after", added)):
            known = context.macros["before" if side == "before" else "after"].doubts
            doubts += [f"{name} may be defined for NVIDIA: {why}" for name, why in known.items() if name in shown]
        if "#if unread" in added or "#elif unread" in added:
            unread = "a condition could not be decided"
        elif "#include" in added:
            unread = unread or "what a new #include brings could not be told"
    if doubts or unread:
        return said(IsolationVerdict.UNPROVABLE, doubts[0] if doubts else unread, places[:_SHOWN])
    return said(IsolationVerdict.DIFFERENT, "other tokens reach NVIDIA's compiler", places[:_SHOWN])


def _lines(items: list[Item]) -> list[Line]:
    found = []
    for number, group in groupby(items, key=lambda item: item.line):
        line = list(group)
        found.append((number, tuple(key(item) for item in line), _text(line)))
    return found


def _text(line: list[Item]) -> str:
    parts = []
    for item in line:
        if isinstance(item, Token):
            parts.append((" " if item.spaced else "") + item.text)
        elif isinstance(item, Directive):
            parts.append(
                f"#{item.word} "
                + "".join((" " if t.spaced and at else "") + t.text for at, t in enumerate(item.tokens))
            )
        else:
            parts.append("#endif" if isinstance(item, Close) else f"#{item.word} {item.condition}")
    return "".join(parts).strip()


def _hunks(old: list[Line], new: list[Line]) -> list[tuple[list[Line], list[Line]]]:
    start = 0
    while start < min(len(old), len(new)) and old[start][1] == new[start][1]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end][1] == new[-1 - end][1]:
        end += 1
    one, other = old[start : len(old) - end], new[start : len(new) - end]
    if len(one) + len(other) > _COMPARED:
        return [(one[:3], other[:3])]
    matcher = SequenceMatcher(None, [line[1] for line in one], [line[1] for line in other], autojunk=False)
    return [(one[a:b], other[c:d]) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"]


def _short(text: str) -> str:
    return text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"
