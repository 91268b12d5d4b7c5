"""The page of a comparison in a real browser: the picture, the figures, the filters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from test_numbers_golden import recording

from rewarp.report import numbers as views
from rewarp.verify import numbers
from rewarp.verify.numbers.evidence import not_run

pytestmark = pytest.mark.browser
Open = Callable[[str], Any]


def test_divergence_is_marked(open_page: Open) -> None:
    tab = open_page(views.html(numbers.compare(recording(), recording({"block.inner": 5.0}))))
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


def test_themes(open_page: Open) -> None:
    tab = open_page(views.html(numbers.compare(recording(), recording())))
    light = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    tab.click("#theme")
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") != light
    assert tab.locator("svg .first").count() == 0


@pytest.mark.parametrize("case", [{"last": float("nan")}, {"last": float("inf")}, None])
def test_what_has_no_size(open_page: Open, case: dict[str, float] | None) -> None:
    evidence = not_run("no <b>device</b> here", 0.0) if case is None else numbers.compare(recording(), recording(case))
    tab = open_page(views.html(evidence))
    text = tab.inner_text("#verdict")
    assert "no <b>device</b> here" in text if case is None else "last (Linear)" in text
