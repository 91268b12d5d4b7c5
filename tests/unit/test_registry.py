"""Declaring rules, version windows, and the prefilter that decides which rules are tried."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewarp.errors import RegistryError
from rewarp.findings import Phase, Severity
from rewarp.lang.kinds import Kind
from rewarp.registry import Hit, Impact, Rule, RuleIndex, When, all_rules, rule, rules_for
from rewarp.targets import ROCM, Context, Versions

IMPACT = Impact(Severity.INFO, why="x.")


def declare(**changes: Any) -> Rule:
    settings: dict[str, Any] = {
        "id": "PY-VER-999",
        "title": "x",
        "kinds": Kind.PYTHON,
        "anchors": ["x"],
        "phase": Phase.BUILD,
        "rocm": IMPACT,
        "example": "x",
        "source": "x",
    }

    def match(document: Any, context: Context) -> Iterator[Hit]:
        """Looks for nothing."""
        return iter(())

    return rule(**(settings | changes))(match)


def test_a_good_declaration() -> None:
    assert declare().impacts == {"rocm": IMPACT}


@pytest.mark.parametrize(
    "changes",
    [
        {"id": "nonsense"},
        {"anchors": []},
        {"anchors": ["torch.cuda"]},
        {"anchors": [""]},
        {"anchors": ["~"]},
        {"rocm": None},
    ],
)
def test_bad_declarations_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(RegistryError):
        declare(**changes)


def test_a_rule_without_a_docstring_is_refused() -> None:
    with pytest.raises(RegistryError, match="docstring"):
        rule(
            id="PY-VER-999",
            title="x",
            kinds=Kind.PYTHON,
            anchors=["x"],
            phase=Phase.BUILD,
            rocm=IMPACT,
            example="x",
            source="x",
        )(lambda document, context: iter(()))


@pytest.mark.parametrize(
    ("anchors", "text", "tried"),
    [
        (["version"], "x.version", True),
        (["version"], "versions _version", False),
        (["version cuda"], "cuda\nversion", True),
        (["version cuda"], "version", False),
        (["448"], "x = 448.0", True),
        (["CUDA_*"], "CUDA_ERROR_X", True),
        (["CUDA_*"], "CUDA", False),
        (["*_cuda"], "import my_cuda", True),
        (["~device-side assert"], "device-side assert", True),
        (["~device-side assert"], "device-side\nassert", False),
        (["error ~CUDA error"], "CUDA error", True),
        (["error ~CUDA error"], "CUDA errors", False),
        (["a", "b c"], "b", False),
        (["a", "b c"], "b c", True),
    ],
)
def test_prefilter(anchors: list[str], text: str, tried: bool) -> None:
    item = declare(anchors=anchors)
    assert bool(RuleIndex.of([(item, item.anchors)]).candidates(text.encode())) is tried


@given(st.text(alphabet="abcd _.*~\n", max_size=40))
def test_prefilter_agrees_with_a_plain_search(text: str) -> None:
    import re

    item = declare(anchors=["ab cd", "abc"])
    words = set(re.findall(r"\w+", text))
    expected = {"ab", "cd"} <= words or "abc" in words
    assert bool(RuleIndex.of([(item, item.anchors)]).candidates(text.encode())) is expected


@pytest.mark.parametrize(
    ("when", "versions", "holds"),
    [
        (When(torch="<2.11"), Versions(), None),
        (When(torch="<2.11"), Versions(torch="2.10"), True),
        (When(torch="<2.11"), Versions(torch="2.11"), False),
        (When(torch="<2.11", rocm="<7.2"), Versions(torch="2.10"), None),
        (When(torch="<2.11", rocm="<7.2"), Versions(torch="2.12"), False),
        (When(torch="<2.11", rocm="<7.2", any_of=True), Versions(torch="2.10"), True),
        (When(torch="<2.11", rocm="<7.2", any_of=True), Versions(torch="2.12"), None),
        (When(torch="<2.11", rocm="<7.2", any_of=True), Versions(torch="2.12", rocm="7.2"), False),
        (When(arch=("gfx94",)), Versions(), None),
        (When(arch=("gfx94",)), Versions(arch="gfx942"), True),
        (When(arch=("gfx94",)), Versions(arch="gfx950"), False),
        (When(torch="<2.11", arch=("gfx94",)), Versions(torch="2.12"), False),
    ],
)
def test_when(when: When, versions: Versions, holds: bool | None) -> None:
    assert when.holds(Context(ROCM, versions)) is holds


def test_rules_are_found_and_ordered() -> None:
    rules = all_rules()
    assert len(rules) > 150
    assert list(rules) == sorted(rules)
    python = rules_for("rocm", Kind.PYTHON)
    assert {r.id for r in python.candidates(b"torch.version.cuda")} >= {"PY-VER-001", "PY-VER-002"}
    assert not {r.id for r in rules_for("gaudi", Kind.CUDA).candidates(b"cudaMalloc(&p, 4)")} & {"PY-VER-001"}
