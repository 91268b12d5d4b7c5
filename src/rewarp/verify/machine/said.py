"""What a program says of itself: that its own check of its results failed, whatever its exit status."""

from __future__ import annotations

import re

_FAILED = re.compile(
    rb"^(?!.{0,200}(?i:\bno\b|\bif\b|\bor\b|pass(?:ed)?\s*/\s*fail|\b0+\s+fail|fail\w*\s*[:=]?\s*\(?0+\b|\ballowed\b|\bexpected to\b)).{0,200}?"
    rb"(?:\b(?:FAIL|FAILED|FAILURE|Failed)\b\s*[!.]*\s*(?:$|[:(\[,])"
    rb"|\b(?i:tests?|verification|validation|comparison|checks?|results?|self-?test)\s+(?i:(?:has |have |is |was )?failed)\b"
    rb"|\b(?i:results?|outputs?|answers?|values?|solution)\s+(?i:(?:is |are |was |were )(?:incorrect|wrong|not correct|invalid))\b"
    rb"|\b(?i:incorrect results?|wrong results?|results? mismatch|results? differ)\b)",
    re.MULTILINE,
)


def own_failure(printed: bytes) -> str:
    """The line in which a program says that it computed something wrong; empty where it says no such thing."""
    found = _FAILED.search(printed)
    if found is None:
        return ""
    end = printed.find(b"\n", found.start())
    line = printed[found.start() : end if end >= 0 else len(printed)]
    return line.decode("utf-8", "replace").strip()[:160]
