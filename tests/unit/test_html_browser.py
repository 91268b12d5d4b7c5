"""The HTML report in a real browser: filters filter, themes switch, nothing breaks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rewarp.api import compare, scan
from rewarp.config import Config
from rewarp.report import comparison, html

EXAMPLE = Path(__file__).parents[2] / "examples" / "nvidia_project"
pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def page(open_page: Callable[[str], Any]) -> Any:
    return open_page(html.render(scan(EXAMPLE, config=Config(), use_cache=False)))


def shown(page: Any) -> int:
    return int(page.inner_text("#count").split(" of ")[0].replace(",", ""))


def test_severity_chips(page: Any) -> None:
    everything = shown(page)
    chip = page.locator('.chip[data-severity="crash"]')
    crashes = int(chip.locator("b").inner_text())
    assert crashes > 0
    chip.click()
    assert shown(page) == everything - crashes
    assert page.locator('.finding[data-severity="crash"]').count() == 0
    chip.click()
    assert shown(page) == everything


def test_what_counts_stands_open_and_the_rest_is_folded(page: Any) -> None:
    parts = page.eval_on_selector_all(".part", "n => n.map(x => [x.dataset.standing, x.tagName, x.open ?? true])")
    assert [tuple(part) for part in parts] == [
        ("counts", "SECTION", True),
        ("install", "DETAILS", False),
        ("aside", "DETAILS", False),
        ("not built", "DETAILS", False),
    ]
    assert page.locator('.chip[data-severity="info"]').get_attribute("aria-pressed") == "false"
    assert page.locator('.finding[data-severity="info"]').count() == 0
    # What stands aside informs: opened, the part says why it is empty, and the chip fills it.
    page.locator('.part[data-standing="aside"] > summary').click()
    assert "most only inform" in page.locator('.part[data-standing="aside"]').inner_text()
    page.locator('.chip[data-severity="info"]').click()
    page.locator('.part[data-standing="aside"] > summary').click()
    assert page.locator('.part[data-standing="aside"] details.file').first.is_visible()
    page.locator('.chip[data-severity="info"]').click()


def test_selects_and_search(page: Any) -> None:
    everything = shown(page)
    page.select_option("#kind", "cuda")
    cuda = shown(page)
    assert 0 < cuda < everything
    assert all(
        path.endswith((".cu", ".cuh"))
        for path in page.eval_on_selector_all("details.file", "n => n.map(x => x.dataset.path)")
    )
    page.select_option("#kind", "")
    page.select_option("#rule", "PY-VER-001")
    assert set(page.eval_on_selector_all(".finding", "n => n.map(x => x.dataset.rule)")) == {"PY-VER-001"}
    page.select_option("#rule", "")
    page.fill("#text", "setup.py")
    assert 0 < shown(page) < everything
    page.fill("#text", "no such thing anywhere")
    assert page.is_visible("text=Nothing passes these filters")
    page.fill("#text", "")
    assert shown(page) == everything


def test_the_marked_line_is_the_finding(page: Any) -> None:
    page.select_option("#rule", "PY-VER-001")
    marked = page.locator(".finding pre span.hit").first
    assert "torch.version.cuda" in marked.inner_text()
    page.select_option("#rule", "")


def test_themes_look_different(page: Any, tmp_path: Path) -> None:
    def background() -> str:
        return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    light, before = background(), page.screenshot(path=tmp_path / "light.png")
    page.click("#theme")
    dark, after = background(), page.screenshot(path=tmp_path / "dark.png")
    assert light != dark
    assert before != after
    assert min(len(before), len(after)) > 20_000, "a page with something on it"
    page.click("#theme")


def test_targets_side_by_side(open_page: Callable[[str], Any]) -> None:
    page = open_page(comparison.render_html(compare(EXAMPLE, ["rocm", "gaudi"], use_cache=False)))
    assert page.locator("#table th").all_inner_texts()[1:] == ["AMD ROCm", "Intel Gaudi"]
    assert page.locator("#table tr.conclusion td").count() == 3
    page.locator("details.rule > summary").first.click()
    assert page.locator("details.rule li").first.is_visible()
    for width in (400, 1200):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_nothing_is_wider_than_the_window(page: Any) -> None:
    for width in (400, 1200):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
