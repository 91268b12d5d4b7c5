"""``rewarp bridge convert``: FP8 checkpoints and LMCache's chunks, as another platform stores them.

First all is planned, and what cannot be known is refused; then everything is written beside its place, read back, and
takes its place in one step. The source is only read.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from rewarp.bridge.formats import Counts, Encoding, family_of
from rewarp.bridge.streaming import Job, Made, Piece, make
from rewarp.errors import UsageError
from rewarp.files import temporary_name


@dataclass(frozen=True)
class Request:
    """What was asked for."""

    source: Path
    target: Path
    to: str
    """A family of encodings, or a platform."""
    given: Encoding | None = None
    """In which encoding the source is, where it does not say so itself."""
    scales: Path | None = None
    """The checkpoint whose scales the writer of chunks used."""
    unit_scale: bool = False
    """Numbers without a scale have none, that is 1.0."""
    keep_scales: bool = False
    """Scales stay; codes become the nearest ones."""
    shape: tuple[int, ...] | None = None
    """Of chunks without a header."""
    key_dtype: str | None = None
    """What the key of a converted chunk says."""
    processes: int = 1

    @property
    def family(self) -> str:
        return family_of(self.to)


@dataclass(frozen=True)
class Planned:
    """A file to be made."""

    source: Path
    name: str
    head: bytes
    pieces: tuple[Piece, ...]
    recoded: int = 0
    """How many tensors, or layers of a chunk, get other codes."""

    @property
    def size(self) -> int:
        return len(self.head) + sum(piece.size for piece in self.pieces)


@dataclass(frozen=True)
class Rule:
    """How some of the numbers are converted."""

    source: str
    target: str
    ratio: float
    """By which their scales are multiplied; 1.0 where the scale stays."""
    scales: str
    """Where the scales are: ``per block``, ``checkpoint``, ``1.0`` ..."""
    count: int
    """How many tensors or layers."""

    @property
    def words(self) -> str:
        return "by value, scales stay" if self.ratio == 1 else f"bits stay where they can, scales times {self.ratio:g}"


@dataclass(frozen=True)
class Plan:
    """All that will be done."""

    kind: str
    """``checkpoint`` or ``chunks``."""
    files: tuple[Planned, ...]
    rules: tuple[Rule, ...]
    warnings: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)


@dataclass(frozen=True)
class Converted:
    """What was done."""

    request: Request
    plan: Plan
    counts: Counts

    @property
    def lost(self) -> int:
        """Numbers that are not what they were, beyond rounding."""
        return self.counts.saturated + self.counts.infinite


def convert(request: Request) -> Converted:
    """Convert a checkpoint or chunks; all of it, or nothing."""
    from rewarp.bridge.convert_checkpoint import plan_checkpoint
    from rewarp.bridge.convert_chunks import plan_chunks

    family_of(request.to)
    kind = _kind(request.source)
    _refuse_overlap(request.source, request.target)
    plan = plan_checkpoint(request) if kind == "checkpoint" else plan_chunks(request)
    before = {file.source: _state(file.source) for file in plan.files}
    one = kind == "checkpoint" and not request.source.is_dir()
    counts = Counts()
    with _staged(request.target, plan, one) as stage:
        jobs = (Job(it.source, stage / it.name, it.head, it.pieces) for it in plan.files)
        for made in make(jobs, plan.size, request.processes):
            _refuse_change(made, before)
            counts += made.counts
    return Converted(request, plan, counts)


def _kind(source: Path) -> str:
    if not source.exists():
        raise UsageError(f"{source}: not there")
    names = os.listdir(source) if source.is_dir() else [source.name]
    found = {end for end in (".safetensors", ".data") if any(name.endswith(end) for name in names)}
    if len(found) != 1:
        what = (
            "chunks of LMCache (.data) and safetensors files"
            if found
            else "no safetensors file and no chunk of LMCache"
        )
        raise UsageError(f"{source}: {what}; give one kind of them")
    return "checkpoint" if found == {".safetensors"} else "chunks"


def _refuse_overlap(source: Path, target: Path) -> None:
    """Nothing is written where the source is, whose keys and names the result may have."""
    inner, outer = os.path.realpath(target), os.path.realpath(source if source.is_dir() else source.parent)
    if os.path.commonpath([inner, outer]) == outer and (source.is_dir() or inner in (outer, os.path.realpath(source))):
        raise UsageError(
            f"{target} is, or lies in, what is converted: give another place, so that no key has two meanings"
        )
    if source.is_dir() and os.path.commonpath([inner, outer]) == inner and os.path.isdir(inner):
        raise UsageError(f"{target} holds what is converted: give another place")


def _state(file: Path) -> tuple[int, int, int]:
    status = os.stat(file)
    return status.st_size, status.st_mtime_ns, status.st_ino


def _refuse_change(made: Made, before: dict[Path, tuple[int, int, int]]) -> None:
    if _state(made.job.source) != before[made.job.source]:
        raise UsageError(f"{made.job.source}: changed while it was converted; nothing was written")


# --- the place of the result -----------------------------------------------------------------


@contextmanager
def _staged(target: Path, plan: Plan, one: bool) -> Iterator[Path]:
    """A folder beside the result, or in it where that is there already, whose files take their places in the end."""
    target = target / plan.files[0].name if one and target.is_dir() else target
    names = [file.name for file in plan.files]
    if one and os.path.lexists(target):
        raise UsageError(f"{target}: there already; nothing is overwritten")
    into = target if not one and target.is_dir() else target.parent
    _refuse_taken(target, names, plan.kind if not one else None)
    try:
        into.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(into).free
        if free < plan.size:
            raise UsageError(f"{into}: {plan.size >> 20} MiB are needed, {free >> 20} MiB are free")
        stage = temporary_name(into / "stage")
        stage.mkdir()
    except OSError as error:
        raise UsageError(f"cannot write {into}: {error.strerror or error}") from None
    try:
        yield stage
        _sync_folder(stage)
        if one:
            _place(stage / names[0], target)
        elif into == target:
            _place_all(stage, target, names)
        else:
            os.rename(stage, target)
        _sync_folder(into)
    except FileExistsError:
        raise UsageError(f"{target}: a name was taken while this ran; nothing was overwritten") from None
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror or error}; nothing was written") from None
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _refuse_taken(target: Path, names: list[str], kind: str | None) -> None:
    if kind is None or not os.path.lexists(target):
        return
    if not target.is_dir():
        raise UsageError(f"{target}: no folder; many files cannot lie in it")
    there = set(os.listdir(target))
    if kind == "checkpoint" and there:
        raise UsageError(f"{target}: not empty; a checkpoint gets a folder of its own")
    taken = sorted(there.intersection(names))
    if taken:
        raise UsageError(f"{target}: {len(taken)} of the keys are there already; nothing is overwritten", taken[:5])


def _place_all(stage: Path, target: Path, names: list[str]) -> None:
    """Each file whole; where one cannot be placed, none stays."""
    placed: list[str] = []
    try:
        for name in names:
            _place(stage / name, target / name)
            placed.append(name)
    except BaseException:
        for name in placed:
            with suppress(OSError):
                os.unlink(target / name)
        raise


def _place(file: Path, target: Path) -> None:
    """Give a file its name, unless that is taken. A second name, unlike a new one, never replaces anything."""
    try:
        os.link(file, target, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError:  # a file system without second names
        if os.path.lexists(target):
            raise FileExistsError(target) from None
        os.rename(file, target)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some file systems know no such thing
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
