"""How much two results may differ: by dtype, and wider after many layers.

An element may be off by ``atol + rtol * max(|golden element|, typical size in its tensor)``. The typical size is the
median of the magnitudes that are not zero: an element that happens to be near zero is not asked for more digits than
its neighbours have, and a few huge elements do not hide errors in the others.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from rewarp.errors import UsageError
from rewarp.tables import rows
from rewarp.verify.numbers.formats import Format, format_of

TF32 = "tf32"
_LAYERS = "layers"


@dataclass(frozen=True)
class Tolerance:
    """For one tensor."""

    atol: float
    rtol: float


EXACT = Tolerance(0.0, 0.0)


@dataclass(frozen=True)
class Tolerances:
    """For all dtypes."""

    by_dtype: Mapping[str, Tolerance]
    growth: float
    """After n layers a tolerance is n to this power times as wide."""

    def at(self, form: Format, layers: int = 1, uses_tf32: bool = False) -> Tolerance:
        """For a tensor of that format that so many layers went into."""
        if form.is_exact:
            return EXACT
        name = TF32 if uses_tf32 and form.name in ("float32", "complex64") else form.name
        base, factor = self.by_dtype[name], max(1, layers) ** self.growth
        return Tolerance(base.atol * factor, base.rtol * factor)

    def coarser(self, one: Format, other: Format) -> Format:
        """The format that carries fewer digits, where two runs used different ones."""
        return max((one, other), key=lambda form: 0.0 if form.is_exact else self.by_dtype[form.name].rtol)

    def plain(self) -> dict[str, list[float]]:
        return {**{name: [it.atol, it.rtol] for name, it in self.by_dtype.items()}, _LAYERS: [self.growth]}


@lru_cache(maxsize=1)
def standard() -> Tolerances:
    """The table ``tolerances.csv``."""
    table = {row["dtype"]: row for row in rows("tolerances.csv")}
    growth = float(table.pop(_LAYERS)["rtol"])
    return Tolerances({name: Tolerance(float(row["atol"]), float(row["rtol"])) for name, row in table.items()}, growth)


def overridden(wishes: Iterable[str]) -> Tolerances:
    """The table with changes: ``bfloat16=1e-6,0.05`` (atol, rtol), ``layers=1``."""
    tolerances = standard()
    for wish in wishes:
        name, equals, figures = wish.partition("=")
        try:
            numbers = [float(part) for part in figures.split(",")]
        except ValueError:
            numbers = []
        if not equals or not all(math.isfinite(number) and number >= 0 for number in numbers):
            numbers = []
        if name == _LAYERS and len(numbers) == 1:
            tolerances = replace(tolerances, growth=numbers[0])
        elif name != _LAYERS and len(numbers) == 2:
            changed = {**tolerances.by_dtype, _known(name): Tolerance(*numbers)}
            tolerances = replace(tolerances, by_dtype=changed)
        else:
            raise UsageError(f"--tolerance {wish}: write DTYPE=ATOL,RTOL or layers=POWER, with numbers from 0")
    return tolerances


def _known(name: str) -> str:
    if name == TF32:
        return name
    form = format_of(name)
    if form.is_exact:
        raise UsageError(f"--tolerance {name}: integers and booleans are compared exactly")
    return form.name
