"""``rewarp bridge probe`` as text and as JSON."""

from __future__ import annotations

import datetime
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rewarp.bridge.probe import Asked, Read, Written
from rewarp.escape import joined
from rewarp.report.documents import bridge_probe as documents

SCHEMA: Literal[1] = 1
NOT_SEEN = "The GPU connector, between the store and the accelerator's own memory, is no part of this."


@dataclass(frozen=True)
class Seen:
    """One answer."""

    document: documents.Document
    lines: tuple[str, ...]

    @property
    def exit_code(self) -> int:
        return self.document["exit_code"]


def render(seen: Seen) -> str:
    return json.dumps(seen.document, indent=1) + "\n"


def text(seen: Seen) -> str:
    return joined(seen.lines)


def of_write(asked: Asked, done: Written) -> Seen:
    until = datetime.datetime.fromtimestamp(done.expires, datetime.timezone.utc).isoformat()
    forgets = "the store forgets it then" if done.forgets else "this store forgets nothing by itself: clean it then"
    lines = [
        f"probe {done.token}: {len(done.keys)} chunks of {done.decoder.encoding} written ({done.decoder.by})",
        f"  until {until}; {forgets}",
        f"  on the other side: rewarp bridge probe read {asked.url} --probe {done.token} --kv-cache-dtype {asked.kv_cache_dtype}",
    ]
    document: documents.Written = {
        "schema": SCHEMA,
        "action": "write",
        "url": asked.url,
        "probe": done.token,
        "keys": list(done.keys),
        "expires": until,
        "forgotten_by_the_store": done.forgets,
        "encoding": done.decoder.encoding,
        "decoded_by": done.decoder.by,
        "assumed": done.decoder.is_assumed,
        "exit_code": 0,
    }
    return Seen(document, tuple(lines))


def of_read(asked: Asked, done: Read) -> Seen:
    right, total = sum(it.right for it in done.compared), sum(it.total for it in done.compared)
    factors = [it.factor for it in done.compared if it.factor is not None]
    nan = sum(it.nan for it in done.compared)
    verdict = "miss" if not done.hits else "wrong" if done.findings else "exact"
    lines = [f"probe {done.token}: {verdict.upper()}: {done.hits} of {done.chunks} chunks found"]
    if done.compared:
        factor = f", factor {factors[0]:g}" if factors else ""
        lines.append(f"  {right} of {total} numbers are right{factor}, {nan} NaN that were numbers")
    lines += [f"  {finding.kind}: {finding.message}" for finding in done.findings]
    lines.append(f"  written as {done.writer.get('encoding')} ({done.writer.get('by')})")
    lines.append(f"  read as {done.decoder.encoding} ({done.decoder.by})")
    if done.is_assumed:
        lines.append("  the flavour of FP8 is assumed: no accelerator was asked on " + _where(done))
    lines.append(f"  {NOT_SEEN}")
    document: documents.Read = {
        "schema": SCHEMA,
        "action": "read",
        "url": asked.url,
        "probe": done.token,
        "verdict": verdict,
        "hits": done.hits,
        "chunks": done.chunks,
        "right": right,
        "total": total,
        "factor": factors[0] if factors else None,
        "nan": nan,
        "findings": [{"kind": finding.kind, "message": finding.message} for finding in done.findings],
        "encoding": done.decoder.encoding,
        "decoded_by": done.decoder.by,
        "assumed": done.is_assumed,
        "writer": done.writer,
        "not_seen": NOT_SEEN,
        "exit_code": 1 if done.findings else 3 if done.is_assumed else 0,
    }
    return Seen(document, tuple(lines))


def _where(done: Read) -> str:
    sides = [("the writer's side", done.writer.get("assumed") == "yes"), ("this side", done.decoder.is_assumed)]
    return " and ".join(name for name, assumed in sides if assumed)


def of_clean(asked: Asked, token: str, gone: int, left: Sequence[str]) -> Seen:
    lines = [f"probe {token}: {gone} keys removed", *(f"  still there: {key}" for key in left)]
    document: documents.Cleaned = {
        "schema": SCHEMA,
        "action": "clean",
        "url": asked.url,
        "probe": token,
        "removed": gone,
        "left": list(left),
        "exit_code": 1 if left else 0,
    }
    return Seen(document, tuple(lines))
