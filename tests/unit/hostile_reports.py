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
from rewarp.bench.result import Sourced, Warn
from rewarp.bridge.check import Check as BridgeCheck
from rewarp.bridge.check import check as bridge_checking
from rewarp.bridge.convert import Converted, Plan, Planned, Request, Rule
from rewarp.bridge.crossing import Kind
from rewarp.bridge.deployment import of_platform, with_settings
from rewarp.bridge.formats import Counts
from rewarp.bridge.probe import Asked, Decoder, Read
from rewarp.bridge.probe_pattern import Compared
from rewarp.bridge.probe_pattern import Finding as Found
from rewarp.config import Config
from rewarp.fleet.overview import Overview as FleetOverview
from rewarp.fleet.request import Status
from rewarp.fleet.tables import REPOSITORIES, RUNS
from rewarp.host import Backend, Device, Fact, Machine, Note, Platform, TorchBuild, TorchState, examine
from rewarp.host import Level as NoteLevel
from rewarp.parity.claims.checking import Answer, Checked, Code
from rewarp.parity.claims.reading import Claim
from rewarp.parity.comparing.flow import Flow, flow
from rewarp.parity.scoring.baseline import Baseline, Before, Delta
from rewarp.parity.scoring.result import Result
from rewarp.parity.scoring.scores import GateVerdict as Judgement
from rewarp.parity.scoring.scores import score
from rewarp.parity.scoring.waivers import Waiver, Waivers
from rewarp.parity.units import Place
from rewarp.project.build import Build, BuildUnit, Reason, Switch
from rewarp.project.gates import NVIDIA, ROCM
from rewarp.project.overview import Overview
from rewarp.project.role_names import Role, RoleOf
from rewarp.project.support import Evidence as Shown
from rewarp.project.support import Support, Way
from rewarp.report import (
    bench_compare,
    bench_page,
    bench_text,
    bridge,
    bridge_convert,
    bridge_probe,
    build,
    doctor,
    fleet,
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
    site,
    text,
    verify,
)
from rewarp.report import (
    comparison as targets,
)
from rewarp.report.console import Console
from rewarp.report.pieces import Piece, Results, Unusable
from rewarp.verify import numbers as comparing
from rewarp.verify.checks import Check, Evidence, Level, Outcome
from rewarp.verify.isolation.certificate import Certificate
from rewarp.verify.isolation.file_verdict import FileVerdict, IsolationVerdict
from rewarp.verify.isolation.file_verdict import Place as Changed
from rewarp.verify.tree import Verification, in_order
from rewarp.workspace.identity import Identity

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
    files = tuple(FileVerdict(HOSTILE, verdict, HOSTILE, HOSTILE, places, None, None) for verdict in IsolationVerdict)
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


def converted() -> Converted:
    plan = Plan("chunks", (Planned(Path(HOSTILE), HOSTILE, b"", ()),), (Rule(*[HOSTILE] * 2, 2.0, HOSTILE, 1),))
    request = Request(Path(HOSTILE), Path(HOSTILE), "fnuz")
    return Converted(request, replace(plan, warnings=(HOSTILE,), left_out=(HOSTILE,)), Counts(1, infinite=1))


def fleet_overview() -> FleetOverview:
    run = {name: HOSTILE if column.type == "VARCHAR" else 1 for name, column in RUNS.columns.items()}
    row = {name: HOSTILE if column.type == "VARCHAR" else 1 for name, column in REPOSITORIES.columns.items()}
    rule = {"rule": HOSTILE, "title": HOSTILE, "repositories": 1, "places": 1, "severities": [HOSTILE]}
    change = {"before": HOSTILE, "after": HOSTILE, "lines_before": 1.0, "lines_after": 2.0, "new": 1, "gone": 1}
    return FleetOverview(
        run,
        HOSTILE,
        [row, {**row, "status": Status.DONE.value}],
        [rule],
        [{**rule, "repositories": [HOSTILE]}],
        [{"repository": HOSTILE, **change}],
    )


def bridge_check() -> BridgeCheck:
    """Two deployments whose every text is hostile, with every kind of answer between them."""
    sides = [
        with_settings(
            of_platform(name),
            {
                "name": HOSTILE + name,
                "vllm.model": HOSTILE + name,
                "vllm.kv_cache_dtype": HOSTILE,
                "vllm.rope": HOSTILE + name,
                "lmcache.tags": {HOSTILE: HOSTILE + name},
                "lmcache.remote_serde": HOSTILE,
                "model.weight_types": ["F8_E4M3", HOSTILE],
            },
        )
        for name in ("h100", "mi300x")
    ]
    return replace(bridge_checking(*sides), not_checked=((Kind.WEIGHTS, HOSTILE),))


