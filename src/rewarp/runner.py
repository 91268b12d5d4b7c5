"""Many files: scan them in one process or several, in an order that never varies."""

from __future__ import annotations

import gc
import multiprocessing
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace
from typing import NamedTuple

from rewarp import engine
from rewarp.cache import Cache, context_digest, key_of
from rewarp.findings import DIED, Failed, Outcome, Scanned, Skipped
from rewarp.lang.kinds import CPP_KINDS
from rewarp.registry import all_rules, rules_for
from rewarp.source import SourceFile
from rewarp.targets.base import Context, ProjectFacts
from rewarp.workspace import TOO_LARGE, FileEntry, Listing, documents

MAX_SIZE = 5_000_000
_CHUNK_FILES = 24
_CHUNK_BYTES = 400_000
_POOL_WORTH = 1_500_000


Progress = Callable[[int, int], None]


# --- scanning one file ------------------------------------------------------------------


def _read(entry: FileEntry) -> bytes | Failed:
    try:
        return entry.read()
    except FileNotFoundError:
        return Failed(entry.path, "vanished during the scan")
    except OSError as error:
        return Failed(entry.path, f"cannot be read: {error.strerror or error}")


def _scan_data(entry: FileEntry, data: bytes, context: Context, max_size: int) -> Outcome:
    if len(data) > max_size and not _provably_clean(entry, data, context):
        return Skipped(entry.path, f"{len(data) / 1e6:.1f} MB, over the limit of {max_size / 1e6:.1f} MB (--max-size)")
    if len(data) > max_size:
        return Scanned(entry.path, entry.kind.value, data.count(b"\n"), parsed=False)
    return engine.scan(SourceFile(entry.path, data), entry.kind, context)


def _provably_clean(entry: FileEntry, data: bytes, context: Context) -> bool:
    """Whether a huge file holds none of the words any rule needs."""
    return not rules_for(context.target.name, entry.kind).candidates(data)


class _Job(NamedTuple):
    context: Context
    max_size: int
    digests: tuple[bytes, bytes] | None = None
    """Of what decides outcomes besides the file, in C++ and in other kinds; None where nothing is cached."""

    @classmethod
    def of(cls, context: Context, max_size: int, cached: bool) -> _Job:
        if not cached:
            return cls(context, max_size)
        # What the project tells is about C++: a new header must not cost the Python files their cached outcomes.
        facts = context.project
        kept = ProjectFacts(
            packages=facts.packages,
            doubled=facts.doubled,
            capability_helpers=facts.capability_helpers,
            asked_for=facts.asked_for,
            gate_names=facts.gate_names,
            left_out=facts.left_out,
            refused=facts.refused,
        )
        alone = replace(context, project=kept)
        return cls(context, max_size, (context_digest(context), context_digest(alone)))

    def key(self, entry: FileEntry, data: bytes) -> bytes | None:
        if self.digests is None:
            return None
        return key_of(entry.path, entry.kind.value, data, self.digests[entry.kind not in CPP_KINDS])


Result = tuple["bytes | None", Outcome]
Results = list[list[Result]]
"""Of each file, what each job has of it."""


def _scan_entry(entry: FileEntry, jobs: Sequence[_Job]) -> list[Result]:
    """The file is read once, and parsed once: documents are remembered."""
    if entry.size > TOO_LARGE:
        return [(None, Skipped(entry.path, f"{entry.size / 1e9:.1f} GB: too large to read")) for _ in jobs]
    data = _read(entry)
    if isinstance(data, Failed):
        return [(None, data) for _ in jobs]
    return [_result(entry, data, job) for job in jobs]


def _result(entry: FileEntry, data: bytes, job: _Job) -> Result:
    outcome = _scan_data(entry, data, job.context, job.max_size)
    if isinstance(outcome, Skipped):  # depends on the size limit, and costs nothing to find out again
        return None, outcome
    return job.key(entry, data), outcome


def _scan_chunk(entries: Sequence[FileEntry], jobs: Sequence[_Job]) -> Results:
    with without_collector():
        return [_scan_entry(entry, jobs) for entry in entries]


