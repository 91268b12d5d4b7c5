"""Every output format is a view of the same scan."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from rich.console import Console

from rewarp.api import ScanReport, scan
from rewarp.config import Config
from rewarp.findings import Severity
from rewarp.report import html, markdown, sarif, text
from rewarp.report import json as json_report
from rewarp.verdict import Conclusion, Standing, standing

EXAMPLE = Path(__file__).parents[2] / "examples" / "nvidia_project"
SARIF_SCHEMA = json.loads((Path(__file__).parents[1] / "data" / "sarif-schema-2.1.0.json").read_text())
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
    assert all(finding.rule in page for finding in report.findings)
    assert report.verdict.conclusion.value in page
    assert "not valid Python" in markdown.render(awkward)


def test_html_is_self_contained_and_cannot_be_broken_out_of(report: ScanReport, awkward: ScanReport) -> None:
    for item in (report, awkward):
        page = html.render(item)
        assert "src=" not in page.partition("<script")[0]
        assert "@import" not in page
        payload = page.partition('id="data">')[2].partition("</script>")[0]
        assert json.loads(payload)["summary"]["findings"] == len(item.findings)


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
    for finding in report.findings if places == 0 else counted:
        assert (finding.rule if by == "rule" else finding.path) in shown
    if places:
        assert "--all shows them" in shown


def test_what_is_about_installing_stands_beside_the_verdict(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("torch==2.4\n")
    (tmp_path / "net.py").write_text("import torch\nx = torch.zeros(1).cuda()\n")
    report = scan(tmp_path, use_cache=False)
    assert report.verdict.conclusion is Conclusion.AS_IS
    assert report.at_least(Severity.INFO) == []
    console = Console(width=100, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    text.show(report, console)
    assert "requirements.txt:1" in console.export_text()


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
