"""OpenMP in host code: clang's own runtime for it comes with no wheel, so its pragmas are left out, and its functions are
GCC's, which know of one thread then."""

from __future__ import annotations

import shutil
import subprocess
from functools import lru_cache
from pathlib import Path

NOTE = "OpenMP was left out: one thread of the host does the work of all"


def headers() -> tuple[str, ...]:
    """Options that let omp.h be found, after all others."""
    found = _file_of_gcc("include/omp.h")
    return ("-idirafter", str(found.parent)) if found else ()


def libraries() -> tuple[str, ...]:
    return ("gomp",) if _file_of_gcc("libgomp.so") else ()


@lru_cache(maxsize=4)
def _file_of_gcc(name: str) -> Path | None:
    compiler = shutil.which("g++") or shutil.which("gcc")
    if compiler is None:
        return None
    said = subprocess.run([compiler, f"-print-file-name={name}"], capture_output=True, text=True, timeout=60).stdout
    found = Path(said.strip())
    return found if found.is_absolute() and found.is_file() else None
