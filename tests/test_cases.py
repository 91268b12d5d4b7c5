"""Every rule against its golden cases."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import CASES, Case, all_cases
from rewarp.edits import apply, reverse
from rewarp.registry import all_rules


@pytest.mark.parametrize("file", all_cases(), ids=lambda file: f"{file.parent.name}/{file.name}")
def test_case(file: Path, request: pytest.FixtureRequest) -> None:
    case = Case.read(file)
    if request.config.getoption("--update-cases"):
        case.rewrite()
        case = Case.read(file)
    assert case.found() == case.expected
    if file.name.startswith("hit_"):
        assert case.expected, "a hit must find something"
    else:
        # A near-miss may be good news or mere information, never trouble.
        loud = [line for line in case.expected if line.split()[1].rstrip(":") not in ("works-as-is", "info")]
        assert not loud, "a near-miss must not raise an alarm"


@pytest.mark.parametrize("rule", all_rules())
def test_rule_has_two_hits_and_two_near_misses(rule: str) -> None:
    assert len(list((CASES / rule).glob("hit_*"))) >= 2
    assert len(list((CASES / rule).glob("miss_*"))) >= 2


def test_no_cases_without_a_rule() -> None:
    assert {folder.name for folder in CASES.iterdir()} == set(all_rules())


@pytest.mark.parametrize("file", [f for f in all_cases() if all_rules()[f.parent.name].edit], ids=lambda f: f.name)
def test_edits_mend_what_they_are_for(file: Path) -> None:
    """Applied, the edits leave nothing to edit; taken back, they leave the original bytes."""
    case = Case.read(file)
    edits = [edit for finding in case.findings() for edit in finding.edits]
    mended = Case(case.file, case.rule, apply(case.source, edits), case.options)
    assert [finding for finding in mended.findings() if finding.edits] == []
    assert apply(mended.source, reverse(case.source, edits)) == case.source
    assert bool(edits) is file.name.startswith("hit_")
