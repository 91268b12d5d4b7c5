"""Two arrays, number by number: how far apart, in what measure, and is it within the tolerance?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from rewarp.verify.checks import Outcome
from rewarp.verify.numbers.document import Worst
from rewarp.verify.numbers.formats import BOOLEAN, FLOAT, Array, steps_apart, values
from rewarp.verify.numbers.tensors import Stored, from_array
from rewarp.verify.numbers.tolerance import EXACT, Tolerance, standard

_CHUNK = 1 << 17
"""Elements looked at in one go, so that a large tensor does not become eight times as large as float64."""
_SCALE_SAMPLE = 1 << 20
_WIDEST_STEP = 16
ULP_BUCKETS = ("0", "1", *(f"{2**n + 1}..{2 ** (n + 1)}" if n else "2" for n in range(_WIDEST_STEP)), "more")
"""Distances in units of the last place: 0, 1, 2, then up to each power of two."""


@dataclass(frozen=True)
class Comparison:
    """What was seen. A figure that does not exist for these arrays, or is not finite, is None."""

    outcome: Outcome
    why: str
    dtype: str
    shape: tuple[int, ...]
    compared: int = 0
    """Elements looked at: fewer than the shape says where only a sample was stored."""
    error: float | None = None
    """The largest error in units of the element's size (or of the typical size in the tensor); the tolerance is for
    this one."""
    tolerance: float = 0.0
    outside: float = 0.0
    """The share of elements outside the tolerance."""
    max_abs: float | None = None
    mean_abs: float | None = None
    max_rel: float | None = None
    mean_rel: float | None = None
    cosine: float | None = None
    scale: float | None = None
    """The typical size in the golden tensor."""
    not_finite: Mapping[str, int] = field(default_factory=dict)
    """NaN and Inf: in both alike, only here, only in the golden tensor."""
    ulp: Mapping[str, int] = field(default_factory=dict)
    worst: Worst = field(default_factory=Worst)
    """The element with the largest error: its index and both numbers."""
    against_float64: Mapping[str, float] = field(default_factory=dict)
    """The mean distance of both from a float64 run, in units of the last place; empty where there was none."""


def compare_arrays(
    golden: Any, actual: Any, dtype: str | None = None, tolerance: Tolerance | None = None
) -> Comparison:
    """Compare two arrays, or two buffers of raw bytes that hold numbers of a dtype (``bfloat16``, ``float8_e4m3fn``,
    ``int32``, ...). Without a tolerance the table's, for one layer, is taken."""
    one, other = from_array(golden, dtype), from_array(actual, dtype)
    return compare_stored(one, other, tolerance or standard().at(one.form))


def compare_stored(golden: Stored, actual: Stored, tolerance: Tolerance, other_dtype: bool = False) -> Comparison:
    """Compare an array with its golden one. Another dtype is a difference unless it was asked for."""
    if golden.shape != actual.shape:
        return _differs(golden, f"shape {list(actual.shape)}, golden {list(golden.shape)}")
    if golden.form is not actual.form and not (other_dtype and golden.form.kind == actual.form.kind == FLOAT):
        return _differs(golden, f"dtype {actual.form.name}, golden {golden.form.name}")
    actual = actual.sampled(golden.stride)
    if golden.form.is_exact:
        return _exact(golden, actual)
    return _Sums(golden, actual, tolerance).comparison()


def _differs(golden: Stored, why: str) -> Comparison:
    return Comparison(Outcome.FAILED, why, golden.form.name, golden.shape, outside=1.0)


def missing(golden: Stored) -> Comparison:
    """The golden tensor has no twin."""
    return _differs(golden, "it is missing here")


def unknown(actual: Stored) -> Comparison:
    """A tensor that has no golden twin."""
    why = "it is not in the golden recording"
    return Comparison(Outcome.NOT_CHECKED, why, actual.form.name, actual.shape)


