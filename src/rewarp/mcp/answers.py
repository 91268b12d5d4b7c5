"""From a command's report to a tool's answer: what matters first, the rest behind a cursor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from rewarp.errors import UsageError, did_you_mean
from rewarp.findings import Severity
from rewarp.mcp import results
from rewarp.mcp.calls import Done
from rewarp.mcp.paging import lines_of, page, pieces, quoted, quoted_lines
from rewarp.registry import all_rules

Report = Mapping[str, Any]
_WORST_FIRST = {severity.value: -severity.rank for severity in Severity}
_FIRST = ("failed", "not checked", "passed")
_GAPS_FIRST = ("gap", "unknown", "neither", "only B", "level")
_PRINTED = 4000


def scan(report: Report, at_least: str, limit: int, cursor: str | None) -> results.Scan:
    least = Severity(at_least).rank
    kept = [finding for finding in report["findings"] if Severity(finding["severity"]).rank >= least]
    kept.sort(key=lambda one: (one["standing"] != "counts", _WORST_FIRST[one["severity"]]))
    items = [
        results.Finding(
            one["rule"],
            one["severity"],
            one["phase"],
            one["standing"],
            one["line"],
            _own_fix(one),
            one["safety"],
            _told(one["path"], one),
        )
        for one in kept
    ]
    shown, where = page(items, limit, cursor)
    verdict, summary = report["verdict"], report["summary"]
    return results.Scan(
        verdict["conclusion"],
        verdict["headline"],
        bool(report["support"] and report["support"]["is_there"]),  # of a single file nobody asks it
        summary["findings_by_severity"],
        [results.Phase(one["phase"], one["findings"], one["blocking"], one["minutes"]) for one in verdict["phases"]],
        verdict["effort"]["minutes"],
        summary["files_scanned"],
        summary["failed"],
        shown,
        where,
    )


def _own_fix(finding: Report) -> str:
    """What to do, where it is the rule's own text: one that was put together for a place may name what the repository named."""
    rule = all_rules().get(finding["rule"])
    own = {impact.fix for impact in rule.impacts.values()} if rule else set()
    return finding["fix"] if finding["fix"] in own else ""


def _told(path: str, finding: Report) -> results.Untrusted:
    """What happens there; and what to do, where that is no rule's own text."""
    theirs = finding["fix"] and not _own_fix(finding)
    return quoted(path, finding["message"], *([finding["fix"]] if theirs else []))


def project(report: Report, limit: int, cursor: str | None) -> results.Project:
    builds = report["builds"]
    units = [
        results.CompiledUnit(
            platform, unit["language"], unit["system"], unit["line"], quoted(unit["source"], unit["target"])
        )
        for platform, build in builds.items()
        for unit in build["units"]
    ]
    shown, where = page(units, limit, cursor)
    return results.Project(
        report["support"]["is_there"],
        dict(Counter(role["role"] for role in report["roles"].values())),
        {platform: len(build["units"]) for platform, build in builds.items()},
        len(report["only_nvidia"]),
        len(report["only_target"]),
        shown,
        where,
    )


def translation(done: Done, limit: int, cursor: str | None) -> results.Translation:
    """The cursor pages through the lines of the result; of what is left the first are told, with the file that has them."""
    report = done.report()
    problems = [
        results.Problem(one["kind"], one["rule"], one["line"], _own_fix(one), _told(file["path"], one))
        for file in report["files"]
        for one in file["findings"]
    ]
    text = done.files.get("translated", b"").decode("utf-8", "backslashreplace")
    lines, hip_page = page(lines_of(text), min(10 * limit, 200), cursor)
    left, problems_page = page(problems, limit, None)
    hip = results.Quoted(quoted_lines("\n".join(lines)))
    return results.Translation(report["complete"], report["totals"], left, problems_page, hip, hip_page)


def waves(report: Report, limit: int, cursor: str | None) -> results.Waves:
    hazards = [
        results.Hazard(
            one["kind"],
            one["line"],
            one["consequence"],
            results.WaveFix(one["fix"]["safety"], quoted("", one["fix"]["how"])) if one["fix"] else None,
            quoted(file["path"], one["message"]),
        )
        for file in report["files"]
        for one in file["hazards"]
    ]
    shown, where = page(hazards, limit, cursor)
    summary = report["summary"]
    return results.Waves(summary["files"], summary["hazards_by_kind"], summary["fixes_by_safety"], shown, where)


def plan(done: Done, show: str, limit: int, cursor: str | None) -> results.Plan:
    report = done.report()
    items = _patch(done) if show == "patch" else _planned(report, show)
    shown, where = page(items, limit, cursor)
    return results.Plan(
        report["plan"],
        len(report["unproved"]),
        report["findings"]["before"]["count"],
        report["findings"]["after"]["count"],
        [
            results.PlannedPhase(one["number"], one["title"], len(one["changes"]), len(one["manual"]))
            for one in report["phases"]
        ],
        shown,
        where,
    )


