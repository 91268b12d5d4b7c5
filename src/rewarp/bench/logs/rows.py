"""Lines whose place in the run is not simply a number they carry: each fold keeps rows of figures and numbers them itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rewarp import __version__
from rewarp.bench.logs.base import Facts
from rewarp.bench.result import CONFIGURATION_FIELDS, DEVICE_FIELDS, Result, Series, Warn, unknown

_MOST = 1 << 15
_SHOWN = 160
NOT_LOOKED = "not looked for: this reader takes the figures of its lines alone"

Column = Sequence[float | None]


@dataclass
class Rows:
    """Figures by line. Of very many every other one is dropped, again and again."""

    rows: list[dict[str, float]] = field(default_factory=list)
    first_line: int = 0
    last_line: int = 0
    example: bytes = b""
    every: int = 1
    most: int = _MOST
    _seen: int = 0

    def add(self, number: int, line: bytes, row: dict[str, float]) -> None:
        if not self.first_line:
            self.first_line, self.example = number, line
        self.last_line = number
        if self._seen % self.every == 0:
            self.rows.append(row)
        self._seen += 1
        if len(self.rows) >= self.most:
            del self.rows[1::2]
            self.every *= 2

    def column(self, name: str) -> list[float | None]:
        return [row.get(name) for row in self.rows]

    def columns(self, names: Sequence[str]) -> dict[str, list[float | None]]:
        """Those of the names that any row has."""
        found = {name: self.column(name) for name in names}
        return {name: values for name, values in found.items() if any(value is not None for value in values)}


def result(
    name: str,
    dialect: str,
    title: str,
    rows: Rows,
    steps: Sequence[int],
    columns: Mapping[str, Column],
    warnings: Sequence[Warn] = (),
    notes: Mapping[str, str] | None = None,
    planned: int | None = None,
    facts: Facts | None = None,
    averaged: bool = True,
    warm_up_at_most: int | None = None,
) -> Result:
    looked = facts is not None
    facts = facts or Facts()
    platform = facts.platform() if looked else unknown(NOT_LOOKED)
    device = facts.device() if looked else facts.section("device", DEVICE_FIELDS, NOT_LOOKED)
    configuration = (
        facts.configuration() if looked else facts.section("configuration", CONFIGURATION_FIELDS, NOT_LOOKED)
    )
    shown = " ".join(rows.example.decode("utf-8", "replace").split())
    return Result(
        name=name,
        kind="training",
        platform=platform,
        device=device,
        software=facts.software(),
        configuration=configuration,
        series=Series(tuple(steps), dict(columns)),
        warnings=tuple(warnings),
        provenance={
            "tool": f"rewarp {__version__}",
            "dialect": dialect,
            "why": f"line {rows.first_line} is a line of {title}: {shown[:_SHOWN]}{'…' if len(shown) > _SHOWN else ''}",
            "lines": [rows.first_line, rows.last_line],
            "steps_planned": planned,
            "averaged_over_interval": averaged,
            "notes": dict(notes or {}),
            **({} if warm_up_at_most is None else {"warm_up_at_most": warm_up_at_most}),
        },
    )
