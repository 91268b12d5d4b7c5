"""What the CUDA original printed: a run that was recorded on NVIDIA, or a file of text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rewarp.errors import UsageError
from rewarp.verify.programs import ProgramRun, recorded

RECORDED, TEXT = ".zip", (".out", ".golden", ".expected")


def find_golden(program: Path, folders: Sequence[Path]) -> Path | None:
    """A file that bears the program's name: in the folders that were given, else beside its source."""
    for folder in (*folders, program.parent):
        for ending in (RECORDED, *TEXT):
            file = folder / (program.stem + ending)
            if file.is_file():
                return file
    return None


def read_golden(file: Path) -> ProgramRun:
    """Raises UsageError for what cannot be read."""
    if file.suffix == RECORDED:
        return recorded.read(file)
    try:
        text = file.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from None
    return ProgramRun((file.name,), 0, "exit status 0", 0.0, text, "", {}, "not said", str(file))
