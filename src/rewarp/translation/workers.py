"""The files of one tree, translated on all cores: forked workers have already in memory what was read."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from rewarp.source import SourceFile
from rewarp.translation.changes import Options, Translation
from rewarp.translation.lexing import Lexed
from rewarp.translation.translator import translate

if TYPE_CHECKING:
    from concurrent.futures import Future

_WORTH = 3_000_000
"""Bytes of source from which on starting workers pays: some 0.3 s of work."""
_CHUNK = 200_000


class Piece(NamedTuple):
    """A file to translate."""

    source: SourceFile
    options: Options
    lexed: Lexed


_inherited: Sequence[Piece] = ()
"""What workers find when they are forked; never sent."""


def translated(pieces: Sequence[Piece]) -> Iterator[tuple[int, Translation]]:
    """Every piece's number and translation, as they are ready."""
    jobs = _cores() if sum(len(piece.source.data) for piece in pieces) >= _WORTH else 1
    done: set[int] = set()
    if jobs > 1:
        for number, translation in _by_workers(pieces, jobs):
            done.add(number)
            yield number, translation
    for number, piece in enumerate(pieces):  # all of them, or those whose worker died
        if number not in done:
            yield number, translate(piece.source, piece.options, piece.lexed)


def _cores() -> int:
    """Forking is safe on Linux alone, and with one thread."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" and threading.active_count() == 1 else 1


def _by_workers(pieces: Sequence[Piece], jobs: int) -> Iterator[tuple[int, Translation]]:
    # Late: one file, and most trees, need no workers.
    from concurrent.futures import as_completed
    from concurrent.futures.process import BrokenProcessPool

    from rewarp.runner import process_pool, stop_pool

    global _inherited
    _inherited = pieces
    executor = process_pool(jobs)
    try:
        futures: list[Future[list[tuple[int, Translation]]]] = [
            executor.submit(_translate, numbers) for numbers in _chunks(pieces)
        ]
        for future in as_completed(futures):
            for number, bare in future.result():
                yield number, replace(bare, source=pieces[number].source)
        executor.shutdown()
    except BrokenProcessPool:
        executor.shutdown(wait=False, cancel_futures=True)
    except BaseException:
        stop_pool(executor)
        raise
    finally:
        _inherited = ()


def _chunks(pieces: Sequence[Piece]) -> Iterator[list[int]]:
    chunk: list[int] = []
    size = 0
    for number, piece in enumerate(pieces):
        chunk.append(number)
        size += len(piece.source.data)
        if size >= _CHUNK:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _translate(numbers: list[int]) -> list[tuple[int, Translation]]:
    """In a worker. The sources are at the other end already."""
    found = []
    for number in numbers:
        piece = _inherited[number]
        translation = translate(piece.source, piece.options, piece.lexed)
        found.append((number, replace(translation, source=_NO_SOURCE)))
    return found


_NO_SOURCE = SourceFile("", b"")
