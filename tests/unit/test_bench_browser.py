"""The page of a comparison of benchmarks in a real browser: pictures, values under the pointer, both themes, a phone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from bench_compare_parts import compared, measured, times_of

from rewarp.bench.compare import Settings, compare
from rewarp.bench.compare_inputs import Input, match
from rewarp.bench.result import Result, Sourced, Warn
from rewarp.report import bench_page, bench_results

pytestmark = pytest.mark.browser
Open = Callable[[str], Any]


def columns(count: int = 120) -> dict[str, Any]:
    return {"loss": [10 * 0.97**step + 2 for step in range(count)], "memory_bytes": [60 * 2**30] * count}


def training(name: str, step: float, seed: int, gpu: str = "NVIDIA H200", **more: Any) -> Result:
    times = times_of(step, seed=seed)
    times[60] *= 5
    result = measured(name, times, gpu=gpu, columns=columns(), **more)
    device = {**result.device, "memory_bytes": Sourced(141 * 2**30, "log"), "matmul_tflops": Sourced(790.0, "measured")}
    return replace(result, device=device)


@pytest.fixture(scope="module")
def page(open_page: Open) -> Any:
    runs = (
        training("h200", 2.0, 1),
        training("mi300x", 1.6, 2, "AMD Instinct MI300X"),
        training("<b>odd</b>", 2.0, 3, sequence=None),
    )
    return open_page(bench_page.html(compared(*runs)))


def test_words(page: Any) -> None:
    assert page.inner_text("#verdict h1") == "2 comparisons: 1 faster, 1 same"
    assert "cannot show that they are alike: sequence" in page.inner_text("#verdict .banner.unknown")
    assert page.locator("b:text-is('odd')").count() == 0, "a name is text, never markup"
    assert "1.25" in page.inner_text("#figures")
    assert page.locator("#alike tr.field").count() == 7
    assert "cannot be shown to be alike" in page.inner_text("#alike .can-t-tell")


def test_every_picture_is_drawn(page: Any) -> None:
    for picture in ("ratios", "throughput", "steps", "loss", "memory", "mfu", "roofline"):
        box = page.locator(f"#{picture} svg").bounding_box()
        assert box is not None
        assert box["width"] > 300
        assert box["height"] > 60
    assert page.locator("#steps .warm-end").count() == 3
    assert page.locator("#steps .far.above").count() >= 3, "the outlier lies above, and is marked"
    assert page.locator("#loss path.line").count() == 3
    assert page.locator("#throughput .whisker").count() == 9
    assert page.locator("#memory .room").count() == 3
    assert page.locator("#roofline .roof.peak").count() == 2, "one roof a device"
    assert page.locator("#roofline .roof.measured").count() == 2


def test_bars_and_ratios_stand_where_they_should(page: Any) -> None:
    widths = page.eval_on_selector_all("#throughput rect.value", "n => n.map(x => +x.getAttribute('width'))")
    assert widths[1] / widths[0] == pytest.approx(1.0, abs=0.35)
    assert widths[1] > 1.2 * widths[0]
    one = float(page.get_attribute("#ratios line.one", "x1"))
    middles = page.eval_on_selector_all("#ratios .estimate", "n => n.map(x => x.getBBox().x + x.getBBox().width / 2)")
    assert middles[0] > one + 50
    assert middles[-1] == pytest.approx(one, abs=15)


def test_values_under_the_pointer(page: Any) -> None:
    page.locator("#steps svg").hover(position={"x": 300, "y": 100})
    tip = page.inner_text("#tip")
    assert tip.startswith("step ")
    assert all(name in tip for name in ("h200.json: ", "mi300x.json: ", " s"))
    page.locator("#throughput .row").nth(1).hover()
    assert "interval" in page.inner_text("#tip")
    page.mouse.move(5, 5)
    assert not page.is_visible("#tip")


def test_themes_look_different(page: Any) -> None:
    def colours() -> tuple[str, str]:
        return (
            page.evaluate("getComputedStyle(document.body).backgroundColor"),
            page.eval_on_selector("#loss path.line", "n => getComputedStyle(n).stroke"),
        )

    light = colours()
    page.click("#theme")
    dark = colours()
    page.click("#theme")
    assert light[0] != dark[0]
    assert light[1] != dark[1]


def test_a_phone(page: Any) -> None:
    for width in (390, 1200):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(100)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        drawn = page.get_attribute("#steps svg", "viewBox").split()
        assert float(drawn[2]) < width, "drawn anew for the width there is"


def test_several_benchmarks_take_turns(open_page: Open) -> None:
    def file(name: str, speed: float, seed: int) -> Input:
        named = {"precision": "bf16", "devices": 1, "flops_per_step": 8e11, "bytes_per_step": 4e8}
        matmul = measured("matmul", [t * 1e-3 * speed for t in times_of(1.2, seed=seed)], kind="matmul", **named)
        return Input(name, name, (training("train", 2 * speed, seed), matmul))

    benchmarks, unmatched = match([file("a", 1.0, 1), file("b", 1.1, 2)])
    tab = open_page(bench_page.html(compare(benchmarks, Settings(), unmatched)))
    assert tab.locator("#groups button").count() == 2
    assert tab.locator("#loss").count() == 1
    tab.click("#groups button:nth-child(2)")
    assert tab.locator("#loss").count() == 0
    assert "TFLOP/s" in tab.inner_text("#throughput h2")
    assert tab.locator("#roofline circle.run").count() == 2, "the traffic of a matrix product is known"


def test_results_that_are_compared_with_nothing(open_page: Open) -> None:
    matmul = measured("matmul <b>odd</b>", times_of(1.2), kind="matmul", precision="bf16", flops_per_step=8e11)
    nothing = measured("a log without times")
    tab = open_page(bench_results.html([training("h200", 2.0, 1), matmul, nothing], None, ["Suite quick, <b>odd</b>."]))
    assert tab.inner_text("#verdict h1").startswith("3 results")
    assert "Suite quick" in tab.inner_text("#verdict")
    assert tab.locator("b:text-is('odd')").count() == 0
    assert tab.locator("#groups button").count() == 3
    for place in (1, 2, 3):
        tab.click(f"#groups button:nth-child({place})")
        assert tab.is_visible("#figures")
        assert "NaN" not in tab.inner_text("main")
        assert "undefined" not in tab.inner_text("main")
        assert (tab.locator("#steps svg").count() == 1) is (place < 3)
        assert (tab.locator("#throughput svg").count() == 1) is (place < 3)


@pytest.mark.parametrize(
    "results",
    [
        (measured("a"), measured("b")),
        (measured("a", [1.0]), measured("b", [2.0])),
        (measured("a", times_of(1.0)), measured("b", times_of(0.5), precision="fp8")),
        (measured("a", columns={"tokens_per_s": [1000.0] * 20}), measured("b", columns={"tokens_per_s": [900.0] * 20})),
        (
            measured("a", times_of(1.0), warnings=(Warn("odd", "nothing is right", "error"),)),
            measured("b", times_of(0.001, seed=2)),
        ),
    ],
    ids=["nothing", "one step", "refused", "rates", "errors"],
)
def test_pages_with_little_to_show(open_page: Open, results: tuple[Result, ...]) -> None:
    tab = open_page(bench_page.html(compared(*results)))
    assert tab.inner_text("#verdict h1")
    assert tab.is_visible("#alike")
    assert "NaN" not in tab.inner_text("main")
    assert "undefined" not in tab.inner_text("main")
    assert "NaN" not in tab.inner_html("#group"), "no picture is drawn at no place"
