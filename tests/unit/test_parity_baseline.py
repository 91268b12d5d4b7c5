"""A baseline: an earlier JSON, against which only new gaps count."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from parity_parts import OK, E, M, MemoryTree, P, U, parity, result, side, unit

from rewarp.errors import UsageError
from rewarp.parity.scoring import baseline
from rewarp.parity.scoring.baseline import Delta
from rewarp.parity.scoring.result import judged
from rewarp.parity.units import Side, Unit
from rewarp.report.parity import render_json


def delta(tmp_path: Path, before: list[Unit], now: list[Unit]) -> Delta:
    file = tmp_path / "before.json"
    file.write_text(render_json(result(*before)))
    found = judged(parity(*now), MemoryTree({}), baseline_file=file).delta
    assert found is not None
    return found


def names(found: Delta) -> dict[str, list[str]]:
    pairs = {"worse": found.worse, "better": found.better, "closed": found.closed}
    shown = {
        "new": [one.unit.name for one in found.new_gaps],
        **{name: [one.unit.name for one, _ in changes] for name, changes in pairs.items()},
        "gone": [before.key.rpartition("::")[2] for before in found.gone],
    }
    return {name: units for name, units in shown.items() if units}


def part(**dtypes: Any) -> Side:
    return side(P, dtypes=dtypes)


def test_nothing_changed(tmp_path: Path) -> None:
    same = [unit("x"), unit("y", b=M), unit("z", b=U), unit("n", E, E)]
    found = delta(tmp_path, same, same)
    assert names(found) == {}
    assert not found.has_new_gap


@pytest.mark.parametrize(
    "was", [[], [unit("y")], [unit("y", E, E)], [unit("y", M, OK)], [unit("y", b=M, scored=False)]]
)
def test_new_gaps(tmp_path: Path, was: list[Unit]) -> None:
    found = delta(tmp_path, was, [unit("y", b=M)])
    assert names(found) == {"new": ["y"]}
    assert found.has_new_gap


def test_an_unknown_is_a_new_gap_too(tmp_path: Path) -> None:
    assert delta(tmp_path, [unit("y")], [unit("y", b=U)]).has_new_gap


def test_worse_and_better(tmp_path: Path) -> None:
    full, half = side(OK, dtypes={"f32": OK, "f16": OK}), part(f32=OK, f16=E)
    found = delta(tmp_path, [unit("y", full, half)], [unit("y", full, E)])
    assert names(found) == {"worse": ["y"]}
    assert found.has_new_gap
    found = delta(tmp_path, [unit("y", full, E)], [unit("y", full, half)])
    assert names(found) == {"better": ["y"]}
    assert not found.has_new_gap


def test_one_data_type_for_another_is_worse(tmp_path: Path) -> None:
    full = side(OK, dtypes={"f32": OK, "f16": OK})
    found = delta(tmp_path, [unit("y", full, part(f32=OK, f16=E))], [unit("y", full, part(f32=E, f16=OK))])
    assert names(found) == {"worse": ["y"]}


def test_closed_and_gone(tmp_path: Path) -> None:
    found = delta(tmp_path, [unit("x", b=M), unit("y", b=M)], [unit("x")])
    assert names(found) == {"closed": ["x"], "gone": ["y"]}


def test_a_gap_that_a_gave_up_is_not_closed(tmp_path: Path) -> None:
    assert names(delta(tmp_path, [unit("x", b=M)], [unit("x", E, M)])) == {}


def test_what_is_not_scored_is_no_gap(tmp_path: Path) -> None:
    assert names(delta(tmp_path, [unit("x")], [unit("x"), unit("f", b=M, scored=False)])) == {}


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", '{"schema": "rewarp.parity/1"}', "{" * 10_000])
def test_no_baseline(tmp_path: Path, text: str) -> None:
    file = tmp_path / "before.json"
    file.write_text(text)
    with pytest.raises(UsageError, match="is not the JSON of a parity comparison"):
        baseline.read(file, parity(unit()))


def test_other_schema_other_pair_no_file(tmp_path: Path) -> None:
    file = tmp_path / "before.json"
    document = json.loads(render_json(result(unit())))
    file.write_text(json.dumps({**document, "schema": "rewarp.parity/9"}))
    with pytest.raises(UsageError, match=r"'rewarp.parity/9' is not rewarp.parity/1"):
        baseline.read(file, parity(unit()))
    file.write_text(json.dumps({**document, "b": "metal"}))
    with pytest.raises(UsageError, match="compares cuda with metal, not cuda with rocm"):
        baseline.read(file, parity(unit()))
    with pytest.raises(UsageError, match="cannot read the baseline"):
        baseline.read(tmp_path / "none.json", parity(unit()))
    file.write_bytes(b"\xff")
    with pytest.raises(UsageError, match="is not the JSON"):
        baseline.read(file, parity(unit()))
