"""``rewarp verify PATH``: every level of evidence that can be had here, in one table."""

from __future__ import annotations

import argparse
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from rewarp import printing
from rewarp.cli import terminal
from rewarp.cli.arguments import add_no_plugins
from rewarp.cli.results import Leaving, add_results
from rewarp.cli.verify import EXIT_CODES, add_allow_unchecked, exit_code, levels, show
from rewarp.errors import UsageError

if TYPE_CHECKING:
    from rewarp.verify.checks import Evidence, Level

_FORMATS = ("json", "html", "junit")
_EPILOG = f"""Nothing of the tree is run unless --machine, --run or --golden asks for it. A level that needs more than a tree says so.
Asked for are static and build, what --only names, and every level that an option is given for.
{EXIT_CODES}"""


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
        "--only",
        default="",
        metavar="LEVELS",
        help="static, build, machine, run, numbers, isolation, with commas between",
    )
    parser.add_argument(
        "--arch",
        action="append",
        default=[],
        metavar="ARCHES",
        help="for the static and build levels: gfx942,gfx1100,… (default: five of today's)",
    )
    parser.add_argument(
        "--machine",
        action="store_true",
        help="for the machine level: run the tree's programs as AMD code, on an emulator",
    )
    parser.add_argument("--run", metavar="COMMAND", dest="command", help="for the run level: run this, under watch")
    parser.add_argument(
        "--golden", action="append", default=[], metavar="FILE", help="for the numbers level: replay it (repeatable)"
    )
    parser.add_argument("--base", metavar="REVISION", help="for the isolation level: what to compare with")
    add_allow_unchecked(parser)
    parser.add_argument("-q", "--quiet", action="store_true", help="no table, no progress")
    parser.add_argument("--jobs", type=int, metavar="N", help="processes (default: one per core)")
    parser.add_argument("--no-cache", action="store_true", help="look at everything again")
    add_no_plugins(parser)
    views = parser.add_argument_group("views")
    views.add_argument("--json", nargs="?", const="-", metavar="FILE", help="as JSON (docs/verify.md)")
    views.add_argument("--html", metavar="FILE", help="one self-contained page")
    views.add_argument("--junit", metavar="FILE", help="JUnit XML, for CI")
    add_results(views)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rewarp.verify.tree import Verification, in_order

    if arguments.jobs is not None and arguments.jobs < 1:
        raise UsageError("--jobs must be at least 1")
    reports = {name: getattr(arguments, name) for name in _FORMATS}
    root = Path(terminal.tell_path_from_reports(arguments.path, reports) or ".")
    if not os.path.lexists(root):
        raise UsageError(f"{root} does not exist")
    leaving = Leaving(arguments, root)
    found = Verification(root, in_order(_gathered(arguments, root)))
    show(found, reports, arguments.quiet, leaving)
    return exit_code(found.checks, arguments, _asked(arguments), quiet=arguments.quiet)


def _asked(arguments: argparse.Namespace) -> frozenset[Level]:
    """The levels that the caller wants an answer from."""
    from rewarp.verify.checks import Level

    asked = set(levels([arguments.only], "--only") or {Level.STATIC, Level.BUILD})
    for level, wanted in (
        (Level.MACHINE, arguments.machine),
        (Level.RUN, arguments.command),
        (Level.NUMBERS, arguments.golden),
        (Level.ISOLATION, arguments.base),
    ):
        if wanted:
            asked.add(level)
    return frozenset(asked)


def _gathered(arguments: argparse.Namespace, root: Path) -> list[Evidence]:
    """The levels that were asked for and can be had, weakest first."""
    from rewarp.verify.checks import Level

    wanted = levels([arguments.only], "--only") or frozenset(Level)
    found = []
    if Level.STATIC in wanted:
        found.append(_static(arguments, root))
    if Level.BUILD in wanted:
        found.append(_build(arguments, root))
    if Level.MACHINE in wanted:
        found.append(_machine(arguments, root))
    if Level.RUN in wanted and arguments.command:
        found.append(_run(arguments, root))
    if Level.NUMBERS in wanted and arguments.golden:
        found.append(_numbers(arguments))
    if Level.ISOLATION in wanted and arguments.base:
        found.append(_isolation(arguments, root))
    return found


def _static(arguments: argparse.Namespace, root: Path) -> Evidence:
    from rewarp.verify.static import verify_static

    with terminal.progress_bar("reading", arguments.quiet) as progress:
        return verify_static(
            root,
            arches=terminal.arches(arguments.arch),
            jobs=arguments.jobs,
            use_cache=not arguments.no_cache,
            progress=progress,
        )


def _build(arguments: argparse.Namespace, root: Path) -> Evidence:
    from rewarp.verify.build import verify_build

    with terminal.progress_bar("compiling", arguments.quiet) as progress:
        return verify_build(
            root,
            arches=terminal.arches(arguments.arch),
            jobs=arguments.jobs,
            use_cache=not arguments.no_cache,
            progress=progress,
        )


def _machine(arguments: argparse.Namespace, root: Path) -> Evidence:
    from rewarp.verify.machine import Wanted, list_programs, verify_machine

    if not arguments.machine:
        return list_programs(root)
    with terminal.progress_bar("running", arguments.quiet) as progress:
        return verify_machine(root, Wanted(), progress=progress)


def _run(arguments: argparse.Namespace, root: Path) -> Evidence:
    from rewarp.verify.run import Request, verify_run

    try:
        words = shlex.split(arguments.command)
    except ValueError as error:
        raise UsageError(f"--run {arguments.command}: {error}") from None
    request = Request(command=tuple(words), folder=root if root.is_dir() else root.parent)
    return verify_run(request, echo=(lambda chunk: None) if arguments.quiet else printing.pass_on)


def _numbers(arguments: argparse.Namespace) -> Evidence:
    from rewarp.verify import numbers
    from rewarp.verify.checks import Evidence, Level

    found = [numbers.compare(file) for file in arguments.golden]
    return Evidence(
        Level.NUMBERS,
        tuple(check for evidence in found for check in evidence.checks),
        found[0].provenance,
        {"goldens": [dict(evidence.details) for evidence in found]},
        sum(evidence.seconds for evidence in found),
    )


def _isolation(arguments: argparse.Namespace, root: Path) -> Evidence:
    from rewarp.verify.isolation.certificate import certify

    with terminal.progress_bar("comparing", arguments.quiet) as progress:
        return certify(arguments.base, None, root if root.is_dir() else root.parent, progress).evidence()
