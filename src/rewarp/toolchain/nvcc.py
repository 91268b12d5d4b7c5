"""NVIDIA's own compiler, where it is: on the machine, or in the wheels of the extra ``nvidia``. No GPU is needed.

The wheels lie side by side in one folder that has the shape of a CUDA installation; nvcc is run where it lies, and
nothing of it is imported.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from rewarp.errors import UsageError

NVCC_VARIABLE = "REWARP_NVCC"
"""The nvcc to take, before all others."""
INSTALLATION = Path("/usr/local/cuda")
DEFAULT_TIMEOUT = 300.0

_VERSION = re.compile(r"release (\d+)\.(\d+)")
_ERROR = re.compile(r"\berror\b")


@dataclass(frozen=True)
class CompiledByNvcc:
    ok: bool
    text: str
    """PTX, or the preprocessed source; empty where nvcc refused."""
    errors: tuple[str, ...]
    """What it said, errors first."""


@dataclass(frozen=True)
class Nvcc:
    command: Path

    @cached_property
    def version(self) -> tuple[int, int]:
        said = self._asked("--version")
        found = _VERSION.search(said)
        if not found:
            raise UsageError(f"{self.command} does not tell its version: it cannot be used")
        return int(found[1]), int(found[2])

    def ptx(
        self, source: Path, arch: str, options: Sequence[str] = (), timeout: float = DEFAULT_TIMEOUT
    ) -> CompiledByNvcc:
        return self._made(["-ptx", f"-arch={arch}", *options], source, timeout)

    def preprocessed(
        self, source: Path, options: Sequence[str] = (), timeout: float = DEFAULT_TIMEOUT
    ) -> CompiledByNvcc:
        return self._made(["-E", *options], source, timeout)

    def _made(self, options: Sequence[str], source: Path, timeout: float) -> CompiledByNvcc:
        with tempfile.TemporaryDirectory(prefix="rewarp-") as folder:
            made = Path(folder, "made")
            command = [str(self.command), *options, "-o", str(made), str(source.resolve())]
            try:
                done = subprocess.run(
                    command, capture_output=True, timeout=timeout, stdin=subprocess.DEVNULL, cwd=folder
                )
            except subprocess.TimeoutExpired:
                return CompiledByNvcc(False, "", (f"no answer in {timeout:g} s",))
            except OSError as error:
                raise UsageError(f"{self.command} cannot be run: {error.strerror or error}") from None
            lines = (done.stdout + done.stderr).decode("utf-8", "replace").splitlines()
            if done.returncode == 0 and made.is_file():
                return CompiledByNvcc(True, made.read_text("utf-8", "replace"), ())
            lines = lines or [f"nvcc ended with {done.returncode} and said nothing"]
            return CompiledByNvcc(False, "", tuple(sorted(lines, key=lambda line: not _ERROR.search(line))))

    def _asked(self, question: str) -> str:
        try:
            return subprocess.run(
                [str(self.command), question], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL
            ).stdout
        except (OSError, subprocess.SubprocessError) as error:
            raise UsageError(f"{self.command} cannot be run: {error}") from None


def find_nvcc(environment: Mapping[str, str] | None = None) -> Nvcc:
    """nvcc; UsageError, with what to install, where there is none."""
    variables = os.environ if environment is None else environment
    chosen = variables.get(NVCC_VARIABLE)
    if chosen:
        if not os.access(chosen, os.X_OK):
            raise UsageError(f"{NVCC_VARIABLE} is {chosen}, which is no program")
        return Nvcc(Path(chosen))
    for place in _search_paths(variables):
        if os.access(place, os.X_OK):
            return Nvcc(place)
    raise UsageError(
        "no nvcc found: install CUDA (or set CUDA_HOME), or `pip install rewarp[nvidia]`, which needs no GPU"
    )


def _search_paths(variables: Mapping[str, str]) -> Iterator[Path]:
    on_path = shutil.which("nvcc", path=variables.get("PATH"))
    if on_path:
        yield Path(on_path)
    for name in ("CUDA_HOME", "CUDA_PATH"):
        if variables.get(name):
            yield Path(variables[name], "bin", "nvcc")
    yield INSTALLATION / "bin" / "nvcc"
    try:
        spec = importlib.util.find_spec("nvidia")
    except (ImportError, ValueError):
        return
    for folder in spec.submodule_search_locations or () if spec else ():
        for home in sorted(Path(folder).glob("cu[0-9]*"), reverse=True):
            yield home / "bin" / "nvcc"
