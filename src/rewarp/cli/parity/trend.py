"""``rewarp parity trend A..B PATH``: how did the scores go over the history?"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from rewarp.cli import terminal
from rewarp.cli.parity import add_sides, add_work
from rewarp.errors import UsageError

_EPILOG = """Commits are read through git; nothing is checked out, built or run. The range's beginning and end, and the
first-parent commits between them that touch either back end. Ctrl-C ends it and shows what was computed.
exit codes: 0 drawn; 2 the job could not be done, or no commit has a score; 130 stopped before the end"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    from rewarp.parity.comparing.trend import MOST_COMMITS

    parser = commands.add_parser(
        "trend",
        help="the scores over git history",
        description="Compares two back ends in the commits of a range and draws the score of each kind of unit.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("range", metavar="A..B", help="commits after A up to B, and A itself")
    parser.add_argument("path", nargs="?", help="a git repository, a bare one too, or a folder in one (default: this)")
    add_sides(parser)
    steps = parser.add_mutually_exclusive_group()
    steps.add_argument("--every", type=int, metavar="N", help="every N-th commit")
    steps.add_argument("--max", type=int, metavar="N", help=f"at most N commits, evenly (default: {MOST_COMMITS})")
    add_work(parser)
    parser.add_argument("--json", nargs="?", const="-", metavar="FILE", help="as JSON (docs/parity.md)")
    parser.add_argument("--html", metavar="FILE", help="one self-contained page with the lines drawn")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rewarp.cli import EXIT_INTERRUPTED
    from rewarp.parity.comparing.trend import MOST_COMMITS, trend
    from rewarp.report import parity_trend

    for name in ("every", "max", "jobs"):
        if (value := getattr(arguments, name)) is not None and value < 1:
            raise UsageError(f"--{name} must be at least 1")
    reports = {"json": arguments.json, "html": arguments.html}
    repository, folder = _repository(Path(terminal.tell_path_from_reports(arguments.path, reports) or "."))
    with terminal.progress_bar("commits", arguments.quiet) as progress:
        found = trend(
            repository,
            arguments.range,
            arguments.a,
            arguments.b,
            folder=folder,
            every=arguments.every,
            most=arguments.max or MOST_COMMITS,
            jobs=arguments.jobs,
            use_cache=not arguments.no_cache,
            progress=progress,
        )
    renderers = {
        "json": lambda: parity_trend.render_json(found),
        "html": lambda: parity_trend.render_html(found),
    }
    if not terminal.write_reports(reports, renderers, arguments.quiet) and not arguments.quiet:
        from rewarp.report.console import Console

        parity_trend.show(found, Console(soft_wrap=True))
    return EXIT_INTERRUPTED if found.was_stopped else 0 if found.has_score else 2


def _repository(path: Path) -> tuple[Path, str]:
    """The repository that a folder belongs to, and the folder's place in it."""
    from rewarp import git

    if not path.is_dir():
        raise UsageError(f"{path} is not a folder" if path.exists() else f"{path} does not exist")
    below = git.run(path, "rev-parse", "--show-prefix")
    if below is None or below.returncode != 0:
        raise UsageError(f"{path} is not in a git repository")
    return path, os.fsdecode(below.stdout).strip().rstrip("/")
