"""Every output format is a view of the same scan."""

from __future__ import annotations

import json
from importlib.resources import files
from io import StringIO
from pathlib import Path

import jsonschema
import pytest
from rich.console import Console

from rewarp.api import ScanReport, compare, scan
from rewarp.config import Config
from rewarp.findings import Severity
from rewarp.report import amount, comparison, html, markdown, sarif, text
from rewarp.report import json as json_report
from rewarp.report.parts import grouped
from rewarp.verdict import Conclusion, Standing, standing

EXAMPLE = Path(__file__).parents[2] / "examples" / "nvidia_project"
SARIF_SCHEMA = json.loads((Path(__file__).parents[1] / "data" / "sarif-schema-2.1.0.json").read_text())
COMPARE_SCHEMA = json.loads((files("rewarp.report") / "schemas" / "scan-compare-1.json").read_text())
SCAN_SCHEMA = json.loads((files("rewarp.report") / "schemas" / "scan-1.json").read_text())


@pytest.fixture(scope="module", params=["rocm", "gaudi"])
def report(request: pytest.FixtureRequest) -> ScanReport:
    return scan(EXAMPLE, config=Config(target=request.param), use_cache=False)


@pytest.fixture
def awkward(tmp_path: Path) -> ScanReport:
    """Failed and skipped files, odd names, markup in code."""
    (tmp_path / "a b&<c>.py").write_text('import torch\nx = torch.version.cuda.split("</script><b>|`")\n')
    (tmp_path / "bad.py").write_text("def f(:\n")
    (tmp_path / "link.py").symlink_to("bad.py")
    return scan(tmp_path, use_cache=False)


def test_json_follows_its_schema(report: ScanReport, awkward: ScanReport) -> None:
    jsonschema.Draft202012Validator.check_schema(SCAN_SCHEMA)
    for item in (report, awkward):
        jsonschema.validate(json.loads(json_report.render(item)), SCAN_SCHEMA)


def test_json_counts_add_up(report: ScanReport) -> None:
    data = json_report.document(report)
    assert data["summary"]["findings"] == len(data["findings"]) == sum(data["summary"]["findings_by_severity"].values())
    assert {f["rule"] for f in (*data["findings"], *data["works"])} == set(data["rules"])
    assert all(f["severity"] == "works-as-is" for f in data["works"])


def test_json_places_are_true(report: ScanReport) -> None:
    for finding in json_report.document(report)["findings"]:
        data = (EXAMPLE / finding["path"]).read_bytes()
        lines = data.decode().splitlines()
        if finding["cell"] is None:
            assert lines[finding["line"] - 1].strip()[:200] == finding["snippet"]
        assert data[: finding["start_byte"]].count(b"\n") + 1 == finding["line"]


def test_sarif_follows_the_official_schema(report: ScanReport, awkward: ScanReport) -> None:
    for item in (report, awkward):
        jsonschema.Draft7Validator(SARIF_SCHEMA, format_checker=jsonschema.FormatChecker()).validate(
            json.loads(sarif.render(item))
        )


def test_sarif_holds_every_finding_and_every_failure(awkward: ScanReport) -> None:
    run = sarif.document(awkward)["runs"][0]
    assert len(run["results"]) == len(awkward.findings)
    assert run["invocations"][0]["executionSuccessful"] is False
    assert [n["level"] for n in run["invocations"][0]["toolExecutionNotifications"]] == ["error", "note"]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert "<" not in result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]


def test_markdown_fits_a_comment_and_names_every_rule(report: ScanReport, awkward: ScanReport) -> None:
    page = markdown.render(report)
    assert len(page) < 65_536
    assert all(finding.rule in page for finding in report.findings if finding.severity is not Severity.INFO)
    assert report.verdict.conclusion.value in page
    assert "not valid Python" in markdown.render(awkward)


def test_html_is_self_contained_and_cannot_be_broken_out_of(report: ScanReport, awkward: ScanReport) -> None:
    for item in (report, awkward):
        page = html.render(item)
        assert "src=" not in page.partition("<script")[0]
        assert "@import" not in page
        assert json.loads(_payload(page))["summary"]["findings"] == len(item.findings)


