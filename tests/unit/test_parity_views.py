"""Views of a comparison: none knows more than another, none shows a number that there is not."""

from __future__ import annotations

import io
import json
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from parity_parts import OK, E, M, MemoryTree, P, example, parity, result, side, unit
from rich.console import Console

from rewarp.parity.scoring.result import Result, judged
from rewarp.parity.scoring.scores import score
from rewarp.parity.scoring.waivers import Waiver, Waivers
from rewarp.parity.units import Place, Problem
from rewarp.report import parity_markdown, parity_sarif, parity_text
from rewarp.report.parity import document, render_html, render_json

pytestmark = pytest.mark.usefixtures("few_units_do")

SARIF_SCHEMA = json.loads((Path(__file__).parents[1] / "data" / "sarif-schema-2.1.0.json").read_text())
SCHEMA = json.loads((files("rewarp.report") / "schemas" / "parity-1.json").read_text("utf-8"))


def text(found: Result, everything: bool = False) -> str:
    stream = io.StringIO()
    parity_text.show(found, Console(file=stream, width=200, soft_wrap=True), everything)
    return stream.getvalue()


def blocked() -> Result:
    return result(unit("x"), unit("y", b=M), problems=[Problem("src/rocm.rs", 7, "does not parse", True)])


def with_delta(tmp_path: Path) -> Result:
    file = tmp_path / "before.json"
    full = side(OK, dtypes={"f32": OK, "f16": OK})
    before = [
        unit("old", b=M),
        unit("lost", full, side(P, dtypes={"f32": OK, "f16": E})),
        unit("gone", b=M),
        unit("same", b=M),
    ]
    file.write_text(render_json(result(*before)))
    now = [unit("old"), unit("lost", full, E), unit("fresh", OK, side(E, "bail!")), unit("same", b=M)]
    return judged(parity(*now), MemoryTree({}), baseline_file=file)


# --- JSON ------------------------------------------------------------------------------------


def test_json_keeps_its_schema(tmp_path: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    for found in (example(), blocked(), result(), with_delta(tmp_path)):
        jsonschema.validate(json.loads(render_json(found)), SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**document(example()), "more": 1}, SCHEMA)


def test_json_says_everything() -> None:
    data = document(example())
    assert data["score"]["lowest"] == {"kind": "trait method", "percent": 26.6, "counted": 5, "unknown": 1}
    assert [kind["percent"] for kind in data["score"]["kinds"]] == [50.0, 26.6]
    matmul = next(one for one in data["units"] if one["name"] == "matmul")
    assert (matmul["verdict"], matmul["share"], matmul["lacking"]) == ("gap", (1, 3), ["f16", "bf16"])
    assert matmul["b"]["evidence"][-1] == {"path": "src/rocm.rs", "line": 25, "text": 'bail!("<script>")'}
    assert data["priorities"][0]["unit"] == "trait method:Backend::conv2d", "silence first"
    assert len(data["units"]) == 10


def test_no_number_where_there_is_no_score() -> None:
    data = document(blocked())
    assert data["score"]["computable"] is False
    assert data["score"]["lowest"] is None
    assert [kind["percent"] for kind in data["score"]["kinds"]] == [None]
    for shown in (text(blocked()), text(blocked(), True), parity_markdown.render(blocked())):
        assert "cannot be computed" in shown
        assert "does not parse" in shown
        assert "%" not in shown


# --- terminal --------------------------------------------------------------------------------


def test_text_is_short_and_all_is_not() -> None:
    gaps = [unit(f"op{number:02}", b=M, users=number) for number in range(30)]
    short, everything = text(result(*gaps, unit("fine"))), text(result(*gaps, unit("fine")), True)
    assert "12 of 30 gaps" in short
    assert "op29" in short
    assert "op05" not in short
    assert "fine" not in short
    assert all(one.name in everything for one in gaps)
    assert "fine" in everything


def test_text_shows_score_reason_and_places() -> None:
    shown = text(example())
    assert "26.6 % of what cuda does (trait method, the lowest of 2 kinds; 1 of 5 units could not be told)" in shown
    assert "src/rocm.rs:20 fn matmul(…) → src/rocm.rs:25" in shown
    assert "not for bf16, f16" in shown
    assert "the macro `ops!` cannot be seen through" in shown
    assert "Nothing was built or run" in shown


def test_text_with_markup_in_it_stays_text() -> None:
    assert "[bold]x[/bold]" in text(result(unit("[bold]x[/bold]", b=M)))


