"""``rewarp verify compare GOLDEN``: does this machine compute what the other one did, and where do they part?"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from rewarp.cli import terminal
from rewarp.cli.results import Leaving, add_results, root_of
from rewarp.cli.verify import EXIT_CODES, add_allow_unchecked, exit_code
from rewarp.cli.verify.record import add_device, chatter_aside, refuse_to_replace

_EPILOG = f"""OTHER is the target again (package.module:callable or file.py:callable; left out: the recorded one), which
is run, or a second golden file. The same seed, weights and inputs are used.
{EXIT_CODES}"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "compare",
        help="replay golden vectors here; name the first module that diverges",
        description="Replays a golden file, or holds it against another, and compares module by module.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("golden", help="the golden file")
    parser.add_argument("other", nargs="?", help="a target, or another golden file")
    add_device(parser)
    parser.add_argument(
        "--tolerance",
        action="append",
        default=[],
        metavar="DTYPE=ATOL,RTOL",
        help="instead of the table's; layers=POWER for the growth with depth (repeatable)",
    )
    add_allow_unchecked(parser)
    parser.add_argument("--json", nargs="?", const="-", metavar="FILE", help="as JSON (docs/numbers.md)")
    parser.add_argument("--html", metavar="FILE", help="write a page: the error along the depth")
    add_results(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rewarp.report import numbers as views
    from rewarp.verify import numbers

    refuse_to_replace(arguments.json)
    refuse_to_replace(arguments.html)
    leaving = Leaving(arguments, root_of(arguments, Path.cwd()))
    with chatter_aside():
        evidence = numbers.compare(
            arguments.golden,
            arguments.other,
            device=arguments.device,
            dtype=arguments.dtype,
            tolerances=arguments.tolerance,
        )
    rendered = json.dumps(views.document(evidence), indent=1, allow_nan=False) + "\n"
    leaving.leave(lambda: rendered, about=" ".join(filter(None, (arguments.golden, arguments.other))))
    if arguments.json:
        terminal.write_text(arguments.json, rendered)
    if arguments.html:
        terminal.write_text(arguments.html, views.html(evidence))
    if arguments.json != "-":
        from rewarp.report.console import Console

        views.show(evidence, Console())
    return exit_code(evidence.checks, arguments, quiet=arguments.json == "-")