@pytest.mark.parametrize("by", ["rule", "file"])
@pytest.mark.parametrize("places", [3, 0])
def test_terminal(report: ScanReport, by: str, places: int) -> None:
    console = Console(width=100, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    text.show(report, console, places=places, by=by)
    shown = console.export_text()
    assert report.verdict.conclusion.value in shown
    if places == 0:
        assert shown.count("│ ") >= len(report.findings)
    counted = [
        f for f in report.findings if standing(f, report.project) is Standing.COUNTS and f.severity is not Severity.INFO
    ]
    assert counted
    names = {finding.rule if by == "rule" else finding.path for finding in (counted if places else report.findings)}
    missing = [name for name in names if name not in shown]
    if places:
        assert len(missing) < len(names)
        assert not missing or f"and {len(missing)} group" in shown
        assert "--all shows everything" in shown
    else:
        assert not missing


@pytest.mark.parametrize("height", [18, 40, 90])
@pytest.mark.parametrize("by", ["rule", "file"])
def test_at_most_a_screenful_comes_before_the_verdict(report: ScanReport, height: int, by: str) -> None:
    stream = StringIO()
    console = Console(width=100, height=height, file=stream, force_terminal=True, color_system=None)
    text.show(report, console, by=by)
    before = stream.getvalue().partition("╭─")[0].splitlines()
    notes = [line for line in before if "no part of the verdict" in line]
    assert len(notes) == 1
    # Notes and what was not read are short; the findings take what is left, and never less than a few lines.
    assert len(before) <= max(height, 30)
    dearest = grouped(report.at_least(Severity.PERF), by)[0]
    assert dearest.name in before[0]


def test_every_view_takes_a_least_severity(report: ScanReport) -> None:
    least = Severity.CRASH
    bad = {f.fingerprint for f in report.findings if f.severity is least}
    assert 0 < len(bad) < len(report.findings)
    assert {f["fingerprint"] for f in json_report.document(report, least)["findings"]} == bad
    assert {f["severity"] for f in json.loads(json_report.render(report, least))["findings"]} == {"crash"}
    assert {r["properties"]["severity"] for r in sarif.document(report, least=least)["runs"][0]["results"]} == {"crash"}
    page = html.render(report, least)
    assert {f["severity"] for f in json.loads(_payload(page))["findings"]} == {"crash"}
    rules = {f.rule for f in report.findings if f.severity is least}
    shown = markdown.render(report, least)
    assert all(f"<b>{rule}</b>" in shown for rule in rules)
    assert all(f"<b>{f.rule}</b>" not in shown for f in report.findings if f.rule not in rules)
    stream = StringIO()
    text.show(report, Console(width=100, file=stream), least=least)
    assert "perf  " not in stream.getvalue()


def test_every_view_goes_by_standing(tmp_path: Path) -> None:
    line = "import torch\nx = torch.version.cuda.split('.')\n"
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").write_text(line)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_a.py").write_text(line)
    (tmp_path / "requirements.txt").write_text("torch==2.4\n")
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'pkg'\nversion = '1'\n")
    report = scan(tmp_path, use_cache=False)
    data = json_report.document(report)
    assert {(f["path"], f["standing"], f["role"]) for f in data["findings"]} >= {
        ("pkg/__init__.py", "counts", None),
        ("tests/test_a.py", "aside", "tests"),
        ("requirements.txt", "install", None),
    }
    assert {f["severity"] for f in data["findings"] if f["standing"] == "aside"} == {"info"}
    assert data["verdict"]["apart"] == {"tests": 1}
    assert data["verdict"]["effort"]["without_port"]["files"] == 1
    by_standing = data["summary"]["findings_by_standing"]
    assert sum(n for of in by_standing.values() for n in of.values()) == data["summary"]["findings"]
    results = sarif.document(report)["runs"][0]["results"]
    levels = {(r["properties"]["standing"], r["level"]) for r in results if r["ruleId"] in ("PY-VER-001", "PKG-001")}
    assert levels == {("counts", "error"), ("aside", "note"), ("install", "note")}
    page = markdown.render(report)
    own, _, rest = page.partition("### Installing")
    assert "pkg/__init__.py" in own
    assert "tests/test_a.py" not in own
    assert "Not shown: 1 info." in rest.partition("### Apart")[2]
    parts_ = json.loads(_payload(html.render(report)))["parts"]
    assert [part["standing"] for part in parts_] == ["counts", "install", "aside", "not built"]


