"""Which sources make up a program: the one with its main function, and those that define what the linker misses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from rewarp.run import NotBuilt, Request
from rewarp.verify.build.units import Unit

_ROUNDS = 4
_NAME = re.compile(r"[A-Za-z_]\w*(?=\s*(?:<|\(|$))")
Result = TypeVar("Result")


def with_what_is_missing(request: Request, others: Iterable[Unit], run: Callable[[Request], Result]) -> Result:
    """Builds and runs; where names stay undefined, again with the sources that hold them. A source of these that does not
    compile is left out again. Raises NotBuilt where that does not help either."""
    left = {unit.file: unit for unit in others if unit.file not in request.files}
    for _ in range(_ROUNDS):
        try:
            return run(request)
        except NotBuilt as error:
            added = _defining(error.undefined, left)
            if not added:
                raise
            for file in added:
                flags = left.pop(file).flags
                new = tuple(folder for folder in flags.includes if folder not in request.includes)
                request = replace(request, files=(*request.files, file), includes=(*request.includes, *new))
    return run(request)


def _defining(undefined: Sequence[str], candidates: Iterable[Path]) -> list[Path]:
    """Sources in which one of the names is followed by a parameter list and a body."""
    names = {match[0] for text in undefined for match in [_NAME.search(text.rpartition("::")[2])] if match}
    if not names:
        return []
    body = re.compile(rb"\b(?:" + "|".join(map(re.escape, sorted(names))).encode() + rb")\s*\([^;{}]*\)[^;{}()]*\{")
    found = []
    for file in candidates:
        try:
            if body.search(file.read_bytes()):
                found.append(file)
        except OSError:
            continue
    return found
