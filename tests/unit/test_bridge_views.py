"""`rewarp bridge check` and `matrix` as people and programs see them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from rewarp.cli import main

FP8 = ["--set", "vllm.kv_cache_dtype=fp8"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["h100", "mi300x"], 0),
        (["h100", "mi300x", *FP8], 1),
        (["h100", "b200", *FP8], 0),
        (["h100", "gaudi3"], 1),  # blocks of another size: prefix hashes differ
        (["h100", "gaudi3", "--set", "vllm.block_size=128"], 0),
        (["h100", "mi300x", "--set-b", "hash_seed=1"], 1),
        (["h100", "mi300x", "--set", "python=3.10"], 0),
        (["h100", "mi300x", "--set-b", "python=3.10"], 1),
        (["h100", "mi300x", "--set", "lmcache.version=9.9"], 3),
        (["h100", "mi300x", "--set", "vllm.version=9.9"], 3),
        (["h100", "mi301x"], 2),
        (["h100", "mi300x", "--set", "vllm.colour=red"], 2),
        (["h100", "nowhere.toml"], 2),
    ],
)
def test_exit_codes(arguments: list[str], code: int) -> None:
    assert main(["bridge", "check", "-q", *arguments]) == code


def test_the_text_says_what_was_taken_for_granted_and_what_was_not_run(capsys: pytest.CaptureFixture[str]) -> None:
    main(["bridge", "check", "h100", "mi300x", *FP8])
    text = capsys.readouterr().out
    assert "H100 stands for a reference deployment" in text
    assert "KV chunks, H100 -> MI300X: SILENTLY WRONG" in text
    assert "halved" in text
    assert "doubled" in text
    assert "-> exact (checked again)" in text
    assert "not checked: FP8 weights: no checkpoint was described" in text
    assert "No kernel of any vendor ran" in text


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bridge", "check", "h100", "mi300x", *FP8, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == 1
    assert found["exit_code"] == 1
    first = found["crossings"][0]
    assert (first["kind"], first["from"], first["to"]) == ("KV chunks", "H100", "MI300X")
    assert (first["verdict"], first["field"], first["basis"]) == ("silently wrong", "vllm.kv_cache_dtype", "run on CPU")
    assert all(remedy["leads_to"] != "silently wrong" for remedy in first["remedies"])
    assert found["a"]["vllm"]["kv_cache_dtype"] == "fp8"
    assert {entry["kind"] for entry in found["not_checked"]} == {"FP8 weights", "safetensors"}


def test_markdown_has_a_row_for_each_crossing(capsys: pytest.CaptureFixture[str]) -> None:
    main(["bridge", "check", "h100", "mi300x", *FP8, "--markdown"])
    html = MarkdownIt("commonmark").enable("table").render(capsys.readouterr().out)
    assert html.count("<tr>") == 1 + 4
    assert html.count("<strong>silently wrong</strong>") == 2


def test_the_matrix(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page = tmp_path / "bridge.html"
    assert main(["bridge", "matrix", "--json", "--html", str(page)]) == 0
    found = json.loads(capsys.readouterr().out)
    names = list(found["platforms"])
    for table in found["tables"]:
        assert list(table["rows"]) == names
        assert all(list(row) == names for row in table["rows"].values())
    unit = found["tables"][1]["rows"]
    assert unit["h100"]["mi300x"]["verdict"] == "silently wrong"
    assert unit["h100"]["mi350x"]["verdict"] == "exact"
    assert unit["a100"]["h100"]["verdict"] == "unknown"
    assert "All platforms against all" in page.read_text()
    assert main(["bridge", "matrix", "--markdown"]) == 0
    assert MarkdownIt("commonmark").enable("table").render(capsys.readouterr().out).count("<table>") == len(
        found["tables"]
    )
    assert main(["bridge", "matrix", "--set", "lmcache.version=0.1.2"]) == 0
    text = capsys.readouterr().out
    assert "exact" not in text.partition("FP8 weights")[0]


@pytest.mark.browser
def test_a_click_shows_why(open_page: Callable[[str], Any], tmp_path: Path) -> None:
    page = tmp_path / "bridge.html"
    main(["bridge", "check", "h100", "mi300x", *FP8, "--html", str(page), "-q"])
    tab = open_page(page.read_text())
    assert "not everything arrives" in tab.inner_text("#verdict h1")
    assert tab.is_hidden("#why")
    tab.locator(".matrix").nth(1).locator("button", has_text="silently wrong").first.click()
    assert "takes it for e4m3fnuz" in tab.inner_text("#why")
    colours = tab.evaluate("[...document.querySelectorAll('.matrix button')].map(b => getComputedStyle(b).color)")
    assert len(set(colours)) > 3