def _exact(golden: Stored, actual: Stored) -> Comparison:
    """Integers and booleans: equal or not."""
    import numpy as np

    one, other = values(golden.form, golden.raw), values(actual.form, actual.raw)
    if golden.form.kind == BOOLEAN:
        one, other = one != 0, other != 0
    apart = np.flatnonzero(one != other)
    common = {"dtype": golden.form.name, "shape": golden.shape, "compared": int(one.size)}
    if not apart.size:
        return Comparison(Outcome.PASSED, "", **common, max_abs=0.0, mean_abs=0.0)  # type: ignore[arg-type]
    distance = np.abs(one[apart].astype(np.float64) - other[apart].astype(np.float64))
    first = int(apart[0])
    return Comparison(
        Outcome.FAILED,
        f"{apart.size} of {one.size} differ, the first at {_index(golden, first)}: {other[first]}, golden {one[first]}",
        **common,  # type: ignore[arg-type]
        outside=apart.size / one.size,
        max_abs=float(distance.max()),
        mean_abs=float(distance.sum() / one.size),
        worst={"index": _index(golden, first), "golden": str(one[first]), "actual": str(other[first])},
    )


def _index(golden: Stored, place: int) -> list[int]:
    import numpy as np

    return [int(part) for part in np.unravel_index(place * golden.stride, golden.shape)] if golden.shape else []


def _chunks(golden: Stored, actual: Stored) -> Iterator[tuple[int, Array, Array]]:
    """The raw bytes of both, part by part, each with the place of its first element."""
    count = golden.raw.size // golden.form.size
    for start in range(0, count, _CHUNK):
        stop = min(count, start + _CHUNK)
        yield (
            start,
            golden.raw[start * golden.form.size : stop * golden.form.size],
            actual.raw[start * actual.form.size : stop * actual.form.size],
        )


