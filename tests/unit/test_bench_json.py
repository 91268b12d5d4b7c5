"""Results as a file and back, against the published schema."""

from __future__ import annotations

import json
import math
from array import array
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from bench_results import training
from hypothesis import given, settings
from hypothesis import strategies as st

from rewarp.bench import json_file
from rewarp.bench.derive import derive
from rewarp.bench.result import Result, Series, Sourced, Warn
from rewarp.bench.summary import summarise
from rewarp.errors import UsageError

SCHEMA = json.loads((files("rewarp.report") / "schemas" / "bench-1.json").read_text("utf-8"))
EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "bench" / "results").glob("*.json"))


def full() -> Result:
    return derive(
        summarise(training(columns={"loss": tuple(3.0 - 0.01 * step for step in range(62))}, times=[0.5] * 62))
    )


def test_there_and_back(tmp_path: Path) -> None:
    first = full()
    second = replace(
        summarise(training([])), name="empty", warnings=(Warn("unfinished-run", "no end", where="line 3"),)
    )
    file = tmp_path / "results.json"
    file.write_text(json_file.dump([first, second]))
    assert json_file.load(file) == [first, second]


def test_schema_holds() -> None:
    rates = derive(summarise(training(columns={"tokens_per_s": (9000.0, 4500.0) * 20})))
    for result in (full(), rates, derive(summarise(training([])))):
        jsonschema.validate(json.loads(json_file.dump([result])), SCHEMA)


def test_schema_would_notice() -> None:
    document = json.loads(json_file.dump([full()]))
    document["results"][0]["derived"]["mfu"] = {"value": "much", "source": ""}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, SCHEMA)


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.name)
def test_examples_are_valid_and_say_nothing_of_the_machine(file: Path) -> None:
    text = file.read_text("utf-8")
    jsonschema.validate(json.loads(text), SCHEMA)
    results = json_file.load(file)
    assert results
    for result in results:
        again = derive(summarise(replace(result, summary={}, derived={})))
        assert (again.summary, again.derived, again.warnings) == (result.summary, result.derived, result.warnings)
    for secret in ("/root", "/home", "/tmp", "/opt/", "hostname"):
        assert secret not in text


def test_figures_stand_on_one_line() -> None:
    text = json_file.dump([full()])
    assert '"time_s": [0.5, 0.5,' in text
    tricky = replace(full(), name="a [\n1,\n2\n] b", series=Series((1,), {"time_s": (1e-7,), "loss": (None,)}))
    assert json.loads(json_file.dump([tricky]))["results"][0]["name"] == "a [\n1,\n2\n] b"


def test_long_runs_are_thinned_in_the_file_only(tmp_path: Path) -> None:
    count = json_file.MOST_STEPS * 2 + 1
    times = array("d", [0.5]) * count
    result = training(columns={"time_s": times})
    file = tmp_path / "long.json"
    file.write_text(json_file.dump([result]))
    back = json_file.load(file)[0]
    assert back.series.thinned == 3
    assert len(back.series.step) <= json_file.MOST_STEPS
    assert len(result.series.step) == count


@given(st.lists(st.one_of(st.none(), st.floats(allow_nan=True, allow_infinity=True)), max_size=20))
@settings(max_examples=50)
def test_any_figures_make_json(values: list[float | None]) -> None:
    result = training(columns={"time_s": tuple(values)})
    result = replace(result, reported={"odd": Sourced(math.inf, "x"), "set": Sourced({1}, "x")})
    jsonschema.validate(json.loads(json_file.dump([derive(summarise(result))])), SCHEMA)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is not JSON"),
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("\x00\xff", "is not JSON"),
        ("[]", "holds no rewarp benchmark results"),
        ('{"schema": "rewarp.bench/2", "results": []}', "holds no rewarp benchmark results"),
        ('{"schema": "rewarp.bench/1", "results": [{}]}', "'name' is missing"),
        ('{"schema": "rewarp.bench/1", "results": [1]}', "is not"),
    ],
)
def test_other_files_are_refused(text: str, why: str, tmp_path: Path) -> None:
    file = tmp_path / "other.json"
    file.write_text(text, encoding="latin-1")
    with pytest.raises(UsageError, match=why):
        json_file.load(file)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    for path in (tmp_path / "none.json", tmp_path):
        with pytest.raises(UsageError, match="cannot read"):
            json_file.load(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda result: result["series"]["columns"].update(time_s=[1.0]),
        lambda result: result["series"]["columns"].update(time_s=["1"] * 62),
        lambda result: result.update(name=3),
        lambda result: result["device"].update(name="MI300X"),
        lambda result: result.update(warnings=[{"code": "x"}]),
        lambda result: result.update(summary=[]),
    ],
)
def test_broken_documents_are_refused(change: object, tmp_path: Path) -> None:
    document = json.loads(json_file.dump([full()]))
    assert callable(change)
    change(document["results"][0])
    file = tmp_path / "broken.json"
    file.write_text(json.dumps(document))
    with pytest.raises(UsageError, match=r"says it is rewarp\.bench/1 and is not"):
        json_file.load(file)
