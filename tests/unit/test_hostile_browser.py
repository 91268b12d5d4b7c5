"""Every page in a real browser, with every string of its data hostile: shown, and nothing of it runs or loads."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from typing import Any

import pytest
from hostile_parts import steering
from hostile_reports import PAGES

pytestmark = pytest.mark.browser
EVERYTHING = """() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode())
        if (!node.parentElement.closest("script, style")) found.push(node.data);
    for (const element of document.body.querySelectorAll("*"))
        for (const { value } of element.attributes) found.push(value);
    return found.join("\\n");
}"""
"""What the page shows, what it would show if unfolded, and what is said to those who cannot see."""
TOUCH = """() => {
    for (const fold of document.querySelectorAll("details")) fold.open = true;
    for (const selector of ["svg circle, svg rect, svg path, tr", "button"])
        for (let at = 0; at < Math.min(60, document.querySelectorAll(selector).length); at++)
            for (const kind of ["pointermove", "mouseover", "click"])
                document.querySelectorAll(selector)[at]?.dispatchEvent(new PointerEvent(kind, { bubbles: true }));
}"""
"""Whatever can be unfolded, pointed at or pressed."""
INJECTED = (
    "img, iframe, object, embed, a[href*=evil], [onerror], b:text-is('EVILTAG'), script:not([id=data]):text('pwned')"
)


def test_no_page_is_left_out() -> None:
    templates = {item.name for item in (files("rewarp.report") / "templates").iterdir() if item.name.endswith(".html")}
    assert {f"{name}.html" for name in PAGES} == templates


@pytest.mark.parametrize("name", PAGES)
def test_nothing_runs(name: str, open_page: Callable[[str], Any]) -> None:
    html = PAGES[name]()
    assert html.count("EVIL") > 3
    tab = open_page(html)
    dialogs: list[str] = []
    tab.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    shown = tab.evaluate(EVERYTHING)
    tab.evaluate(TOUCH)
    assert r"EVIL\x1b]0;own\x07\x1b[31m\x9b2J" in shown, "the name is there, in letters"
    assert r"\u202e\u2066" in shown
    assert "<b>EVILTAG</b>" in shown, "markup is text"
    assert steering((shown + tab.evaluate(EVERYTHING)).replace("\t", "")) == []
    assert tab.locator(INJECTED).count() == 0
    assert tab.evaluate("window.pwned") is None
    assert dialogs == []
