"""From staged sources to a program: device code as assembly, host code beside it, linked with the runtime."""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from rewarp.machine.runtime import libraries as stand_ins
from rewarp.run import openmp
from rewarp.run.kept import Kept
from rewarp.run.linking import Linked, link
from rewarp.run.results import NotBuilt, Request, Step
from rewarp.run.staging import C_SOURCES, Stage
from rewarp.toolchain import Cause, Compiled, Diagnostic, Toolchain, cause_of_failure
from rewarp.toolchain.bundle import bundle
from rewarp.toolchain.compiler import Language
from rewarp.toolchain.header_libraries import asked_for, find_libraries, how_to_get, library_of, with_libraries
from rewarp.toolchain.metadata import undefined_symbols

RELOCATABLE = "-fgpu-rdc"
OPENMP = "-fopenmp"
_DEVICE = ("-w", "-gline-tables-only", "-mprintf-kind=buffered")
_HOST = ("-w", "-fwrapv")
"""Checks in host code repeat what kernels compute, overflow and all, and nvcc's own host compilers mostly let them wrap."""
_CODE, _HANDLE = "__hip_fatbin_", "__hip_gpubin_handle_"
"""What host code calls its device code, and the place where it keeps what the runtime calls it."""
_STANDARD_OF_C = re.compile(r"-std=(?:c|gnu|iso9899:)\d\w*")
_STANDARD_OF_CXX = re.compile(r"-std=(?:c|gnu)\+\+\w+")
_SHOWN = 20
Tell = Callable[[str], None]


@dataclass(frozen=True)
class _Unit:
    named: Path
    source: Path
    language: Language
    made: Path
    """What comes of it, but for the suffix."""

    @property
    def object(self) -> Path:
        return self.made.with_name(f"{self.made.name}.o")

    @property
    def assembly(self) -> Path:
        return self.made.with_name(f"{self.made.name}.s")

    def listed(self, side: str) -> Path:
        """Where the compiler says what it read."""
        return self.made.with_name(f"{self.made.name}-{side}.d")

    @property
    def identity(self) -> str:
        """Device and host code find one another's static names by it."""
        text = f"{self.made.name}\0{os.path.abspath(self.named)}"
        return f"-cuid={hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


