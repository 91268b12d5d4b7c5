"""Tables of GPU models: AMD's models are added where NVIDIA's figures in the table show which figure it is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from rewarp.fixes.place import Mend, Outcome, Place, Refused
from rewarp.fixes.splices import followed_by
from rewarp.rules._files import is_test
from rewarp.tables.gpus import Specs, all_specs

_FIGURES = ("bf16_tflops", "fp16_tflops", "tf32_tflops", "fp32_tflops", "fp8_tflops", "bandwidth_gb_s", "memory_gb")
_FACTORS = (1.0, 1e-3, 1e3, 1e9, 1e12)
_CLOSE = 0.015
_MODEL = re.compile(r"MI\d{3}[A-Z]?")


class _Reading(NamedTuple):
    """What the numbers of a table are: a figure of the specifications, in some unit."""

    figure: str
    factor: float


def gpu_table(place: Place) -> Outcome | None:
    table = place.node(ast.Dict) if not is_test(place.document) else None
    statement = place.document.statement(table) if table is not None else None
    if table is None or not isinstance(statement, ast.Assign) or statement.value is not table:
        return None
    entries = list(_entries(table))
    reading = _reading(entries)
    target = statement.targets[0]
    if reading is None or not isinstance(target, ast.Name):
        return Refused("which figure of a GPU the table holds is not plain from its numbers; add AMD's models")
    added = ", ".join(f'"{name}": {_written(value)}' for name, value in _amd(reading, entries))
    edits = followed_by(place, statement, [f"{target.id}.update({{{added}}})"]) if added else None
    return Mend(edits, "The table has AMD's models, too.") if edits else Refused("lines cannot be put after the table")


def _entries(table: ast.Dict) -> Iterator[tuple[str, float]]:
    for key, value in zip(table.keys, table.values):
        if isinstance(key, ast.Constant) and isinstance(value, ast.Constant):
            if isinstance(key.value, str) and isinstance(value.value, (int, float)):
                yield key.value, float(value.value)


def _reading(entries: list[tuple[str, float]]) -> _Reading | None:
    """The one reading under which every known model has its figure; at least two must."""
    known = [(models, value) for name, value in entries if (models := list(_models(name)))]
    if len(known) < 2:
        return None
    for figure in _FIGURES:
        for factor in _FACTORS:
            if all(any(_fits(model, figure, factor, value) for model in models) for models, value in known):
                return _Reading(figure, factor)
    return None


def _models(name: str) -> Iterator[Specs]:
    """NVIDIA's models that a key may mean: ``H100`` means each of its forms."""
    words = _words(name)
    for specs in all_specs().values():
        if words and specs.vendor == "NVIDIA" and words <= _words(specs.name):
            yield specs


def _words(name: str) -> set[str]:
    return {re.sub(r"^sxm\d$", "sxm", word) for word in re.findall(r"[a-z0-9]+", name.lower())} - {"nvidia"}


def _fits(model: Specs, figure: str, factor: float, value: float) -> bool:
    known: float | None = getattr(model, figure)
    return known is not None and abs(known * factor - value) <= _CLOSE * value


def _amd(reading: _Reading, entries: list[tuple[str, float]]) -> Iterator[tuple[str, float]]:
    """AMD's accelerators by the part of their name that the device itself gives, longer names first."""
    full = any("nvidia" in name.lower() for name, _ in entries)
    lower = all(name == name.lower() for name, _ in entries)
    found: dict[str, float] = {}
    for specs in all_specs().values():
        model = _MODEL.search(specs.name)
        value: float | None = getattr(specs, reading.figure)
        if specs.vendor == "AMD" and specs.devices_per_package == 1 and model and value is not None:
            name = f"AMD Instinct {model[0]}" if full else model[0]
            found.setdefault(name.lower() if lower else name, value * reading.factor)
    yield from sorted(found.items(), key=lambda item: (-len(item[0]), item[0]))


def _written(value: float) -> str:
    return f"{value / 1e12:g}e12" if value >= 1e11 else repr(round(value, 6))
