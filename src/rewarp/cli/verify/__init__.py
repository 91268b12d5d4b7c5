"""``rewarp verify``: is the port right? One file per subcommand; ``rewarp verify PATH`` is ``rewarp verify all PATH``."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from rewarp.cli import add_subcommands, terminal

if TYPE_CHECKING:
    from rewarp.verify.model import Check
    from rewarp.verify.tree import Verification

SUBCOMMANDS = ("all", "build", "machine", "run", "programs", "record", "compare", "isolation")


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "verify",
        help="is the port right? static, build, machine, run, numbers; is NVIDIA untouched?",
        description="Gathers evidence that a port is right. Not checked is never passed.",
    )
    add_subcommands(parser, __name__, SUBCOMMANDS)


def show(found: Verification, reports: Mapping[str, str | None], quiet: bool) -> None:
    """Reports to their files, and a table where nothing of them went to standard output."""
    from rewarp.report import verify as views
    from rewarp.report.console import Console

    renderers = {
        "json": lambda: views.render_json(found),
        "html": lambda: views.render_html(found),
        "junit": lambda: views.render_junit(found),
    }
    printed = terminal.write_reports(reports, renderers, quiet)
    if not quiet and not printed:
        views.show(found, Console(soft_wrap=False))


def exit_code(checks: Iterable[Check], strict: bool = False) -> int:
    """0 something passed and nothing failed; 1 something failed (strict: or was not checked); 2 nothing could be told."""
    from rewarp.verify.model import Outcome

    seen = {check.outcome for check in checks}
    if Outcome.FAILED in seen or (strict and Outcome.NOT_CHECKED in seen):
        return 1
    return 0 if Outcome.PASSED in seen else 2
