"""``rewarp bridge matrix``: all platforms against all."""

from __future__ import annotations

import argparse

from rewarp.cli import terminal
from rewarp.printing import write

_EPILOG = """exit codes: 0 the matrix was made, whatever it says; 2 the job could not be done"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "matrix",
        help="all platforms against all",
        description="What crosses between any two platforms: KV chunks by type and scales, FP8 weights, prefix hashes. "
        "Each platform is a reference deployment.",
        epilog=_EPILOG,
    )
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="on all of them (repeatable)")
    views = parser.add_argument_group("views")
    views.add_argument("--json", nargs="?", const="-", metavar="FILE", help="as JSON (docs/bridge.md)")
    views.add_argument("--markdown", nargs="?", const="-", metavar="FILE", help="as Markdown")
    views.add_argument("--html", metavar="FILE", help="one self-contained page; a click on a verdict shows why")
    views.add_argument("-q", "--quiet", action="store_true", help="no text")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rewarp.bench.config import parse_change
    from rewarp.bridge.matrix import matrix
    from rewarp.report import bridge_matrix as views

    made = matrix(dict(parse_change(change) for change in arguments.set))
    reports = {name: getattr(arguments, name) for name in ("json", "markdown", "html")}
    renderers = {
        "json": lambda: views.render(made),
        "markdown": lambda: views.markdown(made),
        "html": lambda: views.page(made),
    }
    if not terminal.write_reports(reports, renderers, arguments.quiet) and not arguments.quiet:
        write(views.text(made))
    return 0
