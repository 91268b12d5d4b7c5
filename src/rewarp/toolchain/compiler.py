"""One HIP compiler and what it makes of a source: diagnostics, AMD assembly, the kernels in it."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from rewarp.toolchain.diagnostics import Diagnostic, Severity, parse_diagnostics
from rewarp.toolchain.kernels import kernels_in_assembly

Level = Literal["syntax", "assembly", "object"]
Kind = Literal["rocm", "distribution", "wheels"]

DEFAULT_TIMEOUT = 300.0
_ASSEMBLER_SUFFIX = ".s"


@dataclass(frozen=True)
class Compiled:
    """What the compiler made of one source for one architecture."""

    ok: bool
    diagnostics: tuple[Diagnostic, ...]
    kernels: tuple[str, ...]
    """Symbols of the kernels in the code, in its order; empty where only the syntax was checked."""
    seconds: float

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(found for found in self.diagnostics if found.severity.is_error)


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
    hip_version: str | None

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
        """The device side of a source. Above `syntax` the assembler reads the result too, so foreign
        inline assembly is an error; `output` keeps the assembly or the object."""
        start = time.perf_counter()
        with tempfile.TemporaryDirectory(prefix="rewarp-") as folder:
            assembly = Path(folder, source.stem + _ASSEMBLER_SUFFIX)
            command = [*self._front(arch), *options, str(source)]
            if level == "syntax":
                ok, diagnostics = _run([*command, "-fsyntax-only"], folder, timeout)
                return Compiled(ok, diagnostics, (), time.perf_counter() - start)
            ok, diagnostics = _run([*command, "-S", "-o", str(assembly)], folder, timeout)
            kernels: tuple[str, ...] = ()
            if ok:
                code = assembly.with_suffix(".o")
                ok, complaints = _run([*self._assembler(arch), str(assembly), "-o", str(code)], folder, timeout)
                # The assembly is a file of ours that soon is gone: its name says enough.
                diagnostics += tuple(replace(found, file=found.file and assembly.name) for found in complaints)
                kernels = kernels_in_assembly(assembly.read_text("utf-8", "replace"))
                if output and ok:
                    output.write_bytes((code if level == "object" else assembly).read_bytes())
        return Compiled(ok, diagnostics, kernels, time.perf_counter() - start)

    def _front(self, arch: str) -> list[str]:
        wave = wave_size(arch)
        command = [*self.clang]
        if self.resource_dir:
            command += ["-resource-dir", str(self.resource_dir)]
        command += ["-x", "hip", f"--offload-arch={arch}", "--cuda-device-only", "-nogpulib"]
        # Without both of these clang leaves out its HIP wrapper header, and with it every device math function.
        command += [f"--rocm-path={self.includes[0].parent}", f"--hip-version={self.hip_version or '6.2'}"]
        for folder in self.includes:
            command += ["-isystem", str(folder)]
        # HIP 6's headers ask for the wave size by names that clang 22 no longer defines.
        command += [f"-D__AMDGCN_WAVEFRONT_SIZE={wave}", f"-D__AMDGCN_WAVEFRONT_SIZE__={wave}"]
        command += ["-D__HIP_PLATFORM_AMD__", "-Wno-macro-redefined", "-Wno-builtin-macro-redefined"]
        return [*command, "-fno-caret-diagnostics", "-O1"]

    def _assembler(self, arch: str) -> list[str]:
        return [*self.clang, "-x", "assembler", "-target", "amdgcn-amd-amdhsa", f"-mcpu={arch}", "-c"]


def wave_size(arch: str) -> int:
    """64 up to gfx9 (CDNA, GCN), 32 from gfx10 on, where that is the default."""
    number = arch.partition(":")[0].removeprefix("gfx")
    return 32 if len(number) > 3 else 64


def _run(command: Sequence[str], folder: str, timeout: float) -> tuple[bool, tuple[Diagnostic, ...]]:
    # Zig would otherwise make its caches in the home folder and in the working folder.
    environment = {**os.environ, "ZIG_LOCAL_CACHE_DIR": folder, "ZIG_GLOBAL_CACHE_DIR": folder, "LC_ALL": "C.UTF-8"}
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=environment,
        start_new_session=True,
    )
    try:
        text = process.communicate(timeout=timeout)[1].decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        return False, (Diagnostic(None, None, None, Severity.FATAL, f"the compiler gave no answer in {timeout:g} s"),)
    finally:
        # The driver starts children; on a time limit or Ctrl-C they must go with it.
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    diagnostics = parse_diagnostics(text)
    ok = process.returncode == 0
    if not ok and not any(found.severity.is_error for found in diagnostics):
        lines = text.strip().splitlines()
        reason = f"the compiler ended with status {process.returncode}" + (f": {lines[0]}" if lines else "")
        diagnostics += (Diagnostic(None, None, None, Severity.FATAL, reason),)
    return ok, diagnostics
