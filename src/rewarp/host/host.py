"""The machine as seen from here: files, environment, and programs that may fail or hang."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from rewarp import processes
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
            process = processes.start(argv, environment=environ)
        except processes.NotStarted as found:
            return Ran(ToolState.FAILED, detail=str(found.error))
        assert process.stdout is not None
        assert process.stderr is not None
        readers = [_Output(process.stdout), _Output(process.stderr)]
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            processes.tell_group(process.pid)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(2.0)
            out, err = (reader.text() for reader in readers)
            return Ran(ToolState.TIMED_OUT, out, err, detail=f"no answer after {timeout:g} s")
        out, err = (reader.text() for reader in readers)
        if code != 0:
            said = (err.strip() or out.strip()).splitlines()
            detail = f"exit code {code}" + (f": {said[0].strip()[:300]}" if said else "")
            return Ran(ToolState.FAILED, out, err, code, detail)
        return Ran(ToolState.WORKS, out, err, code)


class _Output:
    """What a program writes, up to a limit: past it the writer blocks and times out."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._data = b""
        self._reader = processes.Reader(stream, self._take)

    def _take(self, chunk: bytes) -> bool:
        self._data += chunk
        return len(self._data) < _OUTPUT_LIMIT

    def text(self) -> str:
        self._reader.has_ended(1.0)
        return self._data.decode("utf-8", "replace")
