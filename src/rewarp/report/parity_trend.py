"""A trend of parity: sparklines on the terminal, JSON (schema ``rewarp.parity-trend/1``), a page with the lines drawn."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from rewarp import __version__
from rewarp.parity.comparing.trend import Point, Trend
from rewarp.parity.scoring.scores import percent
from rewarp.report import page
from rewarp.report.documents import parity_trend as documents

if TYPE_CHECKING:
    from rewarp.report.console import Console

SCHEMA: Final = "rewarp.parity-trend/1"
_BARS = "▁▂▃▄▅▆▇█"
_HOLE = "·"
_MOST_HOLES = 8


def document(trend: Trend) -> documents.Document:
    """The trend as plain data. What was not computed is null."""
    return {
        "schema": SCHEMA,
        "rewarp": __version__,
        "root": trend.root,
        "range": trend.revisions,
        "a": trend.a,
        "b": trend.b,
        "commits_touching": trend.touching,
        "stopped": trend.was_stopped,
        "kinds": trend.kinds,
        "points": [_point(point, trend.kinds) for point in trend.points],
    }


def _point(point: Point, kinds: list[str]) -> documents.Points:
    return {
        "commit": point.commit.name,
        "date": point.commit.date,
        "subject": point.commit.subject,
        "lowest": _number(point.lowest),
        "percent": {kind: _number(point.shares.get(kind)) for kind in kinds},
        "gaps": point.gaps,
        "why_not": point.why_not or None,
    }


def _number(share: Fraction | None) -> float | None:
    """In percent, rounded down to a tenth."""
    return None if share is None else int(share * 1000) / 10


def render_json(trend: Trend) -> str:
    return json.dumps(document(trend), indent=1, allow_nan=False) + "\n"


def render_html(trend: Trend) -> str:
    return page.fill("parity_trend.html", document(trend))


def sparkline(shares: list[Fraction | None]) -> str:
    """One character for each commit, from 0 to 100 %; a dot where there is no score."""
    return "".join(_HOLE if share is None else _BARS[min(int(share * len(_BARS)), len(_BARS) - 1)] for share in shares)


def show(trend: Trend, console: Console) -> None:
    from rewarp.report.console import Text

    looked = f"{len(trend.points)} of {trend.touching} commits that touch either side"
    console.print(Text(f"{trend.a} → {trend.b}, {trend.revisions}: {looked}", style="bold"))
    if trend.was_stopped:
        console.print(Text("stopped before the end: what follows is what was computed until then", style="yellow"))
    width = max((len(kind) for kind in trend.kinds), default=0)
    for kind in trend.kinds:
        shares = [point.shares.get(kind) for point in trend.points]
        known = [share for share in shares if share is not None]
        line = Text(f"  {kind:<{width}}  ")
        line.append(sparkline(shares), style="cyan")
        console.print(line.append(f"  {percent(known[0])} → {percent(known[-1])}"))
    if not trend.has_score:
        console.print(Text("no commit has a score that can be computed", style="bold red"))
    _holes(trend, console)
    if trend.has_score:
        console.print(Text(f"from 0 % ({_BARS[0]}) to 100 % ({_BARS[-1]}); {_HOLE} is no score, not zero", style="dim"))


def _holes(trend: Trend, console: Console) -> None:
    from rewarp.report.console import Text

    holes = [point for point in trend.points if point.why_not]
    for point in holes[:_MOST_HOLES]:
        where = f"{point.commit.name[:9]} {point.commit.date[:10]}"
        console.print(Text(f"  {where}  no score: {point.why_not}", style="yellow"))
    if len(holes) > _MOST_HOLES:
        console.print(Text(f"  and {len(holes) - _MOST_HOLES} more without a score", style="yellow"))