class Builder:
    """One program for one architecture, in a folder of its own."""

    def __init__(
        self,
        toolchain: Toolchain,
        stage: Stage,
        request: Request,
        arch: str,
        folder: Path,
        *,
        tell: Tell = lambda line: None,
    ) -> None:
        self._stage, self._request, self._arch, self._tell = stage, request, arch, tell
        asked = asked_for(stage.outside)
        self.header_libraries = find_libraries(asked, toolchain, request.includes)
        here = [found.library for found in self.header_libraries]
        self._lacking = [library for library in asked if library not in here]
        self._toolchain = with_libraries(toolchain, self.header_libraries)
        self._folder = folder
        self._kept = Kept(self._toolchain, folder.parent)
        self._telling, self._is_told = threading.Lock(), False
        own = [word for word in request.options if word not in (OPENMP, RELOCATABLE)]
        # Behind the compiler's own: a ROCm that is installed has the libraries' real headers.
        headers = ("-isystem", str(stand_ins.headers()))
        self._options = (*stage.options, *own, *(openmp.headers() if OPENMP in request.options else ()), *headers)
        self._units = tuple(
            _Unit(named, source, _language(named, stage), folder / f"{number}-{source.stem}")
            for number, (named, source) in enumerate(stage.units)
        )

    def objects(self) -> list[Path]:
        """What is to be linked. Raises NotBuilt, with places in the user's own files."""
        self._folder.mkdir(parents=True, exist_ok=True)
        device = [unit for unit in self._units if unit.language == "hip"]
        together = bool(device) and RELOCATABLE in self._request.options
        if not together:
            undefined = self._of_each(device)
            # What one file calls and another defines needs device code that is linked.
            together = bool(undefined) and len(device) > 1
            if undefined and not together:
                raise NotBuilt(
                    Step.DEVICE, f"nothing defines {', '.join(undefined[:3])}", findings=self._stage.findings
                )
        code = {self._linked_device(device): device} if together else {unit.assembly: [unit] for unit in device}
        return [*(unit.object for unit in self._units), *([self._embedded(code)] if code else [])]

    def link(self, objects: Sequence[Path], runtime: Path) -> Linked:
        """The program, in need of the runtime's libraries."""
        request = self._request
        libraries = (*request.libraries, *(openmp.libraries() if OPENMP in request.options else ()))
        return link(
            self._toolchain,
            objects,
            self._folder / "program",
            runtime=runtime,
            libraries=libraries,
            folders=request.library_folders,
            tell=self._tell,
        )

    # --- compiling --------------------------------------------------------------------------

    def _of_each(self, device: Sequence[_Unit]) -> tuple[str, ...]:
        """Device and host code of every file; the names that device code leaves open."""
        with self._pool() as pool:
            done = [pool.submit(self._device, unit) for unit in device]
            others = [pool.submit(self._host, unit) for unit in self._units]
            found = dict.fromkeys(name for one in done for name in one.result())
            for other in others:
                other.result()
        return tuple(found)

    def _linked_device(self, device: Sequence[_Unit]) -> Path:
        """Device code of all files as one; host code that knows it."""
        text = self._folder / "device.s"
        options = (*self._options_for("hip"), *_DEVICE)
        listed = [unit.listed("device") for unit in device]

        def make() -> Compiled:
            return self._toolchain.link(
                [unit.source for unit in device],
                self._arch,
                options=options,
                each=[(unit.identity, *_listing(file)) for unit, file in zip(device, listed)],
                output=text,
                level="assembly",
            )

        names = [word for unit in device for word in (unit.identity, str(unit.source))]
        self._made(Step.DEVICE, None, ["together", self._arch, *options, *names], listed, text, make)
        with self._pool() as pool:
            list(pool.map(lambda unit: self._host(unit, RELOCATABLE), self._units))
        return text

    def _device(self, unit: _Unit) -> tuple[str, ...]:
        options = (*self._options_for("hip"), *_DEVICE, unit.identity)
        listed = unit.listed("device")

        def make() -> Compiled:
            return self._toolchain.compile_device(
                unit.source, self._arch, options=(*options, *_listing(listed)), output=unit.assembly
            )

        command = ["device", self._arch, *options, str(unit.source)]
        return self._made(Step.DEVICE, unit, command, [listed], unit.assembly, make)

    def _host(self, unit: _Unit, *more: str) -> None:
        of_hip = (unit.identity, *more) if unit.language == "hip" else ()
        options = (*_HOST, *self._options_for(unit.language), *of_hip)
        listed = unit.listed("host")

        def make() -> Compiled:
            return self._toolchain.compile_host(
                unit.source, options=(*options, *_listing(listed)), language=unit.language, output=unit.object
            )

        command = ["host", unit.language, *options, str(unit.source)]
        self._made(Step.HOST, unit, command, [listed], unit.object, make)

    def _made(
        self,
        step: Step,
        unit: _Unit | None,
        command: Sequence[str],
        listed: Sequence[Path],
        output: Path,
        make: Callable[[], Compiled],
    ) -> tuple[str, ...]:
        """As it was made before, or now; the names that it leaves open."""
        known = self._kept.find(command, output)
        if known is not None:
            return known
        with self._telling:
            if not self._is_told:
                self._tell(f"compiling for {self._arch}")
            self._is_told = True
        done = self._require(step, unit, make())
        self._kept.keep(command, listed, output, done.undefined)
        return done.undefined

    def _options_for(self, language: Language) -> tuple[str, ...]:
        """A standard of C++ is none of C, and the other way round."""
        other = _STANDARD_OF_CXX if language == "c" else _STANDARD_OF_C
        return tuple(option for option in self._options if not other.fullmatch(option))

    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._request.cores or os.cpu_count() or 1)

    def _require(self, step: Step, unit: _Unit | None, done: Compiled) -> Compiled:
        if done.ok:
            return done
        errors = [self._stage.in_original(found) for found in done.errors]
        first = str(errors[0]) if errors else "the compiler failed"
        where = f"{unit.named}: " if unit and not (errors and errors[0].file) else ""
        raise NotBuilt(step, f"{where}{first}{self._advice(errors)}", errors[:_SHOWN], self._stage.findings)

    def _advice(self, errors: Sequence[Diagnostic]) -> str:
        """How to get a library whose headers are missing, or are NVIDIA's of the same name; that they do not fit."""
        failure = cause_of_failure(errors)
        missing = library_of(failure.subject) if failure and failure.cause is Cause.MISSING_HEADER else None
        file = errors[0].file or "" if errors else ""
        guilty = [one for one in self._lacking if one == missing or f"/{one.folder}/" in file]
        said = [how_to_get(one) for one in guilty]
        inside = (one for one in self.header_libraries if file.startswith(f"{one.headers}/"))
        said += filter(None, (one.misfit(self._toolchain) for one in inside))
        return f" ({said[0]})" if said else ""

    # --- device code in the host's program --------------------------------------------------

    def _embedded(self, code: Mapping[Path, Sequence[_Unit]]) -> Path:
        """An object that holds device code under the names that the host code of its files asks for."""
        source, made = self._folder / "device_code.c", self._folder / "device_code.o"
        lines: list[str] = []
        for text, units in code.items():
            fat = text.with_suffix(".hipfb")
            fat.write_bytes(bundle({self._arch: text.read_bytes()}))
            asked = [name for unit in units for name in undefined_symbols(unit.object, of_host=True)]
            lines += ['.section .hip_fatbin,"a",@progbits', ".p2align 12", *_labels(_CODE, asked)]
            lines += [f".incbin {json.dumps(str(fat))}", ".bss", ".p2align 3", *_labels(_HANDLE, asked), ".zero 8"]
        source.write_text("".join(f"__asm__({json.dumps(line)});\n" for line in (*lines, ".text")), "utf-8")
        done = self._toolchain.compile_host(source, language="c", output=made)
        self._require(Step.LINK, None, done)
        return made


def _listing(file: Path) -> list[str]:
    """Options for the compiler proper: its driver lists nothing for device code."""
    words = ("-dependency-file", str(file), "-MT", "made", "-sys-header-deps")
    return [option for word in words for option in ("-Xclang", word)]


def _labels(prefix: str, names: Iterable[str]) -> list[str]:
    return [line for name in names if name.startswith(prefix) for line in (f".globl {name}", f"{name}:")]


def _language(named: Path, stage: Stage) -> Language:
    if named.suffix in C_SOURCES:
        return "c"
    return "hip" if named in stage.device else "c++"