def _payload(page: str) -> str:
    return page.partition('id="data">')[2].partition("</script>")[0]


@pytest.fixture(scope="module")
def side_by_side() -> list[ScanReport]:
    return compare(EXAMPLE, ["rocm", "gaudi"], use_cache=False)


def test_a_comparison_is_the_scans(side_by_side: list[ScanReport], report: ScanReport) -> None:
    own = next(item for item in side_by_side if item.target is report.target)
    assert json_report.document(own) == json_report.document(report)


def test_a_comparison_follows_its_schema(side_by_side: list[ScanReport]) -> None:
    jsonschema.Draft202012Validator.check_schema(COMPARE_SCHEMA)
    data = json.loads(comparison.render_json(side_by_side))
    jsonschema.validate(data, COMPARE_SCHEMA)
    for item in data["scans"]:
        jsonschema.validate(item, SCAN_SCHEMA)
    assert all(len(row["cells"]) == 2 for row in data["table"])
    runs = json.loads(comparison.render_sarif(side_by_side))
    jsonschema.Draft7Validator(SARIF_SCHEMA, format_checker=jsonschema.FormatChecker()).validate(runs)
    assert [run["properties"]["target"] for run in runs["runs"]] == ["rocm", "gaudi"]


def test_a_comparison_says_the_same_in_every_view(side_by_side: list[ScanReport]) -> None:
    stream = StringIO()
    comparison.show(side_by_side, Console(width=200, file=stream))
    views = (stream.getvalue(), comparison.render_markdown(side_by_side), comparison.render_html(side_by_side))
    for report in side_by_side:
        for view in views:
            assert report.verdict.conclusion.value in view
            assert amount(report.verdict.left.lines) in view
            assert report.target.title in view


def test_a_bad_cell_is_told_in_every_view_and_is_no_failure(tmp_path: Path) -> None:
    cells = [{"cell_type": "code", "source": source} for source in ("import torch", "def f(:")]
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}))
    report = scan(tmp_path, use_cache=False)
    assert report.unread == []
    stream = StringIO()
    text.show(report, Console(width=100, file=stream))
    run = sarif.document(report)["runs"][0]["invocations"][0]
    assert run["executionSuccessful"] is True
    said = (
        stream.getvalue(),
        markdown.render(report),
        html.render(report),
        json_report.render(report),
        json.dumps(run),
    )
    assert all("cell 2" in view for view in said)


def test_what_is_about_installing_stands_beside_the_verdict(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("torch==2.4\n")
    (tmp_path / "net.py").write_text("import torch\nx = torch.zeros(1).cuda()\n")
    report = scan(tmp_path, use_cache=False)
    assert report.verdict.conclusion is Conclusion.AS_IS
    assert report.at_least(Severity.INFO) == []
    console = Console(width=100, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    text.show(report, console)
    assert "requirements.txt:1" in console.export_text()


@pytest.mark.parametrize("target", ["rocm", "gaudi"])
def test_another_command_is_named_whatever_the_verdict(target: str, tmp_path: Path) -> None:
    (tmp_path / "serve.py").write_text("import lmcache\n")
    report = scan(tmp_path, config=Config(target=target), use_cache=False)
    assert report.verdict.conclusion is Conclusion.AS_IS
    stream = StringIO()
    text.show(report, Console(width=200, file=stream))
    assert "serve.py:1  LMCache keeps KV caches" in stream.getvalue()
    assert "`rewarp bridge check A B`" in stream.getvalue()
    assert "not shown" not in stream.getvalue()


def test_a_notebook_that_cannot_be_read_is_told_and_no_failure(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text("import torch\n")
    (tmp_path / "a.ipynb").write_text("{")
    assert scan(tmp_path, use_cache=False).unread == []
    (tmp_path / "net.py").unlink()
    assert [item.path for item in scan(tmp_path, use_cache=False).unread] == ["a.ipynb"]


def test_the_example_exercises_every_family(report: ScanReport) -> None:
    from rewarp.registry import all_rules

    families = {all_rules()[f.rule].family for f in (*report.findings, *report.result.works)}
    assert families >= {"torch", "triton", "libraries", "build", "packaging", "env", "cuda"}
    assert not report.result.failed
