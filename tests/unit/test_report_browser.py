"""The report's page in a real browser: its parts, the links between them, search, keys, widths, print."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hostile_reports import EXAMPLE, PAGES

from rewarp.api import scan
from rewarp.config import Config
from rewarp.report import html, pieces, site
from rewarp.workspace.identity import Identity

pytestmark = pytest.mark.browser
COMMIT = "f" * 40
BEFORE, AFTER = "b" * 64, "a" * 64
REMOTE = "https://github.com/acme/nvidia_project"
PATCH = """diff --git a/setup.py b/setup.py
--- a/setup.py
+++ b/setup.py
@@ -1,4 +1,4 @@
 import os
-if CUDA_HOME is None:
+if CUDA_HOME is None and not ROCM:
+    raise RuntimeError
--- a line that looks like a header
 pass
diff --git "a/odd \\303\\244.py" "b/odd \\303\\244.py"
new file mode 100644
--- /dev/null
+++ "b/odd \\303\\244.py"
@@ -0,0 +1,1 @@
+new
"""


def check(what: str, outcome: str, path: str | None = None) -> dict[str, Any]:
    return {"what": what, "outcome": outcome, "why": "", "path": path, "line": None, "evidence": {}}


def level(name: str, outcome: str, *checks: dict[str, Any], **details: Any) -> dict[str, Any]:
    counts = {outcome: len(checks)}
    return {
        "level": name, "outcome": outcome, "counts": counts, "checks": list(checks), "provenance": {"where": "machine"},
        "details": details,
    }  # fmt: skip


def piece(kind: str, document: dict[str, Any], tree: str = BEFORE, **more: Any) -> pieces.Piece:
    identity = Identity("/nowhere/nvidia_project", tree, COMMIT, True, "", REMOTE)
    return pieces.Piece(
        kind, "rocm", "0.2.0", "2026-11-16T10:00:00+00:00", f"rewarp {kind} .", identity, document, **more
    )


def port(outcome: str = "passed", manual: bool = True) -> dict[str, Any]:
    left = {"path": "Makefile", "line": 2, "what": "NVCC is nvcc", "why": "nobody can tell", "rule": "BLD-020"}
    figures = {"count": 1, "effort_minutes": 1.0}
    return {
        "schema": "rewarp.port/1",
        "target": "rocm",
        "done": not manual,
        "phases": [
            {
                "number": 4,
                "title": "build",
                "changes": [{"path": "setup.py", "kind": "changed", "why": "a gate", "rules": ["BLD-001"]}],
                "manual": [left] if manual else [],
            }
        ],
        "findings": {"before": figures, "after": figures, "blocking": []},
        "verification": [level("isolation", outcome, check("setup.py for NVIDIA", outcome, "setup.py"))],
    }


@pytest.fixture(scope="module")
def results() -> pieces.Results:
    found = html.page_of(scan(EXAMPLE, config=Config(), use_cache=False))
    program = {"path": "tests/t.hip", "arch": "gfx942", "ended": "exit status 0", "seconds": 1.0}
    program["kernels"] = [{"name": "_Z5saxpyfPKfPf", "launches": 3}]
    machine = level(
        "machine", "passed", check("tests/t.hip as gfx942 code", "passed", "tests/t.hip"), programs=[program]
    )
    verified = {"outcome": "passed", "levels": [machine]}
    current = [
        piece("scan", found),
        piece("port", port(), becomes=AFTER, patch=PATCH),
        piece("verify", verified, AFTER),
    ]
    return pieces.Results(current, [], [])


@pytest.fixture
def tab(results: pieces.Results, open_page: Callable[[str], Any]) -> Any:
    return open_page(site.render(results))


def is_at(tab: Any, part: str) -> bool:
    """Going elsewhere takes the browser a moment."""
    tab.wait_for_selector(f"#view-{part}.shown", timeout=5000)
    return bool(tab.locator(".view.shown").count() == 1)


def test_overview(tab: Any) -> None:
    assert tab.title() == "nvidia_project: rewarp report"
    assert tab.locator("#view-overview h1").inner_text() == "AMD ROCm: needs manual work"
    assert "at ffffffffffff" in tab.locator("#name").inner_text()
    tiles = {t.get_attribute("data-part"): t.get_attribute("data-tone") for t in tab.locator(".tile").all()}
    assert tiles == {"findings": "bad", "patch": "open", "proof": "good", "runs": "good"}, "a place is left to a person"
    assert tab.locator("nav a").all_inner_texts()[5] == "Parity"
    assert tab.locator("nav a.empty").all_inner_texts() == ["Parity", "Benchmarks"]


def test_the_tile_counts_what_the_headline_counts(open_page: Callable[[str], Any], tmp_path: Path) -> None:
    """What needs a failure first is no obstacle, and what leaves the accelerator idle is one."""
    (tmp_path / "a.py").write_text(
        "try:\n    step()\nexcept RuntimeError as e:\n    if 'CUDA out of memory' not in str(e):\n        raise\n"
    )
    late = html.page_of(scan(tmp_path, config=Config(), use_cache=False))
    assert [f["severity"] for f in late["findings"] if f["standing"] == "counts"] == ["info"]
    (tmp_path / "a.py").write_text(
        "import torch\n\ndevice = 'cuda' if torch.cuda.is_available() else 'cpu'\nmodel.to(device)\n"
    )
    idle = html.page_of(scan(tmp_path, config=Config(target="gaudi"), use_cache=False))
    assert "runs-on-cpu" in {f["severity"] for f in idle["findings"]}
    for document, tone, words in ((late, "good", "0 in the way"), (idle, "bad", "1 in the way")):
        tab = open_page(site.render(pieces.Results([piece("scan", document)], [], [])))
        tile = tab.locator(".tile[data-part=findings]")
        assert (tile.get_attribute("data-tone"), words in tile.inner_text()) == (tone, True), tile.inner_text()


def test_what_passed_is_not_red(open_page: Callable[[str], Any], results: pieces.Results) -> None:
    verified = {"outcome": "passed", "levels": [level("build", "passed", check("a.hip", "passed", "a.hip"))]}
    ported = piece("port", port(manual=False), becomes=AFTER, patch=PATCH)
    tab = open_page(site.render(pieces.Results([ported, piece("verify", verified, AFTER)], [], [])))
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert tab.locator("[data-tone=bad]").count() == 0
    assert tab.locator(".tile[data-part=proof]").get_attribute("data-tone") == "good"
    assert tab.locator(".tile[data-part=patch]").get_attribute("data-tone") == "good"
    red = """() => [...document.querySelectorAll("*")].filter(node => {
        const style = getComputedStyle(node), red = getComputedStyle(document.documentElement).getPropertyValue("--crash");
        const box = document.createElement("i"); box.style.color = red; document.body.append(box);
        const wanted = getComputedStyle(box).color; box.remove();
        return [style.color, style.borderTopColor, style.borderLeftColor, style.backgroundColor].includes(wanted);
    }).length"""
    assert tab.evaluate(red) == 0


def test_not_checked_is_not_green(open_page: Callable[[str], Any]) -> None:
    verified = {"outcome": "not checked", "levels": [level("machine", "not checked", check("a", "not checked"))]}
    tab = open_page(site.render(pieces.Results([piece("verify", verified)], [], [])))
    assert tab.locator(".tile[data-part=proof]").get_attribute("data-tone") == "open"
    assert tab.locator("[data-tone=good]").count() == 0


def test_a_finding_leads_to_its_line_and_to_the_patch(tab: Any) -> None:
    tab.locator("#nav-findings").click()
    item = tab.locator(".item[data-rule=BLD-001]").first
    link = item.locator("a.mono")
    assert link.get_attribute("href") == f"{REMOTE}/blob/{COMMIT}/setup.py#L11"
    item.locator("text=changed in the patch").click()
    assert is_at(tab, "patch")
    assert tab.locator("details[data-path='setup.py']").get_attribute("open") is not None
    tab.locator("details[data-path='setup.py'] a:text-is('BLD-001')").click()
    assert is_at(tab, "findings")
    assert {i.get_attribute("data-rule") for i in tab.locator(".item[data-rule]").all()} == {"BLD-001"}


def test_the_patch_side_by_side(tab: Any) -> None:
    tab.goto(f"{tab.url.partition('#')[0]}#patch/setup.py")
    rows = tab.locator("details[data-path='setup.py'] .diff tr.pair")
    cells = [[cell.inner_text() for cell in row.locator("td").all()] for row in rows.all()]
    assert cells == [
        ["1", "import os", "1", "import os"],
        ["2", "if CUDA_HOME is None:", "2", "if CUDA_HOME is None and not ROCM:"],
        ["", "", "3", "    raise RuntimeError"],
        ["3", "-- a line that looks like a header", "", ""],
        ["4", "pass", "4", "pass"],
    ]
    assert rows.nth(1).locator(".add mark").inner_text() == " and not ROCM"
    old, new = rows.nth(1).locator(".cut").first, rows.nth(1).locator(".add").first
    colour = "node => getComputedStyle(node).backgroundColor"
    assert old.evaluate(colour) != new.evaluate(colour)
    assert rows.nth(1).locator("td.ln a").nth(0).get_attribute("href") == f"{REMOTE}/blob/{COMMIT}/setup.py#L2"
    names = [box.get_attribute("data-path") for box in tab.locator("#view-patch details[data-path]").all()]
    assert names == ["setup.py", "odd ä.py"], "with git's quotes undone"


def test_a_new_file_has_one_side(tab: Any) -> None:
    tab.goto(f"{tab.url.partition('#')[0]}#patch")
    box = tab.locator("#view-patch details[data-path='odd ä.py']")
    box.locator("summary").click()
    box.locator(".diff td").first.wait_for()  # the page draws a file when it is opened
    assert [cell.inner_text() for cell in box.locator(".diff td").all()] == ["1", "new"]
    assert box.locator(".diff td.add").count() == 2
    assert box.locator("summary").inner_text().endswith("added +1"), "and nothing is said of lines taken away"


def test_kernels_have_names_for_people(tab: Any) -> None:
    tab.keyboard.press("5")
    assert is_at(tab, "runs")
    rows = tab.locator("#view-runs table tr")
    assert rows.all_inner_texts() == ["kernel\tlaunches", "saxpy\t3"], "and no column of times where none were taken"


def test_two_targets_keep_apart(open_page: Callable[[str], Any], results: pieces.Results) -> None:
    scanned = results.current[0].document
    finding = next(f for f in scanned["findings"] if f["rule"] == "BLD-001")
    gaudi = {**scanned, "target": "gaudi", "title": "Intel Gaudi", "findings": [finding]}
    tab = open_page(site.render(pieces.Results([*results.current, piece("scan", gaudi)], [], [])))
    titles = [tile.locator("h3").inner_text() for tile in tab.locator(".tile[data-part=findings]").all()]
    assert titles == ["Findings for AMD ROCm", "Findings for Intel Gaudi"]
    tab.keyboard.press("2")
    assert is_at(tab, "findings")
    tab.locator("select[aria-label=target]").select_option("Intel Gaudi")
    assert tab.locator("#view-findings .item").count() == 1
    assert tab.locator("#view-findings .item a:text-is('changed in the patch')").count() == 0, "the patch is for ROCm"
    assert tab.locator("#view-findings h2").all_inner_texts()[1].startswith("Intel Gaudi: ")


def test_search(tab: Any) -> None:
    tab.keyboard.press("/")
    tab.keyboard.type("saxpy")
    hit = tab.locator("#hits a")
    assert hit.count() == 1
    assert "tests/t.hip" in hit.inner_text()
    tab.keyboard.press("Enter")
    assert is_at(tab, "runs")
    assert tab.locator("#hits").is_hidden()
    tab.fill("#search", "no such thing anywhere")
    assert tab.locator("#hits").inner_text() == "Nothing found."
    tab.fill("#search", "RuntimeError CUDA_HOME is None and not")
    assert tab.locator("#hits a").count() == 0, "words of different lines are no hit"


def test_keys(tab: Any) -> None:
    for key, part in (("2", "findings"), ("3", "patch"), ("4", "proof"), ("5", "runs"), ("1", "overview")):
        tab.keyboard.press(key)
        assert is_at(tab, part)
    tab.keyboard.press("3")
    assert is_at(tab, "patch")
    tab.keyboard.press("j")
    tab.keyboard.press("j")
    assert tab.locator("#view-patch .at").get_attribute("data-path") == "setup.py"
    tab.keyboard.press("Enter")
    assert tab.locator("#view-patch .at").get_attribute("open") is not None
    tab.keyboard.press("2")
    assert is_at(tab, "findings")
    tab.keyboard.press("j")
    tab.keyboard.press("j")
    tab.keyboard.press("Enter")
    assert tab.locator("#view-findings .item.at details[open]").count() == 1, "a finding opens what is to be done"
    before = tab.locator("html").get_attribute("data-theme")
    tab.keyboard.press("t")
    assert {before, tab.locator("html").get_attribute("data-theme")} == {"light", "dark"}
    tab.keyboard.press("?")
    assert tab.locator("#help").is_visible()
    tab.keyboard.press("Escape")
    assert not tab.locator("#help").is_visible()


def test_copy(tab: Any) -> None:
    tab.evaluate("navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve(); }")
    tab.keyboard.press("2")
    assert is_at(tab, "findings")
    tab.locator(".item[data-rule=BLD-001] .copy").first.click()
    assert tab.evaluate("window.copied") == "setup.py:11"


@pytest.mark.parametrize("part", ["overview", "findings", "patch/setup.py", "proof", "runs", "parity", "benchmarks"])
@pytest.mark.parametrize("width", [400, 1600])
def test_nothing_sticks_out(tab: Any, part: str, width: int) -> None:
    tab.set_viewport_size({"width": width, "height": 900})
    tab.goto(f"{tab.url.partition('#')[0]}#{part}")
    assert tab.evaluate("document.documentElement.scrollWidth") <= width


def test_everything_is_printed(tab: Any) -> None:
    tab.emulate_media(media="print")
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    for part in ("overview", "findings", "patch", "proof", "runs"):
        assert tab.locator(f"#view-{part}").is_visible()
    assert tab.locator("text=if CUDA_HOME is None and not ROCM:").first.is_visible(), "the patch is unfolded"
    assert not tab.locator("#view-parity").is_visible(), "an empty part costs no sheet"
    assert not tab.locator("#search").is_visible()
    assert tab.locator("details:not([open])").count() == 0
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    assert tab.locator("details:not([open])").count() > 0, "what was folded is folded again"


@pytest.mark.parametrize("part", ["overview", "proof", "patch/setup.py"])
def test_nothing_is_cut_off_on_paper(tab: Any, part: str) -> None:
    tab.set_viewport_size({"width": 700, "height": 900})
    tab.goto(f"{tab.url.partition('#')[0]}#{part}")
    tab.emulate_media(media="print")
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert tab.evaluate("document.documentElement.scrollWidth") <= 700
    cut = "[...document.querySelectorAll('.view.shown .scroll')].filter(n => n.scrollWidth > n.clientWidth + 1).length"
    assert tab.evaluate(cut) == 0


def test_stale_pieces_are_told_and_left_out(open_page: Callable[[str], Any], results: pieces.Results) -> None:
    scanned, *others = results.current
    tab = open_page(site.render(pieces.Results(others, [(scanned, "it is about other files")], [])))
    assert "it is about other files" in tab.locator("#stale").inner_text()
    assert tab.locator(".tile[data-part=findings]").count() == 0
    tab.keyboard.press("2")
    assert is_at(tab, "findings")
    assert tab.locator("#view-findings").inner_text().startswith("Findings\n\nNo scan among the results.")


def test_a_damaged_piece_costs_its_own_part_alone(open_page: Callable[[str], Any], results: pieces.Results) -> None:
    broken = piece("parity", {"a": "cuda", "b": "hip", "score": None, "units": []})
    tab = open_page(site.render(pieces.Results([*results.current, broken], [], [])))
    tab.goto(f"{tab.url.partition('#')[0]}#parity")
    assert "could not be shown" in tab.locator("#view-parity").inner_text()
    tab.goto(f"{tab.url.partition('#')[0]}#findings")
    assert tab.locator(".item[data-rule=BLD-001]").count() > 0


def test_every_part_shows_hostile_text_as_text(open_page: Callable[[str], Any]) -> None:
    tab = open_page(PAGES["site"]())
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    for part in ("overview", "findings", "patch", "proof", "runs", "parity", "benchmarks", "more"):
        view = tab.locator(f"#view-{part}")
        assert "could not be shown" not in view.inner_text(), part
        assert "EVIL" in view.inner_text(), part
    tab.fill("#search", "EVIL")
    assert tab.locator("#hits a").count() > 3
    assert tab.evaluate("window.pwned") is None
    assert tab.locator("img, iframe, b:text-is('EVILTAG'), a[href*=evil], a[href^='javascript:']").count() == 0


def test_the_whole_page_is_one_file(results: pieces.Results, tmp_path: Path) -> None:
    text = site.render(results)
    assert "__REWARP" not in text
    assert 'src="' not in text.partition('<script type="application/json"')[0]


def test_no_score_says_why(open_page: Callable[[str], Any]) -> None:
    score = {"computable": False, "blocked_by": ["too little seen to score: 9 of the 10"], "lowest": None, "kinds": []}
    compared = {"a": "cuda", "b": "hip", "score": score, "units": [], "claim": "Static.", "coverage": []}
    tab = open_page(site.render(pieces.Results([piece("parity", compared)], [], [])))
    assert "no score: too little seen to score: 9 of the 10" in tab.locator(".tile[data-part=parity]").inner_text()
    assert "%" not in tab.locator("body").inner_text()
