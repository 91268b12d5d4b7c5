"""``rewarp bench run``: measure on this machine, or watch a command that trains."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rewarp import printing
from rewarp.cli import terminal
from rewarp.cli.results import Leaving, add_results, root_of
from rewarp.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from rewarp.bench.result import Result
    from rewarp.bench.run.parent import Request

_EPILOG = """exit codes: 0 measured; 1 a benchmark or the command failed, or was stopped; 2 nothing could be measured.

examples:
  rewarp bench run examples/bench/tiny.toml
  rewarp bench run examples/bench/gpu.toml --json result.json --price 2.49@2026-11-01
  rewarp bench run examples/bench/gpu.toml --set steps=10 --only "matmul*"
  rewarp bench run --json result.json -- torchrun --nproc-per-node 8 train.py"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "run",
        help="matrix products, attention, bandwidth, a transformer; or any command that trains",
        description="Runs the benchmarks of a configuration on this machine, or a command, whose output is read live.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("words", nargs="*", metavar="CONFIG", help="a TOML or YAML file; or a command after --")
    parser.add_argument("--device", choices=["cuda", "rocm", "hpu", "xpu", "cpu"], help="default: the accelerator here")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of all benchmarks")
    parser.add_argument("--only", metavar="PATTERN", help="benchmarks whose name is like this (* and ? allowed)")
    parser.add_argument(
        "--processes", type=_count, metavar="N", help="that measure each benchmark (default: 3 where one is short)"
    )
    parser.add_argument("--price", metavar="USD@DATE", help="of one device and hour, with its date: 2.49@2026-11-01")
    parser.add_argument("--dialect", metavar="NAME", help="of the command's output (default: found out)")
    parser.add_argument("--json", nargs="?", const="-", metavar="FILE", help="as JSON (docs/bench.md)")
    parser.add_argument("--html", metavar="FILE", help="write a page with plots")
    parser.add_argument("-q", "--quiet", action="store_true", help="neither the command's output nor a table")
    add_results(parser)
    parser.set_defaults(run=run)


def _count(text: str) -> int:
    value = int(text)
    if not 1 <= value <= 100:
        raise argparse.ArgumentTypeError("must be 1 to 100")
    return value


def run(arguments: argparse.Namespace) -> int:
    from rewarp.bench import json_file, prices
    from rewarp.bench.derive import derive

    reports = {"json": arguments.json, "html": arguments.html}
    if not arguments.words:
        only = terminal.tell_path_from_reports(None, reports)
        arguments.words = [only] if only else []
    leaving = Leaving(arguments, root_of(arguments, Path.cwd()))
    price = prices.parse(arguments.price) if arguments.price else None
    if _is_config(arguments.words):
        results, code = _measure(arguments)
    else:
        results, code = _wrap(arguments)
    if results is None:
        return code
    if price is not None:
        results = [derive(prices.with_price(result, price)) for result in results]
    leaving.leave(lambda: json_file.dump(results))
    from rewarp.report import bench_results

    render = {"json": lambda: json_file.dump(results), "html": lambda: bench_results.html(results)}
    printed = terminal.write_reports(reports, render, arguments.quiet)
    if not printed and not arguments.quiet:
        from rewarp.cli.bench import table

        table.show(results)
    return code


def _is_config(words: Sequence[str]) -> bool:
    if not words:
        raise UsageError("say which configuration, or which command after --")
    return len(words) == 1 and Path(words[0]).suffix.lower() in (".toml", ".yaml", ".yml")


# --- a configuration ----------------------------------------------------------------------


def _measure(arguments: argparse.Namespace) -> tuple[list[Result] | None, int]:
    from rewarp.bench import config
    from rewarp.bench.run import launch, parent
    from rewarp.cli.bench.measuring import measured

    if arguments.dialect:
        raise UsageError("--dialect is for a command after --")
    file = Path(arguments.words[0])
    command = "rewarp " + shlex.join(["bench", "run", file.name, *_said(arguments)])
    changes = dict(config.parse_change(text) for text in arguments.set)
    data = config.read(file)
    # Mistakes that no machine would make good are told before anything is started.
    config.plan_of(data, file, arguments.device or "cpu", changes)
    request = parent.Request(data, str(file), arguments.device, command, changes, arguments.only, arguments.processes)
    if launch.is_rank():
        return _as_rank(request)
    planned = parent.plan(request)
    if planned.needs_ranks:
        return None, launch.start(planned.devices, sys.argv[1:])
    return measured(request, planned, arguments.quiet)


def _as_rank(request: Request) -> tuple[list[Result] | None, int]:
    """One of the ranks that torchrun started: all make the same steps, in this very process."""
    from rewarp.bench.run import launch, parent

    results = parent.measured_here(request)
    return (results, 0) if launch.is_first() else (None, 0)


def _said(arguments: argparse.Namespace) -> list[str]:
    words = [word for change in arguments.set for word in ("--set", change)]
    for option in ("device", "only", "processes"):
        if (value := getattr(arguments, option)) is not None:
            words += [f"--{option}", str(value)]
    return words


# --- a command ----------------------------------------------------------------------------


def _wrap(arguments: argparse.Namespace) -> tuple[list[Result] | None, int]:
    from rewarp.bench.logs.base import LineDialect, all_dialects
    from rewarp.bench.run.wrap import wrap

    for option in ("device", "only", "processes"):
        if getattr(arguments, option) is not None:
            raise UsageError(f"--{option} is for a configuration, not for a command")
    if arguments.set:
        raise UsageError("--set is for a configuration, not for a command")
    if arguments.dialect is not None:
        known = [name for name, dialect in all_dialects().items() if isinstance(dialect, LineDialect)]
        if arguments.dialect not in known:
            hint = f"there are {', '.join(known)}{did_you_mean(arguments.dialect, known)}"
            raise UsageError(f"--dialect {arguments.dialect}: there is none of that name; {hint}")
    echo = (lambda chunk: None) if arguments.quiet else printing.pass_on
    results, status = wrap(arguments.words, os.environ, echo, lambda steps: None, arguments.dialect)
    if not results:
        looked_for = "; rewarp bench logs says which logs it knows"
        raise UsageError(f"the command's output (exit status {status}) holds no step of a known log{looked_for}")
    return results, 1 if status else 0
