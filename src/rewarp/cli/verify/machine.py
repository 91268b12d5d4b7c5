"""``rewarp verify machine PATH``: do the programs of a tree run as AMD code, and print what their originals print?"""

from __future__ import annotations

import argparse
from pathlib import Path

from rewarp.cli import terminal
from rewarp.cli.results import Leaving, add_results
from rewarp.cli.verify import EXIT_CODES, add_allow_unchecked, exit_code, show
from rewarp.errors import UsageError

_FORMATS = ("json", "html", "junit")
_EPILOG = f"""Every source with a main function is translated if it is CUDA, compiled, linked with the sources that it needs, and
run here, kernels as AMD machine code on an emulator. Host code runs with your rights. What a program prints is compared with
NAME.zip (a run that `rewarp verify programs --record` recorded on NVIDIA) or NAME.out, beside the source or in --golden.
{EXIT_CODES}"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "machine",
        help="run the tree's programs as AMD machine code on an emulator, and compare what they print",
        description="Runs programs as AMD machine code on this CPU, under watch. Needs neither ROCm nor an AMD GPU.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("path", nargs="?", help="a folder or a file (default: this folder)")
    parser.add_argument("--arch", action="append", default=[], metavar="ARCHES", help="gfx942 (default), gfx1100, …")
    parser.add_argument("--args", default="", metavar="WORDS", help="arguments for the programs, in one string")
    parser.add_argument(
        "--golden", action="append", default=[], metavar="FOLDER", help="with recorded runs, by the programs' names"
    )
    parser.add_argument("--rtol", type=float, metavar="X", help="for numbers in what is printed (default: 1e-5)")
    parser.add_argument("--atol", type=float, metavar="X", help="default: 1e-8")
    parser.add_argument("--ignore", action="append", default=[], metavar="REGEX", help="cut this out of text first")
    parser.add_argument("--time-limit", type=float, default=600.0, metavar="SECONDS", help="for each program (600)")
    parser.add_argument(
        "--orders", type=int, default=1, metavar="N", help="run N more times, with waves in hostile orders (default: 1)"
    )
    parser.add_argument("--fast", action="store_true", help="do not watch for races and undefined values")
    parser.add_argument("--on", default="machine", choices=["machine", "gpu", "rocjitsu"], help="default: machine")
    parser.add_argument("--exclude", action="append", default=[], metavar="GLOB", help="leave out paths (repeatable)")
    add_allow_unchecked(parser)
    parser.add_argument("-q", "--quiet", action="store_true", help="no table, no progress")
    views = parser.add_argument_group("views")
    views.add_argument("--json", nargs="?", const="-", metavar="FILE", help="as JSON (docs/verify.md)")
    views.add_argument("--html", metavar="FILE", help="one self-contained page")
    views.add_argument("--junit", metavar="FILE", help="JUnit XML, for CI")
    add_results(views)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    import shlex

    from rewarp.run import Limits
    from rewarp.verify.machine import Wanted, verify_machine
    from rewarp.verify.programs import TextRules
    from rewarp.verify.tree import Verification

    if arguments.time_limit <= 0:
        raise UsageError("--time-limit must be above 0 seconds")
    if arguments.orders < 0:
        raise UsageError("--orders must be 0 or more")
    for folder in arguments.golden:
        if not Path(folder).is_dir():
            raise UsageError(f"--golden {folder}: no such folder")
    try:
        words = shlex.split(arguments.args)
    except ValueError as error:
        raise UsageError(f"--args {arguments.args}: {error}") from None
    reports = {name: getattr(arguments, name) for name in _FORMATS}
    root = Path(terminal.tell_path_from_reports(arguments.path, reports) or ".")
    wanted = Wanted(
        arches=terminal.arches(arguments.arch) if arguments.arch else ("gfx942",),
        arguments=words,
        golden=[Path(folder) for folder in arguments.golden],
        rules=TextRules(arguments.rtol, arguments.atol, tuple(arguments.ignore)),
        limits=Limits(seconds=arguments.time_limit),
        watch=not arguments.fast,
        where=arguments.on,
        orders=arguments.orders,
    )
    leaving = Leaving(arguments, root)
    with terminal.progress_bar("running", arguments.quiet) as progress:
        evidence = verify_machine(root, wanted, exclude=arguments.exclude, progress=progress)
    found = Verification(root, (evidence,))
    show(found, reports, arguments.quiet, leaving)
    return exit_code(evidence.checks, arguments, quiet=arguments.quiet)
