"""``rewarp verify run``: does it run, on the device it should, and stay finite and stable?"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rewarp import printing
from rewarp.cli import terminal
from rewarp.cli.results import Leaving, add_results, root_of
from rewarp.cli.verify import EXIT_CODES, add_allow_unchecked, exit_code

if TYPE_CHECKING:
    pass

_EPILOG = f"""{EXIT_CODES}

examples:
  rewarp verify run -- python train.py --steps 20
  rewarp verify run --expect-device rocm --expect-backend flash -- torchrun --nproc-per-node 8 train.py
  rewarp verify run model.py:one_step --iterations 50 --max-memory-growth 2%
  rewarp verify run -- ./build/reduce 1000000"""

_CPU_SHARE = "the part of the time of heavy operators that may be the CPU's (default: 10%%)"


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "run",
        help="run a command or a function under watch: ending, NaN, devices, back ends, memory",
        description="Runs a command, or a Python function that takes no arguments, and says what was really seen.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "words", nargs="*", metavar="COMMAND", help="a command after --, or one function: pkg.module:name, file.py:name"
    )
    expect = parser.add_argument_group("what is expected")
    expect.add_argument(
        "--expect-device",
        choices=["cuda", "rocm", "hpu", "xpu", "cpu"],
        help="where it must run (default: the accelerator of this machine)",
    )
    expect.add_argument("--expect-backend", action="append", default=[], metavar="NAME", help=_backends_help())
    expect.add_argument(
        "--expect-kernel", action="append", default=[], metavar="REGEX", help="a kernel of such a name must run"
    )
    expect.add_argument("--max-cpu-share", type=percent, default=0.1, metavar="PART", help=_CPU_SHARE)
    expect.add_argument("--max-memory-growth", type=percent, default=0.05, metavar="PART", help="default: 5%%")
    expect.add_argument("--allow-nan", action="store_true", help="neither NaN nor Inf is a failure")
    expect.add_argument("--allow-inf", action="store_true", help="Inf is no failure, NaN is")
    expect.add_argument("--same-output", action="store_true", help="every iteration must give the same bits")
    work = parser.add_argument_group("work")
    work.add_argument("--iterations", type=int, default=1, metavar="N", help="runs of a command, calls of a function")
    work.add_argument(
        "--timeout", type=float, default=3600.0, metavar="SECONDS", help="for one run of a command, or for all calls"
    )
    work.add_argument("--cwd", metavar="FOLDER", help="where to run it")
    work.add_argument("--python", default=sys.executable, metavar="PATH", help="the interpreter for a function")
    work.add_argument(
        "--profile-seconds",
        type=float,
        default=10.0,
        metavar="S",
        help="how long torch's profiler watches (default: 10)",
    )
    work.add_argument("--no-profiler", action="store_true", help="no second run under the vendor's profiler")
    output = parser.add_argument_group("output")
    output.add_argument("--json", nargs="?", const="-", metavar="FILE", help="as JSON (docs/verify-run.md)")
    add_allow_unchecked(output)
    output.add_argument("-q", "--quiet", action="store_true", help="neither the program's output nor a table")
    add_results(parser)
    parser.set_defaults(run=run)


def _backends_help() -> str:
    from rewarp.verify.run.backends import NAMES

    return f"a back end that must run: math, {', '.join(NAMES)}"


def percent(text: str) -> float:
    """`5%` or `0.05`."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(%?)\s*", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text} is neither a percentage (5%) nor a part (0.05)")
    return float(found[1]) / (100 if found[2] else 1)


def run(arguments: argparse.Namespace) -> int:
    from rewarp.report import run as view
    from rewarp.report import verify as views
    from rewarp.verify.run import Request, verify_run
    from rewarp.verify.run.level import folder_of
    from rewarp.verify.run.request import DEVICES

    words = arguments.words
    is_function = len(words) == 1 and re.fullmatch(r"[^:/\s]+(/[^:\s]+)*:[A-Za-z_][\w.]*", words[0]) is not None
    request = Request(
        command=() if is_function else tuple(words),
        function=words[0] if is_function else None,
        iterations=arguments.iterations,
        timeout=arguments.timeout,
        folder=folder_of(arguments.cwd),
        python=arguments.python,
        expected_device=DEVICES[arguments.expect_device] if arguments.expect_device else None,
        expected_backends=tuple(arguments.expect_backend),
        expected_kernels=tuple(arguments.expect_kernel),
        allow_nan=arguments.allow_nan,
        allow_inf=arguments.allow_inf,
        same_output=arguments.same_output,
        max_memory_growth=arguments.max_memory_growth,
        max_cpu_share=arguments.max_cpu_share,
        profile_seconds=arguments.profile_seconds,
        use_vendor_profiler=not arguments.no_profiler,
    )
    leaving = Leaving(arguments, root_of(arguments, request.folder or Path.cwd()))
    evidence = verify_run(request, echo=(lambda chunk: None) if arguments.quiet else printing.pass_on)
    rendered = {"json": lambda: views.render_json(view.as_verification(evidence))}
    leaving.leave(rendered["json"], about=" ".join(["run", *words]))
    printed = terminal.write_reports({"json": arguments.json}, rendered, arguments.quiet)
    if not arguments.quiet and not printed:
        from rewarp.report.console import Console

        view.show(evidence, Console(soft_wrap=False))
    return exit_code(evidence.checks, arguments, quiet=arguments.quiet)
