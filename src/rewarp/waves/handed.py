"""Thread numbers that functions get from their callers: ``decode(state, threadIdx.x)`` says what ``t`` is in there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from rewarp.waves.functions import Function
from rewarp.waves.syntax import Code, parameters

_NAMED = re.compile(rb"\b([A-Za-z_]\w*)\s*[={]\s*(?:\(\s*\w+\s*\)\s*|(?:\w+|static_cast\s*<[\w\s]+>)\s*\(\s*)?\Z")
_ALONE = re.compile(rb"threadIdx\s*\.\s*x\s*[);,}]")
_LOOK_BACK = 80
_OPENS = re.compile(rb"\s*(?:<[\w\s,:]*>\s*)?\(")
_THREAD = b"threadIdx.x"
_DEVICE = (b"__device__", b"DEVICE", b"__forceinline__")
_ROUNDS = 3


class _Call(NamedTuple):
    caller: int
    """Where the function begins that calls."""
    callee: Function
    given: list[bytes]


@lru_cache(maxsize=2)
def thread_parameters(code: Code) -> dict[int, frozenset[bytes]]:
    """By the beginning of a function, the parameters that some call hands the number of the thread in its block."""
    calls = list(_calls(code)) if b"threadIdx" in code.text else []
    if not calls:
        return {}
    numbered = _numbered(code)
    found: dict[int, frozenset[bytes]] = {}
    for _ in range(_ROUNDS):
        new = dict(found)
        for caller, callee, given in calls:
            threads = numbered.get(caller, frozenset()) | found.get(caller, frozenset())
            if threads.isdisjoint(given):
                continue
            names = parameters(code, callee)
            handed = {name for name, value in zip(names, given, strict=False) if value in threads and name}
            new[callee.head.start] = new.get(callee.head.start, frozenset()) | handed
        if new == found:
            break
        found = new
    return found


def _calls(code: Code) -> Iterator[_Call]:
    """The calls of a file's own device functions."""
    for callee in code.functions:
        name = callee.name.encode()
        head = code.slice(callee.head)
        if callee.is_macro or not any(word in head for word in _DEVICE):
            continue
        for at in code.places(name):
            opens = _OPENS.match(code.text, at + len(name)) if code.is_word(at, name) else None
            caller = code.function_at(at) if opens else None
            if opens and caller and at >= caller.body.start:
                given = [code.slice(span) for span in code.arguments(opens.end() - 1)]
                yield _Call(caller.head.start, callee, given)


def _numbered(code: Code) -> dict[int, frozenset[bytes]]:
    """By the beginning of a function, what its threads are numbered by."""
    found: dict[int, set[bytes]] = {}
    for at in code.places(b"threadIdx"):
        function = code.function_at(at)
        if function:
            names = found.setdefault(function.head.start, {_THREAD})
            if _ALONE.match(code.text, at) and (named := _NAMED.search(code.text, max(0, at - _LOOK_BACK), at)):
                names.add(named[1])
    return {start: frozenset(names) for start, names in found.items()}
