"""From findings to an answer."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from rewarp.edits import Safety
from rewarp.findings import Effort, Failed, Finding, Outcome, Phase, Scanned, ScanResult, Severity
from rewarp.project.support import Evidence, Support, Way
from rewarp.report import duration, effort_text
from rewarp.verdict import Approach, Conclusion, ProjectView, effort_minutes, judge


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


def test_only_the_package_itself_counts() -> None:
    findings = [
        finding(path="pkg/a.py", safety=Safety.NONE),
        finding(path="tests/test_a.py", safety=Safety.NONE),
        finding(path="old.cu", rule="CU-006", effort=Effort.REWRITE),
        finding(path="requirements.txt", rule="PKG-001", safety=Safety.NONE),
        finding(path="run.sh", rule="ENV-003"),
        finding(path="pyproject.toml", rule="BLD-007", safety=Safety.NONE),
    ]
    project = ProjectView({"tests/test_a.py": "tests"}, {"old.cu": "nothing builds it"})
    scanned = [Scanned(item.path, "python", 1, (item,)) for item in findings]
    found = judge(ScanResult(".", "rocm", tuple(scanned)), "AMD ROCm", project)
    assert found.conclusion is Conclusion.MANUAL
    assert found.standings == {"counts": 1, "install": 3, "aside": 1, "not built": 1}
    assert found.minutes == effort_minutes(findings[:1])
    assert "pkg/a.py" in found.better
    without = judge(ScanResult(".", "rocm", tuple(scanned[1:])), "AMD ROCm", project)
    assert without.conclusion is Conclusion.AS_IS


def test_an_environment_variable_of_the_program_counts() -> None:
    assert verdict(finding(path="a.py", rule="ENV-003")).conclusion is Conclusion.AUTOMATIC  # type: ignore[attr-defined]
    assert verdict(finding(path="a.sh", rule="ENV-003")).conclusion is Conclusion.AS_IS  # type: ignore[attr-defined]


def supporting(*ways: Way, device_code: bool = True) -> ProjectView:
    return ProjectView(support=Support("rocm", tuple(Evidence(way, "a", 1, "") for way in ways), device_code))


@pytest.mark.parametrize(
    ("project", "rewrites", "conclusion"),
    [
        (supporting(Way.BUILD, Way.SOURCES), False, Conclusion.SUPPORTS),
        (supporting(Way.BUILD, Way.SOURCES), True, Conclusion.REWRITE),
        (supporting(Way.BUILD, Way.SOURCES, Way.CI), True, Conclusion.SUPPORTS),
        (supporting(Way.BUILD), False, Conclusion.MANUAL),
        (supporting(Way.CI, device_code=False), False, Conclusion.SUPPORTS),
        (supporting(Way.CODE, device_code=False), False, Conclusion.MANUAL),
        (supporting(device_code=False), False, Conclusion.MANUAL),
    ],
)
def test_support_that_is_there(project: ProjectView, rewrites: bool, conclusion: Conclusion) -> None:
    one = finding(safety=Safety.NONE, effort=Effort.REWRITE if rewrites else Effort.HOURS)
    result = ScanResult(".", "rocm", (Scanned("x.py", "python", 1, (one,)),))
    assert judge(result, "AMD ROCm", project).conclusion is conclusion


def test_cuda_sources_that_torch_translates_are_an_automatic_change() -> None:
    result = ScanResult(".", "rocm", (Scanned("k.cu", "cuda", 1),))
    assert judge(result, "AMD ROCm", ProjectView(torch_translates=True)).conclusion is Conclusion.AUTOMATIC
    assert judge(result, "AMD ROCm", ProjectView()).conclusion is Conclusion.AS_IS


@pytest.mark.parametrize(
    ("needing", "conclusion"),
    [((0, 0), Conclusion.REWRITE), ((20, 100), Conclusion.REWRITE), ((3, 100), Conclusion.MANUAL)],
)
def test_parts_that_few_units_take_in_are_not_the_core(needing: tuple[int, int], conclusion: Conclusion) -> None:
    one = finding(path="flash.h", rule="CU-006", safety=Safety.NONE, effort=Effort.REWRITE)
    asked: list[set[str]] = []

    def units(paths: Iterable[str]) -> tuple[int, int]:
        asked.append(set(paths))
        return needing

    result = ScanResult(".", "rocm", (Scanned("flash.h", "c++", 1, (one,)),))
    assert judge(result, "AMD ROCm", ProjectView(needing=units)).conclusion is conclusion
    assert asked == [{"flash.h"}]


def test_a_few_files_that_cannot_be_read_do_not_hide_the_rest() -> None:
    many = tuple(Scanned(f"{n}.py", "python", 1) for n in range(30))
    broken = Failed("y.py", "not valid Python")
    found = judge(ScanResult(".", "rocm", (*many, broken)), "AMD ROCm")
    assert found.conclusion is Conclusion.AS_IS
    assert any("could not be read" in reason for reason in found.reasons)
    aside = ProjectView({"y.py": "examples"})
    assert judge(ScanResult(".", "rocm", (many[0], broken)), "AMD ROCm", aside).conclusion is Conclusion.AS_IS


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
