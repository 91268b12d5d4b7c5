"""``rewarp bench compare A B …``: is it as fast, and can the runs be compared at all?"""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rewarp.cli.arguments import add_no_plugins
from rewarp.cli.results import Leaving, add_results, root_of
from rewarp.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from rewarp.bench.result import Result

_EPILOG = """A, B … are JSON files of `rewarp bench`, or logs and results of any dialect that `rewarp bench logs` reads. The first
is the baseline. Runs that differ in model, parameters, sequence, global_batch, precision, devices or kind are refused.
exit codes: 0 compared, whatever the verdict; 1 with --fail-slower: the interval shows that a run is slower than that;
2 refused, unreadable, or (with --strict) it cannot be told"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "compare",
        help="ratios with intervals and a verdict; unlike runs are refused",
        description="Compares runs with a baseline: faster, slower, same, or can't tell.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="results or logs; one file with several results will do"
    )
    parser.add_argument("--baseline", metavar="FILE", help="what the others are held against (default: the first)")
    parser.add_argument(
        "--fail-slower", type=_share, metavar="PERCENT", help="exit 1 when the interval shows more than this, as 3%%"
    )
    parser.add_argument(
        "--margin", type=_share, default=0.01, metavar="PERCENT", help="differences that do not matter (default: 1%%)"
    )
    parser.add_argument("--figure", metavar="NAME", help="what the verdict goes by, such as median_step_s (docs)")
    parser.add_argument("--strict", action="store_true", help="exit 2 when it cannot be told")
    add_no_plugins(parser)
    parser.add_argument(
        "--allow-unlike", metavar="FIELD,…", help="compare although these differ; every output then says so"
    )
    parser.add_argument("--json", nargs="?", const="-", metavar="FILE", help="as JSON (docs/bench_compare.md)")
    parser.add_argument("--markdown", nargs="?", const="-", metavar="FILE", help="as Markdown, for a pull request")
    parser.add_argument("--html", metavar="FILE", help="write a page with plots")
    add_results(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rewarp.bench import compare_inputs
    from rewarp.bench.comparability import allowed_fields
    from rewarp.bench.compare import Settings, compare
    from rewarp.bench.compare_figures import SPEEDS
    from rewarp.cli.terminal import progress_bar, write_reports
    from rewarp.report import bench_compare, bench_page, bench_text

    reports = {name: getattr(arguments, name) for name in ("json", "markdown", "html")}
    inputs = [*arguments.files, *([arguments.baseline] if arguments.baseline else [])]
    for name, file in reports.items():
        _refuse_to_replace(name, file, inputs)
    if arguments.figure is not None and arguments.figure not in SPEEDS:
        hint = did_you_mean(arguments.figure, SPEEDS)
        raise UsageError(f"--figure {arguments.figure}: there are {', '.join(SPEEDS)}{hint}")
    settings = Settings(
        arguments.margin, allowed_fields(arguments.allow_unlike), arguments.fail_slower, arguments.figure
    )
    leaving = Leaving(arguments, root_of(arguments, Path.cwd()))
    with progress_bar("reading", quiet=False) as progress:
        read = compare_inputs.read(arguments.files, _read_log, arguments.baseline, progress)
    benchmarks, unmatched = compare_inputs.match(read)
    if not benchmarks:
        alone = "; ".join(f"{item.label}: {item.why}" for item in unmatched[:4])
        raise UsageError(f"nothing to compare: no benchmark is in more than one of these. {alone}")
    comparison = compare(benchmarks, settings, unmatched)
    render = {
        "json": lambda: json.dumps(bench_compare.document(comparison), indent=1, allow_nan=False) + "\n",
        "markdown": lambda: bench_text.markdown(comparison),
        "html": lambda: bench_page.html(comparison),
    }
    leaving.leave(render["json"], about=" ".join(inputs))
    if not write_reports(reports, render, quiet=False):
        from rewarp.report.console import Console

        bench_text.show(comparison, Console())
    return comparison.exit_code(arguments.strict)


def _share(text: str) -> float:
    """`3%`, or 0.03. A bare 3 could be either, and is neither."""
    found = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)\s*(%?)", text.strip())
    value = float(found[1]) / (100 if found[2] else 1) if found else -1.0
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a share below 100%: write 3% or 0.03")
    return value


def _read_log(path: str) -> Sequence[Result]:
    from rewarp.bench.logs import read_logs

    read = read_logs([Path(path)])
    if not read.results:
        why = "; ".join(f"{item.file}: {item.why}" for item in read.unread[:3]) or f"{path}: there is no file in it"
        raise UsageError(f"no result could be read: {why}")
    return read.results


def _refuse_to_replace(name: str, report: str | None, inputs: Sequence[str]) -> None:
    """``--json a.json b.json`` is a slip of the pen: no report replaces a result or a log."""
    if report is None or report == "-" or not os.path.exists(report):
        return
    same = any(os.path.exists(file) and os.path.samefile(file, report) for file in inputs)
    if same or (name != "html" and not _is_report(report)):
        raise UsageError(f"--{name} {report}: this file is there and is not a report; put the option last")


def _is_report(file: str) -> bool:
    try:
        with open(file, "rb") as stream:
            head = stream.read(200)
    except OSError:
        return False
    return not head or b'"rewarp.bench-compare/' in head or head.startswith(b"## rewarp bench")
