"""The block that load tests of vLLM and SGLang print at their end: `Serving Benchmark Result`, `Offline Throughput …`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rewarp.bench.logs.base import Facts, Fold, LineDialect
from rewarp.bench.logs.serving_figures import Figures, result
from rewarp.bench.result import Result, Sourced, Warn

_LINE = re.compile(r"^\W*(?P<label>[A-Za-z][\w .()/-]*?(?: \([\w./ ]+\))?):\s+(?P<value>\S+)\s*\W*$")
_COUNTS = {
    "successful requests": "requests",
    "failed requests": "failed_requests",
    "benchmark duration (s)": "duration_s",
    "total input tokens": "input_tokens",
    "total generated tokens": "output_tokens",
    "total generated tokens (retokenized)": "output_tokens_retokenized",
    "request throughput (req/s)": "requests_per_s",
    "request goodput (req/s)": "good_requests_per_s",
    "input token throughput (tok/s)": "input_tokens_per_s",
    "output token throughput (tok/s)": "output_tokens_per_s",
    "total token throughput (tok/s)": "total_tokens_per_s",
    "total throughput (tok/s)": "total_tokens_per_s",
    "peak output token throughput (tok/s)": "peak_output_tokens_per_s",
    "peak concurrent requests": "peak_requests_in_flight",
    "concurrency": "requests_in_flight",
}
_SETTINGS = {
    "maximum request concurrency": "concurrency",
    "max request concurrency": "concurrency",
    "max reqeuest concurrency": "concurrency",
    "traffic request rate": "request_rate",
    "request rate configured (rps)": "request_rate",
}
"""One SGLang printed `reqeuest`."""
_STARTS = (b" Benchmark Result =", b"Namespace(", b"equest concurrency: ", b"equest rate")
"""Before the first block other lines mean nothing."""
_LATENCY = re.compile(r"(mean|median|p\d+(?:\.\d+)?|std) (ttft|tpot|itl|e2el|e2e latency) \((ms|s)\)")
_WHAT = {"e2el": "e2e", "e2e latency": "e2e"}
_WHICH = {"std": "sd", "p50": "median"}
_TITLE = " Benchmark Result ="
_OPTIONS = re.compile(
    r"\b(model|dataset_name|random_input_len|random_output_len|random_range_ratio|backend|request_rate|max_concurrency)=(?:'([^']*)'|([^,)\s]+))"
)
_OPTION_FIELDS = {
    "model": "configuration.model",
    "dataset_name": "configuration.dataset",
    "random_input_len": "configuration.random_input_len",
    "random_output_len": "configuration.random_output_len",
    "random_range_ratio": "configuration.random_range_ratio",
    "backend": "software.backend",
    "request_rate": "configuration.request_rate",
    "max_concurrency": "configuration.concurrency",
}


class ServingBlock(LineDialect):
    name = "serving"
    title = "vLLM or SGLang load test (printed block)"
    looks_for = "Serving Benchmark Result, Output token throughput (tok/s): 1981.66, Median TTFT (ms): 43.61"
    anchors = (*_STARTS, b"s): ", b"d): ", b"equests: ", b" tokens: ", b"oncurrency: ")

    def fold(self) -> Fold:
        return Blocks()


class _Block:
    def __init__(self, where: str) -> None:
        self.where = where
        self.figures: Figures = {}
        self.facts = Facts()


class Blocks:
    """One block after the other; each begins with its title."""

    def __init__(self, within: str = "") -> None:
        self._within = within
        self._blocks: list[_Block] = []
        self._ahead = Facts()
        """Settings that vLLM prints before the title."""

    @property
    def anchors(self) -> tuple[bytes, ...]:
        return ServingBlock.anchors if self._blocks else _STARTS

    def feed(self, number: int, line: bytes) -> bool:
        if not self._blocks and not any(start in line for start in _STARTS):
            return False
        text = line.decode("utf-8", "replace")
        where = f"{self._within}line {number}" if self._within else f"log line {number}"
        if _TITLE in text:
            self._blocks.append(_Block(where))
            self._blocks[-1].facts, self._ahead = self._ahead, Facts()
            return True
        if "Namespace(" in text:
            self._options(text, where)
            return False
        found = _LINE.match(text)
        return bool(found) and self._line(found["label"].lower(), found["value"], where) if found else False

    def _options(self, text: str, where: str) -> None:
        """The options, which vLLM prints when it starts."""
        self._ahead = Facts()
        for option in _OPTIONS.finditer(text):
            value = _known(option[2] or option[3] or "none")
            if value is not None:
                self._ahead.add(_OPTION_FIELDS[option[1]], value, f"{where}: {option[1]}")

    def _line(self, label: str, value: str, where: str) -> bool:
        block = self._blocks[-1] if self._blocks else None
        if label in _SETTINGS:
            self._setting(_SETTINGS[label], value, where, block)
            return block is not None
        named, amount = _name(label), _amount(value)
        if block is None or named is None or amount is None:
            return False
        name, per_second = named
        block.figures.setdefault(name, Sourced(amount / per_second, where))
        return True

    def _setting(self, name: str, value: str, where: str, block: _Block | None) -> None:
        known = _known(value)
        # Before the first figure of a block the line belongs to it; after them, to the next one.
        mine = block.facts if block and not _complete(block) else self._ahead
        if known is not None:
            mine.found[f"configuration.{name}"] = Sourced(known, where)

    def results(self, name: str) -> list[Result]:
        provenance = {"dialect": ServingBlock.name, "why": f"{len(self._blocks)} times «{_TITLE.strip(' =')}»"}
        return [self._result(block, name, provenance) for block in self._blocks if block.figures]

    def _result(self, block: _Block, name: str, provenance: Mapping[str, Any]) -> Result:
        block.facts.add("device.name", None, "a load test runs on the client: the block does not say what served it")
        title = name if len(self._blocks) == 1 else f"{name}: {block.where}"
        made = result(title, block.facts, block.figures, provenance)
        if _complete(block):
            return made
        what = "the block is cut off: no output throughput in it"
        return replace(made, warnings=(*made.warnings, Warn("unfinished-run", what, "error", block.where)))


def _complete(block: _Block) -> bool:
    return any(name in block.figures for name in ("output_tokens_per_s", "total_tokens_per_s"))


def _name(label: str) -> tuple[str, float] | None:
    """Our name of a figure, and how many of its unit are one of ours."""
    if label in _COUNTS:
        return _COUNTS[label], 1.0
    found = _LATENCY.fullmatch(label)
    if not found:
        return None
    which, what = _WHICH.get(found[1], found[1]), _WHAT.get(found[2], found[2])
    return f"{which}_{what}_s", 1e3 if found[3] == "ms" else 1.0


def _known(text: str) -> int | float | str | None:
    """A setting: a number, a word, or None where it says that there is none (SGLang's `not set`)."""
    amount = _amount(text)
    if amount is not None:
        return int(amount) if amount == int(amount) else amount
    return None if text.lower() in ("none", "not") else text


def _amount(text: str) -> float | None:
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        return None
    return value if abs(value) != float("inf") and value == value else None


def results_in_text(text: str, name: str, where: str, provenance: Mapping[str, Any]) -> list[Result]:
    """The blocks in a text that some other file holds."""
    blocks = Blocks(f"{where}, ")
    for number, line in enumerate(text.splitlines(), 1):
        blocks.feed(number, line.encode())
    return [replace(one, provenance=provenance) for one in blocks.results(name)]


SERVING_BLOCK = ServingBlock()
