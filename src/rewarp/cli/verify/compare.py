"""``rewarp verify compare GOLDEN``: does this machine compute what the other one did, and where do they part?"""

from __future__ import annotations

import argparse
import json

from rewarp.cli import terminal
from rewarp.cli.verify.record import add_device, chatter_aside, refuse_to_replace

_EPILOG = """OTHER is the target again (package.module:callable or file.py:callable; left out: the recorded one), which
is run, or a second golden file. The same seed, weights and inputs are used.
exit codes: 0 within tolerance; 1 diverged; 2 nothing could be compared (no such device, out of memory, the target
raised, a damaged golden file)"""


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
    parser.add_argument("--json", nargs="?", const="-", metavar="FILE", help="as JSON (docs/numbers.md)")
    parser.add_argument("--html", metavar="FILE", help="write a page: the error along the depth")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rewarp.report import numbers as views
    from rewarp.verify import numbers
    from rewarp.verify.model import Outcome

    refuse_to_replace(arguments.json)
    refuse_to_replace(arguments.html)
    with chatter_aside():
        evidence = numbers.compare(
            arguments.golden,
            arguments.other,
            device=arguments.device,
            dtype=arguments.dtype,
            tolerances=arguments.tolerance,
        )
    if arguments.json:
        terminal.write_text(arguments.json, json.dumps(views.document(evidence), indent=1, allow_nan=False) + "\n")
    if arguments.html:
        terminal.write_text(arguments.html, views.html(evidence))
    if arguments.json != "-":
        from rewarp.report.console import Console

        views.show(evidence, Console())
    return {Outcome.PASSED: 0, Outcome.FAILED: 1, Outcome.NOT_CHECKED: 2}[evidence.outcome]
