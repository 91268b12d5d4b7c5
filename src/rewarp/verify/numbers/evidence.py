"""The evidence of the numbers level: a check for every module call, and the figures behind it, fit for JSON."""

from __future__ import annotations

import time
from collections.abc import Iterable

from rewarp.verify.checks import Check, Evidence, Level, Outcome
from rewarp.verify.numbers.comparison import Comparison
from rewarp.verify.numbers.document import Details, Divergence, Figures, Modules, SecondPass
from rewarp.verify.numbers.judgement import Judged, Judgement, judge
from rewarp.verify.numbers.recording import Recording
from rewarp.verify.numbers.replay import Forced
from rewarp.verify.numbers.tolerance import Tolerances


def gather(
    golden: Recording, actual: Recording, tolerances: Tolerances, forced: Forced, other_dtype: bool, started: float
) -> Evidence:
    """Compare, and put it into words."""
    judgement = judge(golden, actual, tolerances, forced, other_dtype)
    checks = [check for judged in judgement.modules for check in _checks(judged)]
    if not checks:
        checks = [Check(Level.NUMBERS, "outputs", Outcome.NOT_CHECKED, "the recordings have no tensor in common")]
    notes = list(dict.fromkeys([*(f"golden: {note}" for note in golden.notes), *actual.notes]))
    if not golden.inputs:
        notes.append("the target makes its own inputs: they are the same only as far as its code makes them so")
    return Evidence(
        Level.NUMBERS,
        tuple(checks),
        provenance={"golden": {**golden.setting, **golden.options}, "here": {**actual.setting, **actual.options}},
        details=_details(judgement, tolerances, notes),
        seconds=round(time.monotonic() - started, 3),
    )


def not_run(reason: str, started: float) -> Evidence:
    """Nothing was compared, and why."""
    check = Check(Level.NUMBERS, "replay", Outcome.NOT_CHECKED, reason)
    return Evidence(Level.NUMBERS, (check,), seconds=round(time.monotonic() - started, 3))


def _checks(judged: Judged) -> list[Check]:
    call = judged.call
    found = []
    if judged.outcome is not None:
        seen = judged.outputs.values()
        found.append(_check(f"{call.name} ({call.kind})", judged.outcome, judged.why, seen))
    if judged.own_outcome is not None:
        steps = [step.comparison for step in judged.own or ()]
        found.append(_check(f"{call.name} ({call.kind}), by itself", judged.own_outcome, judged.own_why, steps))
    return found


def _check(what: str, outcome: Outcome, why: str, seen: Iterable[Comparison]) -> Check:
    sized = [comparison for comparison in seen if comparison.error is not None]
    worst = max(sized, key=lambda it: it.error or 0.0, default=None)
    figures = {"error": worst.error, "tolerance": worst.tolerance} if worst else {}
    return Check(Level.NUMBERS, what, outcome, why, evidence=figures)


def _details(judgement: Judgement, tolerances: Tolerances, notes: list[str]) -> Details:
    return {
        "divergence": _divergence(judgement),
        "modules": [_module(judged) for judged in judgement.modules],
        "top1": judgement.top1,
        "tolerances": tolerances.plain(),
        "second_pass": _second_pass(judgement),
        "notes": notes,
    }


def _divergence(judgement: Judgement) -> Divergence | None:
    if (it := judgement.divergence) is None:
        return None
    return {"module": it.module, "kind": it.kind, "how": it.how, "why": it.why, "inherited": it.inherited}


def _second_pass(judgement: Judgement) -> SecondPass:
    ran = bool(judgement.forced.own)
    return {"ran": ran, "why_not": judgement.forced.reason, "diverging": list(judgement.forced.order)}


def _module(judged: Judged) -> Modules:
    call = judged.call
    return {
        "name": call.name,
        "module": call.module,
        "kind": call.kind,
        "parent": call.parent,
        "layers": call.layers,
        "outcome": judged.outcome.value if judged.outcome else None,
        "why": judged.why,
        "inputs_agree": judged.inputs_agree,
        "outputs": {path: figures(comparison) for path, comparison in judged.outputs.items()},
        "own_outcome": judged.own_outcome.value if judged.own_outcome else None,
        "own": None if judged.own is None else [{"what": s.what, **figures(s.comparison)} for s in judged.own],
        "skipped": call.skipped,
    }


def figures(comparison: Comparison) -> Figures:
    """A comparison as plain data."""
    return {
        "outcome": comparison.outcome.value,
        "why": comparison.why,
        "dtype": comparison.dtype,
        "shape": list(comparison.shape),
        "compared": comparison.compared,
        "error": comparison.error,
        "tolerance": comparison.tolerance,
        "outside": comparison.outside,
        "max_abs": comparison.max_abs,
        "mean_abs": comparison.mean_abs,
        "max_rel": comparison.max_rel,
        "mean_rel": comparison.mean_rel,
        "cosine": comparison.cosine,
        "scale": comparison.scale,
        "not_finite": dict(comparison.not_finite),
        "ulp": dict(comparison.ulp),
        "worst": comparison.worst,
        "against_float64": dict(comparison.against_float64),
    }
