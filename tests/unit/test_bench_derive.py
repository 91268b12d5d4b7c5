"""Figures that follow from others, checked by hand; and figures that cannot be true."""

from __future__ import annotations

import pytest
from bench_results import codes, training

from rewarp.bench import prices
from rewarp.bench.derive import derive
from rewarp.bench.hardware import precision_of
from rewarp.bench.result import Result
from rewarp.bench.summary import summarise
from rewarp.errors import UsageError


def derived(result: Result) -> Result:
    return derive(summarise(result))


def value(result: Result, name: str) -> float:
    fact = result.derived[name]
    assert fact.known, fact.source
    return float(fact.value)


def test_rates_by_hand() -> None:
    result = derived(training([0.5] * 40))
    assert value(result, "tokens_per_s") == pytest.approx(4096 * 32 / 0.5)
    assert value(result, "tokens_per_s_per_device") == pytest.approx(4096 * 32 / 0.5 / 8)
    flops = 6 * 2e9 * 4096 * 32 / 0.5 / 8
    assert value(result, "tflops_per_device") == pytest.approx(flops / 1e12)
    assert value(result, "mfu") == pytest.approx(flops / 1307.4e12)
    assert "spec table: MI300X, bf16, dense" in result.derived["mfu"].source


def test_attention_counts_where_its_shape_is_known() -> None:
    result = derived(training([0.5] * 40, configuration={"layers": 24, "hidden": 2048}))
    per_token = 6 * 2e9 + 12 * 24 * 2048 * 4096
    assert value(result, "tflops_per_device") == pytest.approx(per_token * 4096 * 32 / 0.5 / 8 / 1e12)


def test_the_mean_of_rates_is_total_over_total() -> None:
    times = [0.25, 0.5] * 20
    result = derived(training(times))
    assert value(result, "tokens_per_s") == pytest.approx(40 * 4096 * 32 / sum(times))


def test_tokens_by_step_count_before_batch_and_sequence() -> None:
    result = derived(training([0.5] * 40, columns={"tokens": (1000.0,) * 20 + (3000.0,) * 20}))
    assert value(result, "tokens_per_s") == pytest.approx(4000)


def test_unknown_stays_unknown_with_the_reason() -> None:
    result = derived(training([0.5] * 40, device={"name": None, "count": None}, configuration={"sequence": None}))
    assert result.derived["tokens_per_s"].value is None
    assert "sequence not known" in result.derived["tokens_per_s"].source
    assert result.derived["mfu"].value is None
    no_count = derived(training([0.5] * 40, device={"count": None}))
    assert no_count.derived["tokens_per_s"].known
    assert no_count.derived["tokens_per_s_per_device"].source == "the number of devices is not known"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"device": {"name": "Some Card 9000"}}, "no row of the spec table is surely Some Card 9000"),
        ({"configuration": {"precision": None}}, "the precision is not known, and the peak depends on it"),
        ({"configuration": {"parameters": None}}, "the number of parameters is not known"),
        ({"device": {"name": "MI355X"}, "configuration": {"precision": "tf32"}}, "no tf32 rate of MI355X"),
    ],
)
def test_no_share_of_an_unknown_peak(changes: dict[str, dict[str, object]], why: str) -> None:
    result = derived(training([0.5] * 40, **changes))  # type: ignore[arg-type]
    assert result.derived["mfu"].value is None
    assert why in result.derived["mfu"].source


def test_mfu_over_one_hundred_is_an_error() -> None:
    result = derived(training([0.05] * 40))
    assert value(result, "mfu") > 1
    assert [warning.severity for warning in result.warnings if warning.code == "mfu-over-100"] == ["error"]
    assert "mfu-over-100" not in codes(derived(training([0.5] * 40)))


def test_tokens_multiplied_twice_by_the_devices() -> None:
    honest = 4096 * 32 / 0.5
    assert "reported-rate-multiplied" in codes(derived(training([0.5] * 40, reported={"tokens_per_s": 8 * honest})))
    assert "reported-rate-differs" in codes(derived(training([0.5] * 40, reported={"tokens_per_s": 1.5 * honest})))
    clean = codes(derived(training([0.5] * 40, reported={"tokens_per_s": 1.02 * honest})))
    assert not [code for code in clean if code.startswith("reported")]


def test_logged_rates_that_contradict_the_step_times() -> None:
    honest = 4096 * 32 / 0.5
    columns = {"tokens_per_s": (honest / 8,) * 40}
    assert "reported-rate-differs" in codes(derived(training([0.5] * 40, columns=columns)))


def test_a_claim_stands_in_and_says_so() -> None:
    result = derived(training([], reported={"tokens_per_s": 1234.0}))
    assert value(result, "tokens_per_s") == 1234
    assert result.derived["tokens_per_s"].source.startswith("as reported, not computed here")