@contextmanager
def without_collector() -> Iterator[None]:
    """Documents hold no reference cycles, so the collector would only walk big trees in vain."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


# --- scanning many ------------------------------------------------------------------------


def scan_files(
    listing: Listing,
    context: Context,
    *,
    jobs: int = 1,
    cache: Cache | None = None,
    max_size: int = MAX_SIZE,
    progress: Progress = lambda done, total: None,
) -> list[Outcome]:
    """The outcome of every file, in path order, the same for any number of jobs."""
    (outcomes,) = scan_for([context], listing, jobs=jobs, cache=cache, max_size=max_size, progress=progress)
    return outcomes


def scan_for(
    contexts: Sequence[Context],
    listing: Listing,
    *,
    jobs: int = 1,
    cache: Cache | None = None,
    max_size: int = MAX_SIZE,
    progress: Progress = lambda done, total: None,
) -> list[list[Outcome]]:
    """The outcomes for several targets at once: each file is read and parsed for all of them."""
    work = [_Job.of(context, max_size, cache is not None) for context in contexts]
    outcomes: list[list[Outcome]] = [list(listing.left_out) for _ in work]
    total = len(listing.files)
    pending = listing.files
    if cache is not None:
        pending = _from_cache(listing.files, work, cache, outcomes)
    fresh: dict[bytes, Outcome] = {}
    done = total - len(pending)
    progress(done, total)
    for results in _results(pending, work, jobs):
        for found in results:
            for at, (key, outcome) in enumerate(found):
                outcomes[at].append(outcome)
                if key is not None:
                    fresh[key] = outcome
        done += len(results)
        progress(done, total)
    if cache is not None:
        cache.put(fresh)
    return [sorted(found, key=lambda outcome: outcome.path) for found in outcomes]


def _from_cache(
    files: list[FileEntry], jobs: Sequence[_Job], cache: Cache, outcomes: list[list[Outcome]]
) -> list[FileEntry]:
    """Takes what is known for all targets; the files that have to be scanned."""
    keys: dict[FileEntry, list[bytes]] = {}
    missing: list[FileEntry] = []
    for entry in files:
        data = _read(entry) if entry.size <= TOO_LARGE else None
        found = [job.key(entry, data) for job in jobs] if isinstance(data, bytes) else [None]
        if None in found:
            missing.append(entry)
        else:
            keys[entry] = [key for key in found if key is not None]
    known = cache.get(key for found in keys.values() for key in found)
    for entry, wanted in keys.items():
        if all(key in known for key in wanted):
            for at, key in enumerate(wanted):
                outcomes[at].append(known[key])
        else:
            missing.append(entry)
    return sorted(missing)


def _chunks(files: Sequence[FileEntry]) -> Iterator[list[FileEntry]]:
    chunk: list[FileEntry] = []
    size = 0
    for entry in files:
        chunk.append(entry)
        size += entry.size
        if len(chunk) >= _CHUNK_FILES or size >= _CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _results(files: Sequence[FileEntry], work: Sequence[_Job], jobs: int) -> Iterator[Results]:
    if jobs <= 1 or sum(entry.size for entry in files) < _POOL_WORTH:
        for chunk in _chunks(files):
            yield _scan_chunk(chunk, work)
        return
    all_rules()  # loaded once here, so that forked workers need not
    chunks = list(_chunks(files))
    unfinished = dict(enumerate(chunks))
    executor = process_pool(jobs)
    try:
        numbers: dict[Future[Results], int] = {}
        for number, chunk in unfinished.items():
            numbers[executor.submit(_scan_chunk, chunk, work)] = number
        waiting = set(numbers)
        while waiting:
            finished, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in finished:
                results = future.result()
                del unfinished[numbers[future]]
                yield results
        executor.shutdown()
    except BrokenProcessPool:
        executor.shutdown(wait=False, cancel_futures=True)
        for chunk in unfinished.values():
            for entry in chunk:
                yield [_scan_isolated(entry, work)]
    except BaseException:
        stop_pool(executor)
        raise


def _scan_isolated(entry: FileEntry, work: Sequence[_Job]) -> list[Result]:
    """One file in a process of its own: whatever killed a worker can only cost this file."""
    with process_pool(1) as executor:
        try:
            return executor.submit(_scan_entry, entry, work).result()
        except BrokenProcessPool:
            died = Failed(entry.path, DIED)
            return [(None, died) for _ in work]


def process_pool(jobs: int) -> ProcessPoolExecutor:
    # Forked workers start with the rules already loaded; elsewhere than on Linux forking is not safe.
    context = multiprocessing.get_context("fork") if sys.platform == "linux" else None
    return ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin_worker)


def _begin_worker() -> None:
    documents.remember_less()
    _leave_signals()


def _leave_signals() -> None:
    """An interrupt is the parent's to handle; told to end, a worker ends, and does not take up the next piece of work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def stop_pool(executor: ProcessPoolExecutor) -> None:
    processes = list((getattr(executor, "_processes", None) or {}).values())
    executor.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.terminate()
