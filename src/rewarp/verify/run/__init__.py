"""Run evidence: a command or a function run under watch, on whatever device is there.

request    what to run, and what is expected of it
process    one run: ending, time, output; ``tree`` its processes, by what /proc shows of them
inject     ``child`` beside the program: one report per process that imports torch (``reports``)
profilers  the vendor's profiler, for programs without torch
seen       all of it together; ``devices``, ``checks``, ``stability`` and ``backends`` make checks of it
level      the level itself
"""

from __future__ import annotations

from rewarp.verify.run.level import verify_run
from rewarp.verify.run.request import Request

__all__ = ["Request", "verify_run"]
