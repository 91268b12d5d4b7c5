"""A comparison as JSON, on the terminal, as Markdown and as the data of a page: the same words, and every banner."""

from __future__ import annotations

import io
import json
import random
from importlib.resources import files
from typing import Any

import jsonschema
import pytest
from bench_compare_parts import compared, measured, times_of
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from rich.console import Console

from rewarp.bench.comparability import MUST
from rewarp.bench.compare import Comparison, Settings, compare
from rewarp.bench.compare_inputs import Input, match
from rewarp.bench.result import Warn
from rewarp.report import bench_compare, bench_page, bench_text

SCHEMA = json.loads((files("rewarp.report") / "schemas" / "bench-compare-1.json").read_text(encoding="utf-8"))


def losses(count: int = 120) -> dict[str, Any]:
    return {"loss": [10 * 0.97**step + 2 for step in range(count)], "memory_bytes": [60 * 2**30] * count}


def cases() -> dict[str, Comparison]:
    base = measured("base", times_of(1.0, seed=1), columns=losses())
    quick = measured("quick", times_of(0.8, seed=2), columns=losses())
    error = Warn("out-of-memory", "it broke <b>off</b> | here", "error", "log line 9")
    return {
        "faster": compared(base, quick),
        "refused": compared(base, measured("fp8", times_of(0.5), precision="fp8")),
        "allowed": compared(
            base, measured("fp8", times_of(0.5), precision="fp8"), allowed=frozenset({"precision"}), fail_slower=0.03
        ),
        "unknown": compared(base, measured("mute", times_of(0.9, seed=4), gpu=None, sequence=None, devices=None)),
        "errors": compared(base, measured("broken", times_of(0.9), warnings=(error,))),
        "many": compared(base, quick, measured("slow", times_of(1.3, seed=3)), fail_slower=0.03),
        "nothing": compared(measured("a"), measured("b")),
        "claims": compared(
            *(measured(n, kind="matmul", columns={"time_s": [0.01] * 12}, flops_per_step=1e12) for n in ("x", "y"))
        ),
    }


@pytest.fixture(scope="module")
def comparisons() -> dict[str, Comparison]:
    return cases()


NAMES = ("faster", "refused", "allowed", "unknown", "errors", "many", "nothing", "claims")


def text_of(comparison: Comparison) -> str:
    console = Console(file=io.StringIO(), width=200)
    bench_text.show(comparison, console)
    output: Any = console.file
    return str(output.getvalue())


def page_data(comparison: Comparison) -> Any:
    page = bench_page.html(comparison)
    return json.loads(page.split('id="data">')[1].split("</script>")[0])


@pytest.mark.parametrize("name", NAMES)
def test_json_fits_its_schema(name: str, comparisons: dict[str, Comparison]) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    document = json.loads(json.dumps(bench_compare.document(comparisons[name]), allow_nan=False))
    jsonschema.validate(document, SCHEMA)
    del document["level"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, SCHEMA)


@pytest.mark.parametrize(
    ("name", "verdict", "headline"),
    [
        ("faster", "faster", "quick.json is faster than base.json: 1.2"),
        ("refused", "refused", "fp8.json and base.json are not compared: precision differ"),
        ("many", "mixed", "2 comparisons: 1 faster, 1 slower"),
        ("nothing", "can't tell", "Can't tell how b.json compares with a.json"),
    ],
)
def test_headline(name: str, verdict: str, headline: str, comparisons: dict[str, Comparison]) -> None:
    document = bench_compare.document(comparisons[name])
    assert document["verdict"] == verdict
    assert document["headline"].startswith(headline)


@pytest.mark.parametrize("name", ["refused", "allowed", "unknown"])
def test_every_output_has_every_banner(name: str, comparisons: dict[str, Comparison]) -> None:
    comparison = comparisons[name]
    banners = [banner for _, pair in comparison.pairs for banner in pair.banners]
    assert banners
    outputs = [
        json.dumps(bench_compare.document(comparison)),
        text_of(comparison),
        bench_text.markdown(comparison).replace("\\", ""),
        json.dumps(page_data(comparison)["banners"]),
    ]
    for banner in banners:
        assert all(banner.text in output for output in outputs)


def test_what_was_refused_shows_no_figure(comparisons: dict[str, Comparison]) -> None:
    assert "×" not in text_of(comparisons["refused"])
    assert "| figure |" not in bench_text.markdown(comparisons["refused"])
    assert bench_compare.document(comparisons["refused"])["benchmarks"][0]["pairs"][0]["figures"] == []