def test_mfu_of_the_log_against_another_card() -> None:
    assert "reported-mfu-differs" in codes(derived(training([0.5] * 40, reported={"mfu": 0.9})))
    assert "reported-mfu-differs" in codes(derived(training([0.5] * 40, reported={"mfu": 7.89})))


def test_memory_over_the_whole() -> None:
    columns = {"memory_bytes": (190 * 2**30,) * 40}
    assert "memory-over-total" not in codes(derived(training([0.5] * 40, columns=columns)))
    too_much = {"memory_bytes": (200 * 2**30,) * 40}
    assert "memory-over-total" in codes(derived(training([0.5] * 40, columns=too_much)))
    smaller = training([0.5] * 40, columns=columns, device={"memory_bytes": 64 * 2**30})
    assert "memory-over-total" in codes(derived(smaller))


def test_logged_flops_are_weighted_by_time() -> None:
    result = derived(
        training(
            [1.0, 3.0] * 20,
            columns={"tflops_per_device": (400.0, 200.0) * 20},
            configuration={"parameters": None},
        )
    )
    assert value(result, "tflops_per_device") == pytest.approx(250)


def test_logged_flops_that_contradict_tokens_and_parameters() -> None:
    honest = 6 * 2e9 * 4096 * 32 / 0.5 / 8 / 1e12
    for factor, is_said in ((1.1, False), (0.5, True), (1.6, True)):
        result = derived(training([0.5] * 40, columns={"tflops_per_device": (factor * honest,) * 40}))
        assert ("reported-flops-differ" in codes(result)) == is_said


def test_experts_need_the_parameters_that_a_token_uses() -> None:
    result = derived(training([0.5] * 40, configuration={"experts": 8}))
    assert result.derived["mfu"].value is None
    assert "mixture of experts" in result.derived["mfu"].source
    active = derived(training([0.5] * 40, configuration={"experts": 8, "active_parameters": 1e9}))
    assert value(active, "mfu") == pytest.approx(value(derived(training([0.5] * 40)), "mfu") / 2)


def test_cost_and_energy() -> None:
    result = training([0.5] * 40, columns={"power_w": (700.0,) * 40})
    result = derived(prices.with_price(result, prices.parse("2.50@2026-11-01")))
    per_device = 4096 * 32 / 0.5 / 8
    assert value(result, "cost_per_million_tokens") == pytest.approx(2.5 / 3600 / per_device * 1e6)
    assert "2026-11-01" in result.derived["cost_per_million_tokens"].source
    assert value(result, "joules_per_token") == pytest.approx(700 / per_device)


@pytest.mark.parametrize(
    "text", ["", "2.5", "2.5@", "2.5@2026-13-01", "x@2026-11-01", "-1@2026-11-01", "2,5@2026-11-01"]
)
def test_a_price_without_a_date_is_none(text: str) -> None:
    with pytest.raises(UsageError, match="--price"):
        prices.parse(text)


def test_micro_benchmarks() -> None:
    products = training([0.01] * 40, kind="matmul", device={"count": 1}, configuration={"flops_per_step": 1e13})
    result = derived(products)
    assert value(result, "tflops_per_device") == pytest.approx(1000)
    assert value(result, "mfu") == pytest.approx(1000 / 1307.4)
    assert "tokens_per_s" not in result.derived
    copies = training([0.001] * 40, kind="bandwidth", device={"count": 1}, configuration={"bytes_per_step": 4e9})
    result = derived(copies)
    assert value(result, "bandwidth_bytes_per_s") == pytest.approx(4e12)
    assert value(result, "bandwidth_share") == pytest.approx(4e12 / 5.3e12)
    cached = training([0.001] * 40, kind="bandwidth", device={"count": 1}, configuration={"bytes_per_step": 9e9})
    assert "bandwidth-over-peak" in codes(derived(cached))


def test_share_of_the_best_measured_product() -> None:
    result = derived(training([0.5] * 40, device={"matmul_tflops": 600.0}))
    assert value(result, "mfu_of_matmul") == pytest.approx(value(result, "tflops_per_device") / 600)
    assert derived(training([0.5] * 40)).derived["mfu_of_matmul"].value is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("torch.bfloat16", "bf16"),
        ("bf16-mixed", "bf16"),
        ("bf16-pure", "bf16"),
        ("FP16", "fp16"),
        ("half", "fp16"),
        ("float32", "fp32"),
        ("tf32", "tf32"),
        ("fp8 hybrid", "fp8"),
        ("bf16 + fp8", "fp8"),
        ("float8_e4m3fn", "fp8"),
        ("int8", None),
        ("Q4_K", None),
        (None, None),
    ],
)
def test_names_of_precisions(text: str | None, name: str | None) -> None:
    assert precision_of(text) == name


def test_deriving_twice_changes_nothing() -> None:
    once = derived(training([0.05] * 40))
    assert derive(once) == once
