"""Whether the demo's port compiled as it should: every unit for every architecture, but what needs PyTorch's headers; and
whether its test program ran as AMD machine code up to the one launch that no AMD card can do.

Reads what `rewarp verify build --json` and `rewarp verify machine --json` wrote, says it in a line each, and exits 1 where it
is anything else.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

MAY_BE_UNCHECKED = "comes with PyTorch for ROCm"
"""The binding of a PyTorch extension is host code, and the demo does not install PyTorch."""
KERNELS = 4
ON_NO_CARD = "asks for 80256 bytes of LDS; the card gives 65536"
"""The last test of the example wants more shared memory than AMD's cards have: reading and compiling do not show it."""
LAUNCHES = 4


def summary(level: dict[str, Any]) -> str:
    outcomes = Counter(found["outcome"] for unit in level["details"]["units"] for found in unit["arches"].values())
    arches = level["provenance"]["arches"]
    compilers = ", ".join(f"{one['clang']} ({one['kind']})" for one in level["provenance"]["compilers"])
    return (
        f"{len(level['details']['units'])} units for {len(arches)} architectures by {compilers}: "
        f"{outcomes['passed']} passed, {outcomes['failed']} failed, {outcomes['not checked']} not checked; "
        f"{len(level['details']['kernels'])} kernels as AMD machine code"
    )


def troubles(level: dict[str, Any]) -> list[str]:
    """What is not as it should be."""
    found = [
        f"{check['what']}: {check['outcome']}: {check['why']}"
        for check in level["checks"]
        if check["outcome"] == "failed" or (check["outcome"] != "passed" and MAY_BE_UNCHECKED not in check["why"])
    ]
    kernels = [row for row in level["details"]["kernels"] if set(row["arches"]) == set(level["provenance"]["arches"])]
    if len(kernels) != KERNELS:
        found.append(f"{len(kernels)} kernels were compiled for all architectures, and the example has {KERNELS}")
    return found


def ran(level: dict[str, Any]) -> str:
    (program,) = level["details"]["programs"]
    launches = sum(kernel["launches"] for kernel in program["kernels"])
    (check, *_) = level["checks"]
    return f"{check['what']}: {launches} launches without an alarm; {check['outcome']}: {check['why']}"


def troubles_of_the_run(level: dict[str, Any]) -> list[str]:
    (program,) = level["details"]["programs"]
    launches = sum(kernel["launches"] for kernel in program.get("kernels", ()))
    failed = [check for check in level["checks"] if check["outcome"] == "failed"]
    found = [f"{check['what']}: {check['why']}" for check in failed if ON_NO_CARD not in check["why"]]
    if launches != LAUNCHES or len(failed) != 1:
        found.append(f"{launches} launches and {len(failed)} failures, not {LAUNCHES} and 1")
    return found


def main(build: str, machine: str) -> int:
    (compiled,) = json.loads(Path(build).read_text("utf-8"))["levels"]
    (run,) = json.loads(Path(machine).read_text("utf-8"))["levels"]
    print(summary(compiled))
    found = troubles(compiled) + troubles_of_the_run(run)
    if not found:
        print(ran(run))
    for line in found:
        print(f"not as it should be: {line}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
