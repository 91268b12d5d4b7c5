"""``rewarp bench run``: measure on this machine, or watch a command that trains."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rewarp import printing
from rewarp.cli import terminal
from rewarp.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from rewarp.bench.config import Benchmark, Plan
    from rewarp.bench.model import Result

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
    parser.add_argument("--price", metavar="USD@DATE", help="of one device and hour, with its date: 2.49@2026-11-01")
    parser.add_argument("--dialect", metavar="NAME", help="of the command's output (default: found out)")
    parser.add_argument("--json", nargs="?", const="-", metavar="FILE", help="as JSON (docs/bench.md)")
    parser.add_argument("-q", "--quiet", action="store_true", help="neither the command's output nor a table")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rewarp.bench import json_file, prices
    from rewarp.bench.derive import derive

    reports = {"json": arguments.json}
    if not arguments.words:
        only = terminal.tell_path_from_reports(None, reports)
        arguments.words = [only] if only else []
    price = prices.parse(arguments.price) if arguments.price else None
    if _is_config(arguments.words):
        results, code = _measure(arguments)
    else:
        results, code = _wrap(arguments)
    if results is None:
        return code
    if price is not None:
        results = [derive(prices.with_price(result, price)) for result in results]
    printed = terminal.write_reports(
        {"json": arguments.json}, {"json": lambda: json_file.dump(results)}, arguments.quiet
    )
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
    from rewarp.bench.run import launch
    from rewarp.bench.run.device import choose
    from rewarp.bench.run.measure import measure

    if arguments.dialect:
        raise UsageError("--dialect is for a command after --")
    data = config.read(Path(arguments.words[0]))
    device = choose(arguments.device)
    plan = _plan(arguments, data, device.platform)
    command = "rewarp " + shlex.join(["bench", "run", Path(arguments.words[0]).name, *_said(arguments)])
    if launch.needs_ranks(plan):
        return None, launch.start(plan, sys.argv[1:])
    results = list(measure(plan, device, command, _teller(plan, arguments.quiet or not launch.is_first())))
    if not launch.is_first():
        return None, 0
    failed = any(warning.code in ("failed", "interrupted") for result in results for warning in result.warnings)
    measured = any(result.series.step for result in results)
    return results, (1 if failed else 0) if measured else 2


def _said(arguments: argparse.Namespace) -> list[str]:
    words = [word for change in arguments.set for word in ("--set", change)]
    words += ["--device", arguments.device] if arguments.device else []
    return words + (["--only", arguments.only] if arguments.only else [])


def _plan(arguments: argparse.Namespace, data: Mapping[str, Any], platform: str) -> Plan:
    from dataclasses import replace
    from fnmatch import fnmatchcase

    from rewarp.bench import config

    changes = dict(config.parse_change(text) for text in arguments.set)
    plan = config.plan_of(data, Path(arguments.words[0]), platform, changes)
    if arguments.only is None:
        return plan
    chosen = tuple(benchmark for benchmark in plan.benchmarks if fnmatchcase(benchmark.name, arguments.only))
    if not chosen:
        names = ", ".join(benchmark.name for benchmark in plan.benchmarks)
        raise UsageError(f"--only {arguments.only}: no such benchmark; there are {names}")
    return replace(plan, benchmarks=chosen)


def _teller(plan: Plan, quiet: bool) -> Callable[[Benchmark], Callable[[int, int], None]]:
    """One line per benchmark on standard error; on a terminal it counts its steps."""
    is_terminal = sys.stderr.isatty()
    total = len(plan.benchmarks)
    begun = 0

    def tell(benchmark: Benchmark) -> Callable[[int, int], None]:
        nonlocal begun
        begun += 1
        head = f"[{begun}/{total}] {benchmark.name}"
        if quiet:
            return lambda done, steps: None
        if not is_terminal:
            printing.tell(head)
            return lambda done, steps: None

        def progress(done: int, steps: int) -> None:
            printing.progress(f"{head}: step {done} of {steps}", stays=done == steps)

        return progress

    return tell


# --- a command ----------------------------------------------------------------------------


def _wrap(arguments: argparse.Namespace) -> tuple[list[Result] | None, int]:
    from rewarp.bench.logs.base import LineDialect, all_dialects
    from rewarp.bench.run.wrap import wrap

    for option in ("device", "only"):
        if getattr(arguments, option):
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
