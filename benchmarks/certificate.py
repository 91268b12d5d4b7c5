"""The certificate against a reader: commits for ROCm that somebody labelled before rewarp was run on them.

    python benchmarks/certificate.py LABELS.csv [--json OUT]

Each row of LABELS: repo, gitdir, commit, label (`honest`: no NVIDIA user can notice it; `not`; `cannot be told`), and the reader's
reason (`why`). A commit is held against its first parent. The labels and the repositories are kept apart from the project.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from rewarp.verify.isolation.certificate import certify


def measured(row: dict[str, Any]) -> dict[str, Any]:
    start = time.perf_counter()
    try:
        found = certify(f"{row['commit']}^", row["commit"], Path(row["gitdir"]))
    except Exception as error:  # a crash is a result, and is counted
        return row | {"verdict": f"crashed: {error!r}", "files": [], "seconds": time.perf_counter() - start}
    files = [
        {"path": file.path, "verdict": file.verdict.value, "method": file.method, "why": file.why}
        for file in found.files
        if file.verdict.value != "proved identical"
    ]
    return row | {"verdict": found.verdict.value, "files": files, "seconds": time.perf_counter() - start}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labels", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    rows = list(csv.DictReader(arguments.labels.open(newline="")))
    results = []
    with ProcessPoolExecutor(arguments.jobs) as pool:
        for result in pool.map(measured, rows):
            results.append(result)
            what = f"{result['label']:14} {result['verdict']:18} {result['seconds']:6.1f} s  {result['repo']} {result['commit'][:10]}"
            print(what, flush=True)
            for file in result["files"][:6]:
                print(f"      {file['verdict']}: {file['path']}: {file['why'][:160]}", flush=True)
    table = Counter((result["label"], result["verdict"].split(":")[0]) for result in results)
    for (label, verdict), count in sorted(table.items()):
        print(f"{label:14} {verdict:18} {count}")
    print(f"slowest: {max(result['seconds'] for result in results):.1f} s")
    if arguments.json:
        arguments.json.write_text("".join(json.dumps(result) + "\n" for result in results))
    return 1 if table[("not", "proved identical")] else 0


if __name__ == "__main__":
    sys.exit(main())
