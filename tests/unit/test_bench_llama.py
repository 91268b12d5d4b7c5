"""llama-bench in its five formats: the same figures from each, the device from the preamble, crashes, near-misses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rewarp.bench.derive import derive
from rewarp.bench.logs.json_objects import objects
from rewarp.bench.logs.llama_bench import LLAMA_BENCH
from rewarp.bench.logs.llama_bench_record import test_of_label as label_counts
from rewarp.bench.logs.llama_bench_table import LLAMA_BENCH_TABLE
from rewarp.bench.result import Result
from rewarp.bench.summary import summarise
from rewarp.errors import UnreadableSource

DOCUMENTS = Path(__file__).parents[1] / "bench" / "documents"


def read(data: bytes, file: Path = Path("bench.json")) -> list[Result]:
    assert LLAMA_BENCH.claims(data[: 1 << 16], file)
    return LLAMA_BENCH.read(data, file)


def table(text: str) -> list[Result]:
    fold = LLAMA_BENCH_TABLE.fold()
    for number, line in enumerate(text.encode().split(b"\n"), 1):
        if any(anchor in line for anchor in LLAMA_BENCH_TABLE.anchors):
            fold.feed(number, line)
    return fold.results("bench.log")


def named(name: str) -> list[Result]:
    return read((DOCUMENTS / name).read_bytes(), DOCUMENTS / name)


@pytest.mark.parametrize("name", ["llama_bench.json", "llama_bench.jsonl"])
def test_repetitions_become_steps_and_the_rate_is_tokens_over_time(name: str) -> None:
    prompt, generation = (derive(summarise(result)) for result in named(name))
    assert prompt.series.columns["time_s"] == (0.1, 0.102, 0.098, 0.101, 0.099)
    assert prompt.derived["tokens_per_s"].value == pytest.approx(5 * 512 / 0.5)
    assert generation.derived["tokens_per_s"].value == pytest.approx(3 * 128 / 3.87)
    # The tool's own figure is a mean of rates, and is kept apart.
    assert prompt.reported["tokens_per_s"].value != pytest.approx(prompt.derived["tokens_per_s"].value, rel=1e-6)
    assert prompt.name == f"{name}: llama 8B pp512"
    assert generation.name == f"{name}: llama 8B tg128"


@pytest.mark.parametrize("name", ["llama_bench.json", "llama_bench.jsonl", "llama_bench.csv", "llama_bench.sql"])
def test_every_format_says_the_same(name: str) -> None:
    first = named(name)[0]
    assert first.kind == "inference"
    assert first.platform.value == "rocm"
    assert (first.device["name"].value, first.device["count"].value) == ("AMD Instinct MI300X", 1)
    assert first.configuration["model"].value == "llama 8B"
    assert first.configuration["precision"].value == "Q4_K - Medium"
    assert first.configuration["parameters"].value == 8030261248
    assert first.configuration["workload"].value == "pp512"
    assert first.configuration["sequence"].value == 512
    assert first.reported["tokens_per_s"].value == pytest.approx(5121.0251, abs=0.01)
    assert first.reported["time_s"].value == pytest.approx(0.1)
    assert first.software["llama.cpp"].value == "1a2b3c4d5 (9001)"
    assert len(named(name)) == 2


@pytest.mark.parametrize(
    ("name", "lines"), [("llama_bench.csv", (2, 3)), ("llama_bench.sql", (5, 6)), ("llama_bench.jsonl", (1, 2))]
)
def test_every_figure_has_its_line(name: str, lines: tuple[int, int]) -> None:
    assert [result.configuration["workload"].source for result in named(name)] == [f"line {line}" for line in lines]


def test_formats_without_repetitions_say_so() -> None:
    assert [warning.code for warning in named("llama_bench.csv")[0].warnings] == ["no-repetitions"]
    assert named("llama_bench.csv")[0].series.step == ()
    assert named("llama_bench.json")[0].warnings == ()


def test_the_table_has_its_device_from_the_preamble_and_its_build_from_the_end() -> None:
    prompt, generation = table((DOCUMENTS / "llama_bench.log").read_text("utf-8"))
    assert prompt.device["name"].value == "AMD Instinct MI300X"
    assert prompt.device["name"].source == "log line 2"
    assert prompt.device["count"].value == 2
    assert prompt.device["arch"].value == "gfx942"
    assert prompt.device["wave_size"].value == 64
    assert prompt.device["memory_bytes"].value == 196608 << 20
    assert prompt.reported["tokens_per_s"].value == 5012.5
    assert prompt.reported["tokens_per_s_sd"].value == 12.25
    assert "deviation" in prompt.reported["tokens_per_s_sd"].source
    assert prompt.software["llama.cpp"].value == "1a2b3c4d5 (9001)"
    assert prompt.configuration["parameters"].value == 8_030_000_000
    assert generation.configuration["workload"].value == "tg128 @ d4096"
    assert generation.configuration["sequence"].value == 128 + 4096
    assert derive(summarise(prompt)).derived["tokens_per_s"].source.startswith("as reported")


HEAD = "| model | size | params | backend | ngl | test | t/s |\n| --- | --- | --- | --- | --- | --- | --- |\n"


def test_two_programs_in_one_log_keep_their_devices_apart() -> None:
    text = (
        "ggml_cuda_init: found 1 CUDA devices:\n"
        "  Device 0: NVIDIA H100 PCIe, compute capability 9.0, VMM: yes\n"
        + HEAD
        + "| llama 8B F16 | 15 GiB | 8.03 B | CUDA | 99 | pp512 | 900.00 ± 1.00 |\n\nbuild: aaa (1)\n"
        "ggml_vulkan: Found 1 Vulkan devices:\n"
        "ggml_vulkan: 0 = AMD Radeon RX 7900 XTX (RADV NAVI31) (radv) | uma: 0 | fp16: 1 | warp size: 64 | matrix\n"
        + HEAD
        + "| llama 8B F16 | 15 GiB | 8.03 B | Vulkan | 99 | pp512 | 800.00 ± 1.00 |\n\nbuild: bbb (2)\n"
    )
    first, second = table(text)
    assert (first.device["name"].value, first.device["arch"].value) == ("NVIDIA H100 PCIe", "sm_90")
    assert first.software["llama.cpp"].value == "aaa (1)"
    assert first.platform.value == "cuda"
    assert second.device["name"].value == "AMD Radeon RX 7900 XTX"
    assert second.device["wave_size"].value == 64
    assert second.software["llama.cpp"].value == "bbb (2)"
    assert second.platform.value is None
    assert "Vulkan" in second.platform.source


def test_a_compute_capability_of_an_old_rocm_build_is_no_arch() -> None:
    text = (
        "ggml_cuda_init: found 1 ROCm devices:\n  Device 0: AMD Radeon RX 7900 XTX, compute capability 11.0, VMM: no\n"
        + HEAD
        + "| llama 7B Q4_0 | 4 GiB | 6.74 B | ROCm | 99 | tg 128 | 90.00 ± 1.00 |\n"
    )
    (only,) = table(text)
    assert only.device["arch"].value is None
    assert only.device["name"].value == "AMD Radeon RX 7900 XTX"
    assert only.configuration["workload"].value == "tg128"


def test_an_apple_device() -> None:
    text = "ggml_metal_device_init: GPU name:   Apple M4 Max\n" + HEAD
    (only,) = table(text + "| llama 7B Q4_0 | 4 GiB | 6.74 B | Metal,BLAS | 99 | tg128 | 90.00 ± 1.00 |\n")
    assert only.device["name"].value == "Apple M4 Max"
    assert only.platform.value == "metal"


def test_a_table_without_rows_is_a_run_that_failed() -> None:
    (only,) = table("ggml_cuda_init: found 1 ROCm devices:\n  Device 0: AMD X, gfx1151 (0x1), VMM: no\n" + HEAD)
    assert [(w.code, w.severity) for w in only.warnings] == [("unfinished-run", "error")]
    assert only.reported == {}
    assert only.device["name"].value == "AMD X"


@pytest.mark.parametrize(
    "text",
    [
        "ggml_cuda_init: found 1 ROCm devices:\nbuild: 1a2b (3)\n",  # a server says this too
        "| model | test | t/s | peak t/s |\n| acme/M | pp2048 | 10.0 ± 1.0 | 11 |\n",  # llama-benchy
        "| llama 8B F16 | ROCm | pp512 | 10.0 ± 1.0 |\n",  # a row without its header
        "accuracy ± error t/s |\n",
    ],
)
def test_other_tables_are_not_llama_bench(text: str) -> None:
    assert table(text) == []


def test_a_debug_build_is_told() -> None:
    text = "warning: debug build, performance may be affected\n" + (DOCUMENTS / "llama_bench.log").read_text("utf-8")
    assert [warning.code for warning in table(text)[0].warnings] == ["slow-build", "no-repetitions"]
    assert table(text)[0].warnings[0].what == "llama-bench says of itself: debug build, performance may be affected"
    json_too = (
        b"warning: asserts enabled, performance may be affected\n" + (DOCUMENTS / "llama_bench.json").read_bytes()
    )
    assert [warning.code for warning in read(json_too)[0].warnings] == ["slow-build"]


def test_rpc_devices_are_not_counted() -> None:
    text = (
        "ggml_cuda_init: found 1 ROCm devices:\n  Device 0: AMD X, gfx1151 (0x1), VMM: no, Wave Size: 32\n"
        + HEAD
        + "| glm 355B Q4_0 | 189 GiB | 356.79 B | ROCm,RPC | 99 | pp512 | 95.55 ± 0.26 |\n"
    )
    (only,) = table(text)
    assert only.device["count"].value is None
    assert "RPC" in only.device["count"].source
    assert only.platform.value == "rocm"


@pytest.mark.parametrize(
    ("label", "counts"),
    [
        ("pp512", (512, 0, 0)),
        ("tg 128", (0, 128, 0)),
        ("pp512+tg128", (512, 128, 0)),
        ("pp2048 @ d32768", (2048, 0, 32768)),
    ],
)
def test_labels(label: str, counts: tuple[int, int, int]) -> None:
    assert tuple((label_counts(label) or {}).values()) == counts


@pytest.mark.parametrize("label", ["", "pp", "512", "pp512x", "@ d5", "pg512"])
def test_no_labels(label: str) -> None:
    assert label_counts(label) is None


def record(**changes: object) -> dict[str, object]:
    return {**json.loads((DOCUMENTS / "llama_bench.json").read_text("utf-8"))[0], **changes}


def only(**changes: object) -> Result:
    return read(json.dumps([record(**changes)]).encode())[0]


def test_a_mean_of_rates_far_from_the_totals_is_told() -> None:
    # As in a published result: two of five repetitions were slow, and the mean of rates is nearly twice the rate.
    samples = [166_573_498, 168_303_928, 444_570_910, 1_244_217_217, 173_139_885]
    result = derive(summarise(only(n_prompt=2, samples_ns=samples, avg_ns=439_361_087, avg_ts=8.309497)))
    assert result.derived["tokens_per_s"].value == pytest.approx(4.552, abs=0.001)
    assert "mean-of-rates" in {warning.code for warning in result.warnings}


def test_a_rate_below_its_own_time_is_an_error() -> None:
    assert [(w.code, w.severity) for w in only(avg_ts=51.2).warnings] == [("rate-disagrees", "error")]


def test_layers_left_on_the_cpu_are_told() -> None:
    assert [warning.code for warning in only(n_gpu_layers=0).warnings] == ["not-offloaded"]


def test_cpu_and_old_flags() -> None:
    cpu = only(backends="CPU", gpu_info="", n_gpu_layers=0)
    assert cpu.platform.value == "cpu"
    assert cpu.device["name"].value == "AMD EPYC 9575F"
    assert cpu.warnings == ()
    old = only(backends=None, cuda=True, rocm=False, vulkan=False)
    assert old.platform.value == "cuda"
    assert old.software["backend"].value == "CUDA"


def test_devices_are_counted_and_split_mode_none_uses_one() -> None:
    both = "AMD Instinct MI300X, AMD Instinct MI300X"
    assert only(gpu_info=both).device["count"].value == 2
    assert only(gpu_info=both).device["name"].value == "AMD Instinct MI300X"
    assert only(gpu_info=both, split_mode="none").device["count"].value == 1


def test_what_differs_between_tests_is_in_their_names() -> None:
    data = json.dumps([record(flash_attn=False), record(flash_attn=True)]).encode()
    assert [r.name.partition("pp512")[2] for r in read(data)] == [" flash_attn=False", " flash_attn=True"]


def test_a_list_cut_off_gives_its_whole_records() -> None:
    text = (DOCUMENTS / "llama_bench.json").read_bytes()
    cut = text[: text.index(b'"n_gen": 128')]
    assert [result.configuration["workload"].value for result in read(cut)] == ["pp512"]


def test_records_that_another_tool_wrapped() -> None:
    wrapped = json.dumps({"mode": "pp", "bench_raw": record()}).encode()
    (result,) = read(wrapped)
    assert result.configuration["model"].source == "the document, bench_raw"


def test_standard_error_before_json_names_the_device() -> None:
    lines = (
        b"ggml_cuda_init: found 1 ROCm devices:\n  Device 0: AMD Y, gfx90a:sramecc+ (0x90a), VMM: no, Wave Size: 64\n"
    )
    first = read(lines + (DOCUMENTS / "llama_bench.json").read_bytes())[0]
    assert first.device["name"].value == "AMD Y"
    assert first.device["arch"].value == "gfx90a"


def test_bad_input() -> None:
    with pytest.raises(UnreadableSource):
        read(b'[{"build_commit": "abc", "avg_ts": 1')
    assert LLAMA_BENCH.claims(b'row["build_commit"]: x = 1, "avg_ts"', Path("a.py")) is None
    odd = only(samples_ns=["x", None, -5, 0], avg_ns="?", avg_ts=None, n_prompt="512", model_type=7)
    assert odd.series.columns["time_s"] == (None, None, -5e-9, 0.0)
    assert odd.reported.keys() == {
        "tokens_per_s_sd",
        "time_s_sd",
    }
    assert derive(summarise(odd)).derived["tokens_per_s"].value is None


def test_a_csv_with_odd_lines_gives_its_good_rows() -> None:
    text = (DOCUMENTS / "llama_bench.csv").read_bytes()
    header, first, second = text.split(b"\n")[:3]
    assert len(read(b"\xef\xbb\xbf" + header + b"\r\nllama-bench: warming up\r\n" + first + b"\r\n" + second[:50])) == 1
    assert len(read(header + b"\rx\n" + first)) == 1


def test_deep_nesting_is_no_crash() -> None:
    assert list(objects("[" * 100_000)) == []
    assert list(objects('{"a":' * 50_000)) == []
