"""Locks that threads spin for. The lanes of a wave go on together: one that waits keeps the one that holds the lock waiting."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from enum import Enum
from typing import NamedTuple

from rewarp.source import Span
from rewarp.waves.reading.analysis import Analysis
from rewarp.waves.reading.brackets import arguments, closing
from rewarp.waves.reading.functions import Function
from rewarp.waves.reading.roles import Roles
from rewarp.waves.reading.statements import conditions, statement_end

_ATOMIC = re.compile(rb"(?P<name>atomic(?<!\watomic)(?:CAS|Exch|Or))(?:_block|_system)?\s*(?=\()")
_LOOP = re.compile(rb"(?:(?P<do>\bdo\b\s*(?:;\s*|\{(?P<body>[^{}]*)\}\s*))?)\bwhile\s*(?=\()")
_TRY = re.compile(rb"\bif\s*(?=\()")
_UNTIL = re.compile(rb"\b(?P<while>while)\s*(?=\()|\bfor\s*\(\s*;\s*;\s*\)|\b(?P<do>do)\b\s*(?=\{)")
_GONE = re.compile(rb"\b(?:break|return)\b")
_CONSTANT = re.compile(rb"(?:\([\w ]+\)\s*)?(?:\d+[uUlL]*|true|false|k?[A-Z][A-Za-z0-9_]*)")
_ASSIGNED = re.compile(rb"([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)?(?:[-+*/|&^]|<<|>>)?=(?!=)")
_WORD = re.compile(rb"[A-Za-z_]\w*")
_CALL = re.compile(
    rb"(?<![\w.>:])(?P<of>(?:[A-Za-z_]\w*(?:\[[^\]]*\])?\s*(?:\.|->|::)\s*)*)(?P<name>[A-Za-z_]\w*)\s*(?=\()"
)
_LEAVES = re.compile(rb"\s*\{?\s*return\b")
_COMPARED = re.compile(rb"(?P<left>[\w.()%&\s\[\]]+?)\s*(?P<how>==|!=)\s*[\w.()\-\s]+")
_NOT = re.compile(rb"!\s*(?P<left>threadIdx\s*\.\s*x|[A-Za-z_]\w*)\s*(?:\)|&&|\Z)")
WIDTH = rb"(?:32|\w*(?i:warp_?size)\w*)"
_LEADER = re.compile(rb"%\s*" + WIDTH + rb"\s*\)?\s*\Z|&\s*31\s*\)?\s*\Z|\b(?:\w+_)?[lL]ane(?:_?[iI]dx?)?\s*\Z")
_CHOSEN = re.compile(rb"(?i)elect|leader|first|master|single")
_ONE_THREAD = rb"\b%s\s*(?:<[^;<>]*>\s*)?<<<[^;]*?,\s*1\s*(?:,|>>>)"
_OUTSIDE = b"{} \t\r\n"
_LOOK_BACK = 400
IN_TURN = re.compile(rb"REWARP_WARP32_(?:LANES|WARPS)_IN_TURN\s*\Z")


class Takers(Enum):
    """Which threads of a block may wait for one another."""

    LEADERS = "the leaders of its warps"
    LANES = "its lanes"


class Lock(NamedTuple):
    """A place where threads wait until a lock is free."""

    where: Span
    """The loop, or the call of a function that has it."""
    how: str
    takers: Takers
    sure: bool
    """Nothing that is not understood decides who comes here."""
    section: Span | None
    """From where it is taken to where it is freed, where both are seen and nothing leaves in between."""
    by_warp: bool = False
    """The section is the whole warp's: only its leader takes the lock."""


class _Take(NamedTuple):
    where: Span
    how: str
    lock: bytes


def locks(analysis: Analysis) -> Iterator[Lock]:
    takers = {function.name: function for function in analysis.code.functions if _is_lock(analysis, function)}
    for function in analysis.code.functions:
        if function.is_macro or function.name in takers:
            continue
        takes = [*_loops(analysis.text, function), *_calls(analysis.text, function, takers.keys())]
        for take in takes:
            found = _who(analysis, function, take.where.start)
            if found and analysis.reachable(take.where.start):
                who, sure = found
                yield _lock(analysis, function, take, who, sure)


def _is_lock(analysis: Analysis, function: Function) -> bool:
    """Whether a function only takes a lock, for whoever calls it."""
    takes = list(_loops(analysis.text, function))
    if (
        not takes
        or b"__global__" in analysis.code.slice(function.head)
        or any(_release(analysis.text, take, function.body.end) for take in takes)
    ):
        return False
    return function.is_macro or not any(True for _ in conditions(analysis.text, function.body))


