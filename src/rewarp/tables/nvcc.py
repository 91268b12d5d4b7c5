"""nvcc's command-line options and what the HIP compiler makes of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from rewarp.findings import Severity
from rewarp.tables import rows

_FLAG = re.compile(r"(?<![\w./=-])(--?[A-Za-z](?:[\w-]*\w)?)(=[^\s;>\"']*)?")
_THREADS = re.compile(r"-t\d+")
_TO_HOST = frozenset({"-Xcompiler", "--compiler-options"})
_GPU_VALUE = re.compile(r"=(sm|compute)_|=(arch|code)=")
ARCHITECTURE = frozenset({"-gencode", "--generate-code", "-arch", "--gpu-architecture", "-code", "--gpu-code"})
"""The options that choose the GPU architecture."""
ANCHOR_WORDS = (
    *("gencode", "use_fast_math", "expt", "ptxas", "Xptxas", "maxrregcount", "lineinfo", "Xcompiler", "Xcudafe"),
    *("ccbin", "rdc", "relocatable", "Xfatbin", "lambda", "suppress", "split", "fmad", "ftz", "prec", "cudart"),
    *("compress", "stub", "resource", "unknown", "dlto", "dlink", "unsupported", "forward", "vectorization"),
)
"""Words of which a file with nvcc options that belong to nvcc alone holds at least one."""


class Flag(NamedTuple):
    """One option found in a text. ``status`` is what clang says to it: error, warning or ok."""

    text: str
    option: str
    status: str
    sure: bool
    """Whether the spelling belongs to nvcc alone; otherwise it needs a context that speaks of nvcc."""
    twin: str

    @property
    def architecture(self) -> bool:
        return self.option in ARCHITECTURE

    @property
    def severity(self) -> Severity | None:
        """None for an error (the rule's own severity); an option that is ignored is milder."""
        if self.status != "warning":
            return None
        # Read as `-u se_fast_math`: the build goes through, without fast math.
        return Severity.PERF if self.option == "-use_fast_math" else Severity.INFO

    @property
    def says(self) -> str:
        """What happens to it, and its twin."""
        says = "stops the HIP compiler" if self.status == "error" else "is ignored by the HIP compiler"
        if self.twin.startswith("("):
            return f"{self.text} {says} {self.twin}"
        return f"{self.text} {says}" + (f"; its twin is {self.twin}" if self.twin else "; it has no twin")


class _Row(NamedTuple):
    status: str
    nvcc_only: bool
    twin: str


@lru_cache(maxsize=1)
def _table() -> dict[tuple[str, str], _Row]:
    return {
        (row["option"], row["form"]): _Row(row["status"], row["nvcc_only"] == "yes", row["twin"])
        for row in rows("nvcc_flags.csv")
    }


def flags(text: str) -> Iterator[Flag]:
    """The nvcc options in a text that the HIP compiler refuses or ignores."""
    if "-" not in text:
        return
    table = _table()
    for match in _FLAG.finditer(text):
        option, value = match[1], match[2] or ""
        if _THREADS.fullmatch(option):
            option = "-t"
        if option in _TO_HOST and value.startswith("=/"):  # Microsoft's compiler: never on AMD under Linux
            continue
        row = table.get((option, "any")) or table.get((option, "joined" if value else "plain"))
        if row is None or row.status == "ok" or option in ("-lcuda", "-lcublas"):  # libraries have their own rules
            continue
        yield Flag(match[0], option, row.status, row.nvcc_only or bool(_GPU_VALUE.match(value)), row.twin)
