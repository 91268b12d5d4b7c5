"""``rewarp bench``, and nothing else: measures what is here to be measured, or reads what was measured."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rewarp import printing
from rewarp.cli import terminal
from rewarp.cli.arguments import add_no_plugins
from rewarp.errors import RewarpError, UsageError
from rewarp.verdict import plural

if TYPE_CHECKING:
    from rewarp.bench.compare import Comparison
    from rewarp.bench.result import Result

_NOTHING = 3
_NAME = "rewarp-bench"
_INSTALL = "to measure, install the torch build of this machine (https://pytorch.org/get-started/locally)"
_EPILOG = """With a GPU, or another accelerator that torch can use: a built-in suite, in a few minutes. Without one: logs and
results in this folder and below, read and, where they are of the same thing, compared.
exit codes: 0 measured or read; 1 a benchmark failed or was stopped; 2 misuse; 3 there is nothing to measure or read."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "here",
        help="what is meant where no subcommand is named: measure this machine, or read the logs that lie here",
        description="Measures this machine, or reads the logs and results that lie here.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", nargs="?", metavar="FOLDER", help="read the logs in it (default: measure, or here)")
    parser.add_argument("--suite", metavar="NAME", help="what is measured: quick (the default), full, cpu")
    parser.add_argument("--device", choices=["cuda", "rocm", "hpu", "xpu", "cpu"], help="default: the accelerator here")
    parser.add_argument("--json", nargs="?", const="-", metavar="FILE", help=f"default: {_NAME}.json")
    parser.add_argument("--html", metavar="FILE", help=f"default: {_NAME}.html")
    add_no_plugins(parser)
    parser.add_argument("-q", "--quiet", action="store_true", help="no table, no progress")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    reports = {"json": arguments.json, "html": arguments.html}
    arguments.folder = terminal.tell_path_from_reports(arguments.folder, reports)
    arguments.json, arguments.html = reports["json"], reports["html"]
    wants_to_measure = arguments.suite is not None or arguments.device is not None
    if arguments.folder is not None:
        if wants_to_measure:
            raise UsageError("a folder is read, and --suite and --device are for measuring: say one of the two")
        if not os.path.isdir(arguments.folder):
            raise UsageError(f"{arguments.folder} is no folder; rewarp bench logs reads a file")
        return _read(arguments, Path(arguments.folder))
    if arguments.suite is not None:
        from rewarp.bench import suites

        suites.load(arguments.suite)
    why = _why_not_measure(arguments)
    if why is None:
        return _measure(arguments)
    if wants_to_measure:
        printing.tell(f"rewarp: nothing can be measured: {why}")
        return _NOTHING
    if not arguments.quiet:
        printing.tell(f"rewarp: {why}; looking for logs and results here and below")
    return _read(arguments, Path())


def _why_not_measure(arguments: argparse.Namespace) -> str | None:
    """None where there is something to measure on."""
    from rewarp.bench.run import parent

    try:
        usable = parent.platforms()
    except RewarpError as error:
        return f"{error}; {_INSTALL}" if _INSTALL not in str(error) else str(error)
    if arguments.device is not None:
        return None if arguments.device in usable else f"--device {arguments.device}: torch can use {', '.join(usable)}"
    if usable == ["cpu"]:
        return "torch sees no accelerator here (--device cpu measures the processor)"
    return None


# --- measuring ----------------------------------------------------------------------------


def _measure(arguments: argparse.Namespace) -> int:
    from rewarp.bench import suites
    from rewarp.bench.result import Warn
    from rewarp.bench.run import parent
    from rewarp.cli.bench.measuring import measured

    name = arguments.suite or (suites.ON_CPU if arguments.device == "cpu" else suites.DEFAULT)
    data, tried = suites.load(name)
    command = f"rewarp bench --suite {name}" + (f" --device {arguments.device}" if arguments.device else "")
    request = parent.Request(data, f"suite {name}", arguments.device, command, {})
    planned = parent.plan(request)
    said = [f"Suite {name}, measured on this machine."]
    if planned.platform not in tried:
        what = f"nobody has run the suite {name} on {planned.platform} before: it is written for it, and untried"
        said.append(what[0].upper() + what[1:] + ".")
    if not arguments.quiet:
        printing.tell(*(f"rewarp: {line}" for line in said))
    results, code = measured(request, planned, arguments.quiet)
    if planned.platform not in tried:
        note = Warn("untried-platform", what, "info")
        results = [replace(result, warnings=(*result.warnings, note)) for result in results]
    _show(arguments, results, None, said)
    return 1 if code else 0


# --- reading ------------------------------------------------------------------------------


def _read(arguments: argparse.Namespace, folder: Path) -> int:
    from rewarp.bench import search
    from rewarp.bench.compare import Settings, compare

    found = search.find(folder)
    where = "here and below" if folder == Path() else f"in {folder} and below"
    left_out = "; ".join(found.left_out.words())
    said = [
        f"{plural(len(found.results), 'result')} in {plural(found.looked_at, 'file')} {where}, read and not measured."
    ]
    said += [f"Not looked at: {left_out}."] if left_out else []
    if not arguments.quiet:
        printing.tell(*(f"rewarp: {line}" for line in said))
    if not found.results:
        printing.tell("rewarp: there is nothing to measure or read")
        return _NOTHING
    groups = search.comparable(found.results)
    comparison = compare(groups, Settings()) if groups else None
    _show(arguments, found.results, comparison, said)
    return 0


# --- what both end with -------------------------------------------------------------------


def _show(
    arguments: argparse.Namespace, results: Sequence[Result], comparison: Comparison | None, said: Sequence[str]
) -> None:
    from rewarp.bench import json_file
    from rewarp.report import bench_results

    name = _free_name()
    reports = {"json": arguments.json or f"{name}.json", "html": arguments.html or f"{name}.html"}
    render = {
        "json": lambda: json_file.dump(results),
        "html": lambda: bench_results.html(results, comparison, said),
    }
    printed = terminal.write_reports(reports, render, arguments.quiet)
    if printed or arguments.quiet:
        return
    from rewarp.cli.bench import table

    table.show(results)
    if comparison is not None:
        from rewarp.report import bench_text
        from rewarp.report.console import Console

        bench_text.show(comparison, Console())


def _free_name() -> str:
    """What was measured is never written over: the next one gets a number."""
    name, number = _NAME, 1
    while _holds_measurements(Path(f"{name}.json")):
        number += 1
        name = f"{_NAME}-{number}"
    return name


def _holds_measurements(file: Path) -> bool:
    """A file that is none of ours counts as one: it is not ours to replace."""
    from rewarp.bench import json_file
    from rewarp.bench.search import is_original

    if not file.exists():
        return False
    try:
        return any(map(is_original, json_file.load(file)))
    except RewarpError:
        return True
