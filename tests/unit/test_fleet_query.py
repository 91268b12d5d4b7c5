"""Asking the results: over documented tables, and with no way out of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from fleet_parts import BLOCKED, made, run

from rewarp.cli import main
from rewarp.errors import UsageError
from rewarp.fleet.query import ask, open_tables
from rewarp.fleet.store import Store
from rewarp.fleet.tables import FINDINGS, REPOSITORIES, RUNS, TABLES, arrow_schema
from rewarp.report.documents.schemas import SCHEMAS

SCHEMA = json.loads((SCHEMAS / "fleet-query-1.json").read_text("utf-8"))
DOCS = Path(__file__).parents[2] / "docs" / "fleet.md"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fleet")
    run(made(folder, here=BLOCKED), folder / "store")
    return folder / "store"


@pytest.fixture
def connection(store: Path) -> Iterator[Any]:
    opened = open_tables(Store(store))
    yield opened
    opened.close()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_text('{file}')",
        "SELECT * FROM read_csv('{file}')",
        "SELECT * FROM '{file}'",
        "SELECT * FROM read_parquet('{parquet}')",
        "SELECT * FROM glob('/*')",
        "COPY runs TO '{file}'",
        "COPY runs FROM '{file}'",
        "EXPORT DATABASE '{folder}'",
        "ATTACH '{folder}/new.db'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SELECT * FROM read_text('https://host.example/x')",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "RESET enable_external_access",
        "PRAGMA temp_directory = '{folder}'",
        "SELECT * FROM secret_of_python",
        "SELECT 1; COPY runs TO '{file}'",
        "SELECT * FROM sniff_csv('{file}')",
        "SELECT * FROM query('SELECT * FROM read_text(''{file}'')')",
        "CREATE MACRO f(x) AS TABLE SELECT * FROM read_text(x); SELECT * FROM f('{file}')",
        "PREPARE p AS SELECT * FROM read_text(?); EXECUTE p('{file}')",
        "ATTACH ':memory:' AS m; COPY runs TO '{file}'",
        "IMPORT DATABASE '{folder}'",
        "CREATE SECRET s (TYPE s3, KEY_ID 'x')",
        "PRAGMA enable_profiling = 'json'",
        "SET extension_directory = '{folder}'",
    ],
)
def test_a_query_reaches_nothing_else(sql: str, connection: Any, store: Path, tmp_path: Path) -> None:
    secret_of_python = [1, 2, 3]
    file = tmp_path / "file.csv"
    file.write_text("secret\n")
    parquet = next(store.glob("runs/*/runs.parquet"))
    with pytest.raises(UsageError):
        ask(connection, sql.format(file=file, folder=tmp_path, parquet=parquet))
    assert file.read_text() == "secret\n"
    assert [one.name for one in tmp_path.iterdir()] == ["file.csv"]
    assert ask(connection, "SELECT count(*) FROM runs")[1] == [(1,)], "and goes on answering"
    del secret_of_python


def test_what_a_query_changes_is_gone_with_it(store: Path) -> None:
    connection = open_tables(Store(store))
    ask(connection, "DELETE FROM findings")
    connection.close()
    connection = open_tables(Store(store))
    assert ask(connection, "SELECT count(*) > 0 FROM findings")[1] == [(True,)]
    connection.close()


def test_the_tables_are_the_documented_ones(connection: Any, store: Path) -> None:
    from pyarrow import parquet

    for table in TABLES:
        described = ask(
            connection,
            f"SELECT column_name, data_type FROM information_schema.columns WHERE table_name = '{table.name}'",
        )
        assert dict(described[1]) == {name: column.type for name, column in table.columns.items()}
        file = next(store.glob(f"runs/*/{table.name}.parquet"))
        assert parquet.read_schema(file).equals(arrow_schema(table))
        section = DOCS.read_text().partition(f"### `{table.name}`")[2].partition("\n### ")[0].partition("\n## ")[0]
        documented = re.findall(r"^\| `(\w+)` \| (\w+) \| (.+?) \|$", section, re.M)
        assert documented == [(name, column.type, column.meaning) for name, column in table.columns.items()]


def test_any_reader_of_parquet_finds_the_same(connection: Any, store: Path) -> None:
    from pyarrow import parquet

    for table in (RUNS, REPOSITORIES, FINDINGS):
        read = parquet.read_table(next(store.glob(f"runs/*/{table.name}.parquet"))).to_pylist()
        columns, rows = ask(connection, f"SELECT * FROM {table.name}")
        assert [dict(zip(columns, row)) for row in rows] == read


def test_answers_as_table_json_and_csv(store: Path, capsys: Any) -> None:
    sql = "SELECT repository, 1.5 AS x, NULL AS nothing, [1, 2] AS l FROM repositories"
    assert main(["fleet", "query", sql, "--store", str(store), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["columns"] == ["repository", "x", "nothing", "l"]
    assert answer["rows"] == [["here", "1.5", None, [1, 2]]]
    jsonschema.validate(answer, SCHEMA)
    assert not jsonschema.Draft202012Validator(SCHEMA).is_valid({**answer, "rows": [1]})
    assert main(["fleet", "query", sql, "--store", str(store), "--csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == 'here,1.5,,"[1, 2]"'
    assert main(["fleet", "query", sql, "--store", str(store)]) == 0
    assert "here" in capsys.readouterr().out


@pytest.mark.parametrize("sql", ["SELEKT 1", "SELECT nothing FROM runs", "", "SELECT 1 +"])
def test_a_bad_query_is_an_error_in_words(sql: str, store: Path, capsys: Any) -> None:
    assert main(["fleet", "query", sql, "--store", str(store)]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_no_results_are_no_answer(tmp_path: Path, capsys: Any) -> None:
    assert main(["fleet", "query", "SELECT 1", "--store", str(tmp_path)]) == 2
    assert "holds no results" in capsys.readouterr().err
    Store(tmp_path / "new").create()
    assert main(["fleet", "report", "--store", str(tmp_path / "new")]) == 2
    assert "no run is finished" in capsys.readouterr().err
