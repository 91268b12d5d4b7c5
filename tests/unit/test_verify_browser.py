"""The pages of verification in a real browser: levels and filters, the map of kernels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rewarp.report import build, verify
from rewarp.verify.checks import Check, Evidence, Level, Outcome
from rewarp.verify.tree import Verification, in_order

pytestmark = pytest.mark.browser
Open = Callable[[str], Any]
ARCHES = ("gfx942", "gfx1100")


def kernel(name: str, vgprs: int, waves: int) -> dict[str, Any]:
    figures = {
        "vgprs": vgprs,
        "agprs": 0,
        "sgprs": 12,
        "lds_bytes": 1024,
        "scratch_bytes": 0,
        "vgpr_spills": 0,
        "sgpr_spills": 0,
        "max_workgroup": 1024,
        "wave_size": 64,
        "kernarg_bytes": 16,
        "uses_dynamic_stack": False,
        "blocks": [256],
        "notes": [],
        "occupancy": {"waves": waves, "most": 8, "limiter": "" if waves == 8 else "VGPRs"},
        "by_block": {"256": {"waves": waves, "most": 8, "limiter": ""}},
    }
    return {"unit": "a.hip", "symbol": name, "name": f"ns::{name}<float>", "arches": dict.fromkeys(ARCHES, figures)}


def evidence() -> Evidence:
    checks = (
        Check(Level.BUILD, "a.hip for gfx942", Outcome.PASSED, "</script><b>compiled</b>", "a.hip"),
        Check(Level.BUILD, "b.hip for gfx942", Outcome.FAILED, "no such name", "b.hip", 3),
        Check(Level.BUILD, "c.hip for gfx942", Outcome.NOT_CHECKED, "no header miopen.h", "c.hip"),
    )
    outcomes = {arch: {"outcome": "passed", "why": ""} for arch in ARCHES}
    unit = {"path": "a.hip", "translated": True, "flags_from": "", "options": [], "includes": [], "arches": outcomes}
    details = {
        "units": [{**unit, "guessed_includes": [], "undecided_flags": []}],
        "kernels": [kernel("light", 16, 8), kernel("heavy", 250, 2)],
        "set_aside": [],
        "limits": {},
    }
    return Evidence(Level.BUILD, checks, {"arches": list(ARCHES), "compiler": {"clang": "22"}}, details)


def test_levels_and_filters(open_page: Open) -> None:
    page = open_page(verify.render_html(Verification(Path("tree"), in_order([evidence()]))))
    assert page.inner_text("#count") == "8 of 8"
    assert page.locator("#checks b").count() == 0, "what was checked is text, never markup"
    page.click('.level[data-level="build"] button')
    assert page.inner_text("#count") == "3 of 8"
    page.click('#tools button[data-outcome="passed"]')
    assert page.locator('tr[data-outcome="passed"]').count() == 0
    page.fill("#text", "miopen")
    assert page.inner_text("#count") == "1 of 8"
    assert "Something failed" in page.inner_text("#verdict")


def test_kernel_map(open_page: Open) -> None:
    page = open_page(build.render_html(Verification(Path("tree"), (evidence(),))))
    assert page.locator("#map td button").count() == 4
    page.locator("#map td button").nth(2).click()
    figures = page.inner_text("#figures")
    assert "ns::heavy<float> on gfx942" in figures
    assert "2 of 8" in figures
    page.fill("#text", "light")
    assert page.locator("#map td button").count() == 2
    colours = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.click("#theme")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != colours