def _loops(text: bytes, function: Function) -> Iterator[_Take]:
    """``while (atomicCAS(lock, 0, 1) != 0);``, with or without a pause in it."""
    if text.find(b"while", *function.body) < 0 or not _ATOMIC.search(text, *function.body):
        return
    for loop in _LOOP.finditer(text, *function.body):
        end = closing(text, loop.end())
        atomic = _ATOMIC.search(text, loop.end(), end)
        if atomic is None:
            continue
        given = [text[slice(*span)] for span in arguments(text, atomic.end())]
        body = Span(*loop.span("body")) if loop["do"] else Span(end, statement_end(text, end))
        pause = text[slice(*body)] if body.start >= 0 else b""
        if len(given) < 2 or not all(map(_CONSTANT.fullmatch, given[1:])) or not _is_pause(pause, given[0]):
            continue
        stop = text.find(b";", end) + 1 if loop["do"] else body.end
        yield _Take(Span(loop.start(), stop), atomic["name"].decode(), given[0])


def _is_pause(body: bytes, lock: bytes) -> bool:
    """Whether a loop's body only lets time pass: it goes on to no other lock, and frees none."""
    changed = set(_ASSIGNED.findall(body))
    return not _ATOMIC.search(body) and changed.isdisjoint(_WORD.findall(lock)) and b"return" not in body


def _calls(text: bytes, function: Function, takers: Collection[str]) -> Iterator[_Take]:
    """``mutex.lock();``, where that is a function of this file that has such a loop."""
    for call in _CALL.finditer(text, *function.body) if takers else ():
        name = call["name"].decode()
        if name in takers:
            end = closing(text, call.end())
            of = call["of"] + b",".join(text[slice(*span)] for span in arguments(text, call.end()))
            yield _Take(Span(call.start(), statement_end(text, end - 1)), name, of)


def tries(analysis: Analysis) -> Iterator[Lock]:
    """``while (!done) { if (atomicCAS(lock, 0, 1) == 0) { …; atomicExch(lock, 0); done = true; } }``: the compiler sees that
    this leaves the loop, and moves it behind; there the lane waits for the others, with the lock in its hands."""
    text = analysis.text
    for function in analysis.code.functions:
        if function.is_macro or not _ATOMIC.search(text, *function.body):
            continue
        loops = list(_waiting_loops(text, function))
        for found in _TRY.finditer(text, *function.body) if loops else ():
            end = closing(text, found.end())
            atomic = _ATOMIC.search(text, found.end(), end)
            given = [text[slice(*span)] for span in arguments(text, atomic.end())] if atomic else []
            then = text[end : statement_end(text, end)]
            if (
                not atomic
                or len(given) < 2
                or not all(map(_CONSTANT.fullmatch, given[1:]))
                or not _stores(then, given[0])
            ):
                continue
            words = {word for loop, words in loops if found.start() in range(*loop) for word in words}
            who = _who(analysis, function, found.start())
            leaves = _GONE.search(then) or not words.isdisjoint(_ASSIGNED.findall(then))
            if (
                leaves
                and who
                and any(found.start() in range(*loop) for loop, _ in loops)
                and analysis.reachable(found.start())
            ):
                yield Lock(Span(found.start(), end), atomic["name"].decode(), *who, None)


def _waiting_loops(text: bytes, function: Function) -> Iterator[tuple[Span, set[bytes]]]:
    """Loops that count nothing, and the words of their conditions."""
    for loop in _UNTIL.finditer(text, *function.body):
        if loop["do"]:
            end = closing(text, loop.end())
            yield Span(loop.end(), end), set(_WORD.findall(text[end : text.find(b";", end)]))
        else:
            end = closing(text, loop.end()) if loop["while"] else loop.end()
            condition = text[loop.end() : end] if loop["while"] else b""
            yield Span(end, statement_end(text, end)), set(_WORD.findall(condition))


# --- who waits --------------------------------------------------------------------------------


