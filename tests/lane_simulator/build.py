"""Compiling a program of lanes for this machine, and running what came out."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from lane_simulator.lane_runs import LaneProgram, LaneRun, Platform, RunOutcome, Waves
from lane_simulator.program import program
from rewarp import toolchain
from rewarp.errors import GaveUp, UsageError
from rewarp.files import cache_folder
from rewarp.toolchain.diagnostics import Diagnostic
from rewarp.toolchain.process import TimeLimit
from rewarp.toolchain.process import run as run_compiler

HERE = Path(__file__).parent
_LANGUAGE = ("-std=c++17", "-w", f"-I{HERE}", f"-I{HERE / 'include'}")
# The runtime answers the calls that this puts in; the sanitizer's own library is never linked.
# Big frames are touched page by page, so that none steps over the closed page below its stack.
_INSTRUMENTED = ("-O0", "-fsanitize=thread", "-fstack-clash-protection")
# clang would leave out blocks that others imply, and add some out of program order.
_BLOCKS = {"g++": "-fsanitize-coverage=trace-pc"}
_BLOCKS_OF_CLANG = "-fsanitize-coverage=bb,trace-pc,no-prune"
# Its callers' frames are read by the runtime, which is the same for all waves.
_CHAINED_FRAMES = ("-O1", "-fno-omit-frame-pointer")
_ANY_WAVES = Waves(Platform.AMD, 64)
_REFUSED = "The mask must be a 64-bit integer"
_COMPILE_SECONDS = 300.0
_RUN_SECONDS = 600.0


class CompileFailed(GaveUp):
    """The units are not C++, or not C++ that this instrument knows."""

    def __init__(self, errors: Sequence[Diagnostic]) -> None:
        super().__init__(str(errors[0]))
        self.errors = tuple(errors)


def as_run(error: Diagnostic | CompileFailed) -> LaneRun:
    """HIP's compiler is not here to ask: only what lanes.h refuses in its place is the kernel's own fault."""
    refused = _REFUSED in str(error)
    return LaneRun(RunOutcome.COMPILE_ERROR if refused else RunOutcome.NOT_RUN, str(error))


def host_compiler() -> tuple[str, ...]:
    """g++ or clang++ of this machine, or the one in the compiler wheels."""
    if not sys.platform.startswith("linux"):
        raise UsageError("kernels run lane by lane on Linux only")
    found = next(filter(None, map(shutil.which, ("g++", "clang++"))), None)
    if found:
        return (found,)
    try:
        wheels = next((one for one in toolchain.candidates() if one.kind == "wheels"), None)
    except UsageError:
        wheels = None
    if wheels is None:
        raise UsageError("no C++ compiler found: install g++ or clang++, or `pip install rewarp[compile]`")
    return (wheels.clang[0], "c++", "-fno-sanitize=undefined")


@dataclass(frozen=True)
class Program:
    """A program that has been built."""

    file: Path

    def run(self, names: Iterable[str] = (), *, checked_masks: bool = True, seed: int = 0) -> Mapping[str, LaneRun]:
        """What each of its units did, by name; all of them where none is named."""
        command = [str(self.file), "checked" if checked_masks else "unchecked", str(seed), *names]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_RUN_SECONDS)
        except subprocess.TimeoutExpired:
            raise UsageError(f"the lanes gave no answer in {_RUN_SECONDS:g} s") from None
        return dict(_read(line) for line in done.stdout.splitlines() if line.startswith('{"case"'))


def _read(line: str) -> tuple[str, LaneRun]:
    said = json.loads(line)
    outputs = {name: tuple(numbers) for name, numbers in said.get("buffers", {}).items()}
    outcome = RunOutcome(said["outcome"])
    return said["case"], LaneRun(outcome, said["detail"], outputs, said.get("reads_from_absent_lanes", 0))


@dataclass(frozen=True)
class _Runtime:
    """What every program is linked with, for as long as this process lives."""

    folder: tempfile.TemporaryDirectory[str]
    objects: tuple[str, ...]


@lru_cache(maxsize=1)
def _runtime() -> _Runtime:
    folder = tempfile.TemporaryDirectory(prefix="rewarp-lanes-")
    objects = []
    for name in ("scheduler", "values", "memory", "cases"):
        source, made = HERE / f"{name}.cpp", Path(folder.name, f"{name}.o")
        options = (*_LANGUAGE, *_CHAINED_FRAMES, *_ANY_WAVES.options)
        _compile((*options, "-c", str(source), "-o", str(made)), Path(folder.name))
        objects.append(str(made))
    return _Runtime(folder, tuple(objects))


def _compile(arguments: Sequence[str], folder: Path) -> None:
    kept = cache_folder() / "zig"
    ok, said = run_compiler([*host_compiler(), *arguments], str(folder), TimeLimit(_COMPILE_SECONDS), kept=kept)
    if not ok:
        raise CompileFailed([message for message in said if message.severity.is_error])


@dataclass(frozen=True)
class Workshop:
    """A folder where programs are built."""

    folder: Path

    def build(self, units: Sequence[LaneProgram], waves: Waves, *, options: Sequence[str] = ()) -> Program:
        """Raises CompileFailed with the first error."""
        name = self.folder / f"{waves.platform.value}{waves.size}_{len(list(self.folder.glob('*.cpp')))}"
        source, made, file = (name.with_suffix(suffix) for suffix in (".cpp", ".o", ".bin"))
        source.write_bytes(program(units))
        blocks = _BLOCKS.get(Path(host_compiler()[0]).name, _BLOCKS_OF_CLANG)
        options = (*_LANGUAGE, *_INSTRUMENTED, blocks, *waves.options, *options)
        _compile((*options, "-c", str(source), "-o", str(made)), self.folder)
        _compile((str(made), *_runtime().objects, "-o", str(file)), self.folder)
        return Program(file)

    def build_what_compiles(
        self, units: Sequence[LaneProgram], waves: Waves, *, options: Sequence[str] = ()
    ) -> tuple[Program, Mapping[str, LaneRun]]:
        """A program of the units that compile, and the others by name. An error that is in none of them is raised."""
        failed: dict[str, LaneRun] = {}
        while True:
            rest = [unit for unit in units if unit.name not in failed]
            try:
                return self.build(rest, waves, options=options), failed
            except CompileFailed as trouble:
                errors = {error.file: error for error in reversed(trouble.errors)}
                guilty = {unit.name: errors[unit.shown_path] for unit in rest if unit.shown_path in errors}
                if not guilty:
                    raise
                failed |= {name: as_run(error) for name, error in guilty.items()}
