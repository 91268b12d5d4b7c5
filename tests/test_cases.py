"""Every rule against its golden cases."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import CASES, Case, all_cases
from rewarp.edits import apply, reverse
from rewarp.registry import Rule, all_rules


@pytest.mark.parametrize("file", all_cases(), ids=lambda file: f"{file.parent.name}/{file.name}")
def test_case(file: Path, request: pytest.FixtureRequest) -> None:
    update = request.config.getoption("--update-cases")
    case = Case.read(file, may_be_new=update)
    if update:
        case.rewrite()
        case = Case.read(file)
    assert case.found() == case.expected
    if file.name.startswith("hit_"):
        assert case.expected, "a hit must find something"
    else:
        # A near-miss may be good news or mere information, never trouble.
        loud = [line for line in case.expected if line.split()[1].rstrip(":") not in ("works-as-is", "info")]
        assert not loud, "a near-miss must not raise an alarm"


@pytest.mark.parametrize(
    "file", [f for f in all_cases() if f.name.startswith("hit_")], ids=lambda f: f"{f.parent.name}/{f.name}"
)
def test_fix(file: Path) -> None:
    """What the port makes of a case: it parses, and a second port leaves it as it is."""
    case = Case.read(file)
    assert case.change() == case.fixed


SEVERAL_FILES = frozenset({"CI-001", "RS-002", "RS-003", "RS-004", "RS-006"})
"""Rules whose fix takes a project of several files: tests/port has them."""


@pytest.mark.parametrize("rule", [rule for rule in all_rules().values() if rule.fixes], ids=lambda rule: rule.id)
def test_every_fix_has_a_case(rule: Rule) -> None:
    cases = [Case.read(file) for file in (CASES / rule.id).glob("hit_*")]
    shown = {case.target for case in cases if case.fixed}
    wanted = {target for target in rule.fixes if rule.is_fixed(target) and rule.id not in SEVERAL_FILES}
    assert wanted <= shown


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
