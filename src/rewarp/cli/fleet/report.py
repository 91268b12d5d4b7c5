"""``rewarp fleet report``: where does the fleet stand, by a run that was made?"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from rewarp.cli import terminal
from rewarp.cli.fleet import add_store

if TYPE_CHECKING:
    from rewarp.fleet.store import Store


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "report",
        help="the results of a run, and what changed since the one before",
        description="Shows a finished run: verdicts, what stands in the way, effort, what one fix would unblock, changes.",
        epilog="exit codes: 0 shown; 2 there is nothing to show; 3 some repositories could not be looked at",
    )
    parser.add_argument("run_name", nargs="?", metavar="RUN", help="a run's name (default: the last one)")
    add_store(parser)
    parser.add_argument("--json", nargs="?", const="-", metavar="FILE", help="as JSON (docs/fleet.md)")
    parser.add_argument("--html", metavar="FILE", help="one self-contained page")
    parser.add_argument("-q", "--quiet", action="store_true", help="no text")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rewarp.fleet.store import Store

    reports = {"json": arguments.json, "html": arguments.html}
    return show(Store(Path(arguments.store)), arguments.run_name, reports, arguments.quiet)


def show(store: Store, name: str | None, reports: Mapping[str, str | None], quiet: bool, page: bool = False) -> int:
    """The views that are asked for, and, for ``page``, the one in the folder of results."""
    from rewarp.fleet.overview import overview
    from rewarp.fleet.query import open_tables
    from rewarp.report import fleet as views
    from rewarp.report.console import Console

    connection = open_tables(store)
    try:
        found = overview(connection, name)
    finally:
        connection.close()
    if page:
        terminal.write_text(str(store.folder / "index.html"), views.render_html(found))
    renderers = {"json": lambda: views.render_json(found), "html": lambda: views.render_html(found)}
    if not terminal.write_reports(reports, renderers, quiet) and not quiet:
        views.show(found, Console(soft_wrap=True))
    return 3 if found.not_looked_at else 0
