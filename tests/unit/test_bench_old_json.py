"""Result files of other tools: TensorPrimat with its mistakes, Megatron-LM's golden values, the HF Trainer's state."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rewarp.bench.derive import derive
from rewarp.bench.logs.base import Document
from rewarp.bench.logs.golden_values import GOLDEN_VALUES
from rewarp.bench.logs.golden_values_inference import GOLDEN_INFERENCE
from rewarp.bench.logs.hf_trainer_state import HF_TRAINER_STATE
from rewarp.bench.logs.json_objects import holding, integer, number, objects
from rewarp.bench.logs.tensorprimat import TENSORPRIMAT
from rewarp.bench.result import Result
from rewarp.bench.summary import summarise
from rewarp.errors import UnreadableSource


def read(dialect: Document, record: Any, file: str = "result.json") -> Result:
    data = json.dumps(record).encode()
    assert dialect.claims(data[: 1 << 16], Path(file))
    (result,) = dialect.read(data, Path(file))
    return derive(summarise(result))


def codes(result: Result) -> list[str]:
    return [warning.code for warning in result.warnings]


# --- TensorPrimat -------------------------------------------------------------------------


def primat(**changes: Any) -> dict[str, Any]:
    """Eight devices, 128 x 2048 tokens in 10 s: 26,214 tokens/s, after a first step of 30 s."""
    return {
        "platform": "nvd",
        "gpu_info": {
            "device_count": 8,
            "device_name": "NVIDIA H100 80GB HBM3",
            "total_memory_gb": 85.018,
            "gpu_cores": 16896,
            "pytorch_version": "2.7.0",
            "software_stack": "cuda",
        },
        "timestamp": "2026-01-05T12:19:33",
        "training_config": {"global_batch_size": 128, "micro_batch_size": 1, "sequence_length": 2048, "num_gpus": 8},
        "parallelism_config": {
            "tensor_model_parallel_size": 1,
            "pipeline_model_parallel_size": 2,
            "data_parallel_size": 4,
        },
        "performance_metrics": {"tokens_per_second": 26214.4, "tokens_per_second_per_gpu": 3276.8},
        "step_times": [30.0] + [10.0, 10.1, 9.9] * 10,
        **changes,
    }


def test_a_good_file() -> None:
    result = read(TENSORPRIMAT, primat())
    assert result.platform.value == "cuda"
    assert result.device["name"].value == "NVIDIA H100 80GB HBM3"
    assert result.device["memory_bytes"].value == 85_018_000_000
    assert result.device["count"].value == 8
    assert result.configuration["parallelism"].value == "tp1 pp2 dp4"
    assert result.derived["tokens_per_s"].value == pytest.approx(26214.4)
    assert result.derived["tokens_per_s_per_device"].value == pytest.approx(3276.8)
    assert result.summary["warm_up"]["steps"] == 1
    assert codes(result) == []


def test_gigabytes_are_decimal_unless_they_come_from_a_log() -> None:
    memory = {"peak_memory_allocated_gb": 117.99}
    inside = read(TENSORPRIMAT, primat(memory_metrics=memory))
    assert inside.reported["memory_bytes"].value == pytest.approx(117.99e9)
    copied = read(TENSORPRIMAT, primat(memory_metrics=memory, source="primus_log_extraction"))
    assert "memory_bytes" not in copied.reported
    assert copied.reported["peak_memory_gb"].value == 117.99


def test_tokens_multiplied_by_the_devices_twice() -> None:
    result = read(TENSORPRIMAT, primat(performance_metrics={"tokens_per_second": 8 * 26214.4}))
    assert codes(result) == ["reported-rate-multiplied"]
    assert result.derived["tokens_per_s"].value == pytest.approx(26214.4)


def test_a_rate_of_another_sequence_length() -> None:
    assert codes(read(TENSORPRIMAT, primat(performance_metrics={"tokens_per_second": 4 * 26214.4}))) == [
        "reported-rate-differs"
    ]


@pytest.mark.parametrize(
    ("changes", "file"),
    [({"source": "primus_log_extraction"}, "benchmark_rocm_llama.json"), ({}, "train_amd_prim_llama.json")],
)
def test_a_file_made_from_a_log_names_the_machine_that_read_it(changes: dict[str, Any], file: str) -> None:
    result = read(TENSORPRIMAT, primat(platform="amd", **changes), file)
    assert result.device["name"].value is None
    assert "machine that read it" in result.device["name"].source
    assert result.device["memory_bytes"].value is None
    assert "torch" not in result.software
    assert result.reported["device_name"].value == "NVIDIA H100 80GB HBM3"
    assert "device-not-believed" in codes(result)


@pytest.mark.parametrize(
    "about",
    [
        {"device_name": "AMD Instinct MI300X"},  # on platform nvd
        {"device_name": "NVIDIA H100 80GB HBM3", "gpu_cores": 14592},  # the cores of another card
    ],
)
def test_a_device_that_contradicts_the_file_is_not_believed(about: dict[str, Any]) -> None:
    result = read(TENSORPRIMAT, primat(gpu_info=about))
    assert result.device["name"].value is None
    assert codes(result) == ["device-not-believed"]


def test_old_name_of_the_steps_and_odd_values() -> None:
    record = primat(raw_step_times=[5.0, "x", None, -1.0, 2.0])
    del record["step_times"]
    assert read(TENSORPRIMAT, record).series.columns["time_s"] == (5.0, None, None, -1.0, 2.0)
    empty = read(TENSORPRIMAT, primat(step_times=[], gpu_info=[], training_config=None, performance_metrics={}))
    assert empty.series.step == ()
    assert empty.device["count"].value is None


# --- Megatron-LM golden values ------------------------------------------------------------


def metric(values: Any, start: int = 1, every: int = 1) -> dict[str, Any]:
    return {"start_step": start, "end_step": 9, "step_interval": every, "values": values}


FOLDER = "gpt3_mcore_te_tp2_pp4_resume"


def test_golden_values_by_step() -> None:
    record = {
        "lm loss": metric({"1": 10.8, "2": 10.7, "3": "nan"}),
        "num-zeros": metric({"1": 5.0}),
        "mem-max-allocated-bytes": metric({"1": 100.0, "2": 200.0, "3": 200.0}),
        "iteration-time": metric({"2": 0.5, "3": 0.25}, start=2),
    }
    result = read(GOLDEN_VALUES, record, f"{FOLDER}/golden_values_dev_dgx_h100.json")
    assert result.series.step == (1, 2, 3)
    assert result.series.columns["time_s"] == (None, 0.5, 0.25)
    assert result.series.columns["loss"] == (10.8, 10.7, None)
    assert result.summary["memory_bytes"]["max"] == 200
    assert result.device["name"].value == "NVIDIA H100"
    assert "file name" in result.device["name"].source
    assert result.configuration["parallelism"].value == "tp2 pp4"
    assert result.device["count"].value is None
    assert result.name == f"{FOLDER}/golden_values_dev_dgx_h100.json"


def test_golden_values_as_lists() -> None:
    record = {"lm loss": metric([10.5, 10.4, 10.3], start=0, every=5), "iteration_timing_avg": 0.347}
    result = read(GOLDEN_VALUES, record, "bert_tp1_pp2_1nodes_50steps.json")
    assert result.series.step == (0, 5, 10)
    assert result.series.columns["loss"] == (10.5, 10.4, 10.3)
    assert result.reported["time_s"].value == 0.347
    assert result.device["name"].value is None


def test_sampled_golden_values_say_so() -> None:
    record = {"iteration-time": metric({"1": 9.0, "5": 0.3, "10": 0.3}, every=5)}
    assert "sampled-steps" in codes(read(GOLDEN_VALUES, record))


def test_no_golden_values() -> None:
    assert GOLDEN_VALUES.claims(b'{"0": {"latency": 1.5}, "throughput": [3]}', Path("golden_values.json")) is None
    with pytest.raises(UnreadableSource):
        GOLDEN_VALUES.read(b'{"lm loss": {"start_step": 1, "values": {"1": 10.', Path("golden_values.json"))
    with pytest.raises(UnreadableSource):
        GOLDEN_VALUES.read(b'{"lm loss": {"start_step": null, "values": [1.0]}}', Path("golden_values.json"))


def test_golden_values_of_inference() -> None:
    request = {"input_prompt": "a", "generated_text": "b", "generated_tokens": [1, 2]}
    record = {
        "0": {**request, "latency": 2.0, "ttft": 0.2, "tpot": [0.1, 0.3]},
        "32": {**request, "latency": 4.0, "ttft": 0.4, "tpot": 0.2},
        "throughput": [500.0, 1000.0, 1000.0],
        "mem-max-allocated-bytes": 1024,
    }
    result = read(GOLDEN_INFERENCE, record, "gpt_dynamic_inference_tp1_pp2/golden_values_dev_dgx_a100.json")
    assert result.kind == "inference"
    assert result.series.columns["tokens_per_s"] == (500.0, 1000.0, 1000.0)
    assert {name: value.value for name, value in result.reported.items()} == {
        "median_e2e_s": 3.0,
        "median_ttft_s": pytest.approx(0.3),
        "median_tpot_s": pytest.approx(0.2),
        "memory_bytes": 1024.0,
    }
    assert result.device["name"].value == "NVIDIA A100"
    assert result.configuration["parallelism"].value == "tp1 pp2"


def test_golden_values_of_inference_with_a_throughput_alone() -> None:
    record = {"0": {"generated_tokens": [1]}, "x": {"latency": 99.0}, "throughput": 750.0}
    result = read(GOLDEN_INFERENCE, record)
    assert result.derived["tokens_per_s"].value == 750
    assert result.reported == {}
    slow = read(GOLDEN_INFERENCE, {"0": {"generated_tokens": [1], "latency": 2.0}})
    assert slow.series.step == ()
    assert slow.reported["median_e2e_s"].value == 2


def test_golden_texts_without_a_time_measure_nothing() -> None:
    data = json.dumps({"0": {"generated_text": "b"}}).encode()
    assert GOLDEN_INFERENCE.claims(data, Path("golden_values.json"))
    with pytest.raises(UnreadableSource):
        GOLDEN_INFERENCE.read(data, Path("golden_values.json"))
    assert GOLDEN_INFERENCE.claims(b'{"0": {"text": 1}}', Path("x.json")) is None


# --- Hugging Face Trainer -----------------------------------------------------------------


def state(**changes: Any) -> dict[str, Any]:
    return {
        "global_step": 200,
        "max_steps": 200,
        "train_batch_size": 2,
        "log_history": [
            {"epoch": 0.5, "loss": 2.5, "learning_rate": 1e-4, "grad_norm": 1.5, "step": 100},
            {"epoch": 0.5, "eval_loss": 2.6, "eval_runtime": 3.0, "step": 100},
            {"epoch": 1.0, "loss": 2.0, "learning_rate": 1e-5, "step": 200},
            {
                "epoch": 1.0,
                "step": 200,
                "total_flos": 1e15,
                "train_loss": 2.25,
                "train_runtime": 100.0,
                "train_samples_per_second": 16.0,
                "train_steps_per_second": 2.0,
            },
        ],
        **changes,
    }


def test_trainer_state() -> None:
    result = read(HF_TRAINER_STATE, state(), "out/trainer_state.json")
    assert result.series.step == (100, 200)
    assert result.series.columns["loss"] == (2.5, 2.0)
    assert result.series.columns["grad_norm"] == (1.5, None)
    assert result.configuration["micro_batch"].value == 2
    assert result.configuration["global_batch"].value == 8
    assert result.reported["samples_per_s"].value == 16
    assert result.reported["duration_s"].value == 100
    assert result.derived["tokens_per_s"].value is None
    assert codes(result) == ["only-totals", "no-step-times"]


def test_a_checkpoint_is_not_a_finished_run() -> None:
    result = read(HF_TRAINER_STATE, state(log_history=[{"loss": 2.5, "step": 100}], global_step=100))
    assert "unfinished-run" in codes(result)
    assert result.reported == {}


def test_a_run_that_stopped_early_counts_steps_it_did_not_do() -> None:
    early = read(HF_TRAINER_STATE, state(global_step=120))
    assert "rate-disagrees" in codes(early)
    assert "it is 1.2" in early.warnings[0].what
    assert "rate-disagrees" not in codes(read(HF_TRAINER_STATE, state()))


@pytest.mark.parametrize(("samples", "batch"), [(16.0, 8), (15.98, None), (14.0, None), (15.999, 8)])
def test_the_batch_of_all_devices_is_whole_batches_of_one(samples: float, batch: int | None) -> None:
    history = state()["log_history"]
    history[-1]["train_samples_per_second"] = samples
    result = read(HF_TRAINER_STATE, state(log_history=history, train_batch_size=4))
    assert result.configuration["global_batch"].value == batch


def test_a_batch_that_rounding_hides_is_not_guessed() -> None:
    totals = {"train_runtime": 5000.0, "train_samples_per_second": 0.763, "train_steps_per_second": 0.009, "step": 45}
    result = read(HF_TRAINER_STATE, state(log_history=[totals], global_step=45))
    assert result.configuration["global_batch"].value is None


def test_train_results() -> None:
    totals = {
        "train_loss": 2.0,
        "train_runtime": 100.0,
        "train_samples_per_second": 16.0,
        "train_steps_per_second": 2.0,
    }
    result = read(HF_TRAINER_STATE, totals, "out/train_results.json")
    assert result.reported["steps_per_s"].value == 2
    assert result.configuration["global_batch"].value is None
    assert HF_TRAINER_STATE.claims(b"{'train_runtime': 5, 'train_samples_per_second': 1}", Path("log.txt")) is None


# --- JSON as it comes ---------------------------------------------------------------------


def test_objects_among_lines() -> None:
    text = 'noise {"not": "mine"}\n{"a": 1}\n  {"a":\n    {"b": 2},\n   "c": [3]}\nmore\n[{"a": 4}, 5]\n{"a": '
    assert [(where, item) for where, item in objects(text)] == [
        ("line 2", {"a": 1}),
        ("line 3", {"a": {"b": 2}, "c": [3]}),
        ("line 7", {"a": 4}),
    ]
    assert [where for where, _ in objects('[{"a": 1}, 2, {"a": 3}]')] == ["record 1", "record 3"]
    assert list(objects("")) == list(objects("5")) == []


def test_holding_looks_inside_but_not_for_ever() -> None:
    assert [where for where, _ in holding([("x", {"p": [{"k": 1}], "k2": 0})], ["k"])] == ["x, p, item 1"]
    deep: Any = {"k": 1}
    for _ in range(20):
        deep = {"in": deep}
    assert list(holding([("x", deep)], ["k"])) == []


@pytest.mark.parametrize("value", [True, None, "x", "", float("nan"), float("inf"), "inf", [], {}, 10**400])
def test_no_number(value: Any) -> None:
    assert number(value) is None
    assert integer(value) is None


def test_numbers() -> None:
    assert number("1.5") == 1.5
    assert integer("8") == 8
    assert integer(8.0) == 8
    assert integer(8.5) is None
