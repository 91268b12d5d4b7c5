"""``rewarp bridge check``: a verdict for each kind of data that crosses, each remedy proved by asking again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from rewarp.bridge import chunk_stores, chunks, prefixes, weights
from rewarp.bridge.crossing import Basis, Change, Crossing, CrossingVerdict, Kind, Reason, Remedy, Stages
from rewarp.bridge.deployment import Deployment, with_settings
from rewarp.bridge.encodings import KV_TYPE, convert_rule

_FIRST = (
    CrossingVerdict.IMPOSSIBLE,
    CrossingVerdict.MISS,
    CrossingVerdict.SILENTLY_WRONG,
    CrossingVerdict.CONVERT,
    CrossingVerdict.UNKNOWN,
    CrossingVerdict.READER_CONVERTS,
)
"""Of the reasons that answer one question, which is named first."""
_STEPS = 8
_STAGES: Mapping[Kind, Callable[[Deployment, Deployment], Stages]] = {
    Kind.CHUNKS: chunks.stages,
    Kind.WEIGHTS: weights.weight_stages,
    Kind.SAFETENSORS: weights.container_stages,
    Kind.PREFIXES: prefixes.stages,
}
_NOTHING_DIFFERS = {
    Kind.CHUNKS: (
        "the same key, the same bytes, the same meaning",
        Basis.RUN,
        "LMCache 0.5.6, two processes; the accelerators were not there",
    ),
    Kind.WEIGHTS: ("the reader takes the bytes as they are", Basis.SOURCE, "vLLM 0.32.0"),
    Kind.SAFETENSORS: ("the same file is read on both sides", Basis.RUN, "safetensors 0.8.0"),
    Kind.PREFIXES: ("the same tokens have the same hashes", Basis.SOURCE, "vLLM 0.32.0"),
}


@dataclass(frozen=True)
class Check:
    """Two deployments, and what crosses between them, both ways."""

    a: Deployment
    b: Deployment
    crossings: tuple[Crossing, ...]
    not_checked: tuple[tuple[Kind, str], ...]
    """Kinds of data that nothing was said about."""

    @property
    def verdicts(self) -> set[CrossingVerdict]:
        return {crossing.verdict for crossing in self.crossings}


def check(a: Deployment, b: Deployment) -> Check:
    """Both ways: whatever shares a store both writes and reads."""
    found: list[Crossing] = []
    not_checked: list[tuple[Kind, str]] = []
    for kind in Kind:
        if reason := _not_described(kind, a, b):
            not_checked.append((kind, reason))
            continue
        found += (
            _with_remedies(kind, writer, reader) for writer, reader in ((a, b), (b, a)) if _concerns(kind, writer)
        )
    return Check(a, b, tuple(found), tuple(not_checked))


def _not_described(kind: Kind, a: Deployment, b: Deployment) -> str:
    if kind not in (Kind.WEIGHTS, Kind.SAFETENSORS):
        return ""
    if not (weights.is_described(a) or weights.is_described(b)):
        return "no checkpoint was described"
    return "no checkpoint has FP8 weights" if not (_concerns(kind, a) or _concerns(kind, b)) else ""


def _concerns(kind: Kind, writer: Deployment) -> bool:
    if kind is Kind.WEIGHTS:
        return weights.has_fp8(writer)
    return kind is not Kind.SAFETENSORS or weights.is_described(writer)


def cross(kind: Kind, writer: Deployment, reader: Deployment) -> Crossing:
    """What becomes of one kind of data, as the two are set up now."""
    found = _STAGES[kind](writer, reader)
    everything = [reason for stage in found for reason in stage]
    stage = next((stage for stage in found if stage), None)
    if stage is None:
        cause, basis, source = _NOTHING_DIFFERS[kind]
        if kind is Kind.CHUNKS:
            cause += chunk_stores.provided(writer)
        return Crossing(kind, writer.name, reader.name, CrossingVerdict.EXACT, cause, "", basis, source)
    decides = min(stage, key=lambda reason: _FIRST.index(reason.verdict))
    if kind is Kind.CHUNKS:
        decides = _to_convert(writer, reader, found) or decides
    converted = decides.field if decides.verdict is CrossingVerdict.CONVERT else None
    ordered = (decides, *(reason for reason in everything if reason is not decides and reason.field != converted))
    return Crossing(
        *(kind, writer.name, reader.name, decides.verdict, decides.cause, decides.field),
        *(decides.basis, decides.source, decides.rule, ordered),
    )


def _to_convert(writer: Deployment, reader: Deployment, found: Stages) -> Reason | None:
    """Two stores that differ in encoding, or in how keys spell the type, and in nothing else: the one can be made the other's,
    where the rule is known."""
    *before, keys, payload = found
    apart = chunk_stores.two_stores(writer, reader)
    rule = convert_rule(writer, reader)
    others = [reason for reason in keys if reason != apart and reason.field != KV_TYPE]
    wrong = [reason for reason in payload if reason.field != KV_TYPE]
    if any(before) or others or wrong or apart not in keys or not rule:
        return None
    return replace(apart, verdict=CrossingVerdict.CONVERT, cause=f"two stores: {rule}", rule=rule, changes=())


# --- remedies ---------------------------------------------------------------------------------


def _with_remedies(kind: Kind, writer: Deployment, reader: Deployment) -> Crossing:
    crossing = cross(kind, writer, reader)
    if crossing.verdict.is_good:
        return crossing
    found = [*_single(kind, writer, reader, crossing)]
    together = _together(kind, writer, reader)
    if together and all(together.leads_to.rank < one.leads_to.rank for one in found):
        found.insert(0, together)
    return replace(crossing, remedies=tuple(sorted(found, key=lambda remedy: remedy.leads_to.rank)))


def _single(kind: Kind, writer: Deployment, reader: Deployment, crossing: Crossing) -> Iterator[Remedy]:
    """Changes that help by themselves."""
    seen = set()
    for change in (change for reason in crossing.reasons for change in reason.changes):
        after = cross(kind, *_changed(writer, reader, change)).verdict
        if after.rank < crossing.verdict.rank and change.what not in seen:
            seen.add(change.what)
            yield Remedy(change.what, change.writer, change.reader, after)


def _together(kind: Kind, writer: Deployment, reader: Deployment) -> Remedy | None:
    """One change for each reason in turn, where none helps alone."""
    before = cross(kind, writer, reader).verdict
    steps: list[Change] = []
    pair = writer, reader
    for _ in range(_STEPS):
        crossing = cross(kind, *pair)
        change = next((change for change in (crossing.reasons[0].changes if crossing.reasons else ())), None)
        if crossing.verdict.is_good or change is None or change in steps:
            break
        steps.append(change)
        pair = _changed(*pair, change)
    after = cross(kind, *pair).verdict
    if len(steps) < 2 or after.rank >= before.rank:
        return None
    mine = {name: value for step in steps for name, value in step.writer.items()}
    theirs = {name: value for step in steps for name, value in step.reader.items()}
    return Remedy(" and ".join(step.what for step in steps), mine, theirs, after)


def _changed(writer: Deployment, reader: Deployment, change: Change) -> tuple[Deployment, Deployment]:
    return with_settings(writer, change.writer), with_settings(reader, change.reader)
