"""What ``bench`` and ``bench run`` share: a configuration is measured in processes of its own, with progress."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from rewarp import printing

if TYPE_CHECKING:
    from rewarp.bench.result import Result
    from rewarp.bench.run.parent import Planned, Request


def measured(request: Request, planned: Planned, quiet: bool) -> tuple[list[Result], int]:
    """The results, and the exit code: 0 all of them, 1 some failed or were stopped, 2 none."""
    from rewarp.bench.run import parent

    results = parent.measured(request, planned, _teller(quiet))
    failed = any(warning.code in ("failed", "interrupted") for result in results for warning in result.warnings)
    some = any(result.series.step for result in results)
    return results, (1 if failed else 0) if some else 2


def _teller(quiet: bool) -> Callable[[str, int, int], None]:
    """One line per benchmark and process on standard error; on a terminal it counts its steps."""
    is_terminal, last = sys.stderr.isatty(), ""

    def tell(name: str, done: int, steps: int) -> None:
        nonlocal last
        if quiet:
            return
        if is_terminal:
            printing.progress(f"{name}: step {done} of {steps}", stays=done == steps)
        elif name != last:
            last = name
            printing.tell(name)

    return tell
