"""Whether the demo's port compiled as it should: every unit for every architecture, but what needs PyTorch's headers.

Reads what `rewarp verify build --json` wrote, says it in one line, and exits 1 where it is anything else.
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


def summary(level: dict[str, Any]) -> str:
    outcomes = Counter(found["outcome"] for unit in level["details"]["units"] for found in unit["arches"].values())
    arches = level["provenance"]["arches"]
    compilers = ", ".join(f"{one['clang']} ({one['kind']})" for one in level["provenance"]["compilers"])
    return (
        f"{len(level['details']['units'])} units for {len(arches)} architectures by {compilers}: "
        f"{outcomes['passed']} passed, {outcomes['failed']} failed, {outcomes['not checked']} not checked; "
        f"{len(level['details']['kernels'])} kernels as AMD machine code; nothing was run"
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


def main(file: str) -> int:
    (level,) = json.loads(Path(file).read_text("utf-8"))["levels"]
    print(summary(level))
    found = troubles(level)
    for line in found:
        print(f"not as it should be: {line}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
