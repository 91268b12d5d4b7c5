"""The fleet's page in a browser: what it shows, its filters, and two widths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rewarp.fleet.overview import Overview
from rewarp.fleet.tables import REPOSITORIES, RUNS
from rewarp.report import fleet
from rewarp.verdict import Conclusion

pytestmark = pytest.mark.browser


def row(name: str, conclusion: Conclusion | None, lines: float | None, **more: Any) -> dict[str, Any]:
    told = {
        "repository": name,
        "status": "done" if conclusion else "time limit",
        "reason": "" if conclusion else "not done in 900 s",
        "conclusion": conclusion.value if conclusion else None,
        "left_lines": lines,
        "left_files": 2,
        "in_the_way": 3 if conclusion else None,
        "files": 10 if conclusion else None,
        "lines": 1000 if conclusion else None,
    }
    return {**dict.fromkeys(REPOSITORIES.columns), **told, **more}


def example() -> Overview:
    repositories = [
        *(row(f"team/{number:02}", Conclusion.MANUAL, 600.0 - number) for number in range(40)),
        row("team/done", Conclusion.SUPPORTS, 0.0),
        row("team/hangs", None, None),
    ]
    rules = [
        {"rule": f"PY-X-{n:03}", "title": f"title {n}", "repositories": 40 - n, "places": 80, "severities": ["crash"]}
        for n in range(30)
    ]
    unblocked = [{"rule": "PY-X-001", "title": "title 1", "repositories": ["team/01", "team/02"], "places": 3}]
    change = {
        "before": "needs manual work",
        "after": "supports the target already",
        "lines_before": 60.0,
        "lines_after": 0.0,
    }
    run = {
        **dict.fromkeys(RUNS.columns, 1),
        "run": "2026-01-02",
        "repositories": 42,
        "done": 41,
        "target": "rocm",
        "place": "2 processes",
    }
    return Overview(
        run, "2026-01-01", repositories, rules, unblocked, [{"repository": "team/done", **change, "new": 0, "gone": 4}]
    )


def test_the_page_tells_where_the_fleet_stands(open_page: Callable[[str], Any]) -> None:
    tab = open_page(fleet.render_html(example()))
    shown = tab.inner_text("#verdict")
    assert "42 repositories" in shown
    assert "40 needs manual work" in shown
    assert "1 not looked at" in shown
    assert "not done in 900 s" in tab.inner_text("#trouble")
    assert "team/01, team/02" in tab.inner_text("#unblocked")
    assert "supports the target already" in tab.inner_text("#changes")
    assert "about 600 lines in 2 files" in tab.inner_text("#repositories")
    assert tab.locator("#repositories tr").count() == 42, "the heading, and who was looked at"


def test_long_tables_open_and_lists_are_filtered(open_page: Callable[[str], Any]) -> None:
    tab = open_page(fleet.render_html(example()))
    assert tab.locator("#rules tr").count() == 12
    tab.click("#rules button")
    assert tab.locator("#rules tr").count() == 31
    tab.fill("#search", "team/0")
    assert tab.locator("#repositories tr").count() == 11
    tab.fill("#search", "")
    tab.select_option("#conclusion", Conclusion.SUPPORTS.value)
    assert tab.locator("#repositories tr").count() == 2


@pytest.mark.parametrize("width", [1280, 420])
def test_nothing_runs_out_of_the_page(width: int, open_page: Callable[[str], Any]) -> None:
    tab = open_page(fleet.render_html(example()))
    tab.set_viewport_size({"width": width, "height": 900})
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