def _who(analysis: Analysis, function: Function, at: int) -> tuple[Takers, bool] | None:
    """Which threads come to a place; None where at most one of each block does."""
    text = analysis.text
    if re.search(_ONE_THREAD % re.escape(function.name.encode()), text):
        return None
    roles = analysis.roles_of(function)
    who, sure = Takers.LANES, b"__global__" in analysis.code.slice(function.head)
    for condition in conditions(text, Span(function.body.start, at)):
        inside = condition.then.start <= at < condition.then.end
        if not inside and not (condition.then.end <= at and _LEAVES.match(text, condition.then.start)):
            continue
        told = _asked(roles, condition.test, b"==" if inside else b"!=")
        if told is None:
            return None
        who = Takers.LEADERS if told is Takers.LEADERS else who
        sure = sure and not _CHOSEN.search(condition.test)
    return who, sure


def _asked(roles: Roles, test: bytes, how: bytes) -> Takers | None:
    """Who passes a condition: one thread (None), the leaders of warps, or any."""
    named = [(match["left"], match["how"]) for match in _COMPARED.finditer(test)]
    named += [(match["left"], b"==") for match in _NOT.finditer(test)]
    named.append((test.strip(b"() \t\r\n"), b"!="))
    for left, compared in named:
        left = left.strip(b"( ")
        if compared != how:
            continue
        if _LEADER.search(left) or roles.is_lane(left):
            return Takers.LEADERS
        if roles.is_thread(left) or roles.is_grid_thread(left) or left.endswith(b"thread_rank()"):
            return None
    return Takers.LANES


# --- what is locked ---------------------------------------------------------------------------


def _lock(analysis: Analysis, function: Function, take: _Take, who: Takers, sure: bool) -> Lock:
    text = analysis.text
    end = _release(text, take, function.body.end) if _stands_free(text, take.where.start) else None
    if end is not None:
        return Lock(take.where, take.how, who, sure, Span(take.where.start, end))
    if who is Takers.LEADERS:
        around = [
            item for item in conditions(text, function.body) if item.then.start <= take.where.start < item.then.end
        ]
        alone = [
            item
            for item in around
            if text[slice(*item.then)].strip(_OUTSIDE) == text[slice(*take.where)].strip(_OUTSIDE)
        ]
        if (
            alone
            and _stands_free(text, alone[-1].start)
            and (freed := _freed_by_leader(text, alone[-1].then.end, take.lock, alone[-1].test, function.body.end))
        ):
            return Lock(take.where, take.how, who, sure, Span(alone[-1].start, freed), by_warp=True)
    return Lock(take.where, take.how, who, sure, None)


def _stands_free(text: bytes, at: int) -> bool:
    """Whether the statement that begins here is one of a block, and not all that a condition or a loop lets through."""
    before = text[max(0, at - _LOOK_BACK) : at]
    return before.rstrip()[-1:] in (b";", b"{", b"}") or IN_TURN.search(before) is not None


def _release(text: bytes, take: _Take, limit: int) -> int | None:
    """Where the lock is freed by a statement of the same block."""
    at = take.where.end
    while at < limit:
        end = statement_end(text, at)
        statement = text[at:end]
        if statement.lstrip()[:1] in (b"}", b"") or end <= at:
            return None
        if _frees(statement, take):
            return end
        at = end
    return None


def _freed_by_leader(text: bytes, at: int, lock: bytes, test: bytes, limit: int) -> int | None:
    while at < limit:
        end = statement_end(text, at)
        statement = text[at:end].strip()
        if statement[:1] in (b"}", b"") or end <= at:
            return None
        if statement.startswith(b"if") and test in statement and _stores(statement, lock):
            return end
        at = end
    return None


def _frees(statement: bytes, take: _Take) -> bool:
    if statement.lstrip().startswith((b"if", b"for", b"while", b"do", b"{")):
        return False
    if take.how.startswith("atomic"):
        return _stores(statement, take.lock)
    call = _CALL.match(statement.strip())
    if call is None:
        return False
    given = arguments(statement.strip(), call.end())
    of = call["of"] + b",".join(statement.strip()[slice(*span)] for span in given)
    return of == take.lock and re.search(rb"(?i)un|free|release|leave", call["name"]) is not None


def _stores(statement: bytes, lock: bytes) -> bool:
    """``atomicExch(lock, 0);``, ``atomicCAS(lock, 1, 0)``, ``*lock = 0;`` or ``lock = 0;`` where its address was taken."""
    for atomic in _ATOMIC.finditer(statement):
        given = arguments(statement, atomic.end())
        if given and statement[slice(*given[0])] == lock:
            return True
    plain = lock.lstrip(b"& ") if lock.startswith(b"&") else b"*" + lock
    return re.search(re.escape(plain) + rb"\s*=\s*\w+\s*;", statement) is not None
