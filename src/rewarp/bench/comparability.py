"""May two results be compared? What must be alike, what is, what differs, and what cannot be shown either way."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from rewarp.bench.hardware import precision_of
from rewarp.bench.result import Result, Sourced, unknown
from rewarp.errors import UsageError, did_you_mean

MUST = ("kind", "model", "parameters", "sequence", "global_batch", "precision", "devices")
"""What makes two runs the same work. Each is a name that `--allow-unlike` takes."""
_MUST_BY_KIND = {
    "training": MUST,
    # The rules fix data and target quality; batch and precision are the submitter's to choose.
    "mlperf": ("kind", "model", "devices"),
}
_MICRO = ("kind", "precision", "devices")
_SHAPE = ("layers", "hidden", "heads", "vocabulary")
_TUNING = ("micro_batch", "optimizer", "parallelism", "methodology", "seed", "attention", "compile")
"""How the work is done, not what it is: told, never a reason to refuse."""
_NO_WORK = ("price_usd_per_device_hour", "workload")
"""Not of the work, or another field in words."""
_SERVING = ("concurrency", "request_rate", "burstiness", "prompts")
_COUNTED_TOLERANCE = 0.02
"""Of tokens that a server happened to answer with."""
_PARAMETER_TOLERANCE = 0.01
"""`8B` and 8.03e9 are one model; with and without the embedding are two."""
_SIZE_IN_NAME = re.compile(r"(?<![a-z0-9.])\d+(?:\.\d+)?\s?[bm](?![a-z0-9])")


class Likeness(Enum):
    """Whether one field is the same in two results."""

    ALIKE = "alike"
    DIFFERS = "differs"
    UNKNOWN = "unknown"
    """It cannot be shown: one side, or both, does not say."""


@dataclass(frozen=True)
class FieldCheck:
    """One field of two results, side by side."""

    field: str
    baseline: Sourced
    run: Sourced
    likeness: Likeness
    why: str
    must: bool
    """Whether the results may only be compared when this is alike."""
    allowed: bool = False
    """Whether `--allow-unlike` names it."""

    @property
    def refuses(self) -> bool:
        return self.must and self.likeness is Likeness.DIFFERS and not self.allowed


@dataclass(frozen=True)
class Banner:
    """What every output says above the figures."""

    kind: str
    """`unlike`: known to differ; `unknown`: cannot be shown to be alike."""
    text: str


def banners(fields: Iterable[FieldCheck]) -> tuple[Banner, ...]:
    """Of the fields that must be alike and are not, or may not be; fields with the same reason together.
    What cannot be shown does not matter where nothing is compared."""
    fields = list(fields)
    refused = any(check.refuses for check in fields)
    unlike: list[Banner] = []
    unknown: dict[str, list[str]] = {}
    for check in fields:
        if check.must and check.likeness is Likeness.DIFFERS:
            asked = "; compared all the same, as asked" if check.allowed else ""
            unlike.append(Banner("unlike", f"unlike runs: {check.field}: {check.why}{asked}"))
        elif check.must and check.likeness is Likeness.UNKNOWN and not refused:
            unknown.setdefault(check.why, []).append(check.field)
    unsure = (f"cannot show that they are alike: {', '.join(names)}: {why}" for why, names in unknown.items())
    return (*unlike, *(Banner("unknown", text) for text in unsure))


def allowed_fields(text: str | None) -> frozenset[str]:
    """The fields of `--allow-unlike model,precision`."""
    return frozenset(name.strip().replace("-", "_") for name in (text or "").split(",") if name.strip())


def checks(baseline: Result, run: Result, allowed: frozenset[str] = frozenset()) -> tuple[FieldCheck, ...]:
    """Every field that must be alike, then those that need not be and differ."""
    must = _must(baseline, run)
    found = [_check(name, baseline, run, name in allowed, must=True) for name in must]
    others = _names((*baseline.configuration, *run.configuration), (*must, *_NO_WORK))
    told = (_check(name, baseline, run, False, must=False) for name in others)
    return (*found, *(check for check in told if check.likeness is Likeness.DIFFERS))


def check_allowed(allowed: frozenset[str], results: Sequence[Result]) -> None:
    """A name that `--allow-unlike` does not know is a slip of the pen, and must not pass for permission."""
    known = dict.fromkeys((*MUST, *(name for result in results for name in _must(result, result))))
    for name in sorted(allowed - known.keys()):
        hint = did_you_mean(name, known)
        raise UsageError(f"--allow-unlike {name}: there is no such field; there are {', '.join(known)}{hint}")


def _must(baseline: Result, run: Result) -> tuple[str, ...]:
    if baseline.kind != run.kind:
        return MUST
    if baseline.kind in _MUST_BY_KIND:
        return _MUST_BY_KIND[baseline.kind]
    names = [name for result in (baseline, run) for name, it in result.configuration.items() if it.known]
    if baseline.kind == "inference":
        # A server is loaded with requests, a bare model with batches; what is done with them is the workload.
        load = [name for name in _SERVING if name in names]
        batch = load or ["global_batch", *(["workload"] if "workload" in names else [])]
        return ("kind", "model", "parameters", "sequence", *batch, "precision", "devices")
    # A micro-benchmark is what its configuration says: sizes, shapes, the collective's name.
    return (*_MICRO, *_names(names, (*_MICRO, *_TUNING, *_NO_WORK)))


def _names(names: Iterable[str], without: Sequence[str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if name not in without]


def _check(name: str, baseline: Result, run: Result, allowed: bool, *, must: bool) -> FieldCheck:
    first, second = value_of(baseline, name), value_of(run, name)
    likeness, why = _compare(name, baseline, run)
    return FieldCheck(name, first, second, likeness, why, must, allowed)


def value_of(result: Result, name: str) -> Sourced:
    if name == "kind":
        return Sourced(result.kind, "the benchmark")
    if name == "devices":
        return result.device.get("count", unknown("not in the result"))
    return result.configuration.get(name, unknown("not in the result"))


def _compare(name: str, baseline: Result, run: Result) -> tuple[Likeness, str]:
    first, second = value_of(baseline, name), value_of(run, name)
    if first.known and second.known:
        likeness = _likeness(name, first.value, second.value, _tolerance(name, first, second))
        if likeness is Likeness.ALIKE:
            return likeness, ""
        if name == "model" and _same_shape(baseline, run):
            return Likeness.ALIKE, "other names, the same shape"
        words = f"{show_value(first.value)} against {show_value(second.value)}"
        return likeness, words if likeness is Likeness.DIFFERS else f"{words}: one says more than the other"
    if name == "parameters" and _model_fixes_size(baseline, run):
        return Likeness.ALIKE, "the model is the same"
    if name in ("model", "parameters") and _same_shape(baseline, run):
        return Likeness.ALIKE, "the shape is the same"
    return Likeness.UNKNOWN, _not_known(first, second)


def _tolerance(name: str, first: Sourced, second: Sourced) -> float:
    if name == "parameters":
        return _PARAMETER_TOLERANCE
    return _COUNTED_TOLERANCE if name == "sequence" and "mean" in first.source + second.source else 0.0


def _not_known(first: Sourced, second: Sourced) -> str:
    if not first.known and not second.known:
        return f"not known on either side ({first.source})"
    side, value, why = ("the baseline", second, first) if not first.known else ("the run", first, second)
    return f"not known of {side} ({why.source}); the other has {show_value(value.value)}"


def show_value(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _likeness(name: str, first: Any, second: Any, tolerance: float = 0.0) -> Likeness:
    numbers = _number(first), _number(second)
    if numbers[0] is not None and numbers[1] is not None:
        return _alike(math.isclose(numbers[0], numbers[1], rel_tol=tolerance))
    if name == "precision":
        return _precision_likeness(str(first), str(second))
    if name == "model":
        first, second = str(first).rstrip("/").rsplit("/", 1)[-1], str(second).rstrip("/").rsplit("/", 1)[-1]
    return _alike(_squeeze(first) == _squeeze(second))


def _alike(same: bool) -> Likeness:
    return Likeness.ALIKE if same else Likeness.DIFFERS


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _squeeze(value: Any) -> str:
    """`Llama-2 7B` and `llama_2_7b` are one spelling; 1.5 and 15 are not."""
    return re.sub(r"[^a-z0-9.+]+", "", str(value).lower())


def _precision_likeness(first: str, second: str) -> Likeness:
    """`bf16` and `bfloat16` are one; `bf16` and `bf16-mixed` may be; `bf16-true` and `bf16-mixed` are not."""
    (base, details), (other, more) = _precision(first), _precision(second)
    if base != other:
        return Likeness.DIFFERS
    if details == more:
        return Likeness.ALIKE
    return Likeness.DIFFERS if details and more else Likeness.UNKNOWN


def _precision(text: str) -> tuple[str, tuple[str, ...]]:
    """The type, and what else is said: (`bf16`, (`mixed`,))."""
    words = [word for word in re.split(r"[^a-z0-9]+", text.lower()) if word and word != "torch"]
    base = precision_of(text) or "".join(words[:1])
    return base, tuple(word for word in words if word != base and precision_of(word) != base)


def _same_shape(baseline: Result, run: Result) -> bool:
    """Layers and width are known and alike, and nothing else that is known of the shape differs."""
    names = (*_SHAPE, "parameters")
    pairs = {name: (value_of(baseline, name), value_of(run, name)) for name in names}
    both = {name: pair for name, pair in pairs.items() if pair[0].known and pair[1].known}
    alike = all(
        _likeness(name, a.value, b.value, _tolerance(name, a, b)) is Likeness.ALIKE for name, (a, b) in both.items()
    )
    return alike and {"layers", "hidden"} <= both.keys()


def _model_fixes_size(baseline: Result, run: Result) -> bool:
    """The same name, and the name has the size in it: `Llama-3.1-8B` has, `gpt` has not."""
    first, second = value_of(baseline, "model"), value_of(run, "model")
    if not (first.known and second.known) or _likeness("model", first.value, second.value) is not Likeness.ALIKE:
        return False
    return _SIZE_IN_NAME.search(str(first.value).lower().replace("_", "-")) is not None
