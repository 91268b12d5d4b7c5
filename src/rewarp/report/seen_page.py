"""The page of something that the machine sees: for ``rewarp explain`` and for docs/rules."""

from __future__ import annotations

from rewarp.report.documents import explain as documents
from rewarp.run.explained import READING, Explained


def markdown(seen: Explained) -> str:
    lines = [
        f"# {seen.id}: {seen.title}",
        "",
        seen.why,
        "",
        "- Seen by: `rewarp run` and `rewarp verify machine`, while the program runs as AMD machine code",
        f"- Severity: {seen.severity.value}",
        "",
        "## Example",
        "",
        "```cpp",
        seen.example,
        "```",
        "",
        f"**Fix.** {seen.fix[0].upper()}{seen.fix[1:]}.",
    ]
    if seen.is_race:
        lines += ["", "## How to read the report", "", READING]
    return "\n".join(lines) + "\n"


def document(seen: Explained) -> documents.Seen:
    return {
        "id": seen.id,
        "title": seen.title,
        "what": seen.why,
        "severity": seen.severity.value,
        "example": seen.example,
        "fix": seen.fix,
    }
