"""A run as Parquet: rows go through one by one, so that a thousand repositories need no more memory than the largest."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from itertools import islice
from typing import Any

from rewarp.errors import UsageError
from rewarp.files import replacing
from rewarp.fleet.request import Ending, Repository, Status, Table
from rewarp.fleet.store import Run, Store
from rewarp.fleet.tables import FINDINGS, REPOSITORIES, RUNS, arrow_schema

_BATCH = 5_000


def need() -> None:
    """Raises UsageError where what reads and writes tables is not installed: before the work, not after it."""
    # Only looked for: loaded, they start threads, and processes are forked yet.
    missing = [name for name in ("duckdb", "pyarrow") if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(f"{' and '.join(missing)} not installed: pip install 'rewarp[fleet]'")


def write_tables(store: Store, run: Run, repositories: list[Repository], seconds: float) -> None:
    """The three files of a run that is done; ``run.json`` then says so, last of all."""
    endings: list[Ending] = []
    rows: list[dict[str, Any]] = []
    with _writer(run, FINDINGS) as add:
        for row, ending in store.rows(run, repositories):
            endings.append(ending)
            rows.append(row)
            if ending.status is not Status.DONE or ending.key is None:
                continue
            part = store.read_part(ending.key)
            rows[-1] = {**next(part), **row}
            names = {name: row[name] for name in ("run", "repository")}
            while batch := [{**finding, **names} for finding in islice(part, _BATCH)]:
                add(batch)
    with _writer(run, REPOSITORIES) as add:
        add(rows)
    finished = datetime.now(timezone.utc)
    with _writer(run, RUNS) as add:
        add([_run_row(run, endings, finished, seconds)])
    run.finished = finished.isoformat()
    run.write()
    store.drop_endings(run)


def _run_row(run: Run, endings: list[Ending], finished: datetime, seconds: float) -> dict[str, Any]:
    done = [ending for ending in endings if ending.status is Status.DONE]
    about = run.about
    return {
        "run": run.name,
        "started": datetime.fromisoformat(run.started).replace(tzinfo=None),
        "finished": finished.replace(tzinfo=None),
        **{name: about[name] for name in ("rewarp", "code", "target", "place")},
        "options": json.dumps(about["options"], sort_keys=True),
        "repositories": len(endings),
        "done": len(done),
        "reused": sum(ending.reused for ending in done),
        "seconds": seconds,
    }


@contextmanager
def _writer(run: Run, table: Table) -> Iterator[Any]:
    """A function that adds rows to a table's file; the file is there when all were added."""
    import pyarrow as pa
    from pyarrow import parquet

    schema = arrow_schema(table)
    with (
        replacing(run.folder / f"{table.name}.parquet") as stream,
        parquet.ParquetWriter(stream, schema, compression="zstd") as writer,
    ):

        def add(rows: Iterable[dict[str, Any]]) -> None:
            named = [{name: _fit(row.get(name)) for name in table.columns} for row in rows]
            writer.write_table(pa.Table.from_pylist(named, schema=schema))

        yield add


def _fit(value: Any) -> Any:
    """A name that is not UTF-8 is written with its bytes spelt out."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value
