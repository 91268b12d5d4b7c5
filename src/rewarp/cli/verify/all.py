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
from rewarp.cli.verify import exit_code, show
from rewarp.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from rewarp.verify.model import Evidence, Level

_FORMATS = ("json", "html", "junit")
_EPILOG = """Nothing of the tree is run unless --machine, --run or --golden asks for it. A level that needs more than a tree says so.
exit codes: 0 nothing failed; 1 something failed; 2 the job could not be done, or nothing could be checked"""


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
        "--arch", action="append", default=[], metavar="ARCHES", help="for the build level: gfx942,gfx1100,…"
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
    parser.add_argument("-q", "--quiet", action="store_true", help="no table, no progress")
    parser.add_argument("--jobs", type=int, metavar="N", help="processes (default: one per core)")
    parser.add_argument("--no-cache", action="store_true", help="look at everything again")
    add_no_plugins(parser)
    views = parser.add_argument_group("views")
    views.add_argument("--json", nargs="?", const="-", metavar="FILE", help="as JSON (docs/verify.md)")
    views.add_argument("--html", metavar="FILE", help="one self-contained page")
    views.add_argument("--junit", metavar="FILE", help="JUnit XML, for CI")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rewarp.verify.tree import Verification, in_order

    if arguments.jobs is not None and arguments.jobs < 1:
        raise UsageError("--jobs must be at least 1")
    reports = {name: getattr(arguments, name) for name in _FORMATS}
    root = Path(terminal.tell_path_from_reports(arguments.path, reports) or ".")
    if not os.path.lexists(root):
        raise UsageError(f"{root} does not exist")
    found = Verification(root, in_order(_gathered(arguments, root)))
    show(found, reports, arguments.quiet)
    return exit_code(found.checks)


def _gathered(arguments: argparse.Namespace, root: Path) -> list[Evidence]:
    """The levels that were asked for and can be had, weakest first."""
    from rewarp.verify.model import Level

    wanted = _levels(arguments.only)
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
        return verify_static(root, jobs=arguments.jobs, use_cache=not arguments.no_cache, progress=progress)


def _build(arguments: argparse.Namespace, root: Path) -> Evidence:
    from rewarp.toolchain import find_for
    from rewarp.verify.build import verify_build
    from rewarp.verify.model import Level
    from rewarp.verify.tree import not_checked

    arches = terminal.arches(arguments.arch)
    try:
        compilers = find_for(arches)
    except UsageError as error:
        return not_checked(Level.BUILD, str(error))
    with terminal.progress_bar("compiling", arguments.quiet) as progress:
        return verify_build(
            root,
            arches=arches,
            compilers=compilers,
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
    from rewarp.verify.model import Evidence, Level

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


def _levels(names: str) -> frozenset[Level]:
    from rewarp.verify.model import Level

    known = {level.value: level for level in Level}
    words = [word.strip() for word in names.split(",") if word.strip()]
    for word in words:
        if word not in known:
            raise UsageError(f"--only: {word} is none of {', '.join(known)}{did_you_mean(word, known)}")
    return frozenset(known[word] for word in words) or frozenset(Level)
