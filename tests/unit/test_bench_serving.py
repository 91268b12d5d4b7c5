"""Load tests of vLLM and SGLang: names and units of all versions as one, and figures that cannot be true."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rewarp.bench.derive import derive
from rewarp.bench.logs.base import Document, LineDialect
from rewarp.bench.logs.serving import SERVING_JSON
from rewarp.bench.logs.serving_block import SERVING_BLOCK
from rewarp.bench.logs.serving_offline import VLLM_OFFLINE, VLLM_THROUGHPUT_LINE
from rewarp.bench.logs.serving_vllm_server import VLLM_SERVER
from rewarp.bench.result import Result
from rewarp.bench.summary import summarise
from rewarp.errors import UnreadableSource

DOCUMENTS = Path(__file__).parents[1] / "bench" / "documents"


def lines(dialect: LineDialect, text: str) -> list[Result]:
    fold = dialect.fold()
    for number, line in enumerate(text.encode().split(b"\n"), 1):
        if any(anchor in line for anchor in dialect.anchors):
            fold.feed(number, line)
    return fold.results("serve.log")


def document(dialect: Document, name: str) -> list[Result]:
    file = DOCUMENTS / name
    assert dialect.claims(file.read_bytes(), file)
    return dialect.read(file.read_bytes(), file)


def text_of(name: str) -> str:
    return (DOCUMENTS / name).read_text("utf-8")


def figures(result: Result) -> dict[str, float]:
    return {name: value.value for name, value in result.reported.items()}


def codes(result: Result) -> list[str]:
    return [warning.code for warning in result.warnings]


def changed(**changes: object) -> Result:
    record = {**json.loads(text_of("vllm_serve.json")), **changes}
    record = {key: value for key, value in record.items() if value != "gone"}
    return SERVING_JSON.read(json.dumps(record).encode(), Path("serve.json"))[0]


# --- the printed block --------------------------------------------------------------------


def test_block_of_vllm() -> None:
    (result,) = lines(SERVING_BLOCK, text_of("vllm_serve.log"))
    found = figures(result)
    assert (found["requests"], found["failed_requests"], found["duration_s"]) == (178, 2, 100)
    assert (found["input_tokens"], found["output_tokens"]) == (35600, 40000)
    assert found["median_ttft_s"] == pytest.approx(0.08712)
    assert found["p99_itl_s"] == pytest.approx(0.08638)
    assert found["mean_tpot_s"] == pytest.approx(0.04141)
    assert (found["output_tokens_per_s"], found["peak_output_tokens_per_s"]) == (400, 512)
    assert found["total_tokens_per_s"] == 756
    assert result.reported["output_tokens"].source == "log line 8"
    assert result.configuration["model"].value == "acme/Model-14B"
    assert result.configuration["request_rate"].value == 2
    assert result.configuration["workload"].value == "sharegpt, 2 requests/s offered"
    assert result.device["name"].value is None
    assert "client" in result.device["name"].source
    assert codes(result) == ["requests-failed"]
    assert result.warnings[0].severity == "warning"
    assert derive(summarise(result)).derived["tokens_per_s"].value == 400


def test_block_of_sglang() -> None:
    (result,) = lines(SERVING_BLOCK, text_of("sglang_serving.log"))
    found = figures(result)
    assert (found["mean_e2e_s"], found["median_e2e_s"], found["median_ttft_s"]) == (30, 29, 8)
    assert found["output_tokens"] == 250000
    assert found["output_tokens_retokenized"] == 249000
    assert found["requests_in_flight"] == 600
    assert found["input_tokens_per_s"] == 10000
    assert result.configuration["request_rate"].value == "inf"
    assert "concurrency" not in result.configuration, "«not set» is no number"
    assert codes(result) == []


def test_several_blocks_keep_their_settings_apart() -> None:
    vllm, sglang = text_of("vllm_serve.log"), text_of("sglang_serving.log")
    results = lines(SERVING_BLOCK, vllm + sglang + vllm.replace("acme/Model-14B", "acme/Model-1B"))
    assert [result.configuration["model"].value for result in results] == ["acme/Model-14B", None, "acme/Model-1B"]
    assert [figures(result)["output_tokens_per_s"] for result in results] == [400, 5000, 400]
    assert len({result.name for result in results}) == 3


def test_a_setting_printed_before_the_title_belongs_to_the_next_block() -> None:
    block = text_of("sglang_serving.log").replace("Max request concurrency:                 not set   \n", "")
    text = block + "Maximum request concurrency: 32\n" + block
    first, second = lines(SERVING_BLOCK, text)
    assert "concurrency" not in first.configuration
    assert second.configuration["concurrency"].value == 32


def test_a_block_in_a_quote_or_comment_and_with_carriage_returns() -> None:
    quoted = "".join(f"# {line}\r\n" for line in text_of("vllm_serve.log").splitlines())
    (result,) = lines(SERVING_BLOCK, quoted)
    assert figures(result)["output_tokens_per_s"] == 400
    assert figures(result)["p99_ttft_s"] == pytest.approx(0.22096)


def test_other_percentiles_of_a_block() -> None:
    text = text_of("vllm_serve.log").replace("Mean ITL (ms): ", "Std ITL (ms): ").replace("P99 ITL", "P50 ITL")
    text = text.replace("Median ITL (ms):", "P99.9 ITL (ms):")
    found = figures(lines(SERVING_BLOCK, text)[0])
    assert found["sd_itl_s"] == pytest.approx(0.04143)
    assert found["median_itl_s"] == pytest.approx(0.08638)
    assert found["p99.9_itl_s"] == pytest.approx(0.04025)


def test_a_block_cut_off_is_told() -> None:
    text = text_of("vllm_serve.log")
    (result,) = lines(SERVING_BLOCK, text[: text.index("Output token")])
    assert ("unfinished-run", "error") in {(w.code, w.severity) for w in result.warnings}


@pytest.mark.parametrize(
    "text",
    [
        'print("{s:{c}^{n}}".format(s=" Serving Benchmark Result ", n=50, c="="))\n',
        "Total input tokens: 5\nMedian TTFT (ms): 3\n",  # no title
        "elapsed time per iteration (ms): 5 | requests: 3\n",
    ],
)
def test_no_block(text: str) -> None:
    assert lines(SERVING_BLOCK, text) == []


# --- JSON ---------------------------------------------------------------------------------


def test_json_of_vllm() -> None:
    (result,) = document(SERVING_JSON, "vllm_serve.json")
    found = figures(result)
    assert found["median_ttft_s"] == 0.045
    assert found["sd_ttft_s"] == 0.004
    assert found["mean_e2e_s"] == 7.49
    assert (found["requests"], found["output_tokens"], found["output_tokens_per_s"]) == (100, 12500, 250)
    assert result.configuration["model"].value == "acme/Model-8B"
    assert result.configuration["sequence"].value is None
    assert result.configuration["workload"].value == "inf requests/s offered, at most 16 at once"
    assert result.configuration["concurrency"].value == 16
    assert result.software["backend"].value == "vllm"
    assert result.provenance["when"] == "20260102-030405"
    assert codes(result) == []


def test_json_lines_of_sglang() -> None:
    first, second = document(SERVING_JSON, "sglang_serving.jsonl")
    assert figures(first)["median_e2e_s"] == 1.9
    assert figures(second)["median_e2e_s"] == 3.8
    assert second.configuration["request_rate"].value == "inf"
    assert first.reported["duration_s"].source == "line 1: duration"
    assert second.reported["duration_s"].source == "line 2: duration"
    assert first.configuration["sequence"].value == 300
    assert second.configuration["workload"].value.startswith("random, 100 tokens in, 200 tokens out, range 1.0, inf")
    assert first.name != second.name
    assert codes(first) == codes(second) == []


def test_latencies_without_a_unit_are_seconds() -> None:
    (result,) = document(SERVING_JSON, "inferencex.json")
    assert figures(result)["median_ttft_s"] == 0.3
    assert figures(result)["mean_tpot_s"] == 0.0125
    assert result.device["name"].value == "mi355x"
    assert result.device["count"].value == 8
    assert result.configuration["workload"].value == "random, 1024 tokens in, 1024 tokens out, at most 64 at once"
    assert result.configuration["sequence"].value == 2048
    assert derive(summarise(result)).derived["tokens_per_s_per_device"].value == 600


def test_devices_of_inferencex() -> None:
    record = {**json.loads(text_of("inferencex.json")), "pp": 2, "pcp_size": 3, "isl": 8192}
    workload = SERVING_JSON.read(json.dumps(record).encode(), Path("x.json"))[0].configuration["workload"].value
    assert workload.startswith("random, 8192 tokens in, 1024 tokens out")
    assert SERVING_JSON.read(json.dumps(record).encode(), Path("x.json"))[0].device["count"].value == 48
    split = {**record, "num_prefill_gpu": 8, "num_decode_gpu": 24}
    assert SERVING_JSON.read(json.dumps(split).encode(), Path("x.json"))[0].device["count"].value == 32


def test_what_an_sglang_server_says_of_itself() -> None:
    served = {"model_path": "acme/Model-70B", "tp_size": 8, "dp_size": 1, "dtype": "auto", "quantization": "fp8"}
    result = changed(model_id="gone", server_info={**served, "version": "0.5.0"})
    assert result.configuration["model"].value == "acme/Model-70B"
    assert result.configuration["precision"].value == "fp8"
    assert result.configuration["parallelism"].value == "tp8 dp1"
    assert result.software["sglang"].value == "0.5.0"
    auto = changed(server_info={"dtype": "auto", "tp_size": 1})
    assert auto.configuration["precision"].value is None
    assert result.device["count"].value is None, "with dp attention tp x dp is not the number of devices"


def test_json_that_keeps_the_printed_block() -> None:
    data = json.dumps({"success": True, "raw_output": text_of("vllm_serve.log")}).encode()
    assert SERVING_JSON.claims(data, Path("x.json"))
    (result,) = SERVING_JSON.read(data, Path("x.json"))
    assert figures(result)["output_tokens_per_s"] == 400
    assert result.reported["output_tokens_per_s"].source == "the document, raw_output, line 10"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"output_throughput": 2000.0}, "rate-disagrees"),
        ({"request_throughput": 4.0}, "rate-disagrees"),
        ({"completed": 0, "total_output_tokens": 0, "output_throughput": 0.0}, "no-request-finished"),
        ({"completed": 60, "request_throughput": 1.2}, "requests-failed"),
        ({"duration": -1.0}, "bad-duration"),
        ({"p99_ttft_ms": 40.0}, "percentiles-disordered"),
        ({"median_tpot_ms": -3.0}, "negative-latency"),
        # Seconds called milliseconds, and milliseconds called seconds.
        ({"mean_e2el_ms": 7.49, "median_e2el_ms": 7.4, "p99_e2el_ms": 9.0}, "latency-implausible"),
        ({"mean_e2el_ms": "gone", "mean_ttft_ms": 0.05, "mean_tpot_ms": 0.06}, "latency-implausible"),
        ({"mean_e2el_ms": "gone", "mean_e2el": 7490.0}, "latency-implausible"),
    ],
)
def test_what_cannot_be_true_is_told(changes: dict[str, object], code: str) -> None:
    assert code in codes(changed(**changes))


def test_a_slow_trickle_of_requests_is_not_implausible() -> None:
    result = changed(request_rate=0.1, mean_e2el_ms=200.0, median_e2el_ms=190.0, p99_e2el_ms=300.0)
    assert codes(result) == []


def test_bad_json() -> None:
    with pytest.raises(UnreadableSource):
        SERVING_JSON.read(b'{"output_throughput": 5.0, "mean_ttft_ms": 3', Path("x.json"))
    assert SERVING_JSON.claims(b'{"output_throughput": 5.0}', Path("x.json")) is None
    assert SERVING_JSON.claims(b"", Path("x.json")) is None
    odd = changed(mean_ttft_ms="fast", output_throughput=None, duration="50.0", request_rate=None)
    assert "mean_ttft_s" not in odd.reported
    assert odd.reported["duration_s"].value == 50


# --- without a server, and the server's own log -------------------------------------------


def test_latency_and_throughput() -> None:
    (latency,) = document(VLLM_OFFLINE, "vllm_latency.json")
    assert latency.series.columns["time_s"] == (1.0, 1.02, 0.99, 1.01, 1.03, 1.01)
    assert figures(latency) == {"mean_e2e_s": 1.01, "p10_e2e_s": 0.99, "median_e2e_s": 1.01, "p99_e2e_s": 1.03}
    (throughput,) = document(VLLM_OFFLINE, "vllm_throughput.json")
    assert throughput.name == "vllm_throughput.json"
    assert derive(summarise(throughput)).derived["tokens_per_s"].value == 1500
    assert "input and output" in throughput.configuration["workload"].value
    assert codes(throughput) == []


def test_a_throughput_that_is_not_tokens_over_time() -> None:
    record = {**json.loads(text_of("vllm_throughput.json")), "tokens_per_second": 3000.0}
    (result,) = VLLM_OFFLINE.read(json.dumps(record).encode(), Path("t.json"))
    assert codes(result) == ["rate-disagrees"]


@pytest.mark.parametrize(
    ("line", "rates"),
    [
        ("Throughput: 7.15 requests/s, 4656.00 total tokens/s, 1072.15 output tokens/s", (7.15, 4656.0, 1072.15)),
        ("INFO: Throughput: 6.37 requests/s, 2637.0 tokens/s", (6.37, 2637.0, None)),
    ],
)
def test_the_printed_line_of_a_throughput_benchmark(line: str, rates: tuple[float, float, float | None]) -> None:
    (result,) = lines(VLLM_THROUGHPUT_LINE, f"Processed prompts: 100%\n{line}\n")
    found = figures(result)
    assert (found["requests_per_s"], found["tokens_per_s"], found.get("output_tokens_per_s")) == rates
    assert result.reported["tokens_per_s"].source == "log line 2"
    assert lines(VLLM_THROUGHPUT_LINE, "served 5 requests/s, fast\n") == []


def test_offline_throughput_of_sglang() -> None:
    record = {"backend": "engine", "successful_requests": 100, "total_latency": 50.0, "total_input_tokens": 1000}
    record |= {"total_output_tokens": 20000, "request_throughput": 2.0, "output_throughput": 400.0}
    data = json.dumps(record).encode()
    assert SERVING_JSON.claims(data, Path("o.jsonl"))
    (result,) = SERVING_JSON.read(data, Path("o.jsonl"))
    assert figures(result)["tokens_per_s"] == 400
    assert codes(result) == []
    block = text_of("sglang_serving.log").replace("= Serving Benchmark", "= Offline Throughput Benchmark")
    assert figures(lines(SERVING_BLOCK, block)[0])["tokens_per_s"] == 5000


def test_many_latencies_before_the_percentiles() -> None:
    data = json.dumps({"avg_latency": 1.0, "latencies": [1.0] * 40_000, "percentiles": {"50": 1.0}}).encode()
    assert VLLM_OFFLINE.claims(data[: 1 << 16], Path("l.json"))
    assert len(VLLM_OFFLINE.read(data, Path("l.json"))[0].series.step) == 40_000


def test_a_server_by_its_own_log() -> None:
    (result,) = lines(VLLM_SERVER, text_of("vllm_server.log"))
    assert result.series.columns["tokens_per_s"] == (20.0, 100.0, 300.0, 200.0)
    assert result.series.columns["time_s"] == (None, 10.0, 10.0, 10.0)
    assert result.configuration["model"].value == "acme/Model-14B"
    assert result.configuration["precision"].value == "bfloat16"
    assert result.software["vllm"].value == "0.13.0"
    assert result.device["count"].value == 2
    assert result.configuration["parallelism"].value == "tp2 pp1"
    assert codes(result) == ["load-not-known", "idle-windows"]
    assert derive(summarise(result)).derived["tokens_per_s"].value == 200


def window(stamp: str, rate: float, engine: int = 0) -> str:
    return f"INFO {stamp} Engine {engine:03}: Avg prompt throughput: 1.0 tokens/s, Avg generation throughput: {rate} tokens/s\n"


def test_engines_of_one_server_are_added_up() -> None:
    text = "".join(
        window(f"01-02 10:00:{second}", rate, engine) for second in (10, 20) for engine, rate in ((0, 5), (1, 7))
    )
    (result,) = lines(VLLM_SERVER, text)
    assert result.series.columns["tokens_per_s"] == (12.0, 12.0)
    assert result.series.columns["tokens"] == (None, 120.0)


def test_a_pause_and_a_clock_that_goes_back_are_no_window() -> None:
    stamps = ("12-31 23:59:50", "01-01 00:00:00", "01-01 00:00:10", "01-01 03:00:00", "13-40 99:00:00")
    (result,) = lines(VLLM_SERVER, "".join(window(stamp, 10.0) for stamp in stamps))
    assert result.series.columns["time_s"] == (None, None, 10.0, None, None)
