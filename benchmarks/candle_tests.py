"""candle's own device tests on ROCm, run on the machine one by one, each counted by what its log shows.

    python benchmarks/candle_tests.py PROGRAM... [--arch gfx942] [--limit SECONDS] [--json FILE]

PROGRAMs are the test programs that cargo built with the feature rocm (`cargo test --no-run --features rocm`). A test is one
of `test_device!`, named `NAME::rocm`. It counts only where the log shows a launch of a kernel or a call of a library that
computes on the host; what only copies is counted apart.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from rewarp.machine import runtime
from rewarp.machine.runtime import libraries
from rewarp.run.execution import Settings

_PREPARES = re.compile(r"_(create|destroy|set)_")
"""Calls of libraries that compute nothing."""


def tests_of(program: Path) -> list[str]:
    done = subprocess.run([program, "--list", "--format", "terse"], capture_output=True, text=True, check=True)
    names = [line.removesuffix(": test") for line in done.stdout.splitlines() if line.endswith(": test")]
    return [name for name in names if "rocm" in name]


def run(program: Path, test: str, arch: str, limit: float) -> tuple[str, dict[str, int], str]:
    """What became of a test, what its log shows, and what it said."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.jsonl")
        report.touch()
        environment = Settings(arch, report, runtime.folder(), watch=False).environment(os.environ)
        environment["LD_LIBRARY_PATH"] += os.pathsep + str(libraries.folder())
        environment["RUST_BACKTRACE"] = "0"
        command = [program, "--exact", test, "--test-threads", "1"]
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=limit)
            passed, said = done.returncode == 0 and "1 passed" in done.stdout, done.stdout + done.stderr
        except subprocess.TimeoutExpired:
            return "time", {}, "no end within the limit"
        entries = [json.loads(line) for line in report.read_text().splitlines()]
    shown = Counter[str]()
    for entry in entries:
        if not _PREPARES.search(entry.get("function", "")):
            shown[entry["kind"]] += entry.get("launches", entry.get("calls", 1))
    return ("passed" if passed else "failed"), dict(shown), said


def tier(shown: dict[str, int]) -> str:
    if shown.get("kernel"):
        return "kernels run"
    return "computed on the host" if shown.get("host") else "copies only"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+", type=Path)
    parser.add_argument("--arch", default="gfx942")
    parser.add_argument("--limit", type=float, default=300.0)
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    results = []
    for program in chosen.programs:
        for test in tests_of(program):
            state, shown, said = run(program, test, chosen.arch, chosen.limit)
            results.append({"program": program.stem.rpartition("-")[0], "test": test, "state": state, "shown": shown})
            print(f"{state:7} {tier(shown):22} {program.stem.rpartition('-')[0]} {test}", flush=True)
            if state != "passed":
                print("    " + "\n    ".join(line for line in said.splitlines() if line.strip())[-1500:], flush=True)
            if chosen.json:
                chosen.json.write_text(json.dumps(results, indent=1))
    counts = Counter((result["state"], tier(result["shown"])) for result in results)
    for (state, kind), count in sorted(counts.items()):
        print(f"{count:4} {state}, {kind}")
    sys.exit(0 if all(result["state"] == "passed" for result in results) else 1)
