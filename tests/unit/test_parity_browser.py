"""The matrix of units and data types in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from parity_parts import M, example, result, unit

from rewarp.parity.units import Problem
from rewarp.report.parity import render_html

pytestmark = pytest.mark.browser
Open = Callable[[str], Any]


@pytest.fixture(scope="module")
def page(open_page: Open) -> Any:
    return open_page(render_html(example()))


def shown(page: Any) -> list[str]:
    keys = page.eval_on_selector_all("#map tr[data-key]", "rows => rows.map(row => row.dataset.key)")
    assert page.inner_text("#count").startswith(f"{len(keys)} of ")
    return [key.rpartition("::")[2] for key in keys]


def test_head(page: Any) -> None:
    # Seven units are too few for a headline.
    assert "Too little seen to score" in page.inner_text("#verdict")
    assert "7 of the 10 units that a score needs" in page.inner_text("#verdict")
    assert "trait method" in page.inner_text("#kinds")
    assert page.inner_text("#first li >> nth=0").startswith("Backend::conv2d no-op")


def test_filters(page: Any) -> None:
    everything = shown(page)
    assert "device" not in everything, "what is not scored is off at first"
    page.click('#tools button[data-verdict="shown"]')
    assert "device" in shown(page)
    page.click('#tools button[data-verdict="shown"]')
    page.click('#tools button[data-verdict="gap"]')
    assert set(shown(page)) == {"add", "rope", "sort", "flash", "badd_f32"}
    page.click('#tools button[data-verdict="gap"]')
    page.select_option("#kind", "kernel")
    assert shown(page) == ["badd_f32", "bmul_f32"]
    page.select_option("#kind", "")
    page.fill("#text", "to_cpu_storage")
    assert shown(page) == ["copy"]
    page.fill("#text", "no such thing")
    assert shown(page) == []
    assert page.is_visible("text=Nothing passes these filters")
    page.fill("#text", "")
    assert shown(page) == everything


def test_a_cell_shows_its_evidence(page: Any) -> None:
    cell = page.locator('tr[data-key="trait method:Backend::matmul"] button[data-dtype="f16"]')
    assert cell.locator("span").evaluate_all("halves => halves.map(half => half.dataset.status)") == [
        "implemented",
        "always an error",
    ]
    assert "cuda implemented, rocm always an error" in cell.get_attribute("title")
    cell.click()
    assert cell.get_attribute("aria-pressed") == "true"
    detail = page.inner_text("#detail")
    assert "rocm: always an error for f16" in detail
    assert "src/rocm.rs:25" in detail
    assert 'bail!("<script>")' in detail, "code is text, never markup"
    assert "rocm lacks f16, bf16" in detail
    page.click('#detail button[title="close"]')
    assert not page.is_visible("#detail")


def test_keyboard(page: Any) -> None:
    page.locator('tr[data-key="trait method:Backend::copy"] td.name button').focus()
    page.keyboard.press("Enter")
    assert "Backend::copy" in page.inner_text("#detail")


def test_themes_and_width(page: Any, tmp_path: Path) -> None:
    def background() -> str:
        return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    light, before = background(), page.screenshot(path=tmp_path / "light.png")
    page.click("#theme")
    assert background() != light
    assert page.screenshot(path=tmp_path / "dark.png") != before
    page.click("#theme")
    for width in (400, 1200):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_no_score(open_page: Open) -> None:
    page = open_page(render_html(result(unit("x", b=M), problems=[Problem("r.rs", 3, "does not parse", True)])))
    verdict = page.inner_text("#verdict")
    assert "cannot be computed" in verdict
    assert "r.rs:3: does not parse" in verdict
    assert "%" not in page.inner_text("main")


def test_many_units(open_page: Open) -> None:
    page = open_page(render_html(result(*(unit(f"k{number}") for number in range(700)))))
    assert page.locator("#map tr[data-key]").count() == 300
    page.click("#more")
    assert page.locator("#map tr[data-key]").count() == 600
