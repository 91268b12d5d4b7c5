"""From findings to an answer."""

from __future__ import annotations

import pytest

from rewarp.edits import Safety
from rewarp.findings import Effort, Failed, Finding, Outcome, Phase, Scanned, ScanResult, Severity
from rewarp.report import duration, effort_text
from rewarp.verdict import Approach, Conclusion, effort_minutes, judge


def finding(
    severity: Severity = Severity.CRASH,
    safety: Safety = Safety.SAFE,
    effort: Effort = Effort.MINUTES,
    rule: str = "PY-VER-001",
    path: str = "x.py",
) -> Finding:
    place = {"start": 0, "end": 1, "line": 1, "column": 1, "end_line": 1, "end_column": 2}
    return Finding(
        rule, path, **place, severity=severity, phase=Phase.DETECTION, effort=effort, safety=safety, message="", fix=""
    )


def verdict(*findings: Finding, extra: tuple[Outcome, ...] = (), kind: str = "python") -> object:
    paths = sorted({f.path for f in findings} or {"x.py"})
    scanned = [Scanned(p, kind, 1, tuple(f for f in findings if f.path == p)) for p in paths]
    return judge(ScanResult(".", "rocm", (*scanned, *extra)), "AMD ROCm")


@pytest.mark.parametrize(
    ("findings", "conclusion"),
    [
        ([], Conclusion.AS_IS),
        ([finding(Severity.WORKS), finding(Severity.INFO), finding(Severity.PERF, Safety.NONE)], Conclusion.AS_IS),
        ([finding()], Conclusion.AUTOMATIC),
        ([finding(), finding(safety=Safety.DISPLAY_ONLY)], Conclusion.MANUAL),
        ([finding(safety=Safety.UNSAFE)], Conclusion.MANUAL),
        ([finding(), finding(effort=Effort.REWRITE, safety=Safety.NONE)], Conclusion.REWRITE),
    ],
)
def test_conclusion(findings: list[Finding], conclusion: Conclusion) -> None:
    assert verdict(*findings).conclusion is conclusion  # type: ignore[attr-defined]


def test_what_could_not_be_read_is_never_a_pass() -> None:
    broken = Failed("y.py", "not valid Python")
    assert verdict(extra=(broken,)).conclusion is Conclusion.UNKNOWN  # type: ignore[attr-defined]
    assert verdict(finding(), extra=(broken,)).conclusion is Conclusion.UNKNOWN  # type: ignore[attr-defined]
    assert judge(ScanResult(".", "rocm", ()), "AMD ROCm").conclusion is Conclusion.UNKNOWN


def test_effort_grows_slower_than_the_count() -> None:
    one = effort_minutes([finding(safety=Safety.NONE)])
    assert one == 10
    same_file = effort_minutes([finding(safety=Safety.NONE)] * 5)
    assert one < same_file < 5 * one
    files = effort_minutes([finding(safety=Safety.NONE, path=f"{n}.py") for n in range(10)])
    assert same_file < files < 10 * one
    assert effort_minutes([finding()]) == 2
    assert effort_minutes([finding(Severity.PERF, Safety.NONE), finding(Severity.INFO)]) == 0


def test_examples_are_told_apart() -> None:
    def told(*paths: str) -> list[str]:
        reasons: tuple[str, ...] = verdict(*(finding(path=path) for path in paths)).reasons  # type: ignore[attr-defined]
        return [reason for reason in reasons if "examples" in reason]

    shown = ["examples/run.py", "k8s/config/samples/pod.yaml", "docker/example_run.sh"]
    assert told(*shown, "pkg/exampled.py") == ["3 of 4 are in examples, 1 in the project itself."]
    assert told("pkg/a.py") == []
    assert told(*shown) == []  # a project that is examples


def test_strategy() -> None:
    def approach(*findings: Finding, kind: str = "cuda") -> Approach | None:
        strategy = verdict(*findings, kind=kind).strategy  # type: ignore[attr-defined]
        return strategy.approach if strategy else None

    api = finding(rule="CU-001", path="a.cu")
    assert approach(finding(), kind="python") is None
    assert approach(api) is Approach.SHIM
    assert approach(api, finding(Severity.WORKS, rule="BLD-005", path="setup.py")) is Approach.BUILD_TIME
    assert approach(finding(rule="CU-006", path="a.cu", effort=Effort.REWRITE)) is Approach.COMMITTED
    assert approach(*(finding(rule="CU-001", path=f"{n}.cu") for n in range(60))) is Approach.BUILD_TIME
    assert approach(api, finding(rule="RS-003", path="build.rs")) is Approach.SHIM


@pytest.mark.parametrize(
    ("minutes", "text"),
    [(0, "no work"), (2, "5 minutes"), (43, "45 minutes"), (200, "3 hours"), (2000, "4 days"), (60000, "120 days")],
)
def test_duration(minutes: float, text: str) -> None:
    assert duration(minutes) == text


def test_effort_text() -> None:
    assert effort_text(0, 0) == "no work"
    assert effort_text(60, 240) == "60 minutes to 4 hours"
    assert effort_text(960, 3840) == "2 to 8 days"
