"""One process that measures: a request on standard input, answers as lines of JSON on standard output.

Whatever torch and its libraries print goes to standard error, which the parent shows only where something went wrong.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from rewarp.bench import config, json_file
from rewarp.bench.config import Benchmark
from rewarp.bench.run.device import available, choose
from rewarp.bench.run.measure import measure
from rewarp.errors import RewarpError

_EVERY_S = 0.1


def main() -> int:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def answer(kind: str, value: Any) -> None:
        answers.write(json.dumps({kind: value}) + "\n")
        answers.flush()

    try:
        _measure(json.load(sys.stdin), answer)
    except RewarpError as error:
        answer("error", str(error))
    except KeyboardInterrupt:
        answer("interrupted", True)
    return 0


def _measure(request: dict[str, Any], answer: Callable[[str, Any], None]) -> None:
    if request.get("ask") == "platforms":
        answer("platforms", available())
        return
    device = choose(request["device"])
    plan = config.plan_of(request["data"], Path(request["source"]), device.platform, request["changes"])
    chosen = [plan.benchmarks[place] for place in request["places"]]
    answer("plan", {"platform": device.platform, "benchmarks": [_said(one) for one in plan.benchmarks]})
    if not chosen:
        return
    plan = replace(plan, benchmarks=tuple(chosen))

    def tell(benchmark: Benchmark) -> Callable[[int, int], None]:
        answer("begins", benchmark.name)
        return _progress(answer)

    for result in measure(plan, device, request["command"], tell):
        answer("result", json_file.document([result]))


def _said(benchmark: Benchmark) -> dict[str, Any]:
    return {"name": benchmark.name, "devices": benchmark.devices, "processes": benchmark.processes}


def _progress(answer: Callable[[str, Any], None]) -> Callable[[int, int], None]:
    """A few times a second: writing takes time, and the host must stay ahead of the device."""
    import time

    said = 0.0

    def progress(done: int, steps: int) -> None:
        nonlocal said
        now = time.monotonic()
        if now - said >= _EVERY_S or done == steps:
            said = now
            answer("progress", [done, steps])

    return progress


if __name__ == "__main__":
    sys.exit(main())
