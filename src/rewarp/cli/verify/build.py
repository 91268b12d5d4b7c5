"""``rewarp verify build PATH``: does the device code compile for AMD, and can its kernels be launched there?"""

from __future__ import annotations

import argparse
from pathlib import Path

from rewarp.cli import terminal
from rewarp.cli.results import Leaving, add_results
from rewarp.cli.verify import EXIT_CODES, add_allow_unchecked, exit_code
from rewarp.errors import UsageError

_FORMATS = ("json", "html", "junit")
_EPILOG = f"""CUDA sources are translated first, into a folder that goes away; the tree itself is not changed. Flags come
from compile_commands.json, CMake, setup.py or a Makefile, whichever names the file, and from the command line.
{EXIT_CODES}"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "build",
        help="compile every unit for every AMD architecture; registers, LDS, occupancy of every kernel",
        description="Compiles device code to AMD machine code. Needs neither ROCm nor an AMD GPU.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("path", nargs="?", help="a folder or a file (default: this folder)")
    parser.add_argument(
        "--arch", action="append", default=[], metavar="ARCHES", help="gfx942,gfx1100,… (default: five of today's)"
    )
    parser.add_argument("--jobs", type=int, metavar="N", help="compilers at once (default: one per core)")
    parser.add_argument("--timeout", type=float, default=300.0, metavar="SECONDS", help="for one compilation (300)")
    parser.add_argument("--no-cache", action="store_true", help="compile everything again")
    parser.add_argument("--no-translate", action="store_true", help="compile CUDA files as they are, as HIP")
    parser.add_argument("--exclude", action="append", default=[], metavar="GLOB", help="leave out paths (repeatable)")
    add_allow_unchecked(parser)
    parser.add_argument("-q", "--quiet", action="store_true", help="no table, no progress")
    flags = parser.add_argument_group("flags for every unit")
    flags.add_argument("-I", dest="include", action="append", default=[], metavar="DIR", help="search for headers")
    flags.add_argument("-D", dest="define", action="append", default=[], metavar="NAME[=VALUE]", help="define a macro")
    flags.add_argument(
        "--option", action="append", default=[], metavar="OPTION", help="any other: --option=-ffast-math"
    )
    views = parser.add_argument_group("views")
    views.add_argument("--json", nargs="?", const="-", metavar="FILE", help="as JSON (docs/verify.md)")
    views.add_argument("--html", metavar="FILE", help="a picture: kernels × architectures, one self-contained page")
    views.add_argument("--junit", metavar="FILE", help="JUnit XML, for CI")
    add_results(views)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rewarp.report import build as picture
    from rewarp.report import verify as views
    from rewarp.verify.build import verify_build
    from rewarp.verify.tree import Verification

    _check_numbers(arguments)
    reports = {name: getattr(arguments, name) for name in _FORMATS}
    root = Path(terminal.tell_path_from_reports(arguments.path, reports) or ".")
    leaving = Leaving(arguments, root)
    with terminal.progress_bar("compiling", arguments.quiet) as progress:
        evidence = verify_build(
            root,
            arches=terminal.arches(arguments.arch),
            includes=[Path(folder) for folder in arguments.include],
            options=[*(f"-D{name}" for name in arguments.define), *arguments.option],
            exclude=arguments.exclude,
            jobs=arguments.jobs,
            timeout=arguments.timeout,
            translate=not arguments.no_translate,
            use_cache=not arguments.no_cache,
            progress=progress,
        )
    found = Verification(root, (evidence,))
    renderers = {
        "json": lambda: views.render_json(found),
        "html": lambda: picture.render_html(found),
        "junit": lambda: views.render_junit(found),
    }
    printed = terminal.write_reports(reports, renderers, arguments.quiet)
    leaving.leave(renderers["json"])
    if not arguments.quiet and not printed:
        from rewarp.report.console import Console

        picture.show(evidence, Console(soft_wrap=False))
    return exit_code(evidence.checks, arguments, quiet=arguments.quiet)


def _check_numbers(arguments: argparse.Namespace) -> None:
    if arguments.jobs is not None and arguments.jobs < 1:
        raise UsageError("--jobs must be at least 1")
    if not 0 < arguments.timeout <= 86_400:
        raise UsageError("--timeout must be above 0 seconds, and at most a day")
    for folder in arguments.include:
        if not Path(folder).is_dir():
            raise UsageError(f"-I {folder}: no such folder")
