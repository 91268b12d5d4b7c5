"""Units × architectures, on all cores; what is known from an earlier run is not compiled again."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from rewarp.machine.runtime import libraries as stand_ins
from rewarp.toolchain import Cause, Compiled, Toolchain
from rewarp.toolchain.diagnostics import Diagnostic, errors_and_origins
from rewarp.toolchain.libraries import NotSupplied, Supplied, compiled_with_libraries, cuda_includes
from rewarp.toolchain.torch_headers import LIBRARIES as _TORCHS_LIBRARIES
from rewarp.translation.changes import SUPPORT_HEADER
from rewarp.verify.build.flags import RELOCATABLE
from rewarp.verify.build.staging import Staged, Translated
from rewarp.verify.build.store import Files, Refusal, Result, Store
from rewarp.verify.checks import Outcome

Progress = Callable[[int, int], None]
_NOT_HERE = (Cause.MISSING_HEADER, Cause.NO_AMD_TWIN)
_DEVICE_LIBRARIES = ("__ocml_", "__ockl_", "__oclc_")
_DEPENDENCY = re.compile(r"(?:\\.|[^\s\\])+")
_LIBRARY_NAME = re.compile(r"\b(?:hip(?:blas|fft|rand|sparse|solver|tensor)|rccl|nccl|hip_lacks_)", re.IGNORECASE)
_ROCM_HEADER = re.compile(r"(?:hip|roc|rccl|miopen|thrust|cub|amd)[\w.]*/", re.IGNORECASE)
_PYTORCH_HEADER = re.compile(r"(?:torch|ATen|c10|caffe2|TH[CH])/")
_NAMES_SHOWN = 3


@dataclass(frozen=True)
class Job:
    """One unit for one architecture."""

    staged: Staged
    arch: str


@dataclass(frozen=True)
class Plan:
    """How to compile, for all jobs alike."""

    compilers: Mapping[str, Toolchain]
    """By architecture: each is compiled for by the best that knows it."""
    jobs: int
    timeout: float
    translated: Translated
    """Places in translations are shown as they are in the tree."""
    store: Path | None
    """The folder of the store, or none."""


@dataclass(frozen=True)
class Done:
    result: Result
    read: tuple[str, ...]
    started: float


def compile_all(units: Sequence[Staged], plan: Plan, progress: Progress) -> dict[tuple[str, str], Result]:
    """The results by unit and architecture."""
    store = Store(plan.store, Files(plan.translated.base))
    found: dict[tuple[str, str], Result] = {}
    # Where CUDA is decides which library headers can be derived; rewarp declares others itself.
    places = (*map(str, cuda_includes(os.environ)), stand_ins.headers().name)
    todo: dict[Job, bytes] = {}
    try:
        for unit in units:
            for arch, compiler in plan.compilers.items():
                key = store.key((compiler.identity, *places), arch, str(unit.source), unit.options)
                known = _trouble(unit) or store.get(key)
                if known:
                    found[unit.unit.path, arch] = known
                else:
                    todo[Job(unit, arch)] = key
        known_before, total = len(found), len(found) + len(todo)
        for job, done in _compiled(tuple(todo), plan, lambda count: progress(known_before + count, total)):
            found[job.staged.unit.path, job.arch] = done.result
            if done.read:
                store.put(todo[job], done.read, done.result, done.started)
    finally:
        store.close()
    return found


def _trouble(unit: Staged) -> Result | None:
    """A unit that could not be translated is not compiled."""
    why = unit.trouble
    return Result(Outcome.NOT_CHECKED, f"not translated: {why}", path=unit.unit.path) if why else None


def _compiled(jobs: Sequence[Job], plan: Plan, count: Callable[[int], None]) -> Iterator[tuple[Job, Done]]:
    """Results as they come. When the caller stops, or Ctrl-C comes, running compilers are ended."""
    if not jobs:
        return
    pool = ThreadPoolExecutor(plan.jobs)
    futures: dict[Future[Done], Job] = {}
    try:
        futures |= {pool.submit(_compile, job, plan): job for job in jobs}
        waiting = set(futures)
        while waiting:
            # A wait without end would not see Ctrl-C on every system.
            ready, waiting = wait(waiting, timeout=1, return_when=FIRST_COMPLETED)
            for future in ready:
                count(len(jobs) - len(waiting))
                yield futures[future], future.result()
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        while not all(future.done() for future in futures):
            _end_children()
            time.sleep(0.02)
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _end_children() -> None:
    """Ends the compilers that other threads wait for: they run in sessions of their own, which Ctrl-C does not reach."""
    with contextlib.suppress(OSError, ValueError):
        for task in Path("/proc/self/task").iterdir():
            for child in (task / "children").read_text().split():
                with contextlib.suppress(OSError):
                    if os.getsid(int(child)) == int(child):
                        os.killpg(int(child), signal.SIGKILL)


def _compile(job: Job, plan: Plan) -> Done:
    staged, compiler = job.staged, plan.compilers[job.arch]
    started = time.time()
    with TemporaryDirectory(prefix="rewarp-") as folder:
        listing = Path(folder, "read.d")
        wanted = ("-dependency-file", str(listing), "-MT", "unit", "-sys-header-deps")
        options = [*staged.options, *(word for option in wanted for word in ("-Xclang", option))]

        def compile_with(toolchain: Toolchain) -> Compiled:
            return toolchain.compile_device(staged.source, job.arch, options=options, timeout=plan.timeout)

        done, supplied, lacking = compiled_with_libraries(
            compiler, compile_with, partial(_declarations, staged), _TORCHS_LIBRARIES if staged.torch else ()
        )
        read = _read_files(listing) if done.ok else ()
    result = _judged(done, job.staged, plan, supplied, lacking)
    return Done(result, read or _decided_by(done, staged, compiler), started)


def _declarations(staged: Staged, header: str) -> Path | None:
    """The folder of our own declarations that has a header of a library's."""
    ours = stand_ins.headers()
    return ours if (ours / header).is_file() or not staged.torch else staged.torch.handles()


