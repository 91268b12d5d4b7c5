"""Several devices: torchrun starts one rank for each, and every rank runs the same command."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

from rewarp.bench.config import Plan
from rewarp.errors import UsageError


def is_first() -> bool:
    """The rank that reports; the only one where there are no ranks."""
    return os.environ.get("RANK", "0") == "0"


def needs_ranks(plan: Plan) -> bool:
    return "RANK" not in os.environ and max(benchmark.devices for benchmark in plan.benchmarks) > 1


def start(plan: Plan, arguments: Sequence[str]) -> int:
    """The same command under torchrun; its exit status."""
    counts = {benchmark.devices for benchmark in plan.benchmarks}
    if len(counts) > 1:
        raise UsageError("benchmarks of one plan that use several devices must all use as many; use --only")
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={counts.pop()}"]
    # The current folder may hold files of a stranger's, called like modules that are imported here.
    environment = {**os.environ, "PYTHONSAFEPATH": "1"}
    process = subprocess.Popen([*launcher, "-m", "rewarp", *arguments], env=environment)
    while True:
        try:
            code = process.wait()
            return code if code in (0, 1, 2) else 1
        except KeyboardInterrupt:
            # The ranks got it too, keep what they measured and write it.
            continue
