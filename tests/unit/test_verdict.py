"""From findings to an answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from rewarp.edits import Safety
from rewarp.findings import Effort, Failed, Finding, Outcome, Phase, Scanned, ScanResult, Severity
from rewarp.project.support import Evidence, Support, Way
from rewarp.report import amount, duration, effort_sentences, effort_text
from rewarp.verdict import Approach, Conclusion, ProjectView, Work, judge, left_work
from rewarp.verdict.effort import whole_work


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


def test_what_is_in_the_way_is_the_same_everywhere() -> None:
    """A failure of its own first: it counts, and neither the headline nor any table calls it an obstacle."""
    late = replace(finding(rule="PY-RT-001", path="late.py"), start=7)
    found = verdict(finding(), late, kind="python")
    assert found.in_the_way == {finding().sort_key}  # type: ignore[attr-defined]
    assert found.headline.startswith("1 place in 1 file stands")  # type: ignore[attr-defined]
    assert sum(row.blocking for row in found.phases) == 1  # type: ignore[attr-defined]
    assert "1 place matters only once something else has failed: late.py." in found.reasons  # type: ignore[attr-defined]
    assert not any("something else" in reason for reason in verdict(finding()).reasons)  # type: ignore[attr-defined]


def test_effort_is_lines_and_files_that_are_left() -> None:
    by_hand = [finding(safety=Safety.NONE, path=f"{n}.py") for n in range(3)]
    assert left_work(by_hand).files == 3
    assert left_work(by_hand) == left_work(by_hand * 5)
    assert left_work([finding()]) == Work(0.0, 0)
    assert left_work([finding(Severity.PERF, Safety.NONE), finding(Severity.INFO)]) == Work(0.0, 0)
    assert 0 < left_work(by_hand[:1]).lines < left_work(by_hand).lines
    mixed = [*by_hand, finding(path="automatic.py"), finding(path="0.py")]
    assert left_work(mixed) == left_work(by_hand)
    assert whole_work(mixed).files == 4
    assert whole_work(mixed).lines > left_work(mixed).lines
    assert whole_work([]) == Work(0.0, 0)


def test_lines_of_the_phases_add_up() -> None:
    both = [finding(safety=Safety.NONE), replace(finding(safety=Safety.NONE), phase=Phase.BUILD)]
    found = verdict(*both, replace(finding(safety=Safety.NONE, path="y.py"), phase=Phase.BUILD))
    assert sum(item.lines for item in found.phases) == found.left.lines  # type: ignore[attr-defined]


def test_requirements_in_examples_are_no_work() -> None:
    files = [f"examples/{n}/requirements.txt" for n in range(20)]
    found = [finding(path=path, rule="PKG-001", safety=Safety.NONE) for path in files]
    scanned = tuple(Scanned(item.path, "requirements", 1, (item,)) for item in found)
    told = judge(ScanResult(".", "rocm", scanned), "AMD ROCm", ProjectView(dict.fromkeys(files, "examples")))
    assert told.conclusion is Conclusion.AS_IS
    assert told.left == told.whole == Work(0.0, 0)
    assert effort_sentences(told) == ("Effort: nothing is left to write by hand after `rewarp port`.",)


def test_effort_is_told_in_lines_first_and_time_is_labelled() -> None:
    first, second = effort_sentences(verdict(finding(safety=Safety.NONE)))  # type: ignore[arg-type]
    assert "lines in 1 file" in first
    assert "median error" in first
    assert second.startswith("Derived from lines, not measured:")
    anew = effort_sentences(verdict(finding(safety=Safety.NONE, effort=Effort.REWRITE)))  # type: ignore[arg-type]
    assert [sentence for sentence in anew if "takes more" in sentence]
    unknown = judge(ScanResult(".", "rocm", ()), "AMD ROCm")
    assert effort_sentences(unknown) == ("Effort: cannot be told.",)


@pytest.mark.parametrize(("lines", "text"), [(0, "0"), (9.6, "10"), (45, "45"), (137, "140"), (1449, "1,400")])
def test_lines_are_told_as_exactly_as_they_are_known(lines: float, text: str) -> None:
    assert amount(lines) == text


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
    assert found.left == left_work(findings[:1])
    assert found.apart == {"tests": 1}
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
    [((0, 0), Conclusion.MANUAL), ((20, 100), Conclusion.REWRITE), ((3, 100), Conclusion.MANUAL)],
)
def test_parts_that_few_units_take_in_are_not_the_core(needing: tuple[int, int], conclusion: Conclusion) -> None:
    one = finding(path="flash.h", rule="CU-006", safety=Safety.NONE, effort=Effort.REWRITE)
    asked: list[set[str]] = []

    def units(paths: Iterable[str]) -> tuple[int, int]:
        asked.append(set(paths))
        return needing

    others = tuple(Scanned(f"{n}.cpp", "c++", 1) for n in range(20))
    result = ScanResult(".", "rocm", (Scanned("flash.h", "c++", 1, (one,)), *others))
    assert judge(result, "AMD ROCm", ProjectView(needing=units)).conclusion is conclusion
    assert asked == [{"flash.h"}]


@pytest.mark.parametrize(("lines", "conclusion"), [(5, Conclusion.MANUAL), (50, Conclusion.REWRITE)])
def test_programs_to_write_anew_count_by_their_share(lines: int, conclusion: Conclusion) -> None:
    """A module of many that is written for numba's CUDA is no rewrite of the package."""
    one = finding(path="a.py", rule="LIB-008", safety=Safety.NONE, effort=Effort.REWRITE)
    scanned = [Scanned("a.py", "python", lines, (one,)), Scanned("b.py", "python", 100)]
    assert judge(ScanResult(".", "rocm", tuple(scanned)), "AMD ROCm").conclusion is conclusion


