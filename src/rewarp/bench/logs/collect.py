"""Many files: found, sorted into runs, read one after the other."""

from __future__ import annotations

import hashlib
import os
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum, isfinite, nan
from pathlib import Path

from rewarp.bench.derive import derive
from rewarp.bench.logs.base import HEAD, LARGEST_DOCUMENT, Document, all_dialects, dialect_named, dialects_of_plugins
from rewarp.bench.logs.complete import complete, given, with_claims
from rewarp.bench.logs.reader import LogReader
from rewarp.bench.logs.text import BrokenOff, chunks, clean
from rewarp.bench.logs.tracks import Thinned
from rewarp.bench.result import Result, Series, Sourced, Warn
from rewarp.bench.summary import summarise
from rewarp.errors import UnreadableSource, UsageError

MOST_COUNTED = 1 << 20
"""Steps whose times go into the statistics: of more, every n-th."""
NO_DIALECT = "no dialect that is known"
_FENCE = re.compile(rb"^[ \t]*(?:```|~~~)[^\n]*", re.MULTILINE)
_ROTATED = re.compile(r"(?P<base>.+?)\.(?P<number>\d{1,4})(?:\.gz)?")
_RANK = re.compile(r"(?i)(?P<before>(?:^|[/_.-])(?:local_?)?rank[_-]?)(?P<rank>\d+)(?=$|[/_.-])")
_TORCHRUN = re.compile(r"(?P<before>(?:^|/))(?P<rank>\d+)(?=/std(?:out|err)\.log$)")
LOG_SUFFIXES = (".log", ".txt", ".out", ".err", ".json", ".jsonl", ".md", ".csv", ".sql", ".gz", "")
"""What is looked at in a folder. A file that is named is read whatever it is called."""


@dataclass(frozen=True)
class Unread:
    """A file that gave no result."""

    file: Path
    why: str


@dataclass(frozen=True)
class LogsRead:
    results: tuple[Result, ...]
    unread: tuple[Unread, ...]


def read_logs(
    paths: Sequence[Path],
    values: Mapping[str, Sourced] | None = None,
    only: str | None = None,
    progress: Callable[[Path, int], None] | None = None,
) -> LogsRead:
    """Every run in the files and folders. ``values`` is what the user knows; ``only`` the one dialect to look for."""
    if only is not None:
        dialect_named(only)
    found: list[Result] = []
    unread: list[Unread] = []
    for run in _rotated(_files(paths, unread)):
        try:
            results = _read(run, only, progress)
        except UnreadableSource as error:
            unread.append(Unread(run[-1], error.reason))
            continue
        if not results:
            unread.append(Unread(run[-1], NO_DIALECT))
        found += results
    found = _one_of_ranks(_joined(found))
    unread = _without_used(unread, found)
    return LogsRead(tuple(finish(result, values or {}) for result in found), tuple(unread))


def _without_used(unread: list[Unread], results: Iterable[Result]) -> list[Unread]:
    """A file that is no result may have told something of one: a system description beside a submission."""
    used = {os.path.realpath(file) for result in results for file in result.provenance.get("files", ())}
    return [one for one in unread if os.path.realpath(one.file) not in used]


def finish(result: Result, values: Mapping[str, Sourced]) -> Result:
    """Statistics of all steps, what is derived of them, and then a series of bounded length."""
    result = complete(given(result, values))
    series = result.series
    counted = _of_long(result, series) if isinstance(series, Thinned) else summarise(result)
    return derive(with_claims(counted))


