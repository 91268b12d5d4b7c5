"""vLLM without a server: `vllm bench latency` and `vllm bench throughput`, as JSON and, of the latter, the printed line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from rewarp.bench.logs.base import Document, Facts, Fold, LineDialect
from rewarp.bench.logs.json_objects import JsonObject, holding, number, objects
from rewarp.bench.result import Result, Series, Sourced, Warn
from rewarp.errors import UnreadableSource

_LATENCY = ("avg_latency", "percentiles")
_THROUGHPUT = ("elapsed_time", "num_requests", "tokens_per_second")
_PRINTED = re.compile(
    r"Throughput: (?P<requests>\d+(?:\.\d+)?) requests/s, (?P<total>\d+(?:\.\d+)?) (?:total )?tokens/s"
    r"(?:, (?P<output>\d+(?:\.\d+)?) output tokens/s)?"
)
"""Older versions print one rate of tokens, the total."""
_AGREE = 0.01


class VllmOffline(Document):
    name = "vllm-offline"
    title = "vLLM latency or throughput benchmark (JSON)"
    looks_for = '"avg_latency" with "percentiles", or "elapsed_time" with "num_requests" and "tokens_per_second"'

    def claims(self, head: bytes, file: Path) -> str | None:
        for keys in (_LATENCY, _THROUGHPUT):
            if all(re.search(rb'"%s"\s*:' % key.encode(), head) for key in keys):
                return f"JSON with {', '.join(keys)}"
        # Thousands of latencies may stand before the percentiles.
        if re.match(rb'\s*\{\s*"avg_latency"\s*:\s*[\d.e+-]+,\s*"latencies"\s*:\s*\[', head):
            return "JSON that begins with avg_latency and latencies"
        return None

    def read(self, data: bytes, file: Path) -> list[Result]:
        found = list(objects(data.decode("utf-8", "replace")))
        provenance = {"dialect": self.name, "why": self.claims(data[: 1 << 16], file)}
        results = [_latency(file.name, *one, provenance) for one in holding(found, _LATENCY)]
        results += [_throughput(file.name, *one, provenance) for one in holding(found, _THROUGHPUT)]
        if not results:
            raise UnreadableSource("the fields of a vLLM benchmark are there, but no whole record: was it cut off?")
        return results


def _latency(name: str, where: str, record: JsonObject, provenance: dict[str, Any]) -> Result:
    """Each step answers one batch."""
    listed = record.get("latencies")
    times = tuple(number(time) for time in listed) if isinstance(listed, list) else ()
    series = Series(tuple(range(1, len(times) + 1)), {"time_s": times}) if times else Series()
    reported = {"mean_e2e_s": Sourced(number(record["avg_latency"]), f"{where}: avg_latency")}
    shares = record["percentiles"] if isinstance(record["percentiles"], dict) else {}
    for share, time in shares.items():
        label = "median" if str(share) == "50" else f"p{share}"
        reported[f"{label}_e2e_s"] = Sourced(number(time), f"{where}: percentiles")
    return _result(name, where, series, reported, (), provenance)


def _throughput(name: str, where: str, record: JsonObject, provenance: dict[str, Any]) -> Result:
    """All requests at once; input and output tokens are counted together."""
    time, tokens = number(record["elapsed_time"]), number(record.get("total_num_tokens"))
    names = {
        "tokens_per_second": "tokens_per_s",
        "requests_per_second": "requests_per_s",
        "num_requests": "requests",
        "elapsed_time": "duration_s",
        "total_num_tokens": "total_tokens",
    }
    reported = {
        ours: Sourced(value, f"{where}: {theirs}")
        for theirs, ours in names.items()
        if (value := number(record.get(theirs))) is not None
    }
    claimed = number(record["tokens_per_second"])
    warnings: tuple[Warn, ...] = ()
    if time and tokens and claimed is not None and abs(claimed * time / tokens - 1) > _AGREE:
        what = f"{claimed:g} tokens/s by the file, {tokens / time:g} by its tokens / its time"
        warnings = (Warn("rate-disagrees", what, where=where),)
    return _result(name, where, Series(), reported, warnings, provenance)


def _result(
    name: str,
    where: str,
    series: Series,
    reported: dict[str, Sourced],
    warnings: tuple[Warn, ...],
    provenance: dict[str, Any],
) -> Result:
    facts = Facts()
    facts.add("software.backend", "vllm", "its benchmark")
    kind = "vllm bench throughput: input and output tokens" if "tokens_per_s" in reported else "vllm bench latency"
    facts.add("configuration.workload", kind, where)
    return Result(
        name=name if where == "the document" else f"{name}: {where}",
        kind="inference",
        platform=facts.platform(),
        device=facts.device(),
        software=facts.software(),
        configuration=facts.configuration(),
        series=series,
        reported={key: value for key, value in reported.items() if value.known},
        warnings=warnings,
        provenance=provenance,
    )


class VllmThroughputLine(LineDialect):
    name = "vllm-throughput"
    title = "vLLM throughput benchmark (printed line)"
    looks_for = "Throughput: 7.15 requests/s, 4656.00 total tokens/s, 1072.15 output tokens/s"
    anchors = (b" requests/s, ",)

    def fold(self) -> Fold:
        return _Lines()


class _Lines:
    anchors = VllmThroughputLine.anchors

    def __init__(self) -> None:
        self._found: list[tuple[str, re.Match[str]]] = []

    def feed(self, number_: int, line: bytes) -> bool:
        found = _PRINTED.search(line.decode("utf-8", "replace"))
        if found:
            self._found.append((f"log line {number_}", found))
        return found is not None

    def results(self, name: str) -> list[Result]:
        provenance = {"dialect": VllmThroughputLine.name, "why": f"{len(self._found)} lines «Throughput: … requests/s»"}
        return [self._result(name, where, found, provenance) for where, found in self._found]

    def _result(self, name: str, where: str, found: re.Match[str], provenance: dict[str, Any]) -> Result:
        names = {"requests": "requests_per_s", "total": "tokens_per_s", "output": "output_tokens_per_s"}
        reported = {ours: Sourced(float(found[group]), where) for group, ours in names.items() if found[group]}
        title = name if len(self._found) == 1 else f"{name}: {where}"
        return _result(title, "the document", Series(), reported, (), provenance)


VLLM_OFFLINE = VllmOffline()
VLLM_THROUGHPUT_LINE = VllmThroughputLine()
