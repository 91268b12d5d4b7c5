"""Which sources make up a program: the one with its main function, and those that define what the linker misses."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from rewarp.run import NotBuilt, Request
from rewarp.run.results import Step
from rewarp.verify.build.units import CompileUnit

_ROUNDS = 6
_NAME = re.compile(r"[A-Za-z_]\w*(?=\s*(?:<|\(|$))")
Result = TypeVar("Result")


def with_what_is_missing(request: Request, others: Sequence[CompileUnit], run: Callable[[Request], Result]) -> Result:
    """Builds and runs; where names stay undefined, again with the sources that hold them. A source of these that does not
    compile is left out again. Raises NotBuilt where that does not help either."""
    left = {unit.file: unit for unit in others if unit.file not in request.files}
    added: list[Path] = []
    for _ in range(_ROUNDS):
        try:
            return run(_with(request, added, others))
        except NotBuilt as error:
            broken = [file for file in added if _speaks_of(error, file)]
            new = [] if broken else _defining(error.undefined, left)
            if not broken and not new:
                raise
            added = [file for file in added if file not in broken] + new
            for file in new:
                del left[file]
    return run(_with(request, added, others))


def _with(request: Request, added: Sequence[Path], others: Iterable[CompileUnit]) -> Request:
    folders = [folder for unit in others if unit.file in added for folder in (*unit.flags.includes, *unit.guessed)]
    return replace(
        request,
        files=(*request.files, *added),
        includes=tuple(dict.fromkeys((*request.includes, *folders))),
    )


def _speaks_of(error: NotBuilt, file: Path) -> bool:
    """Whether it is this source that does not compile."""
    return error.step in (Step.DEVICE, Step.HOST) and any(
        found.file is not None and os.path.realpath(found.file) == os.path.realpath(file)
        for found in error.diagnostics[:1]
    )


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
