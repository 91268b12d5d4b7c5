"""One report of every kind, hostile in every string; the views of them as text and as pages."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import test_parity_flow
import test_parity_trend
import test_verify_browser
from bench_compare_parts import compared, measured, times_of
from hostile_parts import HOSTILE, poisoned
from parity_parts import example
from test_numbers_golden import recording

from rewarp.api import ScanReport, scan
from rewarp.bench.compare import Comparison
from rewarp.bench.model import Sourced, Warn
from rewarp.config import Config
from rewarp.host import Backend, Device, Fact, Machine, Note, Platform, TorchBuild, TorchState, examine
from rewarp.host import Level as NoteLevel
from rewarp.parity.baseline import Baseline, Before, Delta
from rewarp.parity.check_doc import Answer, Checked, Code
from rewarp.parity.claims import Claim
from rewarp.parity.flow import Flow, flow
from rewarp.parity.model import Place
from rewarp.parity.result import Result
from rewarp.parity.scores import Verdict as Judgement
from rewarp.parity.scores import score
from rewarp.parity.waivers import Waiver, Waivers
from rewarp.project.build import Build, BuildUnit, Reason, Switch
from rewarp.project.gates import NVIDIA, ROCM
from rewarp.project.overview import Overview
from rewarp.project.role_names import Role, RoleOf
from rewarp.project.support import Evidence as Shown
from rewarp.project.support import Support, Way
from rewarp.report import (
    bench_page,
    bench_text,
    build,
    doctor,
    html,
    isolation,
    markdown,
    numbers,
    parity,
    parity_doc,
    parity_flow,
    parity_markdown,
    parity_text,
    parity_trend,
    project,
    run,
    text,
    verify,
)
from rewarp.report.console import Console
from rewarp.verify import numbers as comparing
from rewarp.verify.isolation.certificate import Certificate
from rewarp.verify.isolation.model import FileVerdict, Verdict
from rewarp.verify.isolation.model import Place as Changed
from rewarp.verify.model import Check, Evidence, Level, Outcome
from rewarp.verify.tree import Verification, in_order

EXAMPLE = Path(__file__).parents[2] / "examples" / "nvidia_project"
_OUTCOMES = frozenset(outcome.value for outcome in Outcome)


@cache
def scan_report() -> ScanReport:
    found: ScanReport = poisoned(scan(EXAMPLE, config=Config(), use_cache=False), frozenset({"rocm"}))
    return found


def parity_result(with_delta: bool = False) -> Result:
    bad = poisoned(example().parity, frozenset())
    found = Result(bad, score(bad))
    waiver = Waiver(HOSTILE, HOSTILE, HOSTILE, datetime.date(2026, 1, 1), HOSTILE)
    found = replace(found, waivers=Waivers((), ((waiver, HOSTILE),)))
    if not with_delta:
        return found
    before = Before(HOSTILE, Judgement.GAP, Fraction(1, 2), HOSTILE, frozenset({HOSTILE}), True)
    gaps = tuple(one.gap for one in found.priorities)
    changed = tuple((gap, before) for gap in gaps)
    return replace(found, delta=Delta(Baseline({}, {}, True), gaps, changed, changed, changed, (before,)))


def call_flow() -> Flow:
    found: Flow = poisoned(flow(test_parity_flow.FILES, "cuda_op_scale", "cuda", "metal"))
    return replace(found, notes=(HOSTILE,))


def claims() -> tuple[str, list[Checked], Code]:
    found = parity_result().parity
    code = Code(found, {}, ())
    place = Place(HOSTILE, 3, HOSTILE)
    claim = Claim(1, HOSTILE, (HOSTILE,), HOSTILE)
    elsewhere = replace(claim, backend=HOSTILE)
    return HOSTILE, [Checked(claim, Answer.FALSE, HOSTILE, (place,)), Checked(elsewhere, Answer.TRUE, HOSTILE)], code


def comparison(count: int = 2) -> Comparison:
    names = [f"{number}{HOSTILE}" for number in range(count)]
    runs = [
        measured(
            name,
            times_of(2.0 + number, seed=number),
            gpu=HOSTILE,
            model=HOSTILE,
            columns={"loss": [10 * 0.97**step for step in range(120)], "memory_bytes": [2**30] * 120},
            warnings=(Warn("x", "error", HOSTILE, HOSTILE),),
        )
        for number, name in enumerate(names)
    ]
    runs[1] = replace(runs[1], device={**runs[1].device, "count": Sourced(4, HOSTILE)})
    return compared(*runs, allowed=frozenset({"devices"}))


def build_evidence() -> Evidence:
    keep = _OUTCOMES | {*test_verify_browser.ARCHES, "clang", "hip"}
    found: Evidence = poisoned(test_verify_browser.evidence(), frozenset(keep))
    units = [{**row, "undecided_flags": [HOSTILE]} for row in found.details["units"]]
    return replace(found, details={**found.details, "units": units, "set_aside": [{"path": HOSTILE, "why": HOSTILE}]})


def verification() -> Verification:
    return Verification(Path(HOSTILE.replace("/", "")), in_order([build_evidence()]))


def run_evidence() -> Evidence:
    check = Check(Level.RUN, HOSTILE, Outcome.FAILED, HOSTILE, HOSTILE, 3)
    details = {"attention": {HOSTILE: 3}, "backends": [HOSTILE], "kernels": {HOSTILE: (1, 2)}, "problems": [HOSTILE]}
    return Evidence(Level.RUN, (check,), {}, details)


def numbers_evidence() -> Evidence:
    found = comparing.compare(recording(), recording({"block.inner": 5.0}))
    keep = _OUTCOMES | {"own", "grown", "unknown", "equal", "float32", "int64"}
    return poisoned(found, frozenset(keep))  # type: ignore[no-any-return]


def certificate() -> Certificate:
    places = tuple(Changed(3, 4, f"{HOSTILE}{number}") for number in range(12))
    files = tuple(FileVerdict(HOSTILE, verdict, HOSTILE, HOSTILE, places, None, None) for verdict in Verdict)
    return Certificate(HOSTILE, None, HOSTILE, HOSTILE, "", files, (HOSTILE, HOSTILE))


@cache
def machine() -> Machine:
    found = examine(ask_torch=False)
    fact = Fact("EVIL", "EVIL")
    device = Device(Backend.ROCM, 0, name=fact, arch=fact, note="EVIL")
    torch = TorchBuild(TorchState.WORKS, "python", version="2", hip="6", archs=("gfx942",), device_error="x")
    platform = Platform(Backend.ROCM, devices=(device,))
    note = Note(NoteLevel.ERROR, "EVIL", "EVIL", value="EVIL")
    bad: Machine = poisoned(replace(found, platforms=(platform,), torch=torch, notes=(note,)))
    return bad


def project_overview() -> Overview:
    reason = Reason(HOSTILE, 3)
    unit = BuildUnit(HOSTILE, HOSTILE, HOSTILE, HOSTILE, reason, (HOSTILE,))
    notes = ((reason, HOSTILE),)
    builds = [
        Build(
            platform,
            (replace(unit, source=HOSTILE + platform.name),),
            (HOSTILE,),
            (Switch(HOSTILE, HOSTILE, reason),),
            (HOSTILE,),
            notes,
            notes,
        )
        for platform in (NVIDIA, ROCM)
    ]
    evidence = tuple(Shown(way, HOSTILE, 3, HOSTILE) for way in Way)
    return Overview(HOSTILE, "rocm", {HOSTILE: RoleOf(Role.PACKAGE, HOSTILE)}, *builds, Support("rocm", evidence))


TERMINAL: dict[str, Callable[[Console], None]] = {
    "scan": lambda console: text.show(scan_report(), console, places=0),
    "scan by file": lambda console: text.show(scan_report(), console, by="file"),
    "parity": lambda console: parity_text.show(parity_result(), console),
    "parity, all and what changed": lambda console: parity_text.show(parity_result(True), console, True),
    "flow": lambda console: parity_flow.show(call_flow(), console),
    "trend": lambda console: parity_trend.show(poisoned(test_parity_trend.example()), console),
    "document": lambda console: parity_doc.show(*claims(), console),
    "bench": lambda console: bench_text.show(comparison(), console),
    "bench, many": lambda console: bench_text.show(comparison(7), console),
    "verify": lambda console: verify.show(verification(), console),
    "build": lambda console: build.show(build_evidence(), console),
    "run": lambda console: run.show(run_evidence(), console),
    "numbers": lambda console: numbers.show(numbers_evidence(), console),
    "doctor": lambda console: doctor.show(machine(), console),
    "project": lambda console: project.show(project_overview(), console),
}
REPORTS: dict[str, Callable[[], str]] = {
    "scan Markdown": lambda: markdown.render(scan_report()),
    "parity Markdown": lambda: parity_markdown.render(parity_result()),
    "parity delta Markdown": lambda: parity_markdown.render(parity_result(True)),
    "bench Markdown": lambda: bench_text.markdown(comparison()),
    "bench many Markdown": lambda: bench_text.markdown(comparison(7)),
    "isolation Markdown": lambda: isolation.markdown(certificate()),
    "isolation": lambda: isolation.text(certificate()),
    "JUnit": lambda: verify.render_junit(verification()),
    "chart": lambda: parity_flow.render_mermaid(call_flow()),
}
PAGES: dict[str, Callable[[], str]] = {
    "scan": lambda: html.render(scan_report()),
    "verify": lambda: verify.render_html(verification()),
    "build": lambda: build.render_html(Verification(Path("tree"), (build_evidence(),))),
    "numbers": lambda: numbers.html(numbers_evidence()),
    "parity": lambda: parity.render_html(parity_result(True)),
    "parity_trend": lambda: parity_trend.render_html(poisoned(test_parity_trend.example())),
    "bench": lambda: bench_page.html(comparison()),
}
"""By the names of their templates."""
