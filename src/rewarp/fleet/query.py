"""The tables of all runs in DuckDB: read first, then shut off from files, networks and extensions, then asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rewarp.errors import UsageError
from rewarp.fleet import parquet
from rewarp.fleet.request import Table
from rewarp.fleet.store import Store
from rewarp.fleet.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Sequence

_SHUT = (
    "SET enable_external_access = false",
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET python_enable_replacements = false",
    "SET lock_configuration = true",
)


def open_tables(store: Store) -> Any:
    """A DuckDB connection with ``runs``, ``repositories`` and ``findings`` of all runs that are finished."""
    parquet.need()
    import duckdb

    store.must_be_there()
    folders = [run.folder for run in store.finished()]
    connection = duckdb.connect(":memory:")
    try:
        for table in TABLES:
            connection.execute(f"CREATE TABLE {table.name} ({_columns(table)})")
            files = [str(folder / f"{table.name}.parquet") for folder in folders]
            if files:
                connection.execute(
                    f"INSERT INTO {table.name} BY NAME SELECT * FROM read_parquet(?, union_by_name=true)", [files]
                )
        for statement in _SHUT:
            connection.execute(statement)
    except duckdb.Error as error:
        connection.close()
        raise UsageError(f"{store.folder}: {_first_line(error)}") from None
    return connection


def _columns(table: Table) -> str:
    return ", ".join(f'"{name}" {column.type}' for name, column in table.columns.items())


def ask(connection: Any, sql: str) -> tuple[list[str], Sequence[tuple[Any, ...]]]:
    """The columns and the rows of an answer."""
    import duckdb

    try:
        result = connection.execute(sql)
        columns = [column[0] for column in result.description or ()] if result is not None else []
        return columns, result.fetchall() if columns else []
    except duckdb.Error as error:
        first, *more = str(error).splitlines()
        raise UsageError(first, more) from None
    except (RuntimeError, ValueError) as error:
        raise UsageError(str(error).splitlines()[0]) from None


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]
