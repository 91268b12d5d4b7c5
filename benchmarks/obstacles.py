"""Obstacles that a reader listed before any scan, and whether a scan finds them.

    python benchmarks/obstacles.py MIRRORS [--set draw-1] [--target rocm] [--names]

`obstacles.csv` has what readers who had not seen rewarp found to stand in the way of the repositories of the draws in
`verdicts.csv`, by file and line. An obstacle is *found* where a finding above info stands within four lines, *told in another
place* where one stands elsewhere in its file, or an info within four lines; else *missed*. Fetches nothing.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from mirrors import exported

from rewarp.api import scan
from rewarp.config import Config
from rewarp.findings import Finding, Severity

HERE = Path(__file__).parent
NEAR = 4


def answer(file: str, line: int, findings: Iterable[Finding]) -> str:
    own = [found for found in findings if found.path == file and found.severity is not Severity.WORKS]
    near = [found for found in own if abs(found.line - line) <= NEAR]
    if any(found.severity is not Severity.INFO for found in near):
        return "found"
    return "told in another place" if near or any(f.severity is not Severity.INFO for f in own) else "missed"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("mirrors", type=Path)
    options.add_argument("--set", default="", help="of one draw only")
    options.add_argument("--target", default="rocm", choices=("rocm", "gaudi"))
    options.add_argument("--names", action="store_true", help="print what was missed")
    arguments = options.parse_args()
    with (HERE / "obstacles.csv").open(newline="", encoding="utf-8") as stream:
        rows = [
            row
            for row in csv.DictReader(stream)
            if row["target"] == arguments.target and (not arguments.set or row["set"] == arguments.set)
        ]
    counts: Counter[str] = Counter()
    for repository, commit in sorted({(row["repo"], row["commit"]) for row in rows}):
        with exported(arguments.mirrors, repository, commit) as folder:
            findings = list(scan(folder, config=Config(target=arguments.target)).findings) if folder else []
        for row in (row for row in rows if row["repo"] == repository):
            said = answer(row["file"], int(row["line"]), findings) if folder else "not to be had"
            counts[said] += 1
            if arguments.names and said != "found":
                print(f"{said}: {repository} {row['file']}:{row['line']} {row['what']}")
    print(", ".join(f"{said} {count}" for said, count in counts.most_common()), f"of {counts.total()}")


if __name__ == "__main__":
    main()
