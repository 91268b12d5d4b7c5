"""llama-bench's Markdown table, with ggml's start-up lines before it and the build after it."""

from __future__ import annotations

import re

from rewarp.bench.logs.base import Fold, LineDialect
from rewarp.bench.logs.llama_bench_preamble import Preamble
from rewarp.bench.logs.llama_bench_record import Test, failed, results, test_of_label
from rewarp.bench.result import Result

_FIELDS = {
    "model": "model_type",
    "params": "model_n_params",
    "backend": "backends",
    "ngl": "n_gpu_layers",
    "fa": "flash_attn",
    "mmap": "use_mmap",
    "dio": "use_direct_io",
    "lm": "load_mode",
    "threads": "n_threads",
    "sm": "split_mode",
    "mg": "main_gpu",
    "nkvo": "no_kv_offload",
    "embd": "embeddings",
    "nopo": "no_op_offload",
    "ts": "tensor_split",
    "ot": "tensor_buft_overrides",
    "dev": "devices",
    "ncmoe": "n_cpu_moe",
}
"""Field by what the table calls it; the others are called by their names."""
_NEEDED = {"model", "backend", "test", "t/s"}
_RATE = re.compile(r"(?<!\d)(\d+(?:\.\d+)?)\s*\S?±\s*(\d+(?:\.\d+)?|-?nan)")
_BUILD = re.compile(r"^\W*build: (\w+) \((\d+)\)")
_PARAMETERS = re.compile(r"(\d+(?:\.\d+)?) ([MBT])")
_SCALE = {"M": 1e6, "B": 1e9, "T": 1e12}


class LlamaBenchTable(LineDialect):
    name = "llama-bench-table"
    title = "llama-bench (Markdown table)"
    looks_for = "| model | … | backend | … | test | t/s |, and rows with pp512 or tg128 and 422.28 ± 1.78"
    anchors = ("±".encode(), b" t/s |", b"ggml_", b" Device ", b"build: ", b"performance may be affected")

    def fold(self) -> Fold:
        return _Rows()


class _Rows:
    """Rows under the last header, with the devices listed before it."""

    anchors = LlamaBenchTable.anchors

    def __init__(self) -> None:
        self._preamble = Preamble()
        self._columns: list[str] = []
        self._tests: list[Test] = []
        self._without_build: list[dict[str, object]] = []
        self._header_at = 0

    def feed(self, number: int, line: bytes) -> bool:
        text = line.decode("utf-8", "replace")
        if "|" in text and self._row(number, text):
            return True
        if build := _BUILD.search(text):
            for record in self._without_build:
                record.update(build_commit=build[1], build_number=build[2])
            mine = bool(self._without_build)
            self._without_build = []
            return mine
        # These lines come from every program built on ggml: they are read, but prove nothing.
        self._preamble.feed(number, text)
        return False

    def _row(self, number: int, text: str) -> bool:
        cells = [cell.strip() for cell in text[text.index("|") :].strip().strip("|").split("|")]
        if _NEEDED.issubset(cells):
            self._columns, self._header_at = cells, number
            return True
        if len(cells) != len(self._columns):
            return False
        row = dict(zip(self._columns, cells))
        counts, rate = test_of_label(row["test"]), _RATE.search(row["t/s"])
        if counts is None or rate is None:
            return False
        record: dict[str, object] = {_FIELDS.get(name, name): cell for name, cell in row.items()}
        record.update(counts, avg_ts=rate[1], stddev_ts=rate[2], model_n_params=_parameters(row.get("params", "")))
        devices = tuple(self._preamble.devices)
        self._tests.append(Test(record, f"log line {number}", devices, self._preamble.slow_build))
        self._without_build.append(record)
        return True

    def results(self, name: str) -> list[Result]:
        if not self._header_at:
            return []
        why = f"{len(self._tests)} rows under a header with backend, test and t/s"
        provenance = {"dialect": LlamaBenchTable.name, "why": why}
        if not self._tests:
            return [failed(name, f"log line {self._header_at}", self._preamble.devices, provenance)]
        return results(self._tests, name, provenance)


def _parameters(text: str) -> float | None:
    found = _PARAMETERS.fullmatch(text)
    return float(found[1]) * _SCALE[found[2]] if found else None


LLAMA_BENCH_TABLE = LlamaBenchTable()
