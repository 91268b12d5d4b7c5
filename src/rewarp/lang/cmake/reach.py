"""Which ``if()`` a target's build goes into, as far as the names in it tell: ``USE_ROCM``, ``${LANG} STREQUAL "HIP"``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rewarp.lang.cmake.conditions import BINARY, UNARY, ConditionError, Word, decide
from rewarp.lang.cmake.values import Conditions, Literal, cleaned, unknown
from rewarp.targets.base import Target

_WORDS = re.compile(r"[()]|[^\s()]+")
_PLATFORM_VARIABLE = re.compile(r"(?i)(lang|language|platform|backend|target_device|gpu_type)\}?$")
_REFERENCE = re.compile(r"\$\{(\w+)\}")
_OTHER_SYSTEMS = frozenset({"ANDROID", "APPLE", "CYGWIN", "IOS", "MINGW", "MSVC", "WIN32"})
"""What CMake sets on systems that none of the targets' cards run on."""


class _Place:
    """A place of whose variables nothing is known."""

    def __init__(self) -> None:
        self.conditions = Conditions()

    def variable(self, name: str) -> str | None:
        return unknown(name, maybe_undefined=True)

    def asked(self, test: str, word: str) -> bool | None:
        return None

    def matched(self, groups: Sequence[str | None] | None) -> None:
        pass


def holds(condition: str, target: Target, others: frozenset[str]) -> bool | None:
    """The truth of a condition on the target; None when it is not decided. ``others``: values of a platform variable
    that mean another platform."""
    words = _WORDS.findall(cleaned(condition))
    known: list[Word] = []
    at = 0
    while at < len(words):
        test = words[at + 1] if at + 1 < len(words) else ""
        before = words[at - 1] if at else ""
        if test in BINARY and at + 2 < len(words):
            known += _compared(words[at : at + 3], target, others)
            at += 3
            continue
        known.append(_word(words[at], None if before in UNARY else _platform(words[at], target)))
        at += 1
    try:
        truth = decide(known, _Place())
    except ConditionError:
        return None
    return None if isinstance(truth, Literal) else truth


def _compared(words: list[str], target: Target, others: frozenset[str]) -> list[Word]:
    left, test, right = words
    value = right.strip('"^$')
    truth = None
    if test in ("STREQUAL", "MATCHES") and _PLATFORM_VARIABLE.search(left):
        truth = False if value.upper() in others else _platform(value, target)
    return [_word("", truth)] if truth is not None else [_word(left, None), Word(test), _word(right, None)]


def _word(text: str, truth: bool | None) -> Word:
    """A word of which the target decides the truth, not the text; or as it is written."""
    if truth is not None:
        return Word("ON" if truth else "OFF")
    return Word(unknown(text)) if "$" in text else Word(text)


def _platform(word: str, target: Target) -> bool | None:
    name = _REFERENCE.sub(r"\1", word)
    if target.true_macros.fullmatch(name) or target.true_names.fullmatch(name):
        return True
    return False if name in _OTHER_SYSTEMS or target.false_names.fullmatch(name) else None