def test_the_terminal_says_why(comparisons: dict[str, Comparison]) -> None:
    shown = text_of(comparisons["errors"])
    assert "not compared, the run has an error: it broke <b>off</b> | here" in shown
    assert "error: broken.json" in shown
    assert "not known of the run" in text_of(comparisons["unknown"])
    assert "each interval is one of 97.50%" in text_of(comparisons["many"])
    assert "comparisons:" not in text_of(comparisons["faster"]), "one comparison needs no correction"


def test_what_need_not_be_alike_is_told() -> None:
    shown = text_of(compared(measured("a", times_of(1.0), micro_batch=1), measured("b", times_of(1.0), micro_batch=4)))
    assert "differs, and need not be alike: micro_batch (1 against 4)" in shown
    assert "!" not in shown


def test_many_comparisons_are_one_table() -> None:
    base = measured("base", times_of(1.0, seed=1))
    others = [
        measured(f"run{n}", times_of(1.0 + n / 10, seed=n), sequence=None if n % 2 else 4096) for n in range(2, 8)
    ]
    comparison = compared(base, *others)
    for output in (text_of(comparison), bench_text.markdown(comparison)):
        assert output.count("cannot show that they are alike: sequence") == 1
        assert "run3.json, run5.json, run7.json" in output
        assert all(output.count(f"run{n}.json") >= 1 for n in range(2, 8))
        assert output.count("slower") >= 6
        assert "typical step" not in output


def test_many_benchmarks_of_two_files_are_named_by_the_benchmark() -> None:
    def file(name: str, speed: float) -> Input:
        sizes = (1024, 2048, 4096, 8192, 16384)
        return Input(
            name,
            f"folder/{name}",
            tuple(measured(f"{name}: mm{n}", [speed] * 12, kind="matmul", size=n) for n in sizes),
        )

    benchmarks, unmatched = match([file("a.json", 1.0), file("b.json", 0.5)])
    shown = text_of(compare(benchmarks, Settings(), unmatched))
    assert shown.count("b.json against a.json") == 1
    assert all(f" mm{n} " in shown for n in (1024, 16384))
    assert shown.count("a.json: mm") == 0


def test_regression_is_the_worst_of_all(comparisons: dict[str, Comparison]) -> None:
    assert bench_compare.document(comparisons["many"])["regression"] == "slower"
    assert bench_compare.document(comparisons["allowed"])["regression"] == "same"
    assert bench_compare.document(comparisons["faster"])["regression"] is None


def test_markdown_is_not_made_by_names(comparisons: dict[str, Comparison]) -> None:
    text = bench_text.markdown(comparisons["errors"])
    assert "<b>" not in text.replace("\\<b\\>", "")
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert {line.replace("\\|", "").count("|") for line in table} == {7}


def test_the_same_run_twice_is_noted() -> None:
    run = measured("a", times_of(1.0))
    assert "is it one run, given twice?" in text_of(compared(run, run))


@pytest.mark.parametrize(
    ("value", "unit", "beside", "text"),
    [
        (0.157, "s", (), "157 ms"),
        (0.157, "s", (2.0,), "0.157 s"),
        (2.5e-5, "s", (), "25 µs"),
        (60 * 2**30, "bytes", (), "60 GiB"),
        (4.3e12, "bytes/s", (), "4.3 TB/s"),
        (0.4123, "share", (), "41.23 %"),
        (12601.4, "tokens/s", (), "12,601 tokens/s"),
        (None, "s", (1.0,), "unknown"),
    ],
)
def test_quantities(value: float | None, unit: str, beside: tuple[float, ...], text: str) -> None:
    assert bench_compare.quantity(value, unit, beside) == text


odd = st.one_of(
    st.none(),
    st.floats(-1e12, 1e12),
    st.just(float("nan")),
    st.just(float("inf")),
    st.sampled_from([0.0, 1.0, 1.01, 0.99, -1.0]),
)
values = st.one_of(st.none(), st.text(max_size=8), st.integers(-3, 10**12), st.floats(), st.booleans())


@given(
    st.lists(st.tuples(odd, odd, odd), max_size=30),
    st.lists(st.tuples(odd, odd, odd), max_size=30),
    st.dictionaries(st.sampled_from(["model", "parameters", "sequence", "precision", "layers", "odd"]), values),
    st.sampled_from(["training", "inference", "matmul", "mlperf", "collective"]),
)
@settings(max_examples=40, phases=(Phase.explicit, Phase.reuse, Phase.generate))
def test_whatever_a_log_held_every_output_can_say_it(
    first: list[Any], second: list[Any], configuration: dict[str, Any], kind: str
) -> None:
    def run(name: str, rows: list[Any], **more: Any) -> Any:
        columns = dict(zip(("time_s", "loss", "tokens"), map(list, zip(*rows)))) if rows else {}
        return measured(name, kind=kind, columns=columns, **more)

    comparison = compared(run("a", first), run("b", second, **configuration), allowed=frozenset(MUST))
    jsonschema.validate(json.loads(json.dumps(bench_compare.document(comparison), allow_nan=False)), SCHEMA)
    assert text_of(comparison)
    assert bench_text.markdown(comparison)
    assert page_data(comparison)["headline"]
    assert comparison.exit_code(strict=True) in (0, 2)


