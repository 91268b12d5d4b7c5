"""``rewarp bench logs``: what do the logs of other programs say, and can it be true?"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rewarp import printing
from rewarp.cli import terminal
from rewarp.cli.arguments import add_no_plugins
from rewarp.cli.results import Leaving, add_results, root_of
from rewarp.errors import UsageError

if TYPE_CHECKING:
    from rewarp.bench.logs import LogsRead, Unread
    from rewarp.bench.result import Sourced

_EPILOG = """exit codes: 0 every file was read; 1 some were not, or a figure is an error; 2 nothing could be read.

examples:
  rewarp bench logs train.log
  rewarp bench logs runs/ --json results.json
  rewarp bench logs megatron.log.gz --gpu MI300X --devices 64 --sequence 8192 --price 2.49@2026-11-01"""
_MANY = 8


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "logs",
        help="read logs and result files of other programs; needs no GPU and no torch",
        description="Reads training and serving logs: which program wrote them is found out, and said. What a log does "
        "not say is unknown, or given here; it is never taken from this machine.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="FILE", help="a log, gzip or not, or a folder of them")
    parser.add_argument("--json", nargs="?", const="-", metavar="FILE", help="as JSON (docs/bench.md)")
    parser.add_argument("--html", metavar="FILE", help="write a page with plots")
    parser.add_argument("--dialect", metavar="NAME", help="look for this one only (docs/bench_logs.md lists them)")
    add_no_plugins(parser)
    parser.add_argument("--gpu", metavar="NAME", help="the device it ran on")
    parser.add_argument("--devices", type=_count, metavar="N", help="how many of them")
    parser.add_argument("--model", metavar="NAME", help="the model")
    parser.add_argument("--parameters", type=_amount, metavar="N", help="of the model: 8030261248, 8.03e9, 8.03B")
    parser.add_argument("--sequence", type=_count, metavar="N", help="tokens in a sequence")
    parser.add_argument("--global-batch", type=_count, metavar="N", help="sequences in a step, of all devices")
    parser.add_argument("--precision", metavar="NAME", help="bf16, fp16, fp8, fp32")
    parser.add_argument("--price", metavar="USD@DATE", help="of one device and hour, with its date: 2.49@2026-11-01")
    parser.add_argument("-q", "--quiet", action="store_true", help="no table, no progress")
    add_results(parser)
    parser.set_defaults(run=run)


def _count(text: str) -> int:
    value = int(text.replace("_", "").replace(",", ""))
    if value < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return value


def _amount(text: str) -> int:
    scale = {"K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}.get(text[-1:].upper(), 1.0)
    value = float(text.rstrip("KMBTkmbt").replace("_", "").replace(",", "")) * scale
    if not 1 <= value < 1e18:
        raise argparse.ArgumentTypeError("must be a number of parameters")
    return round(value)


_GIVEN = {
    "gpu": "device.name",
    "devices": "device.count",
    "model": "configuration.model",
    "parameters": "configuration.parameters",
    "sequence": "configuration.sequence",
    "global_batch": "configuration.global_batch",
    "precision": "configuration.precision",
}


def given(arguments: argparse.Namespace) -> dict[str, Sourced]:
    """What the options say of a run, each with the option as its source."""
    from rewarp.bench.result import Sourced

    options = {name: getattr(arguments, name, None) for name in _GIVEN}
    return {
        _GIVEN[name]: Sourced(value, f"--{name.replace('_', '-')}")
        for name, value in options.items()
        if value is not None
    }


def run(arguments: argparse.Namespace) -> int:
    from rewarp.bench import json_file, prices
    from rewarp.bench.derive import derive
    from rewarp.bench.logs import read_logs

    leaving = Leaving(arguments, root_of(arguments, Path.cwd()))
    price = prices.parse(arguments.price) if arguments.price else None
    progress = _Progress(arguments.quiet)
    read = read_logs(arguments.paths, given(arguments), arguments.dialect, progress.tell)
    progress.end()
    results = list(read.results)
    if price is not None:
        results = [derive(prices.with_price(result, price)) for result in results]
    _tell_unread(read)
    if not results:
        raise UsageError("no run could be read.", _looked_for(arguments.dialect))
    leaving.leave(lambda: json_file.dump(results))
    from rewarp.report import bench_results

    reports = {"json": arguments.json, "html": arguments.html}
    render = {"json": lambda: json_file.dump(results), "html": lambda: bench_results.html(results)}
    printed = terminal.write_reports(reports, render, arguments.quiet)
    if not printed and not arguments.quiet:
        from rewarp.cli.bench import table

        for result in results:
            printing.say(f"{result.name}: {result.provenance.get('dialect')}, for {result.provenance.get('why')}")
        table.show(results)
    wrong = any(warning.severity == "error" for result in results for warning in result.warnings)
    return 1 if read.unread or wrong else 0


def _tell_unread(read: LogsRead) -> None:
    def line(unread: Unread) -> None:
        printing.tell(f"rewarp: not read: {unread.file}: {unread.why}")

    for unread in read.unread[:_MANY]:
        line(unread)
    if len(read.unread) > _MANY:
        printing.tell(f"rewarp: not read: {len(read.unread) - _MANY} more files")


def _looked_for(only: str | None) -> list[str]:
    from rewarp.bench.logs.base import all_dialects

    dialects = [all_dialects()[only]] if only else all_dialects().values()
    return ["Looked for:", *(f"  {dialect.title}: {dialect.looks_for}" for dialect in dialects)]


class _Progress:
    """Megabytes so far, on a terminal, for logs that take a while."""

    EVERY = 64 << 20

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet or not sys.stderr.isatty()
        self._done = self._said = 0

    def tell(self, file: Path, size: int) -> None:
        self._done += size
        if not self._quiet and self._done - self._said >= self.EVERY:
            self._said = self._done
            printing.progress(f"{self._done >> 20} MiB read ({file.name})")

    def end(self) -> None:
        if self._said:
            printing.progress()
