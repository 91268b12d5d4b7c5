"""A cache of facts keyed by content, and the processes that fill it: no file is read twice, many are read at the same time.

An analyser asks ``facts(read_file, files)``; who runs it decides about the cache and the processes. A cache that cannot
be opened, read or written is no cache.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextvars import ContextVar
from pathlib import Path
from typing import TypeVar, get_type_hints

from rewarp import cache as caches
from rewarp.errors import UnreadableSource
from rewarp.parity import deadline
from rewarp.parity.reading.codec import Codec, codec_of
from rewarp.runner import process_pool, stop_pool

T = TypeVar("T")
Read = Callable[[str, bytes], T]
"""What one file tells: pure, defined at the top of a module; its annotation says of what its result is made."""
Progress = Callable[[int, int], None]

_MAX_ROWS = 40_000
_BATCH = 400
_CHUNK_BYTES = 300_000
_POOL_WORTH = 400_000
"""Bytes below which processes cost more than they bring."""


def facts(read: Read[T], files: Mapping[str, bytes]) -> dict[str, T]:
    """What ``read`` tells of each file, by path, in the order of ``files``."""
    return (_current.get() or Store()).facts(read, files)


def counted(items: Iterable[T]) -> Iterator[T]:
    """Items to be worked on one after another, each a step of the progress that is shown."""
    found = list(items)
    yield from (_current.get() or Store()).counted(found)


@contextlib.contextmanager
def using(store: Store) -> Iterator[None]:
    """Inside, ``facts`` asks this store."""
    before = _current.set(store)
    try:
        yield
    finally:
        _current.reset(before)


class Store:
    """Values by key in a small SQLite file, and the processes that make what is not there yet."""

    def __init__(
        self, folder: Path | None = None, jobs: int = 1, progress: Progress = lambda done, total: None
    ) -> None:
        self._db = caches.opened(folder / "parity.sqlite", "facts") if folder is not None else None
        self._jobs, self._progress = jobs, progress
        self._done = self._total = 0

    def facts(self, read: Read[T], files: Mapping[str, bytes]) -> dict[str, T]:
        maker = f"{read.__module__}.{read.__qualname__}"
        keys = {path: self.key(maker, path, data) for path, data in files.items()}
        known = self._get(read, keys.values())
        found: dict[str, T] = {path: known[key] for path, key in keys.items() if key in known}
        left = {path: data for path, data in files.items() if path not in found}
        self._total += len(files)
        self._advance(len(found))
        fresh: dict[str, T] = {}
        for results in self._made(read, left):
            deadline.check()
            fresh.update(results)
            self._advance(len(results))
        self._put(read, {keys[path]: value for path, value in fresh.items()})
        found.update(fresh)
        return {path: found[path] for path in files}

    def counted(self, items: Sequence[T]) -> Iterator[T]:
        self._total += len(items)
        for item in items:
            deadline.check()
            yield item
            self._advance(1)

    def kept(self, key: bytes, make: Callable[[], T], is_whole: Callable[[T], bool]) -> T:
        """The value under a key, made where there is none; one that is not whole is not kept."""
        known = self._get(make, [key])
        if key not in known:
            known[key] = make()
            if is_whole(known[key]):
                self._put(make, known)
        return known[key]

    def key(self, maker: str, *parts: str | bytes) -> bytes:
        """What decides a value: who makes it, of what, and rewarp's own code."""
        digest = hashlib.blake2b(caches.own_code(), digest_size=24)
        for part in (maker, *parts):
            data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
            digest.update(len(data).to_bytes(8, "big") + data)
        return digest.digest()

    def close(self) -> None:
        if self._db is not None:
            with contextlib.suppress(sqlite3.Error):
                self._db.close()

    def _advance(self, count: int) -> None:
        self._done += count
        self._progress(self._done, self._total)

    # --- processes ----------------------------------------------------------------------

    def _made(self, read: Read[T], files: Mapping[str, bytes]) -> Iterator[dict[str, T]]:
        chunks = list(_chunks(files))
        if self._jobs <= 1 or sum(map(len, files.values())) < _POOL_WORTH:
            for chunk in chunks:
                yield _read_chunk(read, chunk)
            return
        executor = process_pool(min(self._jobs, len(chunks)))
        try:
            # Not `map`: it cancels what is left when it is interrupted, and the pool cannot be stopped after that.
            for future in [executor.submit(_read_chunk, read, chunk) for chunk in chunks]:
                yield future.result()
            executor.shutdown()
        except BrokenProcessPool:
            executor.shutdown(wait=False, cancel_futures=True)
            raise UnreadableSource(_culprit(read, files)) from None
        except BaseException:
            stop_pool(executor)
            raise

    # --- the database -------------------------------------------------------------------

    def _get(self, make: Callable[..., T], keys: Iterable[bytes]) -> dict[bytes, T]:
        found: dict[bytes, T] = {}
        wanted = list(keys)
        if self._db is None:
            return found
        codec = _codec(make)
        for at in range(0, len(wanted), _BATCH):
            batch = wanted[at : at + _BATCH]
            marks = ",".join("?" * len(batch))
            with contextlib.suppress(sqlite3.Error):
                for key, value in self._db.execute(f"SELECT key, value FROM facts WHERE key IN ({marks})", batch):
                    # A damaged value, or one of another make, counts as none.
                    with contextlib.suppress(ValueError, TypeError, zlib.error):
                        found[key] = codec.loads(zlib.decompress(value))
        return found

    def _put(self, make: Callable[..., T], values: Mapping[bytes, T]) -> None:
        if self._db is None or not values:
            return
        now, codec = time.time(), _codec(make)
        with contextlib.suppress(sqlite3.Error, ValueError), self._db:
            rows = [(key, zlib.compress(codec.dumps(value), 1), now) for key, value in values.items()]
            self._db.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", rows)
            (count,) = self._db.execute("SELECT count(*) FROM facts").fetchone()
            if count > _MAX_ROWS:
                oldest = "SELECT key FROM facts ORDER BY made LIMIT ?"
                self._db.execute(f"DELETE FROM facts WHERE key IN ({oldest})", (count - _MAX_ROWS // 2,))


_current: ContextVar[Store | None] = ContextVar("store", default=None)


def _codec(make: Callable[..., T]) -> Codec[T]:
    """For what a function says that it returns."""
    return codec_of(get_type_hints(make)["return"])


def _read_chunk(read: Read[T], files: Mapping[str, bytes]) -> dict[str, T]:
    found: dict[str, T] = {}
    for path, data in files.items():
        try:
            found[path] = read(path, data)
        except RecursionError:
            raise UnreadableSource(f"{path} is nested too deeply to be read") from None
    return found


def _chunks(files: Mapping[str, bytes]) -> Iterator[dict[str, bytes]]:
    chunk: dict[str, bytes] = {}
    size = 0
    for path, data in files.items():
        chunk[path] = data
        size += len(data)
        if size >= _CHUNK_BYTES:
            yield chunk
            chunk, size = {}, 0
    if chunk:
        yield chunk


def _culprit(read: Read[T], files: Mapping[str, bytes]) -> str:
    """The file whose reading kills a process, found one by one, each in a process of its own."""
    for path, data in files.items():
        with process_pool(1) as executor:
            try:
                executor.submit(_read_chunk, read, {path: data}).result()
            except BrokenProcessPool:
                return f"the process that read {path} died (out of memory, or a parser crash)"
    return "a process that read files died, and did not when it was tried again (out of memory?)"