def results() -> Results:
    """Pieces of every kind, hostile but for what the page itself tells apart."""
    identity = Identity(HOSTILE, HOSTILE, HOSTILE, False, HOSTILE, HOSTILE)
    name = HOSTILE.replace("\n", "")
    patch = f"diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n@@ -1,1 +1,1 @@\n-{name}\n+{name} \n"
    verified = verify.document(verification())
    checks = verified["levels"][0]["checks"]
    manual = {"path": HOSTILE, "line": 3, "what": HOSTILE, "why": HOSTILE, "rule": HOSTILE}
    change = {"path": HOSTILE, "kind": "changed", "why": HOSTILE, "rules": [HOSTILE]}
    figures = {"count": 1, "effort_minutes": 1.0}
    ported = {
        "target": HOSTILE,
        "done": False,
        "phases": [{"number": 0, "title": HOSTILE, "changes": [change], "manual": [manual]}],
        "findings": {"before": figures, "after": figures, "blocking": []},
        "verification": [{"level": "isolation", "outcome": "failed", "counts": {}, "checks": checks, "provenance": {}}],
    }
    alarm = {"is_remark": False, "file": HOSTILE, "line": 3, "what": HOSTILE, "text": HOSTILE, "count": 2}
    one = {"arch": HOSTILE, "complete": True, "alarms": [alarm], "exit_status": 1, "ending": HOSTILE, "seconds": 1.0}
    one |= {"kernels": [{"name": HOSTILE, "launches": 1, "seconds": 1.0}], "limits": [HOSTILE], "missing": [HOSTILE]}
    one |= {"unsupported": [{"kernel": HOSTILE, "instruction": HOSTILE}], "how": HOSTILE}
    documents = {
        "scan": html.page_of(scan_report()),
        "port": ported,
        "verify": verified,
        "isolation": certificate().document(),
        "run": {"programs": [HOSTILE], "exit_code": 1, "notes": [HOSTILE], "runs": [one], "differences": []},
        "parity": parity.document(parity_result(True)),
        "bench-compare": bench_compare.document(comparison()),
        "project": project.document(project_overview()),
    }
    pieces = [
        Piece(kind, HOSTILE, HOSTILE, HOSTILE, HOSTILE, identity, document, HOSTILE, patch if kind == "port" else None)
        for kind, document in documents.items()
    ]
    return Results(pieces, [(pieces[0], HOSTILE)], [Unusable(HOSTILE, HOSTILE)])


def probed() -> Read:
    decoder = Decoder(HOSTILE, (), HOSTILE, True)
    compared = (Compared((), 1, 2, 0.5, 1),)
    writer = {"encoding": HOSTILE, "by": HOSTILE}
    return Read(HOSTILE, 1, 2, (Found(HOSTILE, HOSTILE),), compared, decoder, writer)


TERMINAL: dict[str, Callable[[Console], None]] = {
    "scan": lambda console: text.show(scan_report(), console, places=0),
    "scan by file": lambda console: text.show(scan_report(), console, by="file"),
    "scan, targets": lambda console: targets.show([scan_report(), scan_report()], console),
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
    "fleet": lambda console: fleet.show(fleet_overview(), console),
    "fleet query": lambda console: fleet.show_answer([HOSTILE], [[HOSTILE], [[HOSTILE]]], console),
    "project": lambda console: project.show(project_overview(), console),
}
REPORTS: dict[str, Callable[[], str]] = {
    "scan Markdown": lambda: markdown.render(scan_report()),
    "scan Markdown, targets": lambda: targets.render_markdown([scan_report(), scan_report()]),
    "parity Markdown": lambda: parity_markdown.render(parity_result()),
    "parity delta Markdown": lambda: parity_markdown.render(parity_result(True)),
    "bench Markdown": lambda: bench_text.markdown(comparison()),
    "bench many Markdown": lambda: bench_text.markdown(comparison(7)),
    "isolation Markdown": lambda: isolation.markdown(certificate()),
    "isolation": lambda: isolation.text(certificate()),
    "bridge convert": lambda: bridge_convert.text(converted()),
    "bridge": lambda: bridge.text(bridge_check()),
    "bridge Markdown": lambda: bridge.markdown(bridge_check()),
    "bridge probe": lambda: bridge_probe.text(bridge_probe.of_read(Asked(HOSTILE), probed())),
    "bridge probe, cleaned": lambda: bridge_probe.text(bridge_probe.of_clean(Asked(HOSTILE), HOSTILE, 1, [HOSTILE])),
    "JUnit": lambda: verify.render_junit(verification()),
    "chart": lambda: parity_flow.render_mermaid(call_flow()),
}
PAGES: dict[str, Callable[[], str]] = {
    "scan": lambda: html.render(scan_report()),
    "comparison": lambda: targets.render_html([scan_report(), scan_report()]),
    "verify": lambda: verify.render_html(verification()),
    "build": lambda: build.render_html(Verification(Path("tree"), (build_evidence(),))),
    "numbers": lambda: numbers.html(numbers_evidence()),
    "parity": lambda: parity.render_html(parity_result(True)),
    "parity_trend": lambda: parity_trend.render_html(poisoned(test_parity_trend.example())),
    "bench": lambda: bench_page.html(comparison()),
    "fleet": lambda: fleet.render_html(fleet_overview()),
    "bridge": lambda: bridge.page(bridge_check()),
    "site": lambda: site.render(results()),
}
"""By the names of their templates."""