def _read_files(listing: Path) -> tuple[str, ...]:
    """The files in a list of dependencies as make reads it."""
    try:
        text = listing.read_text("utf-8", "surrogateescape").replace("\\\n", " ")
    except OSError:
        return ()
    words = _DEPENDENCY.findall(text.partition(": ")[2])
    return tuple(os.path.abspath(re.sub(r"\\([ #\\])", r"\1", word).replace("$$", "$")) for word in words)


def _decided_by(done: Compiled, staged: Staged, compiler: Toolchain) -> tuple[str, ...]:
    """The files that a failure depends on: the compiler lists none. Those of the unit, and those that were missed."""
    failure = done.failure
    if failure is None or failure.cause.is_of_compiler:
        return ()
    unit = staged.unit
    inside = [_staged_place(file, staged) for file in unit.reached]
    if failure.cause not in _NOT_HERE:
        return tuple(map(str, inside))
    folders = [*unit.flags.includes, *unit.guessed, *{file.parent for file in unit.reached}, *compiler.includes]
    folders += [Path("/usr/include"), Path("/usr/local/include")]
    return (*map(str, inside), *(os.path.normpath(folder / failure.subject) for folder in folders))


def _staged_place(file: Path, staged: Staged) -> Path:
    """Where a file of the tree is read in this compilation."""
    unit = staged.unit
    depth = unit.path.count("/")
    root, base = unit.file.parents[depth], staged.source.parents[depth]
    return base / file.relative_to(root) if file.is_relative_to(root) else file


