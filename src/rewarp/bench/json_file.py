"""Results as a JSON file and back. Schema: ``rewarp.bench/1`` (docs/bench.md)."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from rewarp import __version__
from rewarp.bench.document import Document, Fact, Figure, Results, Summary
from rewarp.bench.document import Series as SeriesDocument
from rewarp.bench.result import SCHEMA, Result, Series, Sourced, Warn
from rewarp.errors import UsageError
from rewarp.lang import parsers

MOST_STEPS = 20_000
"""Written down for one result; of longer runs every n-th step. Statistics are of all steps."""
# No string of JSON holds a line break, so this can only be a list.
_FIGURES = re.compile(r"\[\s*\n\s*((?:(?:null|[-+.\deE]+)(?:,\n\s*)?)+)\n\s*\]")


def document(results: Iterable[Result]) -> Document:
    return {"schema": SCHEMA, "rewarp": __version__, "results": [_result(result) for result in results]}


def dump(results: Iterable[Result]) -> str:
    """The text of a file that holds these results, a list of figures on one line each."""
    text = json.dumps(document(results), indent=1, ensure_ascii=True, allow_nan=False)
    return _FIGURES.sub(lambda found: "[" + re.sub(r"\s+", " ", found[1]) + "]", text) + "\n"


def load(path: Path | str) -> list[Result]:
    """The results in a file; UsageError where it is not one of ours."""
    try:
        data = parsers.from_json(Path(path).read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise UsageError(f"{path} is not JSON") from None
    if not is_document(data):
        raise UsageError(f"{path} holds no rewarp benchmark results (schema {SCHEMA})")
    try:
        return results_of(data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"{path} says it is {SCHEMA} and is not: {_short(error)}") from None


def results_of(data: Mapping[str, Any]) -> list[Result]:
    """The results in a document. Raises what reading a wrong one raises."""
    return [_read_result(item) for item in data["results"]]


def is_document(data: Any) -> bool:
    """Whether JSON data is a file of results of a version that is understood."""
    return isinstance(data, dict) and data.get("schema") == SCHEMA and isinstance(data.get("results"), list)


def _short(error: Exception) -> str:
    return f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)


def _result(result: Result) -> Results:
    return {
        "name": result.name,
        "kind": result.kind,
        "platform": _sourced(result.platform),
        "device": _facts(result.device),
        "software": _facts(result.software),
        "configuration": _facts(result.configuration),
        "derived": {name: cast(Figure, fact) for name, fact in _facts(result.derived).items()},
        "reported": _facts(result.reported),
        "series": _series(result.series.thin(MOST_STEPS)),
        "summary": cast(Summary, _plain(result.summary)),
        "warnings": [
            {"code": warning.code, "severity": warning.severity, "what": warning.what, "where": warning.where}
            for warning in result.warnings
        ],
        "provenance": _plain(result.provenance),
    }


def _sourced(fact: Sourced) -> Fact:
    return {"value": _plain(fact.value), "source": fact.source}


def _facts(facts: Mapping[str, Sourced]) -> dict[str, Fact]:
    return {name: _sourced(fact) for name, fact in facts.items()}


def _series(series: Series) -> SeriesDocument:
    columns = {name: series.figures(name) for name in series.columns}
    return {"step": list(series.step), "thinned": series.thinned, "columns": columns}


def _plain(value: Any) -> Any:
    """As JSON can hold it: what is not a finite number is null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return str(value)


def _read_result(data: Mapping[str, Any]) -> Result:
    return Result(
        name=_text(data["name"]),
        kind=_text(data["kind"]),
        platform=_read_sourced(data["platform"]),
        device=_read_facts(data["device"]),
        software=_read_facts(data["software"]),
        configuration=_read_facts(data["configuration"]),
        series=_read_series(data["series"]),
        summary=dict(data["summary"].items()),
        derived=_read_facts(data["derived"]),
        reported=_read_facts(data["reported"]),
        warnings=tuple(
            Warn(_text(item["code"]), _text(item["what"]), _text(item["severity"]), item.get("where"))
            for item in data["warnings"]
        ),
        provenance=dict(data["provenance"].items()),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{str(value)[:40]!r} is not a string")
    return value


def _read_sourced(data: Mapping[str, Any]) -> Sourced:
    return Sourced(data["value"], _text(data["source"]))


def _read_facts(data: Mapping[str, Any]) -> dict[str, Sourced]:
    return {name: _read_sourced(item) for name, item in data.items()}


def _read_series(data: Mapping[str, Any]) -> Series:
    steps = tuple(int(step) for step in data["step"])
    columns = {name: tuple(_figure(value) for value in values) for name, values in data["columns"].items()}
    for name, values in columns.items():
        if len(values) != len(steps):
            raise ValueError(f"the column {name} has {len(values)} figures for {len(steps)} steps")
    return Series(steps, columns, int(data["thinned"]))


def _figure(value: Any) -> float | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
        raise ValueError(f"{str(value)[:40]!r} is not a figure")
    return None if value is None else float(value)
