"""``rewarp verify PATH``: every level of evidence that can be had here, in one table."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from rewarp.cli import terminal
from rewarp.errors import UsageError

if TYPE_CHECKING:
    from rewarp.verify.model import Level

_FORMATS = ("json", "html", "junit")
_EPILOG = """exit codes: 0 nothing failed; 1 something failed; 2 the job could not be done, or nothing could be checked.
Levels that need more than a tree say so in the table; --only leaves levels out."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "all",
        prog="rewarp verify",
        help="what can be checked here, in one table (this is `rewarp verify PATH`)",
        description="Gathers the evidence that can be had here that a port is right. Not checked is never passed.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("path", nargs="?", help="a folder or a file (default: this folder)")
    parser.add_argument(
        "--only", default="", metavar="LEVELS", help="static, build, run, numbers, isolation, with commas between"
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="no table, no progress")
    parser.add_argument("--jobs", type=int, metavar="N", help="processes (default: one per core)")
    parser.add_argument("--no-cache", action="store_true", help="look at everything again")
    views = parser.add_argument_group("views")
    views.add_argument("--json", nargs="?", const="-", metavar="FILE", help="as JSON (docs/verify.md)")
    views.add_argument("--html", metavar="FILE", help="one self-contained page")
    views.add_argument("--junit", metavar="FILE", help="JUnit XML, for CI")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rewarp.report import verify as views
    from rewarp.verify.model import Level, Outcome
    from rewarp.verify.static import verify_static
    from rewarp.verify.tree import Verification, in_order

    if arguments.jobs is not None and arguments.jobs < 1:
        raise UsageError("--jobs must be at least 1")
    reports = {name: getattr(arguments, name) for name in _FORMATS}
    root = Path(terminal.tell_path_from_reports(arguments.path, reports) or ".")
    if not os.path.lexists(root):
        raise UsageError(f"{root} does not exist")
    wanted = _levels(arguments.only)
    levels = []
    if Level.STATIC in wanted:
        with terminal.progress_bar("reading", arguments.quiet) as progress:
            levels.append(verify_static(root, jobs=arguments.jobs, use_cache=not arguments.no_cache, progress=progress))
    found = Verification(root, in_order(levels))
    renderers = {
        "json": lambda: views.render_json(found),
        "html": lambda: views.render_html(found),
        "junit": lambda: views.render_junit(found),
    }
    printed = terminal.write_reports(reports, renderers, arguments.quiet)
    if not arguments.quiet and not printed:
        from rich.console import Console

        views.show(found, Console(soft_wrap=False))
    outcomes = {check.outcome for check in found.checks}
    if Outcome.FAILED in outcomes:
        return 1
    return 0 if Outcome.PASSED in outcomes else 2


def _levels(names: str) -> frozenset[Level]:
    from rewarp.verify.model import Level

    known = {level.value: level for level in Level}
    words = [word.strip() for word in names.split(",") if word.strip()]
    for word in words:
        if word not in known:
            raise UsageError(f"--only: {word} is none of {', '.join(known)}")
    return frozenset(known[word] for word in words) or frozenset(Level)
