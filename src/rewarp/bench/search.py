"""Logs and results in a folder and below it: a bounded search that says what it left out."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from rewarp.bench import compare_inputs
from rewarp.bench.comparability import Likeness, checks
from rewarp.bench.compare_inputs import Benchmark, Run
from rewarp.bench.logs.collect import LOG_SUFFIXES, is_rotated, read_logs
from rewarp.bench.result import Result
from rewarp.errors import RewarpError

MOST_FILES = 2000
MOST_BYTES = 1 << 30
DEEPEST = 6
_NO_LOGS = re.compile(r"(?i)(readme|changelog|changes|licen[cs]e|copying|notice|authors|contributing|requirements)\b.*")
_NO_LOG_SUFFIXES = (".md",)
"""An excerpt in a document is no log of this place. Whoever wants it read names the file."""
_OTHERS_FOLDERS = frozenset(("node_modules", "site-packages", "__pycache__"))


@dataclass
class LeftOut:
    """What a search did not look at, by the reason."""

    files: int = 0
    """Beyond the most files, or bytes."""
    deeper: list[str] = field(default_factory=list)
    """Folders below the deepest level."""
    links: int = 0

    def words(self) -> list[str]:
        found = []
        if self.files:
            found.append(f"{self.files} or more files beyond {MOST_FILES:,} files or {MOST_BYTES >> 30} GiB")
        if self.deeper:
            found.append(f"{len(self.deeper)} folders more than {DEEPEST} levels down, the first: {self.deeper[0]}")
        if self.links:
            found.append(f"{self.links} links")
        return found


@dataclass(frozen=True)
class Found:
    results: tuple[Result, ...]
    looked_at: int
    """Files."""
    left_out: LeftOut


def find(folder: Path, progress: Callable[[Path, int], None] | None = None) -> Found:
    """Every run in the logs and result files of a folder. What is none is no mistake."""
    left_out = LeftOut()
    files = list(_files(folder, left_out))
    ours = [file for file in files if file.suffix.lower() == ".json" and _is_ours(file)]
    results = [result for file in ours for result in _measured(file)]
    logs = [file for file in files if file not in set(ours)]
    results += read_logs(logs, progress=progress).results if logs else ()
    named = [replace(result, name=_name(result, folder)) for result in results]
    return Found(tuple(named), len(files), left_out)


def _files(folder: Path, left_out: LeftOut) -> Iterator[Path]:
    """Breadth first, so that what lies near is not lost for what lies deep; hidden folders are not entered."""
    waiting, taken, size = [(folder, 1)], 0, 0
    while waiting:
        here, depth = waiting.pop(0)
        try:
            entries = sorted(os.scandir(here), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if entry.name.startswith(".") or entry.name in _OTHERS_FOLDERS:
                continue
            if entry.is_symlink():
                left_out.links += 1
            elif entry.is_dir():
                if os.path.exists(os.path.join(entry.path, "pyvenv.cfg")):
                    continue
                if depth < DEEPEST:
                    waiting.append((Path(entry.path), depth + 1))
                else:
                    left_out.deeper.append(entry.path)
            elif entry.is_file() and _may_be_log(entry.name):
                bytes_here = entry.stat().st_size
                if not bytes_here:
                    continue
                if taken >= MOST_FILES or size + bytes_here > MOST_BYTES:
                    left_out.files += 1
                    continue
                taken, size = taken + 1, size + bytes_here
                yield Path(entry.path)


def _may_be_log(name: str) -> bool:
    suffix = Path(name).suffix.lower()
    if suffix in _NO_LOG_SUFFIXES or _NO_LOGS.fullmatch(name):
        return False
    return suffix in LOG_SUFFIXES or is_rotated(name)


def _is_ours(file: Path) -> bool:
    try:
        return compare_inputs.is_ours(str(file))
    except RewarpError:
        return False


def _measured(file: Path) -> list[Result]:
    """Of a file of ours what was measured; what it read from logs, the logs themselves say."""
    try:
        found = list(compare_inputs.results_in(str(file), lambda path: ()))
    except RewarpError:
        return []
    return [
        replace(result, provenance={**result.provenance, "files": {str(file): ""}, "read_from": str(file)})
        for result in found
        if is_original(result)
    ]


def is_original(result: Result) -> bool:
    """Whether it was measured, and not read from a log or from another result."""
    return not result.provenance.get("dialect") and not result.provenance.get("read_from")


def _name(result: Result, folder: Path) -> str:
    """What a table calls it: where it lies below the folder; of several in a file, which."""
    files = list(result.provenance.get("files", ()))
    if not files:
        return result.name
    where = os.path.relpath(files[-1], folder)
    if not result.provenance.get("dialect"):
        return f"{where}: {result.name}"
    _, mark, number = result.name.rpartition("#")
    return f"{where}#{number}" if mark else where


def comparable(results: Sequence[Result]) -> list[Benchmark]:
    """Groups of results that can be shown to be of the same thing, the first as the baseline."""
    groups: list[list[Result]] = []
    for result in results:
        mine = next((group for group in groups if _same_thing(group[0], result)), None)
        groups.append([result]) if mine is None else mine.append(result)
    return [
        Benchmark(_title(group[0]), group[0].kind, tuple(_run(result) for result in group))
        for group in groups
        if len(group) > 1
    ]


def _same_thing(first: Result, second: Result) -> bool:
    """Nothing that must be alike differs, and what names the work is known of both."""
    if first.kind != second.kind:
        return False
    found = {check.field: check.likeness for check in checks(first, second) if check.must}
    if Likeness.DIFFERS in found.values():
        return False
    if first.kind in ("training", "inference", "mlperf"):
        return Likeness.ALIKE in (found.get("model"), found.get("parameters"))
    return Likeness.UNKNOWN not in found.values()


def _title(result: Result) -> str:
    model = result.configuration.get("model")
    return str(model.value) if model is not None and model.known else result.name.rpartition(": ")[2]


def _run(result: Result) -> Run:
    files = list(result.provenance.get("files", ()))
    return Run(result.name, files[-1] if files else "", result, result.name, result.name)