def _judged(
    done: Compiled, staged: Staged, plan: Plan, supplied: Sequence[Supplied], lacking: NotSupplied | None
) -> Result:
    origins = tuple(item.origin for item in supplied if item.derived)
    failure = done.failure
    if failure is None:
        return replace(_passed(done, staged), derived=origins)
    error = done.errors[0]
    refusals: tuple[Refusal, ...] = ()
    outcome, why = Outcome.NOT_CHECKED, failure.message
    if lacking and _ROCM_HEADER.match(lacking.header):
        why = f"needs {lacking.header}: {lacking.reason}"
    elif lacking and staged.torch and _PYTORCH_HEADER.match(lacking.header):
        why = f"needs {lacking.header}, which torch {staged.torch.version} does not bring"
    elif lacking:
        where = "comes with PyTorch for ROCm" if _PYTORCH_HEADER.match(lacking.header) else "is not here"
        why = f"needs {lacking.header}, which {where}: give its folder with -I"
    elif failure.cause is Cause.UNKNOWN_ARCH:
        why = f"no compiler here knows {failure.subject}"
    elif failure.cause is Cause.NO_AMD_TWIN:
        why = f"needs {failure.subject}: it is not here, and belongs to a library that AMD has no twin of"
    elif staged.torch and (staged.torch.is_own(error.file) or staged.torch.lacks(error.message)):
        why = f"not decided with {staged.torch}: {failure.message}"
    elif origins and names_derived(error.message, supplied):
        why = f"not decided with {origins[-1]}, which may differ from AMD's: {failure.message}"
    elif staged.translated and _is_outside(error.file, staged):
        why = f"{error.file} lies outside of the tree, so it was not translated: {failure.message}"
    elif not failure.cause.is_of_compiler:
        outcome, why = Outcome.FAILED, _told(error, plan)
        refusals = tuple(_refusal(said, staged, plan) for said in errors_and_origins(done.diagnostics))
    path = _path_in_tree(error.file, staged, plan)
    return Result(
        outcome,
        why,
        cause=failure.cause.value,
        subject=failure.subject,
        path=path,
        line=_line(path, error, plan),
        refusals=refusals,
        derived=origins,
        seconds=done.seconds,
    )


def names_derived(message: str, supplied: Sequence[Supplied]) -> bool:
    """Whether an error names what a derived header declares. What a library's own header says is decided."""
    derived = {item.header.partition("/")[0].lower() for item in supplied if item.derived}
    named = {match[0].lower() for match in _LIBRARY_NAME.finditer(message)}
    if "rccl" in derived:
        derived.add("nccl")
    return not named.isdisjoint(derived | {"hip_lacks_"})


def _refusal(said: Sequence[Diagnostic], staged: Staged, plan: Plan) -> Refusal:
    """An error, at the first place of the tree that the compiler names for it."""
    for place in said:
        path = _path_in_tree(place.file, staged, plan)
        if place.file and path and not os.path.isabs(path) and os.path.basename(path) != SUPPORT_HEADER:
            return Refusal(path, _line(path, place, plan), _told(said[0], plan))
    return Refusal(staged.unit.path, None, _told(said[0], plan))


def _told(error: Diagnostic, plan: Plan) -> str:
    return error.message.replace(f"{plan.translated.base}/", "")


def _line(path: str | None, place: Diagnostic, plan: Plan) -> int | None:
    """Its line in the tree."""
    if not place.line or not path or not place.file or not Path(place.file).is_relative_to(plan.translated.base):
        return place.line
    return plan.translated.line(path, place.line)


def _is_outside(file: str | None, staged: Staged) -> bool:
    """Whether a file is the project's and none of the tree: found by an include folder that leads out of it."""
    unit = staged.unit
    root = unit.file.parents[unit.path.count("/")]
    path = Path(os.path.normpath(file or ""))
    return path in unit.reached and not path.is_relative_to(root)


def _passed(done: Compiled, staged: Staged) -> Result:
    missing = tuple(name for name in done.undefined if not name.startswith(_DEVICE_LIBRARIES))
    if not missing or RELOCATABLE in staged.options:
        return Result(
            Outcome.PASSED, kernels=done.kernels, resources=done.resources, undefined=missing, seconds=done.seconds
        )
    names = ", ".join(missing[:_NAMES_SHOWN]) + (" …" if len(missing) > _NAMES_SHOWN else "")
    why = f"device code uses {names}, defined in no file of this unit: it would need {RELOCATABLE}"
    return Result(
        Outcome.FAILED,
        why,
        cause=Cause.UNDEFINED.value,
        subject=missing[0],
        path=staged.unit.path,
        refusals=(Refusal(staged.unit.path, None, why),),
        undefined=missing,
        seconds=done.seconds,
    )


def _path_in_tree(file: str | None, staged: Staged, plan: Plan) -> str | None:
    """A path of the compiler's as it is in the tree."""
    if file is None:
        return staged.unit.path
    root = staged.unit.file.parents[staged.unit.path.count("/")]
    path = Path(os.path.normpath(file))
    for base in (plan.translated.base, root):
        if path.is_relative_to(base):
            return path.relative_to(base).as_posix()
    return file if path.is_absolute() else staged.unit.path
