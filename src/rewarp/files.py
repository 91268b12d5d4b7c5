"""Writing files: whole or not at all."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from rewarp.errors import UsageError


def write_whole(file: Path, text: str) -> None:
    """Replace a file in one step, so that nothing is ever left half written."""
    temporary = file.with_name(f".{file.name}.tmp")
    try:
        temporary.write_bytes(text.encode("utf-8", "backslashreplace"))
        os.replace(temporary, file)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise UsageError(f"cannot write {file}: {error.strerror}") from None