def test_a_matrix_product_lies_where_its_least_traffic_puts_it() -> None:
    """2 n^3 operations on 3 n^2 elements of two bytes."""
    named = {"kind": "matmul", "devices": 1, "flops_per_step": 2 * 4096.0**3, "size": 4096}
    runs = [measured(name, [2e-4] * 12, precision=name, **named) for name in ("bf16", "fp8")]
    data = page_data(compared(*runs, allowed=frozenset({"precision"})))
    first, second = (run["roof"] for run in data["benchmarks"][0]["runs"])
    assert first["intensity"] == pytest.approx(2 * 4096**3 / (3 * 4096**2 * 2))
    assert second["intensity"] is None, "the product of fp8 factors has another type"


def test_roofs_count_benchmarks_that_have_no_counterpart() -> None:
    train = measured("train", times_of(2.0), devices=1)
    copy = measured("copy", [1e-3] * 12, kind="bandwidth", devices=1, precision="bf16", bytes_per_step=4.3e9)
    benchmarks, unmatched = match([Input("a", "a", (train, copy)), Input("b", "b", (train,))])
    assert [item.label for item in unmatched] == ["a: copy"]
    data = page_data(compare(benchmarks, Settings(), unmatched))
    roofs = [run["roof"] for run in data["benchmarks"][0]["runs"]]
    assert [roof["measured_bandwidth"] for roof in roofs] == pytest.approx([4.3e12, 4.3e12])
    assert [run["label"] for run in data["benchmarks"][0]["runs"]] == ["a", "b"]


# --- the data of the page ---------------------------------------------------------------------


@given(st.lists(st.floats(-1e6, 1e6), max_size=300), st.integers(2, 40))
def test_thinning_keeps_ends_and_extremes(values: list[float], most: int) -> None:
    places = bench_page.thinned(values, most)
    assert places == sorted(set(places))
    assert len(places) <= max(most, 0) + 2
    if values:
        assert {0, len(values) - 1} <= set(places)
        assert min(values[place] for place in places) == min(values)
        assert max(values[place] for place in places) == max(values)


def test_long_runs_are_thinned_for_the_page() -> None:
    chooser = random.Random(1)
    times = [1 + chooser.gauss(0, 0.01) for _ in range(20_000)]
    times[11_234] = 7.0
    data = page_data(compared(measured("a", times), measured("b", times_of(1.0))))
    line = data["benchmarks"][0]["runs"][0]["lines"]["time_s"]
    assert len(line["step"]) < 1300
    assert line["value"][line["step"].index(11_235)] == 7.0
    assert line["outlier"][line["step"].index(11_235)]


def test_pictures_follow_the_runs(comparisons: dict[str, Comparison]) -> None:
    group = page_data(comparisons["faster"])["benchmarks"][0]
    first = group["runs"][0]
    assert first["warm_up_until"] == 3
    assert not any(first["lines"]["time_s"]["outlier"]), "a step of the warm-up is no outlier"
    assert group["main"]["name"] == "tokens_per_s"
    assert 1.0 < group["step_time_top"] < 1.1, "the warm-up does not flatten the picture"
    assert first["roof"]["peak_tflops"] == pytest.approx(989, rel=0.01)
    assert first["roof"]["intensity"] is None
    assert "not measured" in first["roof"]["intensity_why"]


def test_roofs_as_measured_come_from_micro_benchmarks_of_the_same_device() -> None:
    matmul = measured(
        "mm", [1e-3] * 12, kind="matmul", precision="bf16", devices=1, flops_per_step=7.9e11, bytes_per_step=4e8
    )
    other = measured(
        "mm", [1e-3] * 12, kind="matmul", precision="fp8", devices=1, flops_per_step=1.5e12, bytes_per_step=4e8
    )
    data = page_data(compared(matmul, matmul, other, allowed=frozenset({"precision", "flops_per_step"})))
    runs = data["benchmarks"][0]["runs"]
    assert runs[0]["roof"]["measured_tflops"] == pytest.approx(790)
    assert runs[0]["roof"]["intensity"] == pytest.approx(7.9e11 / 4e8)
    assert runs[2]["roof"]["measured_tflops"] == pytest.approx(1500), "of its own precision"
