"""The page of a comparison in a real browser: the picture, the figures, the filters."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numpy")

from test_numbers_golden import recording

from rewarp.report import numbers as views
from rewarp.verify import numbers
from rewarp.verify.numbers.evidence import not_run

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        if os.environ.get("REWARP_REQUIRE_BROWSER"):
            pytest.fail("no Chromium on this machine, and REWARP_REQUIRE_BROWSER is set")
        pytest.skip("no Chromium on this machine")
    playwright = pytest.importorskip("playwright.sync_api")
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync", "--no-first-run"]
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield started
        started.close()


def opened(browser: Any, tmp_path: Path, evidence: Any) -> Any:
    file = tmp_path / "numbers.html"
    file.write_text(views.html(evidence), encoding="utf-8")
    tab = browser.new_page(viewport={"width": 1200, "height": 900}, color_scheme="light")
    tab.errors = []
    tab.on("pageerror", lambda error: tab.errors.append(str(error)))
    tab.on("request", lambda request: tab.errors.append(request.url) if not request.url.startswith("file:") else None)
    tab.goto(file.as_uri())
    return tab


def test_divergence_is_marked(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, tmp_path, numbers.compare(recording(), recording({"block.inner": 5.0})))
    assert "block.inner (Linear)" in tab.inner_text("#culprit")
    assert tab.locator("svg .point").count() == 5
    assert tab.locator("svg .point.failed").count() == 4
    assert tab.text_content("svg .first-name") == "block.inner"
    assert tab.inner_text("#figures h2") == "block.inner (Linear)", "what matters is open from the start"
    heights = tab.eval_on_selector_all("svg .point", "n => n.map(x => +x.getAttribute('cy'))")
    assert heights[0] > heights[1], "no error lies below an error"
    tab.locator('svg .point[data-name="first"]').click()
    assert tab.inner_text("#figures h2") == "first (Linear)"
    assert "units in the last place" in tab.inner_text("#figures")
    tab.click("#failing")
    assert tab.inner_text("#count") == "4 of 5"
    tab.fill("#text", "last")
    assert tab.inner_text("#count") == "1 of 5"
    tab.locator('#list tr[data-name="last"]').click()
    assert tab.inner_text("#figures h2") == "last (Linear)"
    assert tab.errors == []


def test_themes(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, tmp_path, numbers.compare(recording(), recording()))
    light = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    tab.click("#theme")
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") != light
    assert tab.locator("svg .first").count() == 0
    assert tab.errors == []


@pytest.mark.parametrize("case", [{"last": float("nan")}, {"last": float("inf")}, None])
def test_what_has_no_size(browser: Any, tmp_path: Path, case: dict[str, float] | None) -> None:
    evidence = not_run("no <b>device</b> here", 0.0) if case is None else numbers.compare(recording(), recording(case))
    tab = opened(browser, tmp_path, evidence)
    text = tab.inner_text("#verdict")
    assert "no <b>device</b> here" in text if case is None else "last (Linear)" in text
    assert tab.errors == []
