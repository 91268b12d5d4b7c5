"""Thread numbers that functions get from their callers: ``decode(state, threadIdx.x)`` says what ``t`` is in there."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache

from rewarp.waves.reading.brackets import opening
from rewarp.waves.reading.functions import Function
from rewarp.waves.reading.syntax import Code, parameters

_NAMED = re.compile(rb"\b([A-Za-z_]\w*)\s*[={]\s*(?:\(\s*\w+\s*\)\s*|(?:\w+|static_cast\s*<[\w\s]+>)\s*\(\s*)?\Z")
_ALONE = re.compile(rb"threadIdx\s*\.\s*x\s*[);,}]")
_LOOK_BACK = 80
_GIVEN_AFTER = re.compile(rb"\s*[,)]")
_CALLED_BACKWARDS = re.compile(rb"\s*(?:>[\w\s,:]*<\s*)?(\w+)")
_THREAD = b"threadIdx.x"
_DEVICE = (b"__device__", b"DEVICE", b"__forceinline__")
_ROUNDS = 3

Numbers = dict[int, set[bytes]]
"""By the beginning of a function, names for the number of the thread in its block."""


@lru_cache(maxsize=2)
def thread_parameters(code: Code) -> Numbers:
    """The parameters that some call hands the number of the thread."""
    found: Numbers = defaultdict(set)
    callees: dict[str, list[Function]] = defaultdict(list)
    for function in code.functions if b"threadIdx" in code.text else ():
        if not function.is_macro and any(word in code.slice(function.head) for word in _DEVICE):
            callees[function.name].append(function)
    known = _numbered(code) if callees else {}
    for _ in range(_ROUNDS):
        new: Numbers = defaultdict(set)
        for start, names in known.items():
            caller = code.function_at(start)
            for bracket in _passing(code, caller, names) if caller else ():
                given = [code.slice(span) for span in code.arguments(bracket)]
                for callee in callees.get(_called(code, bracket), ()):
                    passed = {
                        name
                        for name, value in zip(parameters(code, callee), given, strict=False)
                        if value in names and name
                    }
                    new[callee.head.start] |= passed - found[callee.head.start]
        for start, names in new.items():
            found[start] |= names
        known = new
    return found


def _passing(code: Code, caller: Function, names: set[bytes]) -> Iterator[int]:
    """The brackets of the calls in a function that get one of these names for an argument."""
    for name in names:
        for at in code.places_in(caller.body, name):
            if code.is_word(at, name) and _GIVEN_AFTER.match(code.text, at + len(name)):
                bracket = opening(code.text, at)
                if bracket >= caller.body.start:
                    yield bracket


def _called(code: Code, bracket: int) -> str:
    match = _CALLED_BACKWARDS.match(code.text[max(0, bracket - _LOOK_BACK) : bracket][::-1])
    return match[1][::-1].decode() if match else ""


def _numbered(code: Code) -> Numbers:
    """What the threads of functions are numbered by."""
    found: Numbers = {}
    for at in code.offsets_of(b"threadIdx"):
        function = code.function_at(at)
        if function:
            names = found.setdefault(function.head.start, {_THREAD})
            if _ALONE.match(code.text, at) and (named := _NAMED.search(code.text, max(0, at - _LOOK_BACK), at)):
                names.add(named[1])
    return found
