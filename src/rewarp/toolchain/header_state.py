"""What tells one set of headers from another, without reading them all."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

_SHARED = Path("/usr/include")
_OF_AMD = re.compile(r"(?:hip|roc|hsa|miopen|rccl|thrust|amd|half)[\w.-]*", re.IGNORECASE)


@lru_cache(maxsize=64)
def state_of_headers(folder: Path) -> str:
    """Names, sizes and dates of the files in an include folder; of a shared one, of AMD's libraries only."""
    lines = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if folder != _SHARED or _OF_AMD.fullmatch(path.name):
            for file in sorted(path.rglob("*")) if path.is_dir() else (path,):
                if file.is_file():
                    state = file.stat()
                    lines.append(f"{file.relative_to(folder)}\0{state.st_size}\0{state.st_mtime_ns}")
    return "\n".join(lines)
