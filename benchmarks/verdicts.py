"""Verdicts held against labels that were made before any scan, from documentation, CI, history and source.

    python benchmarks/verdicts.py MIRRORS [--labels benchmarks/verdicts.csv] [--set held-out] [--quiet]

MIRRORS holds a git folder for each repository, OWNER+NAME/repo or OWNER+NAME.git. Each row is exported at its commit and
scanned; a class that the row names as also right counts as right. ``--quiet`` prints no names: a set that was looked at is
no evidence any more. Fetches nothing.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from mirrors import exported

from rewarp.api import scan
from rewarp.config import Config
from rewarp.verdict import Conclusion

CLASSES = {
    Conclusion.SUPPORTS: "supports",
    Conclusion.AS_IS: "runs",
    Conclusion.AUTOMATIC: "auto",
    Conclusion.MANUAL: "manual",
    Conclusion.REWRITE: "rewrite",
    Conclusion.UNKNOWN: "cannot be told",
}


def judged(row: dict[str, str], mirrors: Path, target: str) -> str:
    """The class that a scan gives, or why there is none."""
    with exported(mirrors, row["repo"], row["commit"]) as folder:
        if folder is None:
            return "not to be had"
        return CLASSES[scan(folder, config=Config(target=target)).verdict.conclusion]


def rows(labels: Path, wanted: str) -> Iterator[dict[str, str]]:
    with labels.open(newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            if not wanted or row.get("set") == wanted:
                yield row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("--labels", type=Path, default=Path(__file__).with_name("verdicts.csv"))
    parser.add_argument("--set", default="", help="tuning or held-out (default: all rows)")
    parser.add_argument("--target", default="rocm", choices=("rocm", "gaudi"))
    parser.add_argument("--quiet", action="store_true", help="figures only")
    options = parser.parse_args()
    confusion: Counter[tuple[str, str]] = Counter()
    right = strictly = 0
    for row in rows(options.labels, options.set):
        truth, also = (
            row[f"{options.target}_class"],
            row.get("also_right" if options.target == "rocm" else "gaudi_also_right", ""),
        )
        said = judged(row, options.mirrors, options.target)
        is_right = said in (truth, *also.split(";"))
        right += is_right
        strictly += said == truth
        confusion[truth, said] += 1
        if not options.quiet:
            print(
                f"{'right' if is_right else 'WRONG'}  {row['repo']}  is {truth}  said {said}",
                flush=True,
            )
    print(f"{right} of {confusion.total()} right, {strictly} without the classes that are also right")
    for (truth, said), count in sorted(confusion.items()):
        print(f"  {truth:9} said {said:15} {count}")


if __name__ == "__main__":
    main()
