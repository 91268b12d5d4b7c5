"""Views of the wave pass: hazards and fixes for people, and JSON (schema ``rewarp.waves/1``, docs/waves.md)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from rewarp import __version__
from rewarp.edits import Safety
from rewarp.escape import code_line, joined
from rewarp.findings import Failed
from rewarp.report.documents import waves as documents
from rewarp.verdict import plural
from rewarp.waves.fixing.plan import FilePlan, Fix, Way

SCHEMA: Final = "rewarp.waves/1"
_HEADINGS = {
    Way.LOGICAL: "every warp keeps 32 lanes (rewarp_warp32_… of rewarp_waves.h)",
    Way.WHOLE: "warps become whole waves (REWARP_WAVE_… of rewarp_waves.h)",
    Way.NONE: "nothing to change by itself",
}


@dataclass(frozen=True)
class WavesReport:
    """What was looked at, what was found, and what was made of it."""

    files: int
    plans: tuple[FilePlan, ...]
    failed: tuple[Failed, ...] = ()
    unsafe: bool = False
    """Whether fixes that need a look were asked for."""
    written: tuple[str, ...] = ()

    def is_applied(self, plan: FilePlan) -> bool:
        """Whether a plan's edits are among those that were asked for."""
        return bool(plan.edits) and (plan.safety is Safety.SAFE or self.unsafe)

    def is_fixed(self, plan: FilePlan, fix: Fix) -> bool:
        """Whether a hazard is gone once the edits that were asked for are made."""
        return fix.safety is Safety.SAFE or (fix.safety is Safety.UNSAFE and self.is_applied(plan))

    @property
    def left(self) -> list[tuple[FilePlan, Fix]]:
        """What stays when the edits are made."""
        return [(plan, fix) for plan in self.plans for fix in plan.fixes if not self.is_fixed(plan, fix)]

    @property
    def hazards(self) -> int:
        return sum(len(plan.fixes) for plan in self.plans)


def document(report: WavesReport) -> documents.Document:
    """The report as plain data, in an order that never varies."""
    kinds = Counter(fix.hazard.kind.name.lower() for plan in report.plans for fix in plan.fixes)
    grades = Counter(fix.safety.value for plan in report.plans for fix in plan.fixes)
    return {
        "schema": SCHEMA,
        "rewarp": __version__,
        "summary": {
            "files": report.files,
            "hazards": report.hazards,
            "hazards_by_kind": dict(sorted(kinds.items())),
            "fixes_by_safety": dict(sorted(grades.items())),
            "left": len(report.left),
        },
        "files": [_file(plan) for plan in report.plans],
        "written": list(report.written),
        "failed": [{"path": item.path, "reason": item.reason, "line": item.line} for item in report.failed],
    }


def _file(plan: FilePlan) -> documents.Files:
    return {
        "path": plan.document.source.path,
        "way": plan.way.value,
        "safety": plan.safety.value,
        "why": plan.why,
        "edits": len(plan.edits),
        "hazards": [_hazard(plan, fix) for fix in plan.fixes],
    }


def _hazard(plan: FilePlan, fix: Fix) -> documents.Hazards:
    hazard, source = fix.hazard, plan.document.source
    start, end = source.position(hazard.where.start), source.position(hazard.where.end)
    return {
        "kind": hazard.kind.name.lower(),
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
        "function": hazard.function,
        "symbol": hazard.symbol,
        "message": hazard.message,
        "why": hazard.why,
        "consequence": hazard.consequence.value,
        "confidence": hazard.confidence.value,
        "on_any_width": hazard.on_any_width,
        "fix": {"safety": fix.safety.value, "how": fix.how, "edits": len(fix.edits)},
    }


def render(report: WavesReport) -> str:
    return json.dumps(document(report), indent=1, ensure_ascii=True) + "\n"


# --- for people -------------------------------------------------------------------------------


def text(report: WavesReport) -> str:
    """Each hazard with its line, its effect and its fix; at the end, the figures."""
    lines = [line for plan in report.plans for line in _plan(plan)]
    for failed in report.failed:
        lines.append(f"{failed.path}: not looked at: {failed.reason}")
    return joined([*lines, summary(report)])


def _plan(plan: FilePlan) -> Iterator[str]:
    if not plan.fixes:
        return
    source = plan.document.source
    grade = f" ({plan.safety.value})" if plan.edits else ""
    yield f"{source.path}: {_HEADINGS[plan.way]}{grade}"
    if plan.why:
        yield f"  because {plan.why}"
    for fix in plan.fixes:
        hazard = fix.hazard
        line, column = source.position(hazard.where.start)
        yield f"  {source.path}:{line}:{column}: {hazard.message} [{hazard.consequence.value}, {hazard.confidence.value}]"
        yield f"    {code_line(source.snippet(line))}"
        yield f"    on 64 lanes: {hazard.why}"
        yield f"    {fix.safety.value}: {fix.how}"
    yield ""


def summary(report: WavesReport) -> str:
    if not report.hazards:
        return f"{plural(report.files, 'file')}: nothing counts on 32 lanes, as far as can be told"
    grades = Counter(fix.safety for plan in report.plans for fix in plan.fixes)
    return (
        f"{plural(report.files, 'file')}, {plural(report.hazards, 'place')} with 32 lanes in mind: {grades[Safety.SAFE]} with a safe fix, "
        f"{grades[Safety.UNSAFE]} with one that needs a look (--unsafe-fixes), {grades[Safety.DISPLAY_ONLY]} by hand"
    )
