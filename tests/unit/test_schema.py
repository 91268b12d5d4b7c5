"""JSON schemas are made of the types that views declare."""

from __future__ import annotations

import ast
import json
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict

import jsonschema
import pytest

from rewarp.fleet.tables import REPOSITORIES, RUNS
from rewarp.report.documents import fleet
from rewarp.report.documents.schemas import SCHEMAS, schemas
from rewarp.schema import AtLeast, AtMost, EachOf, Items, Keys, Needs, OneOf, Text, opened, schema, text


class Colour(Enum):
    RED = "red"
    DARK_BLUE = "dark blue"


class Point(TypedDict):
    x: Annotated[int, AtLeast(0), AtMost(9)]


class _Maybe(TypedDict, total=False):
    note: str


class Whole(_Maybe):
    schema: Literal["w/1"]
    colour: Annotated[str | None, OneOf(Colour)]
    word: Annotated[str, OneOf("a", "b")]
    points: Annotated[list[Point], "where", Items(1, unique=True)]
    other: Point | None
    counts: Annotated[dict[str, int], EachOf(Colour)]
    table: Annotated[dict[str, float], Keys(Annotated[str, OneOf(Colour)]), Needs("red")]
    hash: Annotated[str, Text(pattern="^[0-9a-f]+$")]
    size: int | None
    anything: Any
    pair: tuple[Annotated[int, AtLeast(0)], str]
    two: Annotated[list[float], Items(2, most=2)]
    code: Literal[0, 1, 3]


@opened
class Open(TypedDict):
    x: int


RIGHT: dict[str, Any] = {
    "schema": "w/1",
    "colour": None,
    "word": "a",
    "points": [{"x": 9}],
    "other": None,
    "counts": {"red": 1, "dark blue": 2},
    "table": {"red": 0.5},
    "hash": "0f",
    "size": None,
    "anything": [1],
    "pair": [0, "a"],
    "two": [1.5, 2],
    "code": 3,
}
WRONG = [
    ("schema", "w/2"),
    ("colour", "blue"),
    ("word", None),
    ("points", []),
    ("points", [{"x": 1}, {"x": 1}]),
    ("points", [{"x": 10}]),
    ("points", [{"x": -1}]),
    ("points", [{"x": 1, "y": 1}]),
    ("other", {}),
    ("counts", {"red": 1}),
    ("counts", {"red": 1, "dark blue": 2, "green": 3}),
    ("table", {"red": 0, "green": 1}),
    ("table", {}),
    ("hash", "xyz"),
    ("size", 1.5),
    ("pair", [0]),
    ("pair", [-1, "a"]),
    ("pair", [0, "a", "b"]),
    ("two", [1]),
    ("two", [1, 2, 3]),
    ("code", 2),
    ("more", 1),
    ("note", 1),
]


def fits(document: Any, kind: Any) -> bool:
    made = schema(kind, "t", "d")
    jsonschema.Draft202012Validator.check_schema(made)
    return bool(jsonschema.Draft202012Validator(json.loads(text(made))).is_valid(document))


def test_what_a_type_says_is_asked_for() -> None:
    assert fits(RIGHT, Whole)
    assert fits({**RIGHT, "note": "n", "other": {"x": 0}, "colour": "dark blue", "size": 3}, Whole)


@pytest.mark.parametrize(("key", "value"), WRONG)
def test_what_does_not_fit_is_refused(key: str, value: Any) -> None:
    assert not fits({**RIGHT, key: value}, Whole)


@pytest.mark.parametrize("key", sorted(RIGHT))
def test_nothing_may_be_missing_but_what_is_said_to(key: str) -> None:
    assert not fits({name: value for name, value in RIGHT.items() if name != key}, Whole)


def test_only_an_opened_type_takes_more() -> None:
    assert fits({"x": 1, "y": 2}, Open)
    assert not fits({"x": "1"}, Open)


def test_a_document_may_be_one_of_several() -> None:
    several = Annotated[Point | Open, "either"]
    assert fits({"x": 9}, several)
    assert fits({"x": 10, "y": 1}, several)
    assert not fits({"x": "9"}, several)
    assert schema(several, "t", "either")["description"] == "either"


@pytest.mark.parametrize(
    "kind",
    [Annotated[str | None, "why", OneOf("a")], Annotated[str | None, OneOf("a"), "why"]],
    ids=["before", "after"],
)
def test_a_description_stays_whatever_else_is_said(kind: Any) -> None:
    made = schema(TypedDict("D", {"x": kind}), "t", "d")  # type: ignore[operator]
    assert made["properties"]["x"] == {"enum": ["a", None], "description": "why"}


def test_a_type_that_json_does_not_have_is_refused() -> None:
    class Odd(TypedDict):
        x: set[str]

    with pytest.raises(TypeError, match="JSON has no"):
        schema(Odd, "t", "d")


def test_schemas_say_for_what_they_are() -> None:
    for file, written in schemas().items():
        made = json.loads(written)
        jsonschema.Draft202012Validator.check_schema(made)
        assert made["description"], file
        assert file.read_text("utf-8") == written, "run scripts/build_docs.py"


def test_each_schema_is_made_of_a_type() -> None:
    assert {file.name for file in SCHEMAS.glob("*.json")} == {file.name for file in schemas()}


def test_rows_of_a_fleet_are_its_tables() -> None:
    """DuckDB gives rows that nobody can type: the schema's are held to the columns."""
    json_types = {
        "VARCHAR": "string",
        "BIGINT": "integer",
        "DOUBLE": "number",
        "BOOLEAN": "boolean",
        "TIMESTAMP": "string",
    }
    for table, row in ((RUNS, fleet.Run), (REPOSITORIES, fleet.Repositories)):
        properties = schema(row, "t", "d")["properties"]
        assert list(properties) == list(table.columns)
        for name, column in table.columns.items():
            said = properties[name].get("type", "string")
            assert json_types[column.type] in ([said] if isinstance(said, str) else said), name


def test_views_return_the_types() -> None:
    """A view that returned a plain table would be held to nothing."""
    views = ("json", "project", "verify", "translate", "port", "doctor", "comparison", "parity_doc", "parity_trend")
    views += ("bridge", "bridge_convert", "bridge_matrix", "bench_compare", "fleet", "numbers", "parity", "parity_flow")
    for name in (*views, "recorded", "waves"):
        tree = ast.parse((SCHEMAS.parent / f"{name}.py").read_text("utf-8"))
        functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
        made = [one for one in functions if one.name in ("document", "_document") and one.returns is not None]
        assert [ast.unparse(one.returns) for one in made if one.returns] == ["documents.Document"], name
    assert Path(SCHEMAS).is_dir()