def test_text_and_waivers() -> None:
    import datetime

    found = parity(unit("x", b=M), unit("y", b=M), unit("z"))
    excuse = Waiver("trait method:Backend::x", "r", "ada", datetime.date(2030, 1, 1), "c")
    void = ((Waiver("trait method:Backend::y", "r", "bob", datetime.date(2020, 1, 1), "c"), "expired on 2020-01-01"),)
    excused = Waivers((excuse,), void)
    shown = Result(found, score(found, excused.keys), excused)
    assert "The waiver of trait method:Backend::y (bob) does not hold: expired on 2020-01-01" in text(shown)
    assert "1 gap waived" in text(shown)
    assert "1 of 1 gap" in text(shown)
    data = json.loads(render_json(shown))
    jsonschema.validate(data, SCHEMA)
    assert {one["name"]: one["waived"] for one in data["units"]} == {"x": True, "y": False, "z": False}


# --- Markdown --------------------------------------------------------------------------------


def test_markdown_without_a_baseline_lists_gaps() -> None:
    shown = parity_markdown.render(example())
    assert (
        "| `Backend::matmul` | partial | f16 \\| bf16 end in an error; reached from 9 places; not for bf16, f16 | `src/rocm.rs:25` |"
        in shown
    )
    assert "Backend::add" not in shown


def test_markdown_with_a_baseline_shows_only_what_changed(tmp_path: Path) -> None:
    shown = parity_markdown.render(with_delta(tmp_path))
    for part in (
        "### New gaps\n\n| unit | rocm | why | where |\n|---|---|---|---|\n| `Backend::fresh` | always an error | bail! |",
        "### Worse\n",
        "| `Backend::lost` | partial → always an error | always an error (not for f32) |",
        "### Closed\n",
        "| `Backend::old` | missing → implemented |",
        "renamed or removed, not closed): `trait method:Backend::gone`",
    ):
        assert part in shown
    assert "same" not in shown
    assert "(was 12.5 %)" in shown


def test_markdown_says_when_nothing_changed(tmp_path: Path) -> None:
    file = tmp_path / "before.json"
    file.write_text(render_json(result(unit("x", b=M))))
    found = judged(parity(unit("x", b=M)), MemoryTree({}), baseline_file=file)
    assert "No gap was opened or closed." in parity_markdown.render(found)


def test_markdown_keeps_code_from_becoming_markup() -> None:
    nasty = unit("a`|b\nc", OK, side(E, "<img src=x> @team | *x*", (Place("x|y.rs", 3),)))
    shown = parity_markdown.render(result(nasty))
    row = next(line for line in shown.splitlines() if "Backend::a" in line)
    assert row.count("|") - row.count("\\|") == 5
    assert "<img" not in shown.replace("\\<img", "")


# --- SARIF -----------------------------------------------------------------------------------


def test_sarif_has_gaps_at_both_places() -> None:
    found = parity_sarif.document(example())["runs"][0]
    names = {one["properties"]["unit"] for one in found["results"]}
    assert names == {f"trait method:Backend::{name}" for name in ("matmul", "conv2d", "copy")}, "only what has a place"
    matmul = next(one for one in found["results"] if one["properties"]["unit"].endswith("matmul"))
    assert matmul["level"] == "warning"
    place = matmul["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("src/rocm.rs", 25)
    assert matmul["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "src/cuda.rs"
    assert found["tool"]["driver"]["rules"][matmul["ruleIndex"]]["id"] == matmul["ruleId"] == "PARITY-TRAIT-METHOD"
    assert found["invocations"][0]["executionSuccessful"] is True


def test_sarif_follows_the_official_schema() -> None:
    odd = unit("a b\n`c`", OK, side(E, "why | not", (Place("a b/ü%.rs", 0), Place("", 0))), users=3)
    bare = result(problems=[Problem("", 0, "nothing was read", True), Problem("x.rs", 0, "odd")])
    for item in (example(), blocked(), result(odd), bare):
        jsonschema.Draft7Validator(SARIF_SCHEMA, format_checker=jsonschema.FormatChecker()).validate(
            json.loads(parity_sarif.render(item))
        )


def test_sarif_says_what_blocks() -> None:
    invocation = parity_sarif.document(blocked())["runs"][0]["invocations"][0]
    assert invocation["executionSuccessful"] is False
    assert invocation["toolExecutionNotifications"][0]["level"] == "error"


def test_sarif_of_a_missing_unit_lies_at_a() -> None:
    found = parity_sarif.document(result(unit("x", side(OK, "", (Place("cuda.rs", 4),)), M)))["runs"][0]["results"]
    assert found[0]["locations"][0]["physicalLocation"]["region"]["startLine"] == 4
    assert "relatedLocations" not in found[0]


# --- HTML ------------------------------------------------------------------------------------


def test_html_holds_the_data_and_no_markup_of_others() -> None:
    page = render_html(example())
    assert '"dtypes":["f32","bf16","f16"]' in page
    assert 'bail!(\\"\\u003cscript>' in page
    assert "__REWARP_" not in page
