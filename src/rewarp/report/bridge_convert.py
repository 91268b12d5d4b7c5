"""``rewarp bridge convert`` as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from rewarp.bridge.convert import Converted, Rule
from rewarp.bridge.formats import Counts
from rewarp.escape import joined
from rewarp.report.documents import bridge_convert as documents

SCHEMA: Final = 1
_SHOWN = 8


def exit_code(done: Converted) -> int:
    return 1 if done.lost else 0


def document(done: Converted) -> documents.Document:
    return {
        "schema": SCHEMA,
        "kind": done.plan.kind,
        "source": str(done.request.source),
        "target": str(done.request.target),
        "to": done.request.family,
        "rules": [_rule(rule) for rule in done.plan.rules],
        "counts": _counts(done.counts),
        "files": [{"name": it.name, "size": it.size, "recoded": it.recoded} for it in done.plan.files],
        "left_out": list(done.plan.left_out),
        "warnings": list(done.plan.warnings),
        "exit_code": exit_code(done),
    }


def _rule(rule: Rule) -> documents.Rules:
    return {
        "source": rule.source,
        "target": rule.target,
        "ratio": rule.ratio,
        "scales": rule.scales,
        "count": rule.count,
        "words": rule.words,
    }


def _counts(counts: Counts) -> documents.Counts:
    return {
        "total": counts.total,
        "changed": counts.changed,
        "rounded": counts.rounded,
        "saturated": counts.saturated,
        "nan": counts.nan,
        "infinite": counts.infinite,
    }


def render(done: Converted) -> str:
    return json.dumps(document(done), indent=1) + "\n"


def text(done: Converted) -> str:
    return joined(_lines(done))


def _lines(done: Converted) -> Iterator[str]:
    recoded = sum(bool(file.recoded) for file in done.plan.files)
    size = done.plan.size / (1 << 20)
    yield f"{done.request.target}: {recoded} of {len(done.plan.files)} files converted, {size:.1f} MiB, read back and right"
    what = "tensors" if done.plan.kind == "checkpoint" else "layers"
    for rule in done.plan.rules:
        scales = "no scale (1.0)" if rule.scales == "1.0" else f"scales {rule.scales}"
        yield f"  {rule.source} -> {rule.target}: {rule.count} {what}, {scales}: {rule.words}"
    counts = done.counts
    yield (
        f"  {counts.total} codes: {counts.changed} changed, {counts.rounded} rounded, {counts.saturated} saturated, "
        f"{counts.nan} NaN" + (f", {counts.infinite} infinities became NaN" if counts.infinite else "")
    )
    if done.plan.left_out:
        more = "" if len(done.plan.left_out) <= _SHOWN else " ..."
        yield f"  left out: {', '.join(done.plan.left_out[:_SHOWN])}{more}"
    for warning in done.plan.warnings:
        yield f"  warning: {warning}"
