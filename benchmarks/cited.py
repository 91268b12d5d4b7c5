"""Rules held against the code that they cite, as it was before it was mended.

    python benchmarks/cited.py MIRRORS [RULE ...]

Each rule that names a change, a commit or a report of a GitHub project as its source has a row in cited.csv: the commit before
the fix, and the place that was mended. The whole tree is scanned, not the file alone. MIRRORS holds a git folder for each
repository, OWNER+NAME/repo or OWNER+NAME.git. Fetches nothing.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter, defaultdict
from pathlib import Path

from mirrors import exported

from rewarp.api import scan
from rewarp.config import Config
from rewarp.findings import Finding

NEAR = 4
"""Lines between a place and a finding that speaks of it."""

Row = dict[str, str]


def spoken(row: Row, findings: list[Finding]) -> str:
    """What the rule says of its place: the severity it gives, where else in the file it speaks, or nothing."""
    own = [item for item in findings if item.rule == row["rule"] and item.path == row["file"]]
    near = [item for item in own if abs(item.line - int(row["line"])) <= NEAR]
    if near:
        return f"spoken ({max(near, key=lambda item: item.severity.rank).severity.value})"
    return "elsewhere in the file" if own else "silent"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("rules", nargs="*", help="these rules only")
    options = parser.parse_args()
    trees: dict[tuple[str, str], list[Row]] = defaultdict(list)
    with Path(__file__).with_name("cited.csv").open(newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            if not options.rules or row["rule"] in options.rules:
                trees[row["repo"], row["commit"]].append(row)
    said: dict[str, tuple[str, Row]] = {}
    for (repository, commit), rows in trees.items():
        with exported(options.mirrors, repository, commit) as folder:
            findings = list(scan(folder, config=Config(target="rocm")).findings) if folder and commit else []
            for row in rows:
                answer = "no code" if not commit else spoken(row, findings) if folder else "not to be had"
                said[row["rule"]] = (answer, row)
    for rule, (answer, row) in sorted(said.items()):
        place = f"{row['file']}:{row['line']}" if row["commit"] else row["cites"]
        print(f"{rule:11} {answer:22} {row['repo']} {place}  {row['what']}")
    counts = Counter(answer.partition(" (")[0] for answer, _ in said.values())
    print(", ".join(f"{count} {answer}" for answer, count in counts.most_common()))


if __name__ == "__main__":
    main()