@pytest.mark.parametrize(("files", "conclusion"), [(2, Conclusion.MANUAL), (4, Conclusion.REWRITE)])
def test_an_sdk_that_many_files_are_written_for_is_the_core(files: int, conclusion: Conclusion) -> None:
    """Its programs are compiled by steps of their own, which are no units of device code."""
    using = [finding(path=f"{n}.h", rule="CU-016", safety=Safety.NONE, effort=Effort.REWRITE) for n in range(files)]
    scanned = [Scanned(one.path, "c++", 1, (one,)) for one in using]
    scanned += [Scanned(f"{n}.cpp", "c++", 1) for n in range(20 - files)]
    project = ProjectView(needing=lambda _: (1, 100))
    assert judge(ScanResult(".", "rocm", tuple(scanned)), "AMD ROCm", project).conclusion is conclusion


def test_a_recovery_that_is_lost_keeps_nothing_from_running() -> None:
    one = finding(rule="PY-RT-001", severity=Severity.CRASH, safety=Safety.SAFE)
    result = ScanResult(".", "rocm", (Scanned("x.py", "python", 1, (one,)),))
    assert judge(result, "AMD ROCm").conclusion is Conclusion.AS_IS


def test_a_few_files_that_cannot_be_read_do_not_hide_the_rest() -> None:
    many = tuple(Scanned(f"{n}.py", "python", 1) for n in range(30))
    broken = Failed("y.py", "not valid Python")
    found = judge(ScanResult(".", "rocm", (*many, broken)), "AMD ROCm")
    assert found.conclusion is Conclusion.AS_IS
    assert any("could not be read" in reason for reason in found.reasons)
    aside = ProjectView({"y.py": "examples"})
    assert judge(ScanResult(".", "rocm", (many[0], broken)), "AMD ROCm", aside).conclusion is Conclusion.AS_IS


@pytest.mark.parametrize(
    ("target", "versions", "said"),
    [
        (
            "rocm",
            {},
            "Said for ROCm 6.2 to 7.1, any torch that is built for it and any AMD GPU from MI200 on; --rocm, --torch and --arch "
            "narrow it.",
        ),
        ("rocm", {"torch": "2.9", "rocm": "7.0", "arch": "gfx942"}, "Said for ROCm 7.0, torch 2.9 and gfx942."),
        ("gaudi", {"torch": "2.7"}, "Said for torch 2.7."),
    ],
)
def test_for_which_versions_it_is_said(target: str, versions: dict[str, str | None], said: str) -> None:
    assert judge(ScanResult(".", target, (), versions), "the target").reasons[-1] == said


def test_notes_on_installing_are_counted_however_mild() -> None:
    note = finding(path="requirements.txt", rule="PKG-001", severity=Severity.INFO)
    result = ScanResult(".", "rocm", (Scanned("requirements.txt", "requirements", 1, (note,)),))
    found = judge(result, "AMD ROCm")
    assert found.conclusion is Conclusion.AS_IS
    assert any("when installing" in reason for reason in found.reasons)


def test_strategy() -> None:
    def approach(*findings: Finding, kind: str = "cuda") -> Approach | None:
        strategy = verdict(*findings, kind=kind).strategy  # type: ignore[attr-defined]
        return strategy.approach if strategy else None

    api = finding(rule="CU-001", path="a.cu")
    assert approach(finding(), kind="python") is None
    assert approach(finding(rule="CU-021"), kind="python") is None
    assert approach(finding(rule="CU-021", path="a.cpp"), kind="c++") is Approach.SHIM
    assert approach(finding(rule="CU-005"), kind="python") is Approach.SHIM
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
