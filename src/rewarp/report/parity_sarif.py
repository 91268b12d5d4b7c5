"""A parity comparison as SARIF 2.1.0: gaps at B's place, with A's beside it."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from rewarp import __version__, escape
from rewarp.parity.scoring.priorities import Priority
from rewarp.parity.scoring.result import Result
from rewarp.parity.units import Problem, Side, Status
from rewarp.report.parity import CLAIM, title
from rewarp.report.sarif import SCHEMA, location_of, notification

_LEVELS = {
    Status.PARTIAL: "warning",
    Status.CONDITIONAL_CPU: "warning",
    Status.CPU_ONLY: "warning",
    Status.DEFAULT: "warning",
    Status.UNKNOWN: "note",
}


def document(result: Result) -> dict[str, Any]:
    gaps = [one for one in result.priorities if one.gap.unit.b.evidence or one.gap.unit.a.evidence]
    kinds = sorted({one.gap.unit.kind for one in gaps})
    index = {kind: number for number, kind in enumerate(kinds)}
    computable = result.scores.lowest is not None
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "rewarp parity",
                        "version": __version__,
                        "semanticVersion": __version__,
                        "rules": [_rule(kind, result) for kind in kinds],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {"ROOT": {"description": {"text": "The root of the tree."}}},
                "results": [_result(one, index[one.gap.unit.kind], result) for one in gaps],
                "invocations": [
                    {
                        "executionSuccessful": computable,
                        "toolExecutionNotifications": [_problem(problem) for problem in result.parity.problems],
                    }
                ],
                "properties": {"a": result.parity.a, "b": result.parity.b, "claim": CLAIM},
            }
        ],
    }


def render(result: Result) -> str:
    return json.dumps(document(result), indent=1) + "\n"


def _rule_id(kind: str) -> str:
    return f"PARITY-{kind.upper().replace(' ', '-')}"


def _rule(kind: str, result: Result) -> dict[str, Any]:
    text = f"{result.parity.a} has this {kind}, and {result.parity.b} is not level with it."
    return {
        "id": _rule_id(kind),
        "name": "".join(word.capitalize() for word in kind.split()) + "Gap",
        "shortDescription": {"text": escape.sarif(f"{kind}: a gap between {result.parity.a} and {result.parity.b}")},
        "fullDescription": {"text": escape.sarif(f"{text} {CLAIM}")},
        "defaultConfiguration": {"level": "warning"},
    }


def _result(one: Priority, index: int, result: Result) -> dict[str, Any]:
    unit = one.gap.unit
    own, other = (unit.b, unit.a) if unit.b.evidence else (unit.a, unit.b)
    message = f"{title(one.gap)}: {result.parity.b} {unit.b.status.value}; {result.parity.a} {unit.a.status.value}"
    if unit.b.why:
        message += f". {unit.b.why}"
    found: dict[str, Any] = {
        "ruleId": _rule_id(unit.kind),
        "ruleIndex": index,
        "level": _LEVELS.get(unit.b.status, "error"),
        "message": {"text": escape.sarif(message + (f" ({one.reason})" if one.reason != unit.b.status.value else ""))},
        "locations": [_of(own)],
        "partialFingerprints": {
            "rewarp/parity/v1": hashlib.sha256(unit.key.encode("utf-8", "backslashreplace")).hexdigest()[:32]
        },
        "properties": {"unit": unit.key, "lacking": list(one.gap.lacking), "weight": round(one.weight, 2)},
    }
    if other.evidence:
        name = result.parity.a if other is unit.a else result.parity.b
        found["relatedLocations"] = [{"id": 1, **_of(other), "message": {"text": escape.sarif(f"{name}: {other.why}")}}]
    return found


def _of(side: Side) -> dict[str, Any]:
    place = side.evidence[-1]
    return location_of(place.path, place.line)


def _problem(problem: Problem) -> dict[str, Any]:
    level = "error" if problem.blocks_score else "warning"
    if not problem.path:
        return {"level": level, "message": {"text": escape.sarif(problem.what)}}
    return notification(problem.path, problem.what, level, problem.line or None)
