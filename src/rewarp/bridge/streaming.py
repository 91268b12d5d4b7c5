"""Files made of pieces of another: recoded, rescaled or copied, on several cores, in blocks that fit into a core's cache.

What is written is read back from the disk and held against sums that were taken when it was made. How much memory that
takes does not depend on how much there is to do.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from rewarp.bridge.formats import Counts
from rewarp.errors import UsageError
from rewarp.runner import process_pool, stop_pool

_BLOCK = 1 << 16
"""Larger ones are given back to the system after each step, and their pages asked for again: half the speed."""
_SHARE = 16 << 20
"""What a process does before it asks for more."""
_ALONE = 32 << 20
"""What is done before another process would have started."""
_WAITING = 6
"""Processes beyond one for each core: those that wait for the disk."""
_AT_ONCE = 32
"""Files that are begun before the first is done."""
_OPEN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


class Change(Protocol):
    """What becomes of the bytes of a piece. A block holds whole numbers."""

    def apply(self, block: bytes) -> bytes: ...

    def count(self, block: bytes) -> Counts: ...


@dataclass(frozen=True)
class Piece:
    """A run of bytes of the source, in the order of the result."""

    begin: int
    size: int
    change: Change | None = None
    """None where they stay as they are."""


@dataclass(frozen=True)
class Job:
    """One file to be made, under a name that is not there yet: a head, then pieces of the source."""

    source: Path
    target: Path
    head: bytes
    pieces: tuple[Piece, ...]

    @property
    def size(self) -> int:
        return len(self.head) + sum(piece.size for piece in self.pieces)


@dataclass
class Made:
    """What came of a job."""

    job: Job
    counts: Counts = field(default_factory=Counts)


def make(jobs: Iterable[Job], size: int, processes: int) -> Iterator[Made]:
    """Make files, each whole and on the disk; yields each when it was read back and is right. ``size`` is what all of
    them will come to."""
    executor: Executor = _Here() if size <= _ALONE or processes < 2 else process_pool(processes + _WAITING)
    try:
        yield from _results(executor, iter(jobs))
        executor.shutdown()
    except BrokenProcessPool:
        raise UsageError("a process that converted died (out of memory?); nothing was written") from None
    finally:
        if not isinstance(executor, _Here):
            stop_pool(executor)  # type: ignore[arg-type]


class _Here(Executor):
    """Does at once, in this process, what it is given."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


def _results(executor: Executor, jobs: Iterator[Job]) -> Iterator[Made]:
    tasks: dict[Future[Counts], Made] = {}
    left: dict[int, int] = {}
    """Shares of each file that are not done."""
    while True:
        for job in islice(jobs, _AT_ONCE - len(left)):
            made = Made(job)
            shares = list(_shares(job))
            left[id(made)] = len(shares)
            _create(job)
            for share in shares:
                tasks[executor.submit(_make_share, job.source, job.target, share)] = made
        if not tasks:
            return
        for future in wait(tasks, return_when=FIRST_COMPLETED).done:
            made = tasks.pop(future)
            made.counts += future.result()
            left[id(made)] -= 1
            if not left[id(made)]:
                del left[id(made)]
                yield made


def _create(job: Job) -> None:
    descriptor = os.open(job.target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _OPEN, 0o666)
    try:
        os.ftruncate(descriptor, job.size)
    finally:
        os.close(descriptor)


@dataclass
class _Share:
    """A part of a file that is made, brought to the disk and read back on its own, so that the disk works on one while
    the cores work on another."""

    place: int
    head: bytes = b""
    pieces: list[Piece] = field(default_factory=list)
    size: int = 0


def _shares(job: Job) -> Iterator[_Share]:
    """A file in portions; the first has its head."""
    share, place = _Share(0, job.head), len(job.head)
    for piece in job.pieces:
        done = 0
        while done < piece.size:
            length = min(piece.size - done, _SHARE - share.size)
            length = length if done + length == piece.size else length - length % _BLOCK  # whole numbers
            if length:
                share.pieces.append(replace(piece, begin=piece.begin + done, size=length))
            done, place = done + length, place + length
            share.size += length
            if share.size >= _SHARE or length == 0:
                yield share
                share = _Share(place)
    if share.pieces or share.head or not job.size:
        yield share


def _make_share(source: Path, target: Path, share: _Share) -> Counts:
    """Written, on the disk, and read back from there."""
    reading = os.open(source, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    try:
        writing = os.open(target, os.O_RDWR | _OPEN)
        try:
            counts, end, crc = _write_share(reading, writing, share)
            _sync(writing, share.place, end - share.place)
            if _sum(writing, share.place, end) != crc:
                raise UsageError(f"{target}: reads back other than it was written: the disk, or its driver, loses data")
        finally:
            os.close(writing)
    except _Shorter:
        raise UsageError(f"{source}: became shorter while it was read") from None
    finally:
        os.close(reading)
    return counts


class _Shorter(Exception):
    """The source has no more bytes."""


def _write_share(reading: int, writing: int, share: _Share) -> tuple[Counts, int, int]:
    """What was counted, where it ends, and its checksum."""
    counts, place, crc = Counts(), share.place, zlib.crc32(share.head)
    if share.head:
        _write(writing, share.head, place)
        place += len(share.head)
    for piece in share.pieces:
        for at in range(piece.begin, piece.begin + piece.size, _BLOCK):
            length = min(_BLOCK, piece.begin + piece.size - at)
            block = _read(reading, length, at)
            if len(block) < length:
                raise _Shorter
            if piece.change is not None:
                counts += piece.change.count(block)
                block = piece.change.apply(block)
            crc = zlib.crc32(block, crc)
            _write(writing, block, place)
            place += length
    return counts, place, crc


def _sync(descriptor: int, place: int, size: int) -> None:
    """On the disk, and, where the system can be asked for it, nowhere else: what is read back comes from there."""
    os.fsync(descriptor)
    if hasattr(os, "posix_fadvise"):
        os.posix_fadvise(descriptor, place, size, os.POSIX_FADV_DONTNEED)


def _sum(descriptor: int, place: int, end: int) -> int:
    crc = 0
    for at in range(place, end, _BLOCK):
        crc = zlib.crc32(_read(descriptor, min(_BLOCK, end - at), at), crc)
    return crc


def _read(descriptor: int, length: int, place: int) -> bytes:
    """All of it: one call may give less, at a signal or on a network's disk."""
    found = os.pread(descriptor, length, place)
    while 0 < len(found) < length:
        more = os.pread(descriptor, length - len(found), place + len(found))
        if not more:
            break
        found += more
    return found


def _write(descriptor: int, block: bytes, place: int) -> None:
    done = os.pwrite(descriptor, block, place)
    while done < len(block):
        done += os.pwrite(descriptor, block[done:], place + done)
