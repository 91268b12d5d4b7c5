"""Load tests of vLLM and SGLang as JSON: `vllm bench serve --save-result`, `sglang.bench_serving --output-file`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from rewarp.bench.logs.base import Document, Facts
from rewarp.bench.logs.json_objects import JsonObject, holding, integer, number, objects, word
from rewarp.bench.logs.serving_block import results_in_text
from rewarp.bench.logs.serving_figures import Figures, figure, result
from rewarp.bench.result import Result, Sourced
from rewarp.errors import UnreadableSource

_RATES = ("output_throughput", "request_throughput", "tput_per_gpu")
"""A record of a load test has one of these, and latencies. The last is of InferenceX, which sums up vLLM's file."""
_RATE = re.compile(rb'"(?:output_throughput|request_throughput|tput_per_gpu)"\s*:\s*-?\d')
_LATENCY = re.compile(rb'"(?:mean|median|p99|std)_(?:ttft|tpot|itl|e2el|e2e_latency)(?:_ms)?"\s*:')
_OFFLINE = ("successful_requests", "total_latency", "output_throughput")
"""Of sglang.bench_offline_throughput, which has no latencies of requests."""
_BLOCK = " Benchmark Result ="
_SETTINGS = {
    "model_id": "model",
    "model": "model",
    "model_name": "model",
    "dataset_name": "dataset",
    "max_concurrency": "concurrency",
    "num_prompts": "prompts",
    "burstiness": "burstiness",
    "random_input_len": "random_input_len",
    "random_output_len": "random_output_len",
    "random_range_ratio": "random_range_ratio",
    "sharegpt_output_len": "sharegpt_output_len",
    "quantization": "precision",
    "precision": "precision",
    "dtype": "precision",
    "conc": "concurrency",
}
_PARALLEL = {"tensor_parallel_size": "tp", "tp": "tp", "tp_size": "tp", "pipeline_parallel_size": "pp", "pp_size": "pp"}


class ServingJson(Document):
    name = "serving-json"
    title = "vLLM or SGLang load test (JSON)"
    looks_for = '"output_throughput": … with "median_ttft_ms" and the like, of vllm bench serve or sglang.bench_serving'

    def claims(self, head: bytes, file: Path) -> str | None:
        if _RATE.search(head) and _LATENCY.search(head):
            return "JSON with output_throughput and latencies by percentile"
        if all(f'"{key}":'.encode() in head for key in _OFFLINE):
            return f"JSON with {', '.join(_OFFLINE)}"
        if head.lstrip()[:1] in (b"{", b"[") and _BLOCK.encode() in head:
            return "JSON that holds the printed block of a load test"
        return None

    def read(self, data: bytes, file: Path) -> list[Result]:
        text = data.decode("utf-8", "replace")
        provenance = {"dialect": self.name, "why": self.claims(data[: 1 << 16], file)}
        found = list(objects(text))
        records = {id(record): (where, record) for rate in _RATES for where, record in holding(found, [rate])}
        results = [_result(file.name, *one, provenance) for one in records.values() if _is_load_test(one[1])]
        if not results:
            results = [one for where, record in found for one in _printed(file.name, where, record, provenance)]
        if not results:
            raise UnreadableSource("the fields of a load test are there, but no whole record: was it cut off?")
        return results


def _is_load_test(record: JsonObject) -> bool:
    return record.keys() >= set(_OFFLINE) or any(_LATENCY.fullmatch(f'"{key}":'.encode()) for key in record)


def _printed(name: str, where: str, record: JsonObject, provenance: dict[str, Any]) -> list[Result]:
    """A tool that keeps what another one printed."""
    texts = [(key, text) for key, text in record.items() if isinstance(text, str) and _BLOCK in text]
    return [one for key, text in texts for one in results_in_text(text, name, f"{where}, {key}", provenance)]


def _result(name: str, where: str, record: JsonObject, provenance: dict[str, Any]) -> Result:
    figures: Figures = {}
    for key, raw in record.items():
        value = number(raw)
        named = figure(key, value, where) if value is not None else None
        if named:
            figures.setdefault(*named)
    facts = _facts(record, where)
    if "failed_requests" not in figures and (prompts := integer(record.get("num_prompts"))) is not None:
        done = integer(record.get("completed"))
        if done is not None and done < prompts:
            figures["failed_requests"] = Sourced(prompts - done, f"{where}: num_prompts - completed")
    label = word(record.get("label")) or word(record.get("tag"))
    title = f"{name}: {label or where}" if where != "the document" else name
    return result(title, facts, figures, {**provenance, "when": record.get("date")})


def _facts(record: JsonObject, where: str) -> Facts:
    facts = Facts()
    served = record.get("server_info")
    if isinstance(served, dict):
        _add_server(facts, served, where)
    for key, field in _SETTINGS.items():
        if record.get(key) not in (None, ""):
            facts.add(f"configuration.{field}", record[key], f"{where}: {key}")
    rate = record.get("request_rate")
    if isinstance(rate, float) and rate == float("inf"):
        rate = "inf"
    if rate is not None:
        facts.add("configuration.request_rate", rate, f"{where}: request_rate")
    degrees = {short: size for key, short in _PARALLEL.items() if (size := integer(record.get(key)))}
    if degrees:
        facts.add("configuration.parallelism", " ".join(f"{k}{v}" for k, v in degrees.items()), where)
    for key in ("backend", "endpoint_type", "framework"):
        if backend := word(record.get(key)):
            facts.add("software.backend", backend, f"{where}: {key}")
    if "tput_per_gpu" in record:
        _add_machine(facts, record, where)
    facts.add("device.name", None, "a load test runs on the client: the file does not say what served it")
    return facts


def _add_server(facts: Facts, served: JsonObject, where: str) -> None:
    """What an SGLang server said of itself."""
    for key, field in (("model_path", "configuration.model"), ("version", "software.sglang")):
        if value := word(served.get(key)):
            facts.add(field, value, f"{where}: server_info, {key}")
    dtype, quantization = word(served.get("dtype")), word(served.get("quantization"))
    if quantization or (dtype and dtype != "auto"):
        facts.add("configuration.precision", quantization or dtype, f"{where}: server_info")
    sizes = {short: integer(served.get(f"{short}_size")) for short in ("tp", "pp", "dp")}
    if sizes["tp"]:
        known = {short: size for short, size in sizes.items() if size}
        facts.add("configuration.parallelism", " ".join(f"{k}{v}" for k, v in known.items()), f"{where}: server_info")


def _add_machine(facts: Facts, record: JsonObject, where: str) -> None:
    """InferenceX names the machine; with prefill and decode apart, the devices of both."""
    if hardware := word(record.get("hw")):
        facts.add("device.name", hardware, f"{where}: hw")
    split = [integer(record.get(f"num_{role}_gpu")) for role in ("prefill", "decode")]
    if split[0] is not None and split[1] is not None:
        facts.add("device.count", split[0] + split[1], f"{where}: prefill and decode devices")
    elif size := integer(record.get("tp")):
        parts = [integer(record.get(key)) or 1 for key in ("pp", "pcp_size")]
        facts.add("device.count", size * parts[0] * parts[1], f"{where}: tp x pp x pcp")
    lengths = [integer(record.get(key)) for key in ("isl", "osl")]
    if lengths[0] is not None and lengths[1] is not None:
        facts.add("configuration.dataset", "random", "InferenceX always sends random tokens")
        facts.add("configuration.random_input_len", lengths[0], f"{where}: isl")
        facts.add("configuration.random_output_len", lengths[1], f"{where}: osl")


SERVING_JSON = ServingJson()
