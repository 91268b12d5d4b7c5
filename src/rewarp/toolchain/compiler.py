"""One HIP compiler and what it makes of a source: diagnostics, AMD code, the kernels in it and what they need."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from rewarp.errors import UsageError
from rewarp.toolchain.arches import isa_version
from rewarp.toolchain.device_library import (
    code_object_version,
    constants_source,
    lanes,
    library_files,
    link_options,
)
from rewarp.toolchain.diagnostics import Diagnostic, Failure, Severity, cause_of_failure
from rewarp.toolchain.header_state import state_of_headers
from rewarp.toolchain.metadata import KernelResources, read_code_object, undefined_symbols
from rewarp.toolchain.process import TimeLimit, run

Level = Literal["syntax", "assembly", "object", "code_object"]
Language = Literal["hip", "c++", "c"]
Kind = Literal["rocm", "distribution", "wheels"]

DEFAULT_TIMEOUT = 300.0
_ENCODING_ERROR = "error in backend: Unsupported instruction"
"""How clang 22 ends where a kernel for gfx1100 has two places that trap, such as two assertions."""
_TRAPS_END_WAVES = "this clang cannot encode all traps for gfx11: compiled with traps that only end the wave"
_LISTED_ARCH = re.compile(r"^\s+(gfx[\w-]+)\s*$", re.MULTILINE)
_LANES_ON_HOST = 64
"""What clang said in host code as long as it said anything."""


@dataclass(frozen=True)
class Compiled:
    """What the compiler made of one source for one architecture, or for the host."""

    ok: bool
    diagnostics: tuple[Diagnostic, ...]
    kernels: tuple[str, ...]
    """Symbols of the kernels in the code, in its order; empty where only the syntax was checked."""
    seconds: float
    resources: tuple[KernelResources, ...] = ()
    """One per kernel, in that order; empty where they are not final because device functions are still missing."""
    undefined: tuple[str, ...] = ()
    """Symbols that the object leaves to others. A code object leaves none: there they are errors."""

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(found for found in self.diagnostics if found.severity.is_error)

    @property
    def failure(self) -> Failure | None:
        """What the first error is about."""
        return None if self.ok else cause_of_failure(self.diagnostics)


@dataclass(frozen=True)
class Toolchain:
    """A clang that emits AMD code, with the headers and device libraries that belong to it."""

    kind: Kind
    clang: tuple[str, ...]
    """The command, without options: more than one word where clang is a subcommand."""
    resource_dir: Path | None
    """None: clang knows its own."""
    includes: tuple[Path, ...]
    """The folder that holds `hip/` first, then those of further libraries."""
    bitcode: Path | None
    """The folder with AMD's device libraries."""
    hip_version: str | None
    linker: tuple[str, ...] = ()
    """lld's command; without one there are no code objects."""
    standard_library: tuple[str, ...] = ()
    """Options for a C++ standard library that is not the machine's; empty: the machine has one."""
    filled_from: str | None = None
    """The older HIP whose headers stand in for those that the newer ones lack."""
    filled: tuple[str, ...] = ()
    """Their names."""

    def check(
        self, source: Path, arch: str, *, options: Sequence[str] = (), timeout: float = DEFAULT_TIMEOUT
    ) -> Compiled:
        """Syntax and types only. Inline assembly is not looked at: PTX passes."""
        return self.compile_device(source, arch, options=options, level="syntax", timeout=timeout)

    def compile_device(
        self,
        source: Path,
        arch: str,
        *,
        options: Sequence[str] = (),
        output: Path | None = None,
        level: Level = "assembly",
        timeout: float = DEFAULT_TIMEOUT,
    ) -> Compiled:
        """The device side of a source. Above `syntax` it becomes machine code, so foreign inline assembly is an
        error; a `code_object` can be loaded, so nothing in it may be undefined. `output` keeps the assembly, the
        object or the code object."""
        limit = TimeLimit(timeout)
        with tempfile.TemporaryDirectory(prefix="rewarp-") as folder:
            if level == "syntax":
                command = [*self._device(arch, options), _as_input(source), "-fsyntax-only"]
                ok, diagnostics = run(command, folder, limit)
                return Compiled(ok, diagnostics, (), limit.passed)
            built = _Build(self, arch, tuple(options), Path(folder), limit)
            if level == "assembly" and output:
                built.compile(source, built.assembly, "-S")
                built.assemble(source)
            else:
                built.compile(source, built.object, "-emit-obj")
            if level == "code_object":
                built.link((built.object,))
            made = {"assembly": built.assembly, "object": built.object, "code_object": built.code_object}
            return built.result(made[level], output)

    def link(
        self,
        sources: Sequence[Path],
        arch: str,
        *,
        options: Sequence[str] = (),
        each: Sequence[Sequence[str]] = (),
        output: Path | None = None,
        level: Literal["assembly", "code_object"] = "code_object",
        timeout: float = DEFAULT_TIMEOUT,
    ) -> Compiled:
        """One loadable code object of several sources that call each other's device functions (`-fgpu-rdc`), or its
        assembly. `each` has options of each source alone."""
        limit = TimeLimit(timeout)
        with tempfile.TemporaryDirectory(prefix="rewarp-") as folder:
            built = _Build(self, arch, tuple(options), Path(folder), limit)
            parts = [built.folder / f"{number}.bc" for number in range(len(sources))]
            for number, (source, part) in enumerate(zip(sources, parts)):
                built.compile(source, part, "-emit-llvm-bc", "-fgpu-rdc", *(each[number] if each else ()))
            if level == "assembly":
                built.link_assembly(parts)
            else:
                built.link(parts)
            return built.result(built.assembly if level == "assembly" else built.code_object, output)

    def compile_host(
        self,
        source: Path,
        *,
        options: Sequence[str] = (),
        language: Language = "hip",
        output: Path | None = None,
        timeout: float = DEFAULT_TIMEOUT,
    ) -> Compiled:
        """The host side of a source: its syntax, or with `output` an object. Nothing is linked: that needs ROCm."""
        limit = TimeLimit(timeout)
        with tempfile.TemporaryDirectory(prefix="rewarp-") as folder:
            command = [*self._front(language), *_wave_size_names(_LANES_ON_HOST)]
            if language == "hip":
                command += ["--cuda-host-only"]
            made = Path(folder, "host.o")
            end = ["-c", "-o", str(made)] if output else ["-fsyntax-only"]
            ok, diagnostics = run([*command, *options, _as_input(source), *end], folder, limit)
            if ok and output:
                _keep(made, output)
            return Compiled(ok, diagnostics, (), limit.passed)

    @cached_property
    def clang_version(self) -> str | None:
        return next(iter(self._answer("--version").splitlines()), None)

    @cached_property
    def arches(self) -> frozenset[str]:
        """The architectures that this clang says it compiles for; empty where it does not say."""
        answer = self._answer("--target=amdgcn-amd-amdhsa", "-nogpulib", "--print-supported-cpus")
        return frozenset(_LISTED_ARCH.findall(answer))

    def knows(self, arch: str) -> bool:
        """A compiler that names no architectures at all is believed to know them: compiling will tell."""
        return not self.arches or arch.partition(":")[0] in self.arches

    @property
    def links_device_libraries(self) -> bool:
        """Without them calls of mathematics stay open, and what a kernel needs is not known."""
        return bool(library_files(self.bitcode))

    def _answer(self, *question: str) -> str:
        try:
            done = subprocess.run([*self.clang, *question], capture_output=True, text=True, timeout=60)
        except (OSError, subprocess.TimeoutExpired):
            return ""
        return done.stdout + done.stderr if done.returncode == 0 else ""

    @cached_property
    def identity(self) -> str:
        """A digest that changes whenever the same source could give another result: for caches."""
        parts = (self.kind, self.clang_version, self.hip_version, self.linker[1:], bool(self.standard_library))
        digest = hashlib.sha256(repr(parts).encode())
        for folder in self.includes:
            digest.update(state_of_headers(folder).encode())
        if self.resource_dir:
            digest.update(state_of_headers(self.resource_dir).encode())
        for library in library_files(self.bitcode):
            digest.update(hashlib.sha256(library.read_bytes()).digest())
        return digest.hexdigest()

    def describe(self) -> dict[str, Any]:
        """Where it comes from, fit for JSON."""
        return {
            "kind": self.kind,
            "clang": self.clang_version,
            "command": " ".join(self.clang),
            "hip": self.hip_version,
            "filled_from": self.filled_from,
            "filled": list(self.filled),
            "includes": [str(folder) for folder in self.includes],
            "device_libraries": str(self.bitcode) if library_files(self.bitcode) else None,
            "linker": " ".join(self.linker) or None,
            "standard_library": "the wheels' libc++" if self.standard_library else "the machine's",
            "identity": self.identity,
        }

    def _front(self, language: Language) -> list[str]:
        command = [*self.clang]
        if self.resource_dir:
            command += ["-resource-dir", str(self.resource_dir)]
        command += ["-x", language]
        if language == "hip":
            # Without both of these clang leaves out its HIP wrapper header, and with it every device math function.
            command += [f"--rocm-path={self.includes[0].parent}", f"--hip-version={self.hip_version or '6.2'}"]
        command += self.standard_library
        for folder in self.includes:
            command += ["-isystem", str(folder)]
        command += ["-D__HIP_PLATFORM_AMD__", "-Wno-macro-redefined", "-Wno-builtin-macro-redefined"]
        # Registers and scratch are those of a release build; a project's own -O comes later and wins.
        return [*command, "-fno-caret-diagnostics", "-fno-color-diagnostics", "-O3"]

    def _device(self, arch: str, options: Sequence[str]) -> list[str]:
        isa_version(arch)  # a name that is no architecture is the caller's mistake, not the source's
        wave = lanes(arch, options)
        command = [*self._front("hip"), f"--offload-arch={arch}", "--cuda-device-only", "-nogpulib"]
        command += [f"-mcode-object-version={code_object_version(arch)}"]
        command += _wave_size_names(wave)
        # As an option of the driver, relocatable device code would give bitcode where assembly is asked for.
        for option in options:
            command += ["-Xclang", option] if option == "-fgpu-rdc" else [option]
        return command