def _planned(report: Report, show: str) -> list[results.PlanItem]:
    found = []
    for phase in report["phases"]:
        if show == "changes":
            found += [
                results.PlanItem(phase["title"], one["kind"], None, one["rules"], quoted(one["path"], one["why"]))
                for one in phase["changes"]
            ]
        else:
            found += [
                results.PlanItem(
                    phase["title"],
                    "manual",
                    one["line"],
                    [one["rule"]] if one["rule"] else [],
                    quoted(one["path"], one["what"], one["why"]),
                )
                for one in phase["manual"]
            ]
    return found


def _patch(done: Done) -> list[results.PlanItem]:
    """The patch, a file at a time, large ones in pieces."""
    text = done.files.get("patch", b"").decode("utf-8", "backslashreplace")
    files = [f"diff --git {part}" for part in f"\n{text}".split("\ndiff --git ")[1:]]
    return [results.PlanItem("", "patch", None, [], quoted_lines(piece)) for file in files for piece in pieces(file)]


def applied(report: Report) -> results.Applied:
    return results.Applied(
        report["plan"],
        report["done"],
        len(report["written"]),
        sum(len(phase["manual"]) for phase in report["phases"]),
        len(report["unproved"]),
        [quoted(path) for path in report["written"][:50]],
    )


def verification(report: Report, limit: int, cursor: str | None) -> results.Verification:
    checks = [
        results.Check(
            level["level"], one["outcome"], one["line"], quoted(one["path"] or "", f"{one['what']}: {one['why']}")
        )
        for level in report["levels"]
        for one in level["checks"]
    ]
    checks.sort(key=lambda check: _FIRST.index(check.outcome))
    shown, where = page(checks, limit, cursor)
    levels = [
        results.Level(
            one["level"], one["outcome"], *(one["counts"][name] for name in ("passed", "failed", "not checked"))
        )
        for one in report["levels"]
    ]
    return results.Verification(report["outcome"], levels, shown, where)


def run(done: Done, limit: int) -> results.Run:
    report = {"failed": None, "reason": "", "runs": [], "differences": [], **done.report()}
    alarms = [
        results.Alarm(
            one["arch"],
            alarm["what"],
            alarm["is_remark"],
            alarm["line"],
            alarm["count"],
            quoted(alarm["file"], alarm["text"]),
        )
        for one in report["runs"]
        for alarm in one["alarms"]
    ]
    alarms.sort(key=lambda alarm: alarm.is_remark)
    runs = [
        results.Ran(
            one["arch"],
            one["how"],
            one["ending"],
            one["exit_status"],
            one["complete"],
            len(one["kernels"]),
            len(one["alarms"]),
        )
        for one in report["runs"]
    ]
    shown, where = page(alarms, limit, None)
    printed = results.Quoted(quoted_lines(done.printed[-_PRINTED:]))
    return results.Run(
        report["exit_code"],
        report["failed"],
        results.Quoted(quoted("", report["reason"])),
        runs,
        shown,
        where.total,
        len(report["differences"]),
        printed,
    )


def parity(report: Report, limit: int, cursor: str | None) -> results.Parity:
    units = sorted(report["units"], key=lambda one: (_GAPS_FIRST.index(one["verdict"]), -one["users"]))
    items = [
        results.ParityUnit(one["kind"], one["verdict"], one["users"], one["lacking"], quoted("", one["key"]))
        for one in units
    ]
    shown, where = page(items, limit, cursor)
    score = report["score"]
    verdicts = dict(Counter(one["verdict"] for one in units))
    lowest = score["lowest"]
    percent = lowest if isinstance(lowest, (int, float)) else lowest.get("percent") if lowest else None
    return results.Parity(report["a"], report["b"], score["computable"], percent, verdicts, shown, where)


def explained(rule: str) -> results.Explained:
    """A rule, or what a run tells: nothing of a repository."""
    from rewarp.report import rule_page, seen_page
    from rewarp.run.explained import ALL

    name = rule.strip().upper()
    rules = all_rules()
    if name in ALL:
        return results.Explained(name, ALL[name].title, seen_page.markdown(ALL[name]), "", "all", "", {})
    if name not in rules:
        raise UsageError(f"there is no such rule{did_you_mean(name, rules)}; the resource rewarp://rules lists all")
    data = rule_page.document(rules[name])
    targets = {
        target: results.Target(one["severity"], one["why"], one["fix"], one["when"], one["port"])
        for target, one in data["targets"].items()
    }
    return results.Explained(
        name, data["title"], data["what"], data["source"], data["versions"], data["example"], targets
    )
