"""Where a program was started again: what comes after it is no part of the run before, whatever its steps are called."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Protocol, runtime_checkable

LAUNCHED = "the program was started once more, or took up a checkpoint: what was before is a result of its own"
_MOST = 1 << 14
_FAR = 300
"""How far into a line it may say so."""
_ANCHORS = (
    b"amespace(",
    b"{'",
    b'{"',
    b"heckpoint",
    b"CHECKPOINT",
    b"esum",
    b"tarting training for ",
    b"python",
    b"epoch",
    b"batch_size",
)
_ANCHOR = re.compile(
    rb"Namespace\(|\{['\"]|[Cc]heckpoint|CHECKPOINT|[Rr]esum(?:ed|ing) |[Ss]tarting training for |python|\n[ \t*-]{0,9}(?:\w{1,5}_epochs?|batch_size) ?[:=]|^batch_size ?[:=]|Resume training"
)
_SURE = re.compile(
    rb"\bNamespace\(|[Nn]o checkpoint found|[Ss]tarting training for \d+ epochs?\b|\bResume training from\b"
    # Settings, each in a line of its own.
    rb"|^[ \t*-]{0,9}(?:(?:num|n|max|total)_epochs?|batch_size) ?[:=] ?\d+\s*$"
    # What was typed at a prompt.
    rb"|^(?:\([\w.-]+\) ?)?(?:[\w.-]+@[\w.-]+[^$#]{0,100}|PS [A-Z]:[^>]{0,200}|\[[\w.-]+@[^\]]{1,80}\]) ?[$#>] ?.{0,200}\bpython"
)
_LOADED = re.compile(
    rb"\b(?i:load(?:ed|ing)|restor(?:ed|ing)|resum(?:ed|ing))\b.{0,60}?(?i:checkpoint)"
    rb"|\b[Rr]esum(?:ed|ing) (?:training )?(?:from|at) (?:epoch|step|iter)"
)
_OF_SOMETHING_ELSE = re.compile(rb"(?i)best|\beval|pre-?train|teacher|backbone|\btest(?:ing)?\b(?![/\\_])")
"""What is loaded in the midst of a training, or after it."""


_PRINTED = re.compile(
    rb"(?i)(?:^|[\s\]:-])(?:(?:parsed|command[ -]line|training|all) )?(?:args?|arguments|argv|opts?|options|config(?:uration)?s?|cfg|settings"
    rb"|hparams|(?:hyper[ -]?)?param(?:eter)?s)\W{0,2}[:=]\s*\{[\"']"
    # Under whatever name, in whatever language.
    rb"|[:=]\s*\{(?:.{0,200}[ ,])?[\"'](?:epochs|n(?:um)?_epochs|max_epochs?|seed|batch_size)[\"']:"
)
_OF_A_STEP = re.compile(rb"(?i)[\"'](?:\w*loss|epoch|step|iter(?:ation)?|acc(?:uracy)?)[\"']:")
"""What a dictionary of figures holds, and one of settings does not."""


class Launches:
    """The lines that a program prints once, when it starts or takes up a checkpoint."""

    def __init__(self) -> None:
        self._lines: list[int] = []

    def see(self, first: int, block: bytes) -> None:
        """A block of whole lines, the first of which has this number."""
        if not any(anchor in block for anchor in _ANCHORS):
            return  # much faster than an expression
        at, line = 0, first
        while len(self._lines) < _MOST and (found := _ANCHOR.search(block, at)) is not None:
            begins = found.start() + found[0].startswith(b"\n")
            start = block.rfind(b"\n", 0, begins) + 1
            end = block.find(b"\n", begins)
            line += block.count(b"\n", at, start)
            if _says_start(block[start : min(end if end >= 0 else len(block), start + _FAR)]):
                self._lines.append(line)
            if end < 0:
                return
            at, line = end + 1, line + 1

    def between(self, last: int, now: int) -> int | None:
        """A line behind the one and before the other that says a start."""
        place = bisect_right(self._lines, last)
        return self._lines[place] if place < len(self._lines) and self._lines[place] < now else None


@runtime_checkable
class Launched(Protocol):
    """A fold that asks where the program was started."""

    launches: Launches


def _says_start(line: bytes) -> bool:
    if _SURE.search(line) is not None:
        return True
    if _PRINTED.search(line) is not None and _OF_A_STEP.search(line) is None:
        return True
    return _LOADED.search(line) is not None and _OF_SOMETHING_ELSE.search(line) is None
