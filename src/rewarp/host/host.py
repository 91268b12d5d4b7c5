"""The machine as seen from here: files, environment, and programs that may fail or hang."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from rewarp.host.facts import ToolState

_OUTPUT_LIMIT = 4_000_000
# Where vendors put their tools when they do not put them on PATH.
_USUAL_PLACES = (
    "opt/rocm/bin",
    "opt/rocm/llvm/bin",
    "usr/local/cuda/bin",
    "usr/lib/wsl/lib",
    "opt/habanalabs/bin",
    "usr/local/nvidia/bin",
)


@dataclass(frozen=True)
class Ran:
    """What came of running a program."""

    state: ToolState
    stdout: str = ""
    stderr: str = ""
    code: int | None = None
    detail: str = ""

    @property
    def worked(self) -> bool:
        return self.state is ToolState.WORKS


@dataclass(frozen=True)
class Host:
    """Where facts are read from. Tests give another root and another environment."""

    root: Path = Path("/")
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    python: str = sys.executable
    tool_timeout: float = 10.0
    torch_timeout: float = 60.0

    def path(self, name: str) -> Path:
        return self.root / name.lstrip("/")

    def read(self, name: str) -> str | None:
        """A small text file, stripped; None when it is absent or may not be read."""
        try:
            with self.path(name).open("rb") as stream:
                return stream.read(1_000_000).decode("utf-8", "replace").strip()
        except OSError:
            return None

    def list(self, name: str) -> list[str]:
        """The names in a folder, numbers in numeric order; empty when there is none."""
        try:
            names = os.listdir(self.path(name))
        except OSError:
            return []
        return sorted(names, key=lambda item: (len(item) if item.isdigit() else 0, item))

    def exists(self, name: str) -> bool:
        return os.path.lexists(self.path(name))

    def writable(self, name: str) -> bool:
        return os.access(self.path(name), os.R_OK | os.W_OK)

    def which(self, tool: str) -> tuple[str, bool] | None:
        """Where a tool is, and whether PATH leads there."""
        found = shutil.which(tool, path=self.environ.get("PATH", os.defpath))
        if found:
            return found, True
        for folder in _USUAL_PLACES:
            found = shutil.which(tool, path=str(self.root / folder))
            if found:
                return found, False
        return None

    def run(self, tool: str, *arguments: str) -> Ran:
        """Run a tool found by name. Whatever it does, this returns, and in time."""
        found = self.which(tool)
        if found is None:
            return Ran(ToolState.MISSING, detail=f"{tool} was not found")
        return self.run_program([found[0], *arguments], self.tool_timeout)

    def run_program(self, argv: Sequence[str], timeout: float) -> Ran:
        environ = {**self.environ, "LC_ALL": "C"}
        try:
            process = subprocess.Popen(
                list(argv),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environ,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            return Ran(ToolState.FAILED, detail=str(error))
        assert process.stdout is not None
        assert process.stderr is not None
        readers = [_Reader(process.stdout), _Reader(process.stderr)]
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            _kill(process)
            out, err = (reader.text() for reader in readers)
            return Ran(ToolState.TIMED_OUT, out, err, detail=f"no answer after {timeout:g} s")
        out, err = (reader.text() for reader in readers)
        if code != 0:
            said = (err.strip() or out.strip()).splitlines()
            detail = f"exit code {code}" + (f": {said[0].strip()[:300]}" if said else "")
            return Ran(ToolState.FAILED, out, err, code, detail)
        return Ran(ToolState.WORKS, out, err, code)


class _Reader:
    """Reads a pipe in the background, up to a limit: past it the writer blocks and times out.

    A child that outlives the program may hold the pipe open, so the wait for its end is short.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._data = b""
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        chunks, size = [], 0
        while size < _OUTPUT_LIMIT:
            try:
                chunk = os.read(self._stream.fileno(), 65536)
            except (OSError, ValueError):
                break
            if not chunk:
                break
            chunks.append(chunk)
            size += len(chunk)
            self._data = b"".join(chunks)

    def text(self) -> str:
        self._thread.join(1.0)
        if not self._thread.is_alive():
            self._stream.close()
        return self._data.decode("utf-8", "replace")


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a program and the children it started (they share its process group)."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(2.0)
