"""``rewarp project PATH``: what is this repository?"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from rewarp.cli import terminal
from rewarp.cli.results import Leaving, add_results


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "project",
        help="what is this repository: roles, what each platform's build compiles, existing support",
        description="Reads a repository's build files as its build tools would, for NVIDIA and for the target, and says "
        "what each compiles and why. Runs nothing of it.",
        epilog="exit codes: 0 the repository was read, whatever was found; 2 it could not be",
    )
    parser.add_argument("path", nargs="?", help="a folder (default: .)")
    parser.add_argument("--target", choices=["rocm", "gaudi"], default="rocm", help="beside NVIDIA (default: rocm)")
    parser.add_argument("--exclude", action="append", default=[], metavar="GLOB", help="leave out paths (repeatable)")
    parser.add_argument("--json", nargs="?", const="-", metavar="FILE", help="as JSON (docs/project.md)")
    add_results(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rewarp.project.overview import look
    from rewarp.report import project
    from rewarp.workspace import Folder

    reports: dict[str, str | None] = {"json": arguments.json}
    path = Path(terminal.tell_path_from_reports(arguments.path, reports) or ".")
    leaving = Leaving(arguments, path)
    overview = look(Folder(path, exclude=arguments.exclude, submodules=True), arguments.target)
    rendered = {"json": lambda: json.dumps(project.document(overview), indent=1) + "\n"}
    leaving.leave(rendered["json"])
    if reports["json"] is not None:
        terminal.write_reports(reports, rendered, quiet=True)
    else:
        from rewarp.report.console import Console

        project.show(overview, Console())
    return 0
