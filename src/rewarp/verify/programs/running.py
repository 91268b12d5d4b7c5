"""One run of a program, with the files it wrote."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rewarp.errors import UsageError
from rewarp.verify.programs.recorded import ProgramRun
from rewarp.verify.run import process

TEXT, NUMBERS, BYTES = "text", "numbers", "bytes"
_FOLDER_LIMIT = 2_000_000_000


@dataclass(frozen=True)
class Output:
    """A file that both programs write, and how it is compared: as text, as text with numbers, as bytes, or as a row
    of numbers of a dtype."""

    name: str
    kind: str

    @classmethod
    def parse(cls, text: str) -> Output:
        """`out.bin:f32`, `log.txt:numbers`, `out.png` (bytes)."""
        name, colon, kind = text.rpartition(":")
        if not colon:
            name, kind = text, BYTES
        kind = _dtype(kind) if kind not in (TEXT, NUMBERS, BYTES) else kind
        if not name or os.path.isabs(name) or ".." in Path(name).parts:
            raise UsageError(f"--files {text}: a path below the folder the program runs in is expected")
        return cls(name, kind)


def _dtype(name: str) -> str:
    from rewarp.verify.numbers.formats import format_of

    short = re.fullmatch(r"([fiu])(8|16|32|64)", name)
    spelled = {"f": "float", "i": "int", "u": "uint"}[short[1]] + short[2] if short and name != "f8" else name
    return format_of(spelled).name


def run_program(
    command: Sequence[str], outputs: Sequence[Output], *, folder: Path, timeout: float, copy: bool = False
) -> ProgramRun:
    """Run a program in a folder, or in a copy of it, and keep all that it left.

    A file counts only where this run wrote it: one that was there before is not its result."""
    with tempfile.TemporaryDirectory(prefix="rewarp-programs-") as temporary:
        where = _copied(folder, Path(temporary, "copy")) if copy else folder
        before = {output.name: _stamp(where / output.name) for output in outputs}
        kept: list[bytes] = []
        ran = process.run(
            _found(command, folder), environment=os.environ, timeout=timeout, folder=where, keep_stdout=kept.append
        )
        files: dict[str, bytes | None] = {}
        for output in outputs:
            file = where / output.name
            fresh = _stamp(file) not in (None, before[output.name])
            files[output.name] = _content(file) if fresh else None
    return ProgramRun.of(command, ran, b"".join(kept), files)


def _found(command: Sequence[str], folder: Path) -> list[str]:
    """A program named by a path is meant from here, whatever folder it runs in."""
    if os.sep in command[0] and not os.path.isabs(command[0]):
        return [os.path.abspath(command[0] if os.path.exists(command[0]) else folder / command[0]), *command[1:]]
    return list(command)


def _copied(folder: Path, copy: Path) -> Path:
    size = 0
    for root, _, names in os.walk(folder):
        for name in names:
            file = Path(root, name)
            size += file.stat().st_size if file.is_file() and not file.is_symlink() else 0
        if size > _FOLDER_LIMIT:
            raise UsageError(f"{folder} is too large to be copied (above {_FOLDER_LIMIT // 10**9} GB)")
    try:
        shutil.copytree(folder, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    except (OSError, shutil.Error) as error:
        raise UsageError(f"{folder} cannot be copied: {error}") from None
    return copy


def _stamp(file: Path) -> tuple[int, int, int] | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _content(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except OSError:
        return None
