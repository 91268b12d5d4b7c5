"""Kernels run on the CPU lane by lane, in waves of 32 or 64: what lanes do together is played, not guessed.

What is modelled and what is not is in the README beside this.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from lane_simulator.build import CompileFailed, Program, Workshop, as_run
from lane_simulator.lane_runs import (
    Argument,
    Buffer,
    Call,
    LaneProgram,
    LaneRun,
    Platform,
    RunOutcome,
    Scalar,
    Waves,
)
from rewarp.errors import UsageError

_NAME = "kernel_file"


def run(
    source: Path,
    kernel: str,
    grid: str | int,
    block: str | int,
    args: Sequence[Argument],
    *,
    wave: int = 64,
    platform: Platform = Platform.AMD,
    shared_bytes: int = 0,
    checked_masks: bool = True,
    seed: int = 0,
    include: Sequence[Path] = (),
) -> LaneRun:
    """One kernel of a file, run once.

    ``checked_masks`` is HIP as it comes: masks of 32 bits do not compile, and a mask that is not the lanes at the call
    stops the kernel. Without it (``NDEBUG``, or a project's own macros) the mask only selects. ``seed`` shuffles the
    order of lanes and waves as far as the platform leaves it open; 0 is the same order each time.
    """
    try:
        text = source.read_bytes()
    except OSError as error:
        raise UsageError(f"{source} cannot be read: {error.strerror}") from error
    call = Call(kernel, tuple(args), str(grid), str(block), str(shared_bytes))
    refuse = ("-DLANES_REFUSE_AT_ONCE=1",) if checked_masks else ()
    folders = tuple(f"-I{folder}" for folder in (source.resolve().parent, *include))
    with tempfile.TemporaryDirectory(prefix="rewarp-lanes-") as folder:
        unit = LaneProgram(_NAME, text, call, str(source))
        try:
            program = Workshop(Path(folder)).build([unit], Waves(platform, wave), options=(*refuse, *folders))
        except CompileFailed as failed:
            return as_run(failed)
        done = program.run(checked_masks=checked_masks, seed=seed)
    return done.get(_NAME, LaneRun(RunOutcome.NOT_RUN, "the program ended without an answer"))


__all__ = [
    "Argument",
    "Buffer",
    "Call",
    "CompileFailed",
    "LaneProgram",
    "LaneRun",
    "Platform",
    "Program",
    "RunOutcome",
    "Scalar",
    "Waves",
    "Workshop",
    "run",
]