def _of_long(result: Result, series: Thinned) -> Result:
    """Of a run too long to keep: times of all steps, other figures of those that are kept."""
    count, times = len(series.whole.step), series.whole.columns.get("time_s")
    columns, whole = dict(series.columns), series.whole
    together = -(-count // MOST_COUNTED)
    if times is not None:
        # Every n-th time alone would see a pattern of n steps always at the same place.
        columns["time_s"] = _means(times, series.thinned)
        whole = Series(whole.step[::together], {"time_s": _means(times, together)})
    counted = summarise(replace(result, series=Series(series.step, columns, series.thinned)), whole)
    what = (
        f"of {count} steps one in {series.thinned} is kept, with the mean time of the {series.thinned} steps from it on"
    )
    each = "the time of each" if together == 1 else f"the mean of each {together} steps together"
    warnings = (*counted.warnings, Warn("thinned", f"{what}; in the statistics counts {each}", "info"))
    return replace(counted, summary={**counted.summary, "steps": count}, warnings=warnings)


def _means(values: Sequence[float | None], size: int) -> array[float]:
    """NaN where none of the values together is known."""
    known = (
        array("d", (nan if value is None else value for value in values)) if not isinstance(values, array) else values
    )
    if size == 1:
        return known
    found = array("d", (sum(known[start : start + size]) for start in range(0, len(known), size)))
    last = len(known) % size or size
    for place, total in enumerate(found):
        if isfinite(total):
            found[place] = total / (size if place + 1 < len(found) else last)
        else:
            some = [value for value in known[place * size : (place + 1) * size] if isfinite(value)]
            found[place] = fsum(some) / len(some) if some else nan
    return found


# --- which files ---------------------------------------------------------------------------


def _files(paths: Sequence[Path], unread: list[Unread]) -> Iterator[Path]:
    seen: set[tuple[int, int]] = set()
    for path in paths:
        if not path.exists():
            raise UsageError(f"no such file or folder: {path}")
        for file in _walk(path) if path.is_dir() else (path,):
            try:
                status = file.stat()
            except OSError as error:
                unread.append(Unread(file, f"cannot be read: {error.strerror}"))
                continue
            if (status.st_dev, status.st_ino) not in seen:
                seen.add((status.st_dev, status.st_ino))
                yield file


def _walk(folder: Path) -> Iterator[Path]:
    """Links to folders are not followed: they may lead in a circle."""
    for where, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            file = Path(where, name)
            if (
                not name.startswith(".")
                and (file.suffix.lower() in LOG_SUFFIXES or is_rotated(name))
                and file.is_file()
            ):
                yield file


def is_rotated(name: str) -> bool:
    """`train.log.1`, `train.log.2.gz`"""
    return _ROTATED.fullmatch(name) is not None


def _rotated(files: Iterable[Path]) -> list[list[Path]]:
    """Files that are parts of one log (`train.log`, `train.log.1`, `train.log.2.gz`), the oldest first."""
    all_files = list(files)
    names = set(all_files)
    parts: dict[Path, list[tuple[int, Path]]] = {}
    for file in all_files:
        found = _ROTATED.fullmatch(file.name)
        base = file.with_name(found["base"]) if found else file
        if found and base in names:
            parts.setdefault(base, []).append((int(found["number"]), file))
        else:
            parts.setdefault(file, []).append((0, file))
    return [[file for _, file in sorted(those, reverse=True)] for those in parts.values()]


# --- reading -------------------------------------------------------------------------------


def _read(run: Sequence[Path], only: str | None, progress: Callable[[Path, int], None] | None) -> list[Result]:
    if len(run) == 1:
        results = _document(run[0], only)
        if results is not None:
            return results
    if only is not None and isinstance(dialect_named(only), Document):
        raise UnreadableSource(f"it is not of the dialect {only}")
    reader = _Excerpts(only) if run[0].suffix.lower() == ".md" else LogReader(only)
    digests, warnings = {}, []
    for file in run:
        digest, size = hashlib.sha256(), 0
        try:
            for data in chunks(file):
                digest.update(data)
                size += len(data)
                reader.feed(data)
                if progress:
                    progress(file, len(data))
        except BrokenOff as error:
            if not size:
                raise
            warnings.append(Warn("broken-off", f"{error.reason}; what came before is read", where=file.name))
        if not size:
            raise UnreadableSource("it is empty")
        digests[str(file)] = digest.hexdigest()
    results = reader.results(_name(run[-1]))
    if not results:
        raise UnreadableSource("; ".join(filter(None, (NO_DIALECT, reader.trouble))))
    return [_of_files(replace(result, warnings=(*result.warnings, *warnings)), digests) for result in results]


class _Excerpts(LogReader):
    """Markdown: every fenced block is a log of its own, and not a run that went on."""

    def __init__(self, only: str | None) -> None:
        super().__init__(only)
        self._only, self._data = only, b""

    def feed(self, data: bytes) -> None:
        self._data += data

    def results(self, name: str) -> list[Result]:
        found: list[Result] = []
        start, data = 0, self._data
        for fence in (*_FENCE.finditer(data), None):
            block = data[start : fence.start() if fence else len(data)]
            reader = LogReader(self._only)
            # Line numbers are those of the file.
            reader.feed(b"\n" * data.count(b"\n", 0, start) + block)
            found += reader.results(name)
            start = fence.end() if fence else len(data)
        return [
            result if len(found) == 1 else replace(result, name=f"{name}#{number}")
            for number, result in enumerate(found, 1)
        ]


def _document(file: Path, only: str | None) -> list[Result] | None:
    """None where the file is no document of a kind that is known."""
    head = clean(_head(file, HEAD))
    for document in all_dialects().values():
        if not isinstance(document, Document) or only not in (None, document.name):
            continue
        why = document.claims(head, file) if head else None
        if why is None:
            continue
        if file.stat().st_size > LARGEST_DOCUMENT:
            size = f"{LARGEST_DOCUMENT >> 20} MiB"
            raise UnreadableSource(f"it looks like {document.title} ({why}), but is larger than {size}")
        data = b"".join(chunks(file))
        digests = {str(file): hashlib.sha256(data).hexdigest()}
        return [_of_files(result, digests) for result in document.read(clean(data), file)]
    return None


def _head(file: Path, size: int) -> bytes:
    try:
        return next((data[:size] for data in chunks(file) if data), b"")
    except BrokenOff:
        return b""


def _name(file: Path) -> str:
    """A file's name says little where all are called `train.log`."""
    return str(Path(*file.parts[-2:])) if len(file.parts) > 1 and file.parent.name else file.name


def _of_files(result: Result, digests: Mapping[str, str]) -> Result:
    return replace(result, provenance={**result.provenance, "files": dict(digests)})


def _joined(results: list[Result]) -> list[Result]:
    """Each dialect puts together what belongs together among its own."""
    by_dialect: dict[str, list[Result]] = {}
    for result in results:
        by_dialect.setdefault(str(result.provenance.get("dialect")), []).append(result)
    dialects = all_dialects()
    return [
        _of_plugin(result, name)
        for name, those in by_dialect.items()
        for result in (dialects[name].join(those) if name in dialects else those)
    ]


def _of_plugin(result: Result, dialect: str) -> Result:
    """A result that says who read it, where that is not rewarp itself."""
    if dialect not in dialects_of_plugins():
        return result
    plugin = str(dialects_of_plugins()[dialect][0])
    note = Warn("plugin", f"read by {plugin}, which is not part of rewarp", "info")
    return replace(result, warnings=(*result.warnings, note), provenance={**result.provenance, "plugin": plugin})


def _one_of_ranks(results: list[Result]) -> list[Result]:
    """Of files that are the ranks of one run, the lowest that has most steps; the others are named."""
    groups: dict[tuple[str, ...], list[tuple[int, Result]]] = {}
    for result in results:
        files = list(result.provenance.get("files", ()))
        run, rank = _rank_of(files[-1]) if files else ("", None)
        alone = rank is None or result.kind != "training"
        which = result.name.partition("#")[2]
        key = (str(id(result)),) if alone else (run, str(result.provenance.get("dialect")), which)
        groups.setdefault(key, []).append((rank or 0, result))
    found = []
    for those in groups.values():
        rank, best = max(those, key=lambda item: (len(item[1].series.step) * item[1].series.thinned, -item[0]))
        if len(those) > 1:
            what = f"{len(those)} files are ranks of this run; rank {rank} is read"
            best = replace(best, warnings=(*best.warnings, Warn("several-ranks", what, "info")))
        found.append(best)
    return found


def _rank_of(file: str) -> tuple[str, int | None]:
    """The path without the rank in it, and the rank."""
    path = file.replace(os.sep, "/")
    for pattern in (_TORCHRUN, _RANK):
        ranks = list(pattern.finditer(path))
        if ranks:
            last = ranks[-1]
            return f"{path[: last.start('rank')]}*{path[last.end('rank') :]}", int(last["rank"])
    return path, None
