"""``rewarp fleet LIST``: many repositories, cloned and looked at."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rewarp.cli import terminal
from rewarp.cli.arguments import add_no_plugins, size_of
from rewarp.cli.fleet import add_store
from rewarp.errors import UsageError
from rewarp.printing import tell

if TYPE_CHECKING:
    from rewarp.fleet.request import Repository

_EPILOG = """A list has an address in each line, and a branch, tag or commit behind it where another than the default branch is
meant. Addresses are https, ssh or paths; cloning asks nothing, runs nothing, and takes no submodules and no LFS.
Run the same command again after it was stopped: it goes on. What was looked at before, just so, is not looked at again.
Nothing of a repository is run unless --run asks for it.
exit codes: 0 all were looked at, whatever was found; 2 the job could not be done; 3 some could not be looked at;
130 stopped"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "run",
        prog="rewarp fleet",
        help="look at many repositories (this is `rewarp fleet LIST`)",
        description="Clones every repository of a list, or in a folder, scans it, and keeps the results as Parquet.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "list", metavar="LIST", help="a file with addresses, - for standard input; or a folder of repositories"
    )
    add_store(parser)
    what = parser.add_argument_group("what is done with each, beside the scan")
    what.add_argument("--port", action="store_true", help="port it; the patch is kept")
    what.add_argument(
        "--verify", action="store_true", help="verify it (with --port, the port): static, build, isolation"
    )
    what.add_argument(
        "--run", action="store_true", dest="programs", help="run its programs as AMD code on the emulator"
    )
    target = parser.add_argument_group("target")
    target.add_argument("--target", choices=["rocm", "gaudi"], default="rocm", help="where to (default: rocm)")
    target.add_argument("--torch", metavar="VERSION", help="torch version there; narrows version-dependent rules")
    target.add_argument("--rocm", metavar="VERSION", help="ROCm version there")
    target.add_argument("--arch", metavar="GFX", help="GPU architecture there, for example gfx942")
    target.add_argument("--exclude", action="append", default=[], metavar="GLOB", help="leave out paths (repeatable)")
    target.add_argument("--ignore", action="append", default=[], metavar="RULE", help="leave out a rule (repeatable)")
    target.add_argument("--max-size", type=float, default=5.0, metavar="MB", help="skip larger files (default: 5)")
    work = parser.add_argument_group("work")
    work.add_argument("-j", "--jobs", type=int, metavar="N", help="repositories at a time (default: one per core)")
    work.add_argument(
        "--ray", metavar="ADDRESS", help="on this Ray cluster; --store is a folder that its machines share"
    )
    work.add_argument("--time-limit", type=float, default=900.0, metavar="SECONDS", help="for each (default: 900)")
    work.add_argument("--memory-limit", default="4G", metavar="SIZE", help="for each (default: 4G)")
    work.add_argument("--disk-limit", default="10G", metavar="SIZE", help="for each checkout (default: 10G)")
    work.add_argument("--no-cache", action="store_true", help="look at everything again")
    add_no_plugins(work)
    views = parser.add_argument_group("views (a page, index.html, is in the folder of results anyway)")
    views.add_argument("--json", nargs="?", const="-", metavar="FILE", help="as JSON (docs/fleet.md)")
    views.add_argument("--html", metavar="FILE", help="the page, to this file too")
    views.add_argument("-q", "--quiet", action="store_true", help="no progress, no text")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rewarp.api import default_jobs
    from rewarp.cli import EXIT_INTERRUPTED
    from rewarp.cli.fleet.report import show
    from rewarp.fleet.drive import Crew, run_fleet
    from rewarp.fleet.request import Limits, Wanted
    from rewarp.fleet.store import Store

    if arguments.jobs is not None and arguments.jobs < 1:
        raise UsageError("--jobs must be at least 1")
    if arguments.time_limit <= 0:
        raise UsageError("--time-limit must be positive")
    limits = Limits(
        arguments.time_limit,
        size_of("--memory-limit", arguments.memory_limit),
        size_of("--disk-limit", arguments.disk_limit),
    )
    wanted = Wanted(
        target=arguments.target,
        torch=arguments.torch,
        rocm=arguments.rocm,
        arch=arguments.arch,
        exclude=tuple(arguments.exclude),
        ignore=tuple(rule.upper() for rule in arguments.ignore),
        max_size=arguments.max_size,
        port=arguments.port,
        verify=arguments.verify,
        run=arguments.programs,
    )
    crew = Crew(arguments.jobs or default_jobs(), arguments.ray, limits, not arguments.no_cache)
    store = Store(Path(arguments.store))

    def resumed(done: int) -> None:
        if not arguments.quiet:
            tell(f"going on with a run that was stopped: {done} are done")

    try:
        with terminal.progress_bar("repositories", arguments.quiet) as progress:
            made = run_fleet(_repositories(arguments.list), wanted, store, crew, progress, resumed)
    except KeyboardInterrupt:
        tell("rewarp: stopped; the same command goes on from here")
        return EXIT_INTERRUPTED
    return show(store, made.name, {"json": arguments.json, "html": arguments.html}, arguments.quiet, page=True)


def _repositories(given: str) -> list[Repository]:
    from rewarp.fleet.sources import find_repositories, read_list

    if given == "-":
        return read_list(sys.stdin, Path("."))
    path = Path(given)
    if path.is_dir():
        return find_repositories(path)
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {getattr(error, 'strerror', None) or 'not a list in UTF-8'}") from None
    try:
        return read_list(lines, path.parent)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None
