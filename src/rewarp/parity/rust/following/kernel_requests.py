"""Kernels that host code asks for by name: which names, for which data types, and whether they exist."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING

from rewarp.parity.rust.following.paths import LAUNCHED, NO_KERNEL, UNSEEN, Ask, Live, marked, merged, only, reach
from rewarp.parity.rust.following.values import ANYTHING, HOLE, Value, readings
from rewarp.parity.rust.reading.dtypes import spellings

if TYPE_CHECKING:
    from rewarp.parity.rust.following.follow import Frame

LOADS_KERNEL = re.compile(r"\w*(?:load|get|create|make|find|fetch|lookup)\w*_(?:func|function|kernel|pipeline)\w*")


def ask(frame: Frame, arguments: tuple[Value, ...], live: Live, line: int) -> Live:
    """Kernels asked for by name: those data types whose kernel exists nowhere are marked."""
    told = [value for value in arguments if value.strings]
    live = marked(live, LAUNCHED)
    if not told:
        return live
    strings = told[-1].strings if len(told) == 1 else next((v.strings for v in told if not _is_source(v)), ())
    asks: dict[tuple[tuple[str, ...], bool | None], int] = defaultdict(int)
    found = partly = doubted = 0
    wanted = reach(live)
    for name in list(frame.dtypes.names(wanted)) if frame.axis else [""]:
        bit = frame.dtypes.bit(name) or wanted
        cases = [_spelled(text, name) for text, mask in strings if mask & bit]
        exist = [_any_exists(frame, spelled) for spelled in cases]
        for spelled, exists in zip(cases, exist):
            asks[spelled, exists] |= bit
        if not cases or any(exists is not False for exists in exist):
            found |= bit
        if False in exist:
            partly |= bit
        if (doubt := _doubt(frame, cases)) and False not in exist:
            frame.record.unseen.append(frame.place(line, doubt))
            doubted |= bit
    for (spelled, exists), mask in asks.items():
        frame.record.asks.append(Ask(spelled, mask, exists, (frame.place(line, f"asks for {spelled[0]}"),)))
    return merged(
        (
            only(live, found & ~doubted),
            marked(only(live, found & doubted), UNSEEN),
            marked(only(live, partly), NO_KERNEL),
        )
    )


def _doubt(frame: Frame, cases: list[tuple[str, ...]]) -> str:
    """Why nobody can tell whether any of the kernels is there."""
    existing = [[name for name in names if frame.follower.exists(name)] for names in cases]
    if not cases or not all(names and all(map(frame.follower.doubt, names)) for names in existing):
        return ""
    doubts = existing[0]
    return f"{doubts[0]} exists only where {frame.follower.doubt(doubts[0])}"


def _is_source(value: Value) -> bool:
    """A whole program, not the name of a kernel."""
    return any("\n" in text or " " in text for text, _ in value.strings)


@lru_cache(maxsize=20_000)
def _spelled(text: str, dtype: str) -> tuple[str, ...]:
    """The names one of which a string is for a data type."""
    forms = spellings(dtype) if dtype else (ANYTHING,)
    return tuple(dict.fromkeys(one.replace(HOLE, form) for one in readings(text) for form in forms))


def _any_exists(frame: Frame, names: tuple[str, ...]) -> bool | None:
    found = [frame.follower.exists(name) for name in names]
    return True if True in found else (None if None in found else False)