def typical_size(golden: Stored) -> float:
    """The median magnitude of the finite elements that are not zero; of a regular sample where they are very many."""
    import numpy as np

    count = golden.raw.size // golden.form.size
    part = golden.raw.reshape(-1, golden.form.size)[:: max(1, -(-count // _SCALE_SAMPLE))]
    sizes = np.abs(values(golden.form, np.ascontiguousarray(part).reshape(-1)))
    sizes = sizes[np.isfinite(sizes) & (sizes > 0)]
    return float(np.median(sizes)) if sizes.size else 0.0


class _Sums:
    """What adds up while the parts of two float arrays go by."""

    def __init__(self, golden: Stored, actual: Stored, tolerance: Tolerance) -> None:
        import numpy as np

        self.golden, self.actual, self.tolerance = golden, actual, tolerance
        self.scale = typical_size(golden)
        self.compared = golden.raw.size // golden.form.size
        self.finite = self.outside = 0
        self.abs_sum = self.rel_sum = self.max_abs = self.max_rel = 0.0
        self.with_size = 0
        self.error = -1.0
        self.worst: tuple[int, str, str] | None = None
        self.products = np.zeros(3)
        self.not_finite = {"alike": 0, "only here": 0, "only in the golden": 0, "different": 0}
        self.only_nan = self.compared > 0
        self.steps: Array = np.zeros(len(ULP_BUCKETS), dtype=np.int64)
        with np.errstate(all="ignore"):
            for start, one, other in _chunks(golden, actual):
                self._add(start, one, other)

    def _add(self, start: int, golden_raw: Array, actual_raw: Array) -> None:
        import numpy as np

        golden, actual = values(self.golden.form, golden_raw), values(self.actual.form, actual_raw)
        fine = np.isfinite(golden) & np.isfinite(actual)
        self._add_not_finite(start, golden, actual, fine)
        if not fine.any():
            return
        places = np.flatnonzero(fine)
        golden, actual = golden[fine], actual[fine]
        distance, size = np.abs(golden - actual), np.abs(golden)
        self._add_errors(start, places, golden, actual, distance, size)
        self.finite += places.size
        self.abs_sum += float(distance.sum())
        self.max_abs = max(self.max_abs, float(distance.max()))
        if (sized := size > 0).any():
            relative = distance[sized] / size[sized]
            self.max_rel = max(self.max_rel, float(relative.max()))
            self.rel_sum += float(relative.sum())
            self.with_size += int(sized.sum())
        self.products += [(golden * actual.conj()).real.sum(), (size**2).sum(), (np.abs(actual) ** 2).sum()]
        if self.golden.form is self.actual.form and self.golden.form.kind == FLOAT:
            steps = steps_apart(self.golden.form, golden_raw, actual_raw)[fine]
            limits = np.array([0, 1, *(2 ** (n + 1) for n in range(_WIDEST_STEP))], dtype=np.uint64)
            self.steps += np.bincount(np.searchsorted(limits, steps), minlength=len(ULP_BUCKETS))

    def _add_errors(self, start: int, places: Array, golden: Array, actual: Array, distance: Array, size: Array) -> None:  # fmt: skip
        import numpy as np

        # What is above atol, in units of the element; where the unit is zero any excess is without bounds.
        unit = np.maximum(size, self.scale)
        excess = np.maximum(distance - self.tolerance.atol, 0.0)
        error = np.where(excess > 0, excess / unit, 0.0)
        self.outside += int((error > self.tolerance.rtol).sum())
        top = int(np.argmax(error))
        if error[top] > self.error:
            self.error = float(error[top])
            self.worst = (start + int(places[top]), str(golden[top]), str(actual[top]))

    def _add_not_finite(self, start: int, golden: Array, actual: Array, fine: Array) -> None:
        import numpy as np

        self.only_nan = self.only_nan and bool(np.isnan(golden).all() and np.isnan(actual).all())
        if fine.all():
            return
        ours, theirs = ~np.isfinite(actual), ~np.isfinite(golden)
        alike = (np.isnan(golden) & np.isnan(actual)) | (ours & theirs & (golden == actual))
        self.not_finite["alike"] += int(alike.sum())
        self.not_finite["only here"] += int((ours & ~theirs).sum())
        self.not_finite["only in the golden"] += int((theirs & ~ours).sum())
        self.not_finite["different"] += int((ours & theirs & ~alike).sum())
        apart = np.flatnonzero(~fine & ~alike)
        self.outside += apart.size
        if apart.size and self.error < math.inf:
            first = int(apart[0])
            self.error, self.worst = math.inf, (start + first, str(golden[first]), str(actual[first]))

    def comparison(self) -> Comparison:
        outcome, why = self._judge()
        dot, one, other = (float(product) for product in self.products)
        cosine = dot / math.sqrt(one * other) if one > 0 and other > 0 else None
        place, golden, actual = self.worst or (0, "", "")
        return Comparison(
            outcome,
            why,
            self.golden.form.name,
            self.golden.shape,
            self.compared,
            error=_figure(max(self.error, 0.0)) if self.finite or self.outside else None,
            tolerance=self.tolerance.rtol,
            outside=self.outside / self.compared if self.compared else 0.0,
            max_abs=_figure(self.max_abs) if self.finite else None,
            mean_abs=_figure(self.abs_sum / self.finite) if self.finite else None,
            max_rel=_figure(self.max_rel) if self.with_size else None,
            mean_rel=_figure(self.rel_sum / self.with_size) if self.with_size else None,
            cosine=_figure(min(1.0, max(-1.0, cosine))) if cosine is not None else None,
            scale=_figure(self.scale),
            not_finite={kind: count for kind, count in self.not_finite.items() if count},
            ulp={name: int(count) for name, count in zip(ULP_BUCKETS, self.steps) if count},
            worst={"index": _index(self.golden, place), "golden": golden, "actual": actual} if self.worst else {},
        )

    def _judge(self) -> tuple[Outcome, str]:
        bad = [f"{count} {kind}" for kind, count in self.not_finite.items() if count and kind != "alike"]
        if bad:
            return Outcome.FAILED, f"NaN or Inf: {', '.join(bad)}"
        if self.only_nan:
            return Outcome.NOT_CHECKED, "all NaN in both: there is nothing to compare"
        if self.outside:
            share = f"{self.outside} of {self.compared} outside"
            if self.tolerance == EXACT or math.isinf(self.error):
                return Outcome.FAILED, share
            return Outcome.FAILED, f"{share}: error {self.error:.3g}, tolerance {self.tolerance.rtol:.3g}"
        return Outcome.PASSED, ""


def _figure(number: float) -> float | None:
    return number if math.isfinite(number) else None


def top1_agreement(golden: Stored, actual: Stored) -> float | None:
    """The share of rows whose largest element stands in the same place: what a classifier or sampler would pick."""
    import numpy as np

    if golden.form.kind != FLOAT or golden.stride != 1 or golden.shape != actual.shape or len(golden.shape) < 2:
        return None
    if not golden.count or golden.shape[-1] < 2:
        return None
    rows = [values(it.form, it.raw).reshape(-1, golden.shape[-1]).argmax(axis=1) for it in (golden, actual)]
    return float(np.mean(rows[0] == rows[1]))
