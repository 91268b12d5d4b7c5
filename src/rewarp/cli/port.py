"""``rewarp port PATH``: the whole repository, phase by phase, as a patch, in place or as a git branch."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rewarp import printing
from rewarp.cli import terminal
from rewarp.cli.arguments import add_no_plugins
from rewarp.cli.results import Leaving, add_results
from rewarp.errors import UsageError
from rewarp.port.changes import OPTIONAL

if TYPE_CHECKING:
    from rewarp.config import Config
    from rewarp.port.result import Port
    from rewarp.port.writing.journal import Journal
    from rewarp.report.port import PortReport

_APPROACHES = {"beside": "COMMITTED", "shim": "SHIM", "build": "BUILD_TIME"}
_ARCHES = ("gfx942",)
"""What is compiled for unless --arch says otherwise: one is enough to see whether a port goes through."""
_EPILOG = """Without --in-place or --branch nothing is written but a patch (standard output, or -o), for `git apply`.
phases: 0 environment, 1 detection, 2 translation, 3 architecture, 4 build, 5 libraries, 6 compile, 7 graphs,
8 verification. Nothing is run without --run.
exit codes: 0 all done, and NVIDIA proved untouched; 1 something is left to a person, or not proved;
2 the job could not be done, and nothing was changed"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "port",
        help="do the port: a patch, in place, or a branch; NVIDIA proved untouched",
        description="Ports a repository phase by phase: small gated changes, each explained, with the proof that NVIDIA "
        "users get what they had, and a list of what is left to a person.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("path", nargs="?", help="a folder (default: this one)")
    ways = parser.add_argument_group("ways (one of them)").add_mutually_exclusive_group()
    ways.add_argument("-o", "--output", metavar="FILE", help="write the patch to a file")
    ways.add_argument("--in-place", action="store_true", help="change the tree; wants a clean git tree, or --force")
    ways.add_argument("--branch", metavar="NAME", help="a git branch with a commit for each phase; the tree stays")
    ways.add_argument("--undo", action="store_true", help="take a port made in place back, byte for byte")
    what = parser.add_argument_group("what")
    what.add_argument("--target", choices=("rocm", "gaudi"), help="where to (default: rocm, or pyproject.toml)")
    what.add_argument("--phase", action="append", default=[], metavar="PHASE", help="only this one (repeatable)")
    what.add_argument("--skip", action="append", default=[], metavar="PHASE", help="all but this one (repeatable)")
    what.add_argument(
        "--sources", choices=tuple(_APPROACHES), help="CUDA C++: HIP copies beside, a shim, or left to the build"
    )
    what.add_argument("--exclude", action="append", default=[], metavar="GLOB", help="leave out paths (repeatable)")
    what.add_argument(
        "--arch",
        action="append",
        default=[],
        metavar="ARCHES",
        help="compile for these: gfx942,gfx1100,… (default: gfx942)",
    )
    what.add_argument(
        "--with",
        dest="extras",
        action="append",
        default=[],
        choices=("ci", *OPTIONAL),
        help="also (repeatable) ci: a job on GitHub that compiles the kernels for AMD; wants --run, and is added if its steps "
        "pass here; " + "; ".join(f"{word}: {what}" for word, what in OPTIONAL.items()),
    )
    what.add_argument(
        "--run", dest="may_run", action="store_true", help="run what the port adds: the steps of --with ci, in a copy"
    )
    what.add_argument(
        "--ci-from",
        metavar="ADDRESS",
        help="where the job of --with ci installs rewarp from: git+https://…@v0.2.0, or a wheel's address "
        "(default: where this rewarp was installed from)",
    )
    views = parser.add_argument_group("views")
    views.add_argument("--pr-body", metavar="FILE", help="Markdown for the pull request; - for standard output")
    views.add_argument("--json", nargs="?", const="-", metavar="FILE", help="as JSON (docs/port.md)")
    add_results(views)
    how = parser.add_argument_group("how")
    how.add_argument("--force", action="store_true", help="also where git could not bring files back")
    how.add_argument("--plan", metavar="HASH", help="write only if this is the plan; --json tells the hash of one")
    how.add_argument("--author", metavar="'NAME <MAIL>'", help="of the commits (default: as git is configured)")
    how.add_argument("--jobs", type=int, metavar="N", help="processes (default: one per core)")
    how.add_argument(
        "--checks-within",
        type=int,
        default=600,
        metavar="SECONDS",
        help="start no more checks of the ported tree after this long; they read not checked then (default: 600)",
    )
    how.add_argument("--no-cache", action="store_true", help="look at everything again")
    add_no_plugins(how)
    how.add_argument("-q", "--quiet", action="store_true", help="no summary, no progress")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    reports: dict[str, str | None] = {"json": arguments.json, "pr-body": arguments.pr_body}
    root = Path(terminal.tell_path_from_reports(arguments.path, reports) or ".")
    if not root.is_dir():
        raise UsageError(f"{root} is not a folder" if os.path.lexists(root) else f"{root} does not exist")
    if arguments.undo:
        return _undo(root, arguments)
    if arguments.plan and not (arguments.in_place or arguments.branch):
        raise UsageError("--plan goes with --in-place or --branch")
    if "ci" in arguments.extras and not arguments.may_run:
        raise UsageError("--with ci goes with --run: a job is added only after its steps passed here")
    if arguments.ci_from is not None:
        _check_ci_from(arguments)
    if arguments.jobs is not None and arguments.jobs < 1:
        raise UsageError("--jobs must be at least 1")
    if arguments.checks_within < 0:
        raise UsageError("--checks-within must not be negative")
    leaving = Leaving(arguments, root)
    report = _ported(root, arguments)
    from rewarp.report import port as views
    from rewarp.report import pull_request

    renderers = {
        "json": lambda: views.render_json(report),
        "pr-body": lambda: pull_request.body(report.port),
    }
    if report.way == "patch":
        _write_patch(report.port, arguments.output, taken="-" in reports.values())
    printed = terminal.write_reports(reports, renderers, arguments.quiet)
    if leaving.folder:
        patch = _shown_patch(report.port)
        leaving.leave(renderers["json"], becomes=_becomes(report.port, leaving), patch=patch)
    if not arguments.quiet:
        to_stderr = printed or (report.way == "patch" and not arguments.output)
        printing.write(views.text(report), aside=to_stderr)
    return 0 if report.port.done else 1


