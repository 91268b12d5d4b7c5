"""Two recordings side by side: every module's numbers, and where they part first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from rewarp.verify.checks import Outcome
from rewarp.verify.numbers.comparison import Comparison, compare_stored, missing, top1_agreement, unknown
from rewarp.verify.numbers.recording import MODEL, Call, Recording
from rewarp.verify.numbers.replay import Forced, OwnStep
from rewarp.verify.numbers.setting import uses_tf32
from rewarp.verify.numbers.tolerance import Tolerances


@dataclass
class Judged:
    """One module call: what came out of it, all that happened before included; and its own doing, where known."""

    call: Call
    outputs: dict[str, Comparison] = field(default_factory=dict)
    inputs_agree: bool | None = None
    """Whether what it was given agrees with the recording; None where that was not recorded."""
    own: list[OwnStep] | None = None
    """From the pass in which every module got the recorded inputs; None where there was none."""
    path_differs: str = ""
    """Why nothing could be compared: the call is only in one of the two."""

    @property
    def outcome(self) -> Outcome | None:
        """None where there was nothing to compare."""
        if self.path_differs:
            return Outcome.FAILED
        return _worst(comparison.outcome for comparison in self.outputs.values())

    @property
    def own_outcome(self) -> Outcome | None:
        return _worst(step.comparison.outcome for step in self.own or ())

    @property
    def why(self) -> str:
        return self.path_differs or "; ".join(
            f"output {path}: {it.why}" if path else it.why for path, it in self.outputs.items() if it.why
        )

    @property
    def own_why(self) -> str:
        return "; ".join(f"{step.what}: {step.comparison.why}" for step in self.own or () if step.comparison.why)


def _worst(outcomes: Iterable[Outcome]) -> Outcome | None:
    seen = set(outcomes)
    order = (Outcome.FAILED, Outcome.NOT_CHECKED, Outcome.PASSED)
    return next((outcome for outcome in order if outcome in seen), None)


@dataclass(frozen=True)
class Divergence:
    """Where the numbers part first."""

    module: str
    kind: str
    how: str
    """``own``: by its own computation. ``grown``: no module differs by itself, small differences grew. ``unknown``:
    what it was given is not known."""
    why: str
    inherited: int
    """Calls that differ, too, and only because of what they were given (as far as that is known)."""


@dataclass
class Judgement:
    """All calls in the order in which they ended."""

    modules: list[Judged]
    divergence: Divergence | None
    forced: Forced
    top1: dict[str, float]
    """For each float output of the whole, the share of rows with the same largest element."""


def judge(
    golden: Recording, actual: Recording, tolerances: Tolerances, forced: Forced, other_dtype: bool = False
) -> Judgement:
    """Compare two recordings, call by call."""
    tf32 = either_uses_tf32(golden, actual)
    here = {call.name: call for call in _down_to(actual, golden)}
    recorded = _down_to(golden, actual)
    modules = []
    for call in recorded:
        judged = Judged(call, own=forced.own.get(call.name))
        twin = here.pop(call.name, None)
        if twin is None:
            judged.path_differs = "in the golden recording it is called, here it is not: another path was taken"
        else:
            keys = (golden, actual, tolerances, tf32, other_dtype, call.layers)
            judged.outputs = _compared(call.outputs, twin.outputs, *keys)
            extra = twin.outputs.keys() - call.outputs.keys()
            judged.outputs |= {path: unknown(actual.tensors[twin.outputs[path]]) for path in sorted(extra)}
            inputs = _compared(call.inputs, twin.inputs, *keys)
            agree = [it.outcome is not Outcome.FAILED for it in inputs.values()]
            judged.inputs_agree = all(agree) if agree else None
        modules.append(judged)
    for stranger in here.values():
        why = "called here, but not in the golden recording: another path was taken"
        modules.insert(-1, Judged(stranger, path_differs=why))
    return Judgement(modules, _divergence(modules, forced), forced, _top1(golden, actual))


def either_uses_tf32(golden: Recording, actual: Recording) -> bool:
    return uses_tf32(golden.manifest()) or uses_tf32(actual.manifest())


def _down_to(one: Recording, other: Recording) -> list[Call]:
    """The calls that both recordings are deep enough to hold."""
    depths = [depth for depth in (one.options["depth"], other.options["depth"]) if depth is not None]
    if not depths:
        return one.calls
    return [call for call in one.calls if call.module.startswith("(") or call.module.count(".") + 1 <= min(depths)]


def _compared(
    golden_keys: dict[str, str],
    actual_keys: dict[str, str],
    golden: Recording,
    actual: Recording,
    tolerances: Tolerances,
    tf32: bool,
    other_dtype: bool,
    layers: int,
) -> dict[str, Comparison]:
    found = {}
    for path, key in golden_keys.items():
        one = golden.tensors[key]
        if path not in actual_keys:
            found[path] = missing(one)
            continue
        other = actual.tensors[actual_keys[path]]
        tolerance = tolerances.at(tolerances.coarser(one.form, other.form), layers, tf32)
        found[path] = compare_stored(one, other, tolerance, other_dtype)
    return found


def _divergence(modules: list[Judged], forced: Forced) -> Divergence | None:
    by_name = {judged.call.name: judged for judged in modules}
    failing = [judged for judged in modules if judged.outcome is Outcome.FAILED]
    if forced.order:
        culprit = by_name[forced.order[0]]
        step = next(step for step in culprit.own or () if step.comparison.outcome is Outcome.FAILED)
        heirs = [it for it in failing if it is not culprit and it.call.name not in forced.order]
        return _named(culprit, "own", f"{step.what}: {step.comparison.why}", len(heirs))
    if not failing:
        return None
    first = failing[0]
    if first.path_differs:
        return _named(first, "own", first.path_differs, len(failing) - 1)
    if forced.own and forced.reason is None:
        why = f"given the recorded inputs every module agrees; small differences grew: {first.why}"
        return _named(first, "grown", why, len(failing) - 1)
    return _without_forcing(first, by_name, len(failing) - 1)


def _without_forcing(first: Judged, by_name: dict[str, Judged], heirs: int) -> Divergence:
    """Nothing that ended before it differs. If its inputs differ all the same, the code around it made them so."""
    if first.inputs_agree is None:
        return _named(first, "unknown", f"{first.why} (its inputs were not recorded)", heirs)
    culprit, why = first, first.why
    while culprit.inputs_agree is False:
        around = by_name.get(culprit.call.parent or MODEL)
        if around is None or around is culprit:
            return _named(culprit, "unknown", f"what it was given differs already; {why}", heirs)
        culprit, why = around, f"its own code, before it calls {first.call.name}: {first.why}"
    return _named(culprit, "own", why, heirs)


def _named(judged: Judged, how: str, why: str, inherited: int) -> Divergence:
    return Divergence(judged.call.name, judged.call.kind, how, why, inherited)


def _top1(golden: Recording, actual: Recording) -> dict[str, float]:
    one, other = golden.calls[-1].outputs, actual.calls[-1].outputs
    found = {
        path: top1_agreement(golden.tensors[one[path]], actual.tensors[other[path]])
        for path in one
        if path in other and golden.tensors[one[path]].form is actual.tensors[other[path]].form
    }
    return {path: share for path, share in found.items() if share is not None}
