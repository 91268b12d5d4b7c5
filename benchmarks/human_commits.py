"""What people changed for ROCm, held against what a scan says of the tree before.

    python benchmarks/human_commits.py MIRRORS COMMITS.jsonl [--half learnt|kept] [--quiet]

A line of COMMITS.jsonl is {repo, commit, parent, kind, places: [{file, line, what, knowable}]}: the places in the parent's tree
that the commit had to change or guard, written by a reader who has not seen rewarp, who also said which of them a reading could
know. Each parent is scanned whole. A knowable place is *found* where a finding above info stands within 4 lines of it, *found as
info* where only a milder one does, *in the file* where the nearest one is further away, and else *missed*. ``--half`` takes every
second repository in the order of their names: those that rules were learnt from (the first, third …), or those that were kept.
``--quiet`` prints no names: a place that was looked at is no evidence any more. Fetches nothing.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mirrors import exported

from rewarp.api import scan
from rewarp.config import Config
from rewarp.findings import Finding, Severity

NEAR = 4
ANSWERS = ("found", "found as info", "in the file", "missed", "not to be had")


def answer(place: dict[str, Any], findings: Iterable[Finding]) -> str:
    """How near a scan comes to a place."""
    own = [item for item in findings if item.path == place["file"] and item.severity is not Severity.WORKS]
    near = [item for item in own if item.line - NEAR <= place["line"] <= max(item.line, item.end_line) + NEAR]
    if any(item.severity is not Severity.INFO for item in near):
        return "found"
    return "found as info" if near else "in the file" if own else "missed"


def half(commits: list[dict[str, Any]], wanted: str) -> list[dict[str, Any]]:
    names = sorted({commit["repo"] for commit in commits})
    kept = set(names[{"learnt": 0, "kept": 1}[wanted] :: 2]) if wanted else set(names)
    return [commit for commit in commits if commit["repo"] in kept]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("commits", type=Path)
    parser.add_argument("--half", default="", choices=("learnt", "kept"))
    parser.add_argument("--quiet", action="store_true", help="figures only")
    options = parser.parse_args()
    lines = options.commits.read_text(encoding="utf-8").splitlines()
    counts: Counter[str] = Counter()
    kinds: Counter[tuple[str, str]] = Counter()
    for commit in half([json.loads(line) for line in lines if line.strip()], options.half):
        places = [place for place in commit["places"] if place["knowable"]]
        with exported(options.mirrors, commit["repo"], commit["parent"]) as folder:
            findings = list(scan(folder, config=Config(target="rocm")).findings) if folder and places else []
            for place in places:
                said = answer(place, findings) if folder else "not to be had"
                counts[said] += 1
                kinds[commit["kind"], said] += 1
                if not options.quiet:
                    print(f"{said:14} {commit['repo']} {place['file']}:{place['line']}  {place['what']}", flush=True)
    total = counts.total()
    print(f"{total} places that a reading could know: " + ", ".join(f"{counts[said]} {said}" for said in ANSWERS))
    if total:
        print(
            f"found {100 * counts['found'] / total:.0f} %, with info {100 * (counts['found'] + counts['found as info']) / total:.0f} %"
        )
    for kind in sorted({kind for kind, _ in kinds}):
        print(f"  {kind:14} " + ", ".join(f"{kinds[kind, said]} {said}" for said in ANSWERS if kinds[kind, said]))


if __name__ == "__main__":
    main()
