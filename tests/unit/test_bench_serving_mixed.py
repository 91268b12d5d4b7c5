"""Documents and blocks as files come: each read by its own dialect, also several of them in one log."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from rewarp.bench import json_file
from rewarp.bench.logs.base import LineDialect, all_dialects
from rewarp.bench.logs.collect import read_logs
from rewarp.bench.logs.llama_bench_table import LLAMA_BENCH_TABLE
from rewarp.bench.logs.mlperf import MLPERF
from rewarp.bench.logs.serving_block import SERVING_BLOCK
from rewarp.bench.logs.serving_offline import VLLM_THROUGHPUT_LINE
from rewarp.bench.logs.serving_vllm_server import VLLM_SERVER

DOCUMENTS = Path(__file__).parents[1] / "bench" / "documents"
DIALECTS = {
    "inferencex.json": ("serving-json", 1),
    "llama_bench.csv": ("llama-bench", 2),
    "llama_bench.json": ("llama-bench", 2),
    "llama_bench.jsonl": ("llama-bench", 2),
    "llama_bench.log": ("llama-bench-table", 2),
    "llama_bench.sql": ("llama-bench", 2),
    "sglang_serving.jsonl": ("serving-json", 2),
    "sglang_serving.log": ("serving", 1),
    "vllm_latency.json": ("vllm-offline", 1),
    "vllm_serve.json": ("serving-json", 1),
    "vllm_serve.log": ("serving", 1),
    "vllm_server.log": ("vllm-server", 1),
    "vllm_throughput.json": ("vllm-offline", 1),
}
MLLOG = ':::MLLOG {"time_ms": %d, "key": "%s", "value": null, "metadata": {"status": "success"}}\n'


def test_every_document_has_its_reader() -> None:
    read = read_logs([DOCUMENTS])
    found: dict[str, list[str]] = {}
    for result in read.results:
        (file,) = result.provenance["files"]
        found.setdefault(Path(file).name, []).append(result.provenance["dialect"])
    assert found == {name: [dialect] * count for name, (dialect, count) in DIALECTS.items()}
    assert read.unread == ()
    names = [result.name for result in read.results]
    assert len(set(names)) == len(names)


def test_what_is_read_can_be_written_and_read_again(tmp_path: Path) -> None:
    results = read_logs([DOCUMENTS]).results
    (tmp_path / "out.json").write_text(json_file.dump(results))
    again = json_file.load(tmp_path / "out.json")
    assert [result.reported for result in again] == [dict(result.reported) for result in results]


def test_several_kinds_in_one_log(tmp_path: Path) -> None:
    parts = ["vllm_server.log", "vllm_serve.log", "llama_bench.log"]
    text = "".join((DOCUMENTS / name).read_text("utf-8") for name in parts)
    text += MLLOG % (1000, "run_start") + MLLOG % (61_000, "run_stop")
    text += "Throughput: 7.15 requests/s, 4656.00 total tokens/s, 1072.15 output tokens/s\n"
    with gzip.open(tmp_path / "all.log.gz", "wt", encoding="utf-8") as file:
        file.write("noise\n" * 1000 + text)
    results = read_logs([tmp_path / "all.log.gz"]).results
    by_dialect: dict[str, int] = {}
    for result in results:
        by_dialect[result.provenance["dialect"]] = by_dialect.get(result.provenance["dialect"], 0) + 1
    wanted = {"vllm-server": 1, "serving": 1, "llama-bench-table": 2, "mlperf": 1, "vllm-throughput": 1}
    assert by_dialect == wanted
    run = next(result for result in results if result.kind == "mlperf")
    assert run.reported["run_time_s"].value == 60


@pytest.mark.parametrize(
    ("dialect", "mine", "others"),
    [
        (MLPERF, MLLOG % (1, "run_start"), ""),
        (SERVING_BLOCK, "============ Serving Benchmark Result ============", "Namespace(model='m')"),
        (
            VLLM_SERVER,
            "Avg prompt throughput: 1.0 tokens/s, Avg generation throughput: 2.0 tokens/s",
            " LLM engine (v1",
        ),
        (VLLM_THROUGHPUT_LINE, "Throughput: 1.0 requests/s, 2.0 tokens/s", "got 1.0 requests/s, 2"),
        (LLAMA_BENCH_TABLE, "| model | size | backend | test | t/s |", "ggml_cuda_init: found 1 ROCm devices:"),
    ],
)
def test_only_lines_that_prove_it_are_claimed(dialect: LineDialect, mine: str, others: str) -> None:
    """A line that is taken is hidden from every other dialect."""
    fold = dialect.fold()
    assert not others or not fold.feed(1, others.encode())
    assert fold.feed(2, mine.encode())


def test_rows_and_figures_are_claimed_too() -> None:
    table = LLAMA_BENCH_TABLE.fold()
    lines = (DOCUMENTS / "llama_bench.log").read_bytes().split(b"\n")
    taken = [number for number, line in enumerate(lines, 1) if table.feed(number, line)]
    assert taken == [4, 6, 7, 9]
    block = SERVING_BLOCK.fold()
    lines = (DOCUMENTS / "vllm_serve.log").read_bytes().split(b"\n")
    taken = [number for number, line in enumerate(lines, 1) if block.feed(number, line)]
    assert taken == [*range(2, 13), 14, 15, 16, 18, 19, 20, 22, 23, 24]


@pytest.mark.parametrize("name", ["vllm_serve.json", "llama_bench.json", "llama_bench.csv"])
def test_a_document_with_colours_in_it(tmp_path: Path, name: str) -> None:
    plain = read_logs([DOCUMENTS / name]).results
    coloured = (DOCUMENTS / name).read_bytes().replace(b"\n", b"\x1b[0m\r\n\x1b[32m")
    (tmp_path / name).write_bytes(b"\x1b[32m" + coloured + b"\x1b[0m")
    found = read_logs([tmp_path / name]).results
    assert [result.reported for result in found] == [result.reported for result in plain]


def test_odd_options_of_a_server_and_a_load_test(tmp_path: Path) -> None:
    text = (DOCUMENTS / "vllm_server.log").read_text("utf-8").replace("tensor_parallel_size=", "tensor_parallel_size=x")
    (tmp_path / "server.log").write_text(text)
    (server,) = read_logs([tmp_path / "server.log"]).results
    assert not server.device["count"].known
    block = "Namespace(backend='vllm', model='', max_concurrency=8)\n" + (DOCUMENTS / "vllm_serve.log").read_text(
        "utf-8"
    )
    (tmp_path / "serve.log").write_text(block)
    assert len(read_logs([tmp_path / "serve.log"]).results) == 1


def test_a_document_cut_off_says_why(tmp_path: Path) -> None:
    data = (DOCUMENTS / "vllm_serve.json").read_bytes()
    (tmp_path / "half.json").write_bytes(data[: len(data) // 2 + 200])
    read = read_logs([tmp_path])
    assert read.results == ()
    assert "cut off" in read.unread[0].why


def test_the_dialects_say_what_they_look_for() -> None:
    for name, dialect in all_dialects().items():
        assert dialect.title, name
        assert dialect.looks_for, name
    assert json.dumps(sorted(all_dialects()))
