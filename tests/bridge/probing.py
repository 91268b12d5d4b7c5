"""The probe on one side, with real LMCache: reads jobs as JSON from standard input, writes what came of each.

Runs with LMCache's Python. A job is the arguments of `rewarp bridge probe`; or `values`, which compares a chunk that LMCache
reads with the bytes that were stored elsewhere, by torch's casts and no table of rewarp's.
"""

from __future__ import annotations

import io
import json
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any


def probe(arguments: list[str]) -> dict[str, Any]:
    from rewarp.cli import main

    out, err = io.TextIOWrapper(io.BytesIO()), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(["bridge", "probe", *arguments, "--json"])
    out.seek(0)
    text = out.read()
    return {"code": code, "seen": json.loads(text) if text else None, "error": err.getvalue()}


def values(url: str, key: str, written: str, theirs: str, mine: str, limit: float) -> dict[str, Any]:
    """How many numbers are others than the writer's, as far as the reader's range goes."""
    import torch
    from lmcache.utils import CacheEngineKey

    from rewarp.bridge.probe_store import Side, Store

    store = Store(url, Side(key.split("@")[0], "uint8"))
    found = store.get(CacheEngineKey.from_string(key))
    assert found is not None
    before, after = (
        torch.frombuffer(bytearray(data), dtype=torch.uint8).view(getattr(torch, dtype)).float()
        for data, dtype in ((Path(written).read_bytes()[28:], theirs), (found[1], mine))
    )
    wanted = before.clamp(-limit, limit)  # a NaN stays one
    same = (wanted == after) | (wanted.isnan() & after.isnan())
    return {"wrong": int((~same).sum()), "of": same.numel()}


def main() -> None:
    with open(sys.argv[1], "w") as results:
        for line in sys.stdin:
            job = json.loads(line)
            try:
                seen = values(**job["values"]) if "values" in job else probe(job["probe"])
            except Exception as error:
                seen = {"error": f"{type(error).__name__}: {error}"}
            results.write(json.dumps(seen) + "\n")
            results.flush()
    os._exit(0)  # LMCache's connection to Redis waits for itself when it is closed


if __name__ == "__main__":
    main()