def _check_ci_from(arguments: argparse.Namespace) -> None:
    from rewarp.port.packaging.ci import is_address

    if "ci" not in arguments.extras:
        raise UsageError("--ci-from goes with --with ci")
    if not is_address(arguments.ci_from):
        raise UsageError("--ci-from wants an address that CI can reach: git+https://… or https://…, without a password")


def _undo(root: Path, arguments: argparse.Namespace) -> int:
    from rewarp.port.writing.undo import undo

    paths = undo(root, arguments.force)
    if not arguments.quiet:
        printing.say(f"{len(paths)} file{'s' if len(paths) != 1 else ''} as before the port")
    return 0


def _ported(root: Path, arguments: argparse.Namespace) -> PortReport:
    from rewarp.api import default_jobs
    from rewarp.port import engine
    from rewarp.port.changes import PortOptions
    from rewarp.port.planning.phases import chosen
    from rewarp.port.tree import Tree
    from rewarp.port.writing.branch import write_branch
    from rewarp.port.writing.in_place import write_in_place
    from rewarp.port.writing.journal import State, originals
    from rewarp.port.writing.plan import plan_hash, refuse_another
    from rewarp.report.port import PortReport
    from rewarp.targets import TARGETS
    from rewarp.verdict import Approach

    phases = chosen(arguments.phase, arguments.skip)
    config = _config(root, arguments)
    journal = _resumed(root, arguments)
    tree = Tree(root, config, jobs=arguments.jobs or default_jobs(), use_cache=not arguments.no_cache)
    port = engine.port(
        tree,
        TARGETS[config.target],
        phases=phases,
        options=PortOptions(
            Approach[_APPROACHES[arguments.sources]] if arguments.sources else None,
            frozenset(arguments.extras) & OPTIONAL.keys(),
            ci="ci" in arguments.extras,
            ci_from=arguments.ci_from,
            checks_until=time.monotonic() + arguments.checks_within,
        ),
        original=tree.holding(originals(State(root), journal)),
        arches=terminal.arches(arguments.arch) if arguments.arch else _ARCHES,
        progress=_progress(arguments.quiet),
    )
    plan = plan_hash(port)
    if arguments.plan:
        refuse_another(plan, arguments.plan)
    if arguments.in_place:
        return PortReport(port, "in-place", plan, tuple(write_in_place(port, arguments.force, printing.tell)))
    if arguments.branch:
        commits = tuple(write_branch(port, arguments.branch, arguments.author, printing.tell))
        return PortReport(port, "branch", plan, commits=commits)
    return PortReport(port, "patch", plan)


def _config(root: Path, arguments: argparse.Namespace) -> Config:
    from rewarp.config import load

    config = load(root)
    return replace(config, target=arguments.target or config.target, exclude=(*config.exclude, *arguments.exclude))


def _resumed(root: Path, arguments: argparse.Namespace) -> Journal | None:
    """The journal of earlier ports; one that was killed while it wrote is finished first."""
    from rewarp.port.writing.journal import State, Status
    from rewarp.port.writing.undo import finish

    state = State(root)
    journal = state.read()
    if journal is None or journal.status is Status.DONE:
        return journal
    if journal.status is Status.UNDOING:
        raise UsageError("taking a port back was interrupted here: run `rewarp port --undo` again")
    if not arguments.in_place:
        raise UsageError("a port was interrupted here while it wrote: --in-place finishes it, --undo takes it back")
    finish(state, journal)
    if not arguments.quiet:
        printing.tell("finished a port that was interrupted")
    return state.read()


def _write_patch(port: Port, output: str | None, taken: bool) -> None:
    from rewarp.files import NewFile, write_together
    from rewarp.port.writing.patch import as_patch

    if output and output != "-":
        write_together([NewFile(Path(output), as_patch(port.after))])
    elif not taken:  # a report that asked for standard output gets it alone
        printing.emit(as_patch(port.after))


def _becomes(port: Port, leaving: Leaving) -> str:
    """The hash of the project's files as the port leaves them."""
    from rewarp.workspace.identity import inside, project, tree_hash

    changed = {path: port.after.read(path) for path in port.after.changes()}
    return tree_hash(project(leaving.root).holding(changed), inside(leaving.root, leaving.folder))


def _shown_patch(port: Port) -> str:
    from rewarp.port.writing.patch import as_patch

    return as_patch(port.after).decode("utf-8", "backslashreplace")


def _progress(quiet: bool) -> Callable[[str], None]:
    """A word on standard error, where a person watches."""

    def tell(doing: str) -> None:
        if not quiet and sys.stderr.isatty():
            printing.progress(f"{doing} …")

    return tell
