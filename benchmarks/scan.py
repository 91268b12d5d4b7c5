"""How long a whole scan takes, against ``ast.parse`` alone over the same Python files, in the same run.

    python benchmarks/scan.py PATH [--repeat 3] [--json FILE]

Every figure is the wall time of a fresh process, start-up included. Rounds are interleaved
so that a noisy machine disturbs all columns alike; the table shows medians and their ratio
to ``ast.parse``.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rewarp.lang.kinds import Kind
from rewarp.workspace import find_files

_PARSE = """
import ast, sys, warnings
warnings.simplefilter("ignore")
for name in sys.stdin.read().split("\\0"):
    try:
        with open(name, "rb") as stream:
            ast.parse(stream.read())
    except (SyntaxError, ValueError):
        pass
"""


def _time(command: list[str], cache: str, stdin: str | None = None) -> float:
    environment = {**os.environ, "REWARP_CACHE_DIR": cache}
    start = time.perf_counter()
    done = subprocess.run(command, input=stdin, text=True, env=environment, stdout=subprocess.DEVNULL)
    elapsed = time.perf_counter() - start
    if done.returncode not in (0, 1, 2):
        raise SystemExit(f"{command} ended with {done.returncode}")
    return elapsed


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("path", type=Path)
    options.add_argument("--repeat", type=int, default=3)
    options.add_argument("--json", type=Path)
    arguments = options.parse_args()
    files = find_files(arguments.path).files
    python = [entry for entry in files if entry.kind is Kind.PYTHON]
    names = "\0".join(entry.file for entry in python)
    scan = [sys.executable, "-m", "rewarp", "scan", str(arguments.path), "--quiet", "--fail-on", "never"]
    times: dict[str, list[float]] = {}
    for _ in range(arguments.repeat):
        with tempfile.TemporaryDirectory() as cache:
            rounds = {
                "ast.parse alone": lambda: _time([sys.executable, "-c", _PARSE], cache, names),
                "scan, 1 process": lambda: _time([*scan, "--no-cache", "--jobs", "1"], cache),
                "scan, 2 processes": lambda: _time([*scan, "--no-cache", "--jobs", "2"], cache),
                "scan, filling the cache": lambda: _time([*scan, "--jobs", "1"], cache),
                "scan, cached": lambda: _time([*scan, "--jobs", "1"], cache),
            }
            for name, measure in rounds.items():
                times.setdefault(name, []).append(measure())
    size = sum(entry.size for entry in files) / 1e6
    print(f"{arguments.path}: {len(python)} Python files of {len(files)} scanned, {size:.1f} MB")
    medians = {name: statistics.median(values) for name, values in times.items()}
    base = medians["ast.parse alone"]
    for name, value in medians.items():
        print(f"{name:26} {value:7.2f} s   {value / base:5.2f} × ast.parse")
    if arguments.json:
        arguments.json.write_text(json.dumps({"files": len(files), "seconds": times}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
