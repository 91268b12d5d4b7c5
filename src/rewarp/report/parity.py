"""A parity comparison as data: JSON (schema ``rewarp.parity/1``, docs/parity.md) and the page that shows the same."""

from __future__ import annotations

import json
from fractions import Fraction

from rewarp import __version__
from rewarp.parity.scoring.baseline import SCHEMA, Before
from rewarp.parity.scoring.priorities import commonness
from rewarp.parity.scoring.result import Result
from rewarp.parity.scoring.scores import Judged, KindScore, Scores, percent
from rewarp.parity.units import Place, Problem, Side
from rewarp.report import page
from rewarp.report.documents import parity as documents
from rewarp.verdict import plural

CLAIM = "Static parity: what the source holds. Nothing was built or run."


def document(result: Result) -> documents.Document:
    """The comparison as plain data, in an order that never varies."""
    parity = result.parity
    waived = result.waivers.keys
    return {
        "schema": SCHEMA,
        "rewarp": __version__,
        "claim": CLAIM,
        "root": parity.root,
        "a": parity.a,
        "b": parity.b,
        "found_by": list(parity.found_by),
        "score": _score(result.scores),
        "coverage": [
            {"what": one.what, "total": one.total, "seen": one.seen, "unseen": list(one.unseen)}
            for one in parity.coverage
        ],
        "units": [_unit(one, one.unit.key in waived, result.codes.get(one.unit.key)) for one in result.judged],
        "priorities": [
            {"unit": one.gap.unit.key, "weight": round(one.weight, 2), "reason": one.reason}
            for one in result.priorities
        ],
        "waivers": _waivers(result),
        "delta": _delta(result),
        "problems": [_problem(problem) for problem in parity.problems],
        "unread": dict(parity.unread),
    }


def render_json(result: Result) -> str:
    return json.dumps(document(result), indent=1, ensure_ascii=True, allow_nan=False) + "\n"


def render_html(result: Result) -> str:
    """One self-contained page: units by data types, and for each the evidence."""
    dtypes = {name for one in result.judged for side in (one.unit.a, one.unit.b) for name in side.dtypes}
    ordered = sorted(dtypes, key=lambda name: (name.rpartition(": ")[0], -commonness(name), name))
    return page.fill("parity.html", {**document(result), "dtypes": ordered})


def number(kind: KindScore) -> float | None:
    """A score in percent, rounded down to a tenth."""
    return None if kind.share is None else _tenths(kind.share)


def _tenths(share: Fraction) -> float:
    return int(share * 1000) / 10


def _lowest(kind: KindScore, share: Fraction) -> documents.Lowest:
    return {
        "kind": kind.kind,
        "percent": _tenths(share),
        "counted": kind.counted,
        "unknown": kind.columns["unknown"],
    }


def _score(scores: Scores) -> documents.Score:
    lowest = scores.lowest
    return {
        "computable": lowest is not None,
        "blocked_by": list(scores.blocked_by),
        "too_little_seen": scores.has_seen_too_little,
        "lowest": None if lowest is None or lowest.share is None else _lowest(lowest, lowest.share),
        "kinds": [
            {
                "kind": kind.kind,
                "percent": None if lowest is None else number(kind),
                "counted": kind.counted,
                "guessed": kind.guessed,
                "columns": kind.columns,
            }
            for kind in scores.kinds
        ],
    }


def _unit(one: Judged, waived: bool, code: str | None) -> documents.Unit:
    unit = one.unit
    return {
        "key": unit.key,
        "kind": unit.kind,
        "owner": unit.owner,
        "name": unit.name,
        "scored": unit.scored,
        "users": unit.users,
        "verdict": one.verdict.value,
        "share": (one.share.numerator, one.share.denominator),
        "share_is_guess": one.share_is_guess,
        "lacking": list(one.lacking),
        "waived": waived,
        "code": code,
        "a": _side(unit.a),
        "b": _side(unit.b),
    }


def _side(side: Side) -> documents.Side:
    edges = side.edges
    return {
        "status": side.status.value,
        "why": side.why,
        "evidence": [_place(place) for place in side.evidence],
        "dtypes": {name: status.value for name, status in side.dtypes.items()},
        "kernels": list(side.kernels),
        "missing_kernels": list(side.missing_kernels),
        "edges": {"resolved": edges.resolved, "guessed": edges.guessed, "external": edges.external},
    }


def _place(place: Place) -> documents.Place:
    return {"path": place.path, "line": place.line, "text": place.text}


def _problem(problem: Problem) -> documents.Problems:
    return {
        "path": problem.path,
        "line": problem.line,
        "what": problem.what,
        "blocks_score": problem.blocks_score,
    }


def _waivers(result: Result) -> documents.Waivers:
    held, void = result.waivers.held, result.waivers.void
    return {
        "held": [
            {"unit": one.unit, "reason": one.reason, "owner": one.owner, "expires": one.expires.isoformat()}
            for one in held
        ],
        "void": [{"unit": one.unit, "owner": one.owner, "why": why} for one, why in void],
    }


def _delta(result: Result) -> documents.Delta | None:
    delta = result.delta
    if delta is None:
        return None

    def change(one: Judged, before: Before) -> documents.Change:
        return {"unit": one.unit.key, "before": before.status, "now": one.unit.b.status.value}

    return {
        "new_gaps": [one.unit.key for one in delta.new_gaps],
        "worse": [change(*pair) for pair in delta.worse],
        "better": [change(*pair) for pair in delta.better],
        "closed": [change(*pair) for pair in delta.closed],
        "gone": [before.key for before in delta.gone],
    }


def place_text(side: Side) -> str:
    """Where a verdict shows, deepest last: `path:line`."""
    return f"{side.evidence[-1].path}:{side.evidence[-1].line}" if side.evidence else ""


def title(one: Judged) -> str:
    """A unit as people write it."""
    return f"{one.unit.owner}::{one.unit.name}" if one.unit.owner else one.unit.name


def headline(result: Result) -> str:
    """The score in one line, or that there is none."""
    lowest = result.scores.lowest
    if lowest is None:
        return "Too little seen to score" if result.scores.has_seen_too_little else "The score cannot be computed"
    kinds = sum(kind.share is not None for kind in result.scores.kinds)
    of = f", the lowest of {kinds} kinds" if kinds > 1 else ""
    unknown = lowest.columns["unknown"]
    told = f"; {unknown:,} of {plural(lowest.counted, 'unit')} could not be told" if unknown else ""
    return f"{percent(lowest.share)} of what {result.parity.a} does ({lowest.kind}{of}{told})"


def seen(result: Result) -> str:
    """How much of what A has the units stand for, in one line; nothing where that was not counted."""
    parts = [f"{one.seen:,} of {one.total:,} {one.what}" for one in result.parity.coverage]
    return f"The units stand for {', '.join(parts)} of {result.parity.a}" if parts else ""
