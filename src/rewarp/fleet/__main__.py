"""``python -m rewarp.fleet``: one repository, for a worker of a cluster, which has threads and cannot fork. The request
comes on standard input as JSON, how it ended goes to standard output."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from rewarp import processes
from rewarp.fleet.children import look_after
from rewarp.fleet.request import Request
from rewarp.fleet.store import SCRATCH
from rewarp.printing import write


def main() -> int:
    processes.dying_with_parent()()
    request = Request.of(json.loads(sys.stdin.buffer.read()))
    with tempfile.TemporaryDirectory(prefix=SCRATCH) as scratch:
        for _, ending in look_after([(0, request)], 1, Path(scratch)):
            write(json.dumps(ending.data()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
