"""Several devices: torchrun starts one rank for each, and every rank runs the same command."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Collection, Sequence

from rewarp.errors import UsageError


def is_first() -> bool:
    """The rank that reports; the only one where there are no ranks."""
    return os.environ.get("RANK", "0") == "0"


def is_rank() -> bool:
    """Whether torchrun, or something like it, started this process as one of several."""
    return "RANK" in os.environ


def start(devices: Collection[int], arguments: Sequence[str]) -> int:
    """The same command under torchrun; its exit status. ``devices`` is how many each benchmark wants."""
    counts = set(devices)
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
