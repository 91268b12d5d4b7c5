"""``rewarp report``: everything that commands left in a folder of results, as one page that opens from disk."""

from __future__ import annotations

import argparse
from pathlib import Path

from rewarp.cli import terminal
from rewarp.errors import UsageError

LINKS = ("auto", "github", "gitlab", "file", "none")
_EPILOG = """Each command leaves its piece with --results DIR; the page is DIR/index.html unless -o says otherwise.
exit codes: 0 the page was written, whatever it says; 1 it was, and pieces are stale or could not be read; 2 it was not

examples:
  rewarp scan . --results out
  rewarp port . -o rocm.patch --results out
  rewarp report --results out"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "report",
        help="one page out of what the other commands left with --results",
        description="Puts together what commands said of one state of a repository: overview, findings, patch, proof, runs, "
        "parity, benchmarks. What is about other files, or comes from another version of rewarp, is listed as stale.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "path",
        nargs="?",
        help="the project: pieces that are not about its present state are stale (default: the newest)",
    )
    parser.add_argument("--results", metavar="DIR", required=True, help="where the commands left their pieces")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="the page (default: DIR/index.html); - for standard output"
    )
    parser.add_argument(
        "--links",
        choices=LINKS,
        default="auto",
        help="where lines of the source lead: GitHub or GitLab at the commit, files on this machine, nowhere "
        "(default: by the repository's remote)",
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="no summary")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rewarp.printing import tell
    from rewarp.report import site
    from rewarp.report.pieces import gather
    from rewarp.workspace.identity import identify

    folder = Path(arguments.results)
    results = gather(folder, identify(Path(arguments.path), folder) if arguments.path else None)
    if not results.current and not results.stale:
        raise UsageError(f"{folder} holds no piece: a command leaves one with --results {folder}")
    output = arguments.output or str(folder / "index.html")
    terminal.write_text(output, site.render(results, arguments.links))
    if not arguments.quiet:
        for piece, why in results.stale:
            tell(f"stale: {piece.file_name}: {why}")
        for file in results.unreadable:
            tell(f"left out: {file.name}: {file.why}")
        tell(f"report: {output}")
    return 1 if results.stale or results.unreadable else 0
