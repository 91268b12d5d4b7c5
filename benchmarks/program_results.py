"""Outcomes of whole programs: kept as lines of JSON, published as a table, drawn in an order that a seed gives."""

from __future__ import annotations

import csv
import hashlib
import math
import re
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

PASS, FAIL, ENDS = "pass", "fail", "ends"
NOT_BUILT, NO_SOURCES, BUILT = "not built", "no sources", "built"
CRASH, TIME, UNSUPPORTED, MISSING = "crash", "time limit", "unsupported instruction", "missing function"
NO_INPUT, WAIVED, MEMORY = "input missing", "waived", "too little memory here"
RAN = (PASS, FAIL, ENDS)
_COLUMNS = ("corpus", "folder", "arch", "outcome", "limit", "cpu", "kernels", "launches", "reason")
_PASSED = re.compile(r"\bPASS(?:ED)?\b|\bpass(?:ed)?\b|\bsuccess|\bOK\b|\bcorrect\b", re.I)
_FAILED = re.compile(r"\bFAIL(?:ED|URE|S)?\b|\bmismatch|\bincorrect\b|\bwrong\b|(?-i:\bERROR[:!])", re.I)
_TOLERATED = re.compile(r"\bmatch\w*\b.*\bwithin tolerance", re.I)
_NONE_FAILED = re.compile(
    r"\b(?:no|0|without|zero)\b[^.]*(?:fail|mismatch|error|wrong)|(?:fail|mismatch|error)\w*\s*[:=]\s*0\b", re.I
)
_LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_SOURCES = (".cu", ".cuh", ".hip", ".cpp", ".cc", ".cxx", ".c", ".h", ".hpp")


@dataclass
class Result:
    name: str
    arch: str
    outcome: str
    reason: str = ""
    arguments: list[str] = field(default_factory=list)
    seconds: float = 0.0
    cpu: float = 0.0
    """Seconds of the processor, the compiler's not among them; of all tries."""
    limit: float = 0.0
    """The seconds of the processor that each try had."""
    kernels: int = 0
    launches: int = 0
    alarms: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    """Functions that only stand-ins answer, called or not."""
    tries: list[str] = field(default_factory=list)


def drawn(folders: Iterable[Path], seed: int) -> list[Path]:
    """In an order that depends on the seed and on each name alone: `x-hip` and `x-cuda` stand at the same place, a larger
    sample holds the smaller one, and folders that come to be later move no others."""

    def place(folder: Path) -> str:
        name = re.sub(r"-(?:hip|cuda)$", "", folder.name)
        return hashlib.sha256(f"{seed}/{name}".encode()).hexdigest()

    return sorted(folders, key=lambda folder: (place(folder), folder.name))


def wilson(hits: int, of: int) -> tuple[float, float]:
    """The interval that holds the true share in 95 of 100 samples."""
    if not of:
        return 0.0, 1.0
    z, share = 1.959964, hits / of
    middle, half = share + z * z / (2 * of), z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return (middle - half) / (1 + z * z / of), (middle + half) / (1 + z * z / of)


def read_table(table: Path, corpus: str, arch: str) -> dict[str, Result]:
    """What was published of a corpus, by folder."""
    if not table.is_file():
        return {}
    with table.open(newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if (row["corpus"], row["arch"]) == (corpus, arch)]
    return {
        row["folder"]: Result(
            row["folder"], arch, row["outcome"], row["reason"], cpu=float(row["cpu"]), limit=float(row["limit"]),
            kernels=int(row["kernels"]), launches=int(row["launches"]),
        )
        for row in rows
    }  # fmt: skip


def publish(table: Path, corpus: str, arch: str, results: Iterable[Result]) -> None:
    """Sets the rows of a corpus, and leaves the others as they are."""
    rows: list[dict[str, object]] = []
    if table.is_file():
        with table.open(newline="") as stream:
            rows = [dict(row) for row in csv.DictReader(stream) if (row["corpus"], row["arch"]) != (corpus, arch)]
    for one in results:
        # Whole reasons name places on the machine that it was tried on.
        reason = re.sub(r"(?:/[\w.+-]+){2,}/", "", one.reason.partition(" (")[0])[:90]
        rows.append(dict(zip(_COLUMNS, (corpus, one.name, arch, one.outcome, f"{one.limit:g}", f"{one.cpu:.1f}", one.kernels, one.launches, reason))))  # fmt: skip
    rows.sort(key=lambda row: (str(row["corpus"]), str(row["arch"]), str(row["folder"])))
    with table.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, _COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def own_word(text: str, status_tells: bool = False) -> tuple[str, str]:
    """What a program that ended well says of itself, and the line that says that it failed."""
    if _TOLERATED.search(text):
        return PASS, ""
    failed = [line for line in text.splitlines() if _FAILED.search(line) and not _NONE_FAILED.search(line)]
    if failed:
        return FAIL, failed[0][:300]
    return PASS if status_tells or _PASSED.search(text) else ENDS, ""


def has_check(folder: Path, status_tells: bool = False) -> bool:
    """Whether any text in a folder's sources could say that a check passed."""
    sources = [file for file in folder.rglob("*") if file.suffix in _SOURCES and file.is_file()]
    texts = (file.read_text("utf-8", "replace") for file in sources)
    return status_tells or any(_PASSED.search(said) for text in texts for said in _LITERAL.findall(text))


def summary(results: Sequence[Result], silent: Container[str] = ()) -> str:
    """``silent``: programs that have no words for a check that passed."""
    counts = Counter(result.outcome for result in results)
    tried_ = [result for result in results if result.outcome not in (NOT_BUILT, NO_SOURCES)]
    ran = sum(counts[outcome] for outcome in RAN)
    lines = [f"{len(results)} folders; {len(tried_)} compile and link"]
    if counts[BUILT] < len(tried_):
        share = ran / max(1, len(tried_))
        checked = [result for result in tried_ if result.name not in silent]
        low, high = wilson(ran, len(tried_))
        within = f"{low:.0%} to {high:.0%} with 95 %"
        lines.append(
            f"{ran} of {len(tried_)} run to their end ({share:.1%}; {within}); {counts[PASS]} give their own PASS"
        )
        lines.append(
            f"{len(tried_) - len(checked)} have no words for that; of the others {_passed(checked)} of {len(checked)} do"
        )
    lines += [
        "",
        "| outcome | programs |",
        "|---|--:|",
        *(f"| {name} | {count} |" for name, count in counts.most_common()),
    ]
    lines += ["", "| not built because of | programs |", "|---|--:|"]
    causes = Counter(result.reason.partition(" (")[0][:90] for result in results if result.outcome == NOT_BUILT)
    lines += [f"| {cause} | {count} |" for cause, count in causes.most_common(25)]
    lines += ["", "| folder | outcome | about |", "|---|---|---|"]
    for result in sorted(results, key=lambda one: one.name):
        lines.append(f"| {result.name} | {result.outcome} | {result.reason[:120].replace('|', '/')} |")
    return "\n".join(lines)


def _passed(results: Sequence[Result]) -> int:
    return sum(result.outcome == PASS for result in results)
