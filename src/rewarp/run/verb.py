"""All of it together: stage, build, run, read what was noted, compare."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from rewarp import toolchain as toolchains
from rewarp.errors import UsageError
from rewarp.run import elsewhere, openmp, records
from rewarp.run.building import OPENMP, Builder
from rewarp.run.comparison import differences
from rewarp.run.execution import execute, sandbox_cache, sandboxed, settings_of
from rewarp.run.results import ON_MACHINE, ProgramResult, Ran, Request
from rewarp.run.staging import SOURCES, Stage, existing, stage
from rewarp.toolchain.elf import Elf
from rewarp.toolchain.header_libraries import Found

Tell = Callable[[str], None]


def run_program(
    request: Request,
    *,
    tell: Tell = lambda line: None,
    pass_on: Callable[[bytes], object] = lambda chunk: None,
    capture: bool = False,
) -> ProgramResult:
    """Build a program and run it, once for each architecture and order. The program's standard output is this process's,
    untouched; where several runs are compared, the first one's goes to ``pass_on``, and with ``capture`` always.

    Raises NotBuilt for a program that does not compile or link, and UsageError for what cannot be asked for."""
    existing(request.files)
    with _folder(request.keep) as work:
        return _Work(request, work, tell, pass_on, capture).result()


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
        yield Path(os.path.realpath(keep))
        return
    with tempfile.TemporaryDirectory(prefix="rewarp-run-") as folder:
        yield Path(os.path.realpath(folder))


class _Work:
    def __init__(
        self, request: Request, folder: Path, tell: Tell, pass_on: Callable[[bytes], object], capture: bool
    ) -> None:
        self._captures = capture or len(request.arches) > 1 or request.orders > 0
        self._request, self._folder, self._tell, self._pass_on = request, folder, tell, pass_on
        self._ready = is_program(request.files)
        self._stage = Stage((), ()) if self._ready else stage(request.files, request.includes, folder / "source")
        self._described: dict[str, Any] = {}
        self._header_libraries: tuple[Found, ...] = ()
        self._notes = [openmp.NOTE] if OPENMP in request.options else []

    def result(self) -> ProgramResult:
        request = self._request
        runs = tuple(self._runs())
        return ProgramResult(
            request.where,
            request.watch,
            runs,
            differences(runs, request.tolerance) if self._several else (),
            self._stage.findings,
            tuple(self._notes),
            self._described,
            self._header_libraries,
        )

    def _runs(self) -> Iterator[Ran]:
        shown = True
        for arch in self._request.arches:
            program = self._program(arch)
            for order in (None, *range(1, self._request.orders + 1)):
                ran = self._run(program, arch, order, shown=shown)
                yield ran
                if ran.ended.interrupted:
                    return
                shown = False

    @property
    def _several(self) -> bool:
        return len(self._request.arches) > 1 or self._request.orders > 0

    @cached_property
    def _libraries(self) -> Path:
        return _runtime(self._request.sandbox)

    def _program(self, arch: str) -> list[str]:
        """The command, built where it must be."""
        request = self._request
        if request.where != ON_MACHINE:
            here = elsewhere.place(request.where, arch)
            made = (
                request.files[0]
                if self._ready
                else elsewhere.build(here, self._stage, request, arch, self._folder / arch)
            )
            return [*here.before, str(made), *request.arguments]
        if self._ready:
            return [os.path.abspath(request.files[0]), *request.arguments]
        compiler = toolchains.find_for([arch])[arch]
        self._described = compiler.describe()
        builder = Builder(compiler, self._stage, request, arch, self._folder / arch, tell=self._tell)
        self._header_libraries = builder.header_libraries
        linked = builder.link(builder.objects(), self._libraries)
        if linked.missing:
            self._notes.append(f"not in the runtime, and fatal where it is called: {', '.join(linked.missing)}")
        return [str(linked.program), *request.arguments]

    def _run(self, command: Sequence[str], arch: str, order: int | None, *, shown: bool) -> Ran:
        request = self._request
        report = self._folder / f"report-{arch}-{order or 0}.jsonl"
        report.write_bytes(b"")
        environment = dict(os.environ)
        if request.where == ON_MACHINE:
            environment = settings_of(request, arch, order, self._libraries, report).environment(environment)
            if self._ready and (more := _libraries_of(request.files[0])):
                environment["LD_LIBRARY_PATH"] += f"{os.pathsep}{more}"
        if request.sandbox:
            environment |= {"REWARP_CACHE_DIR": str(sandbox_cache()), "TMPDIR": str(self._folder)}
            command = sandboxed(command, self._folder)
        if self._several:
            self._tell(f"running as {arch}" + (f", order {order}" if order else ""))
        take = (self._pass_on if shown else _nowhere) if self._captures else None
        has_kernels = bool(self._stage.device) and request.where == ON_MACHINE
        ended = execute(command, environment, request.limits, keep_output=take)
        return Ran(arch, order, ended, records.read(report, self._stage.original), has_kernels)


def _nowhere(chunk: bytes) -> None:
    """For nobody."""


def _runtime(sandbox: bool) -> Path:
    """The folder of the runtime's libraries, which is also where it keeps translations."""
    from rewarp.machine.runtime import folder  # late: it is compiled when it is first asked for

    if not sandbox:
        return folder()
    # Another cache, and a process of its own to make it: this one has perhaps loaded from its own already.
    environment = {**os.environ, "REWARP_CACHE_DIR": str(sandbox_cache())}
    command = [sys.executable, "-c", "from rewarp.machine.runtime import folder; print(folder())"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise UsageError(f"--sandbox: the runtime cannot be made: {done.stderr.strip().splitlines()[-1:]}")
    return Path(done.stdout.strip())


def _libraries_of(program: Path) -> Path | None:
    """Where the libraries are that an executable asks for, and that are computed on the host."""
    from rewarp.machine.runtime import libraries

    try:
        names = libraries.needed(Elf(program.read_bytes(), machine=None).needed())
    except (ValueError, struct.error, IndexError):
        return None
    return libraries.folder(*names) if names else None


def is_program(files: Sequence[Path]) -> bool:
    """Whether this is one executable, and not sources. Raises UsageError for what is neither."""
    if all(file.suffix in SOURCES for file in files):
        return False
    if len(files) == 1:
        with files[0].open("rb") as stream:
            if stream.read(4) == b"\x7fELF":
                return True
    odd = next(file for file in files if file.suffix not in SOURCES)
    raise UsageError(f"{odd} is neither a source ({', '.join(SOURCES)}) nor an executable")
