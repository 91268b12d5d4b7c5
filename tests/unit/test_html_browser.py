"""The HTML report in a real browser: filters filter, themes switch, nothing breaks."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rewarp.api import scan
from rewarp.config import Config
from rewarp.report import html

EXAMPLE = Path(__file__).parents[2] / "examples" / "nvidia_project"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    if CHROMIUM is None:
        if os.environ.get("REWARP_REQUIRE_BROWSER"):
            pytest.fail("no Chromium on this machine, and REWARP_REQUIRE_BROWSER is set")
        pytest.skip("no Chromium on this machine")
    playwright = pytest.importorskip("playwright.sync_api")
    file = tmp_path_factory.mktemp("html") / "index.html"
    file.write_text(html.render(scan(EXAMPLE, config=Config(), use_cache=False)), encoding="utf-8")
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync", "--no-first-run"]
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=flags)
        tab = browser.new_page(viewport={"width": 1200, "height": 900}, color_scheme="light")
        tab.errors = []
        tab.on("pageerror", lambda error: tab.errors.append(str(error)))
        tab.on(
            "request", lambda request: tab.errors.append(request.url) if not request.url.startswith("file:") else None
        )
        tab.goto(file.as_uri())
        yield tab
        assert tab.errors == [], "no script error, and nothing loaded from anywhere"
        browser.close()


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


def test_nothing_is_wider_than_the_window(page: Any) -> None:
    for width in (400, 1200):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