class _Build:
    """The steps from sources to a code object, in a folder that soon is gone. The first that fails ends it."""

    def __init__(
        self, toolchain: Toolchain, arch: str, options: tuple[str, ...], folder: Path, limit: TimeLimit
    ) -> None:
        self.toolchain, self.arch, self.options, self.folder, self.limit = toolchain, arch, options, folder, limit
        self.ok = True
        self.diagnostics: tuple[Diagnostic, ...] = ()
        self.assembly = folder / "device.s"
        self.object = folder / "device.o"
        self.code_object = folder / "device.hsaco"

    def compile(self, source: Path, made: Path, form: str, *more: str) -> None:
        """`form` is the compiler's own word for what to make: asked for an object, the driver would link it too."""
        command = [*self.toolchain._device(self.arch, self.options), *more, *self._libraries()]
        command += [_as_input(source), "-S", "-Xclang", form, "-o", str(made)]
        before = self.diagnostics
        self._run(command)
        said = self.diagnostics[len(before) :]
        if self.arch.startswith("gfx11") and any(_ENCODING_ERROR in found.message for found in said):
            self.ok = True
            note = Diagnostic(None, None, None, Severity.WARNING, _TRAPS_END_WAVES)
            self.diagnostics = (*before, note)
            # What was a warning before must not become an error by the missing handler.
            self._run([*command, "-Wno-error", "-Xclang", "-target-feature", "-Xclang", "-trap-handler"])

    def assemble(self, source: Path | None = None) -> None:
        """The object of the assembly that there is: much sooner than from the source, which is asked again only where it
        fails, for then the line of the source is wanted (foreign inline assembly)."""
        if not self.ok:
            return
        command = [*self.toolchain.clang, "-target", "amdgcn-amd-amdhsa", f"-mcpu={self.arch}", "-nogpulib", "-w"]
        command += [f"-mcode-object-version={code_object_version(self.arch)}", *_wave_size_of(self.options)]
        command += ["-c", str(self.assembly), "-o", str(self.object)]
        if source is None:
            self._run(command)
        elif not run(command, str(self.folder), self.limit)[0]:
            self.compile(source, self.object, "-emit-obj")

    def link(self, parts: Sequence[Path], *more: str) -> None:
        if not self.toolchain.linker:
            self._fail("the compiler could not be started: this toolchain has no lld, which makes code objects")
            return
        processor = self.arch.partition(":")[0]
        options = ["-shared", "--no-undefined", "--error-limit=0", f"-plugin-opt=mcpu={processor}", "-plugin-opt=O3"]
        self._run([*self.toolchain.linker, *options, *more, *map(str, parts), "-o", str(self.code_object)])

    def link_assembly(self, parts: Sequence[Path]) -> None:
        """All parts as one text. That nothing is missing in it is seen by linking what comes of it."""
        self.link(parts, "--lto-emit-asm", "--lto-partitions=1")
        if self.ok:
            Path(f"{self.code_object}.lto.s").rename(self.assembly)
        self.assemble()
        self.link((self.object,))

    def result(self, made: Path, output: Path | None) -> Compiled:
        if not self.ok:
            return Compiled(False, self.diagnostics, (), self.limit.passed)
        code = self.code_object if self.code_object.exists() else self.object
        undefined = undefined_symbols(code)
        found = read_code_object(code)
        if output:
            _keep(made, output)
        symbols = tuple(kernel.symbol for kernel in found)
        return Compiled(True, self.diagnostics, symbols, self.limit.passed, () if undefined else found, undefined)

    def _libraries(self) -> list[str]:
        """Options that link the device libraries, which needs the constants for this architecture first."""
        files = library_files(self.toolchain.bitcode)
        if not files or not self.ok:
            return []
        source, made = self.folder / "constants.c", self.folder / "constants.bc"
        if not made.exists():
            source.write_text(constants_source(self.arch, self.options), "utf-8")
            command = [*self.toolchain.clang, "-target", "amdgcn-amd-amdhsa", f"-mcpu={self.arch}", "-nogpulib"]
            command += [f"-mcode-object-version={code_object_version(self.arch)}", "-O1", "-fvisibility=hidden"]
            self._run([*command, "-emit-llvm", "-c", str(source), "-o", str(made)])
        return link_options((*files, made))

    def _run(self, command: Sequence[str]) -> None:
        if self.ok:
            self.ok, said = run(command, str(self.folder), self.limit)
            self.diagnostics += said

    def _fail(self, reason: str) -> None:
        self.ok = False
        self.diagnostics += (Diagnostic(None, None, None, Severity.FATAL, reason),)


def _wave_size_of(options: Sequence[str]) -> list[str]:
    return [option for option in options if option in ("-mwavefrontsize64", "-mno-wavefrontsize64")]


def _wave_size_names(lanes: int) -> list[str]:
    # HIP 6's headers ask for the wave size by names that clang 22 no longer defines.
    return [f"-D__AMDGCN_WAVEFRONT_SIZE={lanes}", f"-D__AMDGCN_WAVEFRONT_SIZE__={lanes}"]


def _keep(made: Path, output: Path) -> None:
    try:
        output.write_bytes(made.read_bytes())
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror}") from None


def _as_input(source: Path) -> str:
    name = os.fspath(source)
    return f"./{name}" if name.startswith(("-", "@")) else name
