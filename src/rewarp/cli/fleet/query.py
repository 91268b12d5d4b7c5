"""``rewarp fleet query SQL``: ask the results."""

from __future__ import annotations

import argparse
from pathlib import Path

from rewarp.cli import terminal
from rewarp.cli.fleet import add_store
from rewarp.errors import UsageError

_EPILOG = """tables: runs, repositories, findings (docs/fleet.md has their columns). A query can reach nothing but them: no files, no
networks, no extensions.
exit codes: 0 answered; 2 it could not be"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "query",
        help="ask the results with SQL",
        description="Asks the tables of all finished runs with DuckDB.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "sql", metavar="SQL", help='such as "select conclusion, count(*) from repositories group by all"'
    )
    add_store(parser)
    parser.add_argument("--json", nargs="?", const="-", metavar="FILE", help="as JSON (docs/fleet.md)")
    parser.add_argument("--csv", nargs="?", const="-", metavar="FILE", help="as CSV")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rewarp.fleet.query import ask, open_tables
    from rewarp.fleet.store import Store
    from rewarp.report import fleet as views
    from rewarp.report.console import Console

    connection = open_tables(Store(Path(arguments.store)))
    try:
        columns, rows = ask(connection, arguments.sql)
    finally:
        connection.close()
    if not columns:
        raise UsageError("the query has no answer")
    reports = {"json": arguments.json, "csv": arguments.csv}
    renderers = {"json": lambda: views.answer_json(columns, rows), "csv": lambda: views.answer_csv(columns, rows)}
    if not terminal.write_reports(reports, renderers, quiet=False):
        views.show_answer(columns, rows, Console(soft_wrap=False))
    return 0
