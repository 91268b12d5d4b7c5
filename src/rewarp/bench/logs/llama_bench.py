"""llama-bench (llama.cpp): JSON, JSON lines, CSV and SQL. The Markdown table is in llama_bench_table.py."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from rewarp.bench.logs.base import Document
from rewarp.bench.logs.json_objects import holding, objects
from rewarp.bench.logs.llama_bench_preamble import Preamble
from rewarp.bench.logs.llama_bench_record import Test, results
from rewarp.bench.result import Result
from rewarp.errors import UnreadableSource

_KEYS = ("build_commit", "n_prompt", "n_gen", "avg_ts")
_JSON = re.compile(rb'"build_commit"\s*:\s*"\w+"')
_CSV = re.compile(r'^[^\w\n]*build_commit"?,.*\bavg_ts\b.*$', re.MULTILINE)
_SQL = re.compile(r"^INSERT INTO (?:llama_bench|test) \(([^)]*)\) VALUES \('(.*)'\);", re.MULTILINE)


class LlamaBench(Document):
    name = "llama-bench"
    title = "llama-bench (JSON, JSON lines, CSV, SQL)"
    looks_for = '"build_commit": …, "avg_ts": … of llama-bench -o json, or the same fields as CSV or SQL'

    def claims(self, head: bytes, file: Path) -> str | None:
        if _JSON.search(head) and b'"avg_ts"' in head:
            return "JSON records with llama-bench's build_commit and avg_ts"
        text = head.decode("utf-8", "replace")
        if _CSV.search(text):
            return "a CSV header with llama-bench's build_commit and avg_ts"
        if _SQL.search(text) or "CREATE TABLE IF NOT EXISTS llama_bench" in text:
            return "SQL that fills llama-bench's table"
        return None

    def read(self, data: bytes, file: Path) -> list[Result]:
        text = data.decode("utf-8", "replace")
        preamble = _preamble(text)
        tests = [
            Test(record, where, tuple(preamble.devices), preamble.slow_build)
            for where, record in (*holding(objects(text), _KEYS), *_from_csv(text), *_from_sql(text))
        ]
        if not tests:
            raise UnreadableSource("llama-bench's fields are there, but no whole record: was it cut off?")
        why = self.claims(data[: 1 << 16], file)
        return results(tests, file.name, {"dialect": self.name, "why": why})


def _preamble(text: str) -> Preamble:
    """ggml's start-up lines, where standard error went into the same file."""
    preamble = Preamble()
    for number, line in enumerate(text[: 1 << 16].splitlines(), 1):
        preamble.feed(number, line)
    return preamble


def _from_csv(text: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    header = _CSV.search(text)
    if not header:
        return
    first = text.count("\n", 0, header.start()) + 1
    names = [name.strip('" \r') for name in header[0].split(",")]
    rows = csv.reader(text[header.end() :].lstrip("\r\n").splitlines())
    try:
        for number, row in enumerate(rows, first + 1):
            if len(row) == len(names):
                yield f"line {number}", dict(zip(names, row))
    except csv.Error:
        return


def _from_sql(text: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    for found in _SQL.finditer(text):
        names, values = found[1].split(", "), found[2].split("', '")
        if len(names) == len(values):
            yield f"line {text.count(chr(10), 0, found.start()) + 1}", dict(zip(names, values))


LLAMA_BENCH = LlamaBench()
