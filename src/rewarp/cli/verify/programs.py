"""``rewarp verify programs``: do two programs, one ported from the other, print and write the same?"""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from rewarp.cli import terminal
from rewarp.cli.results import Leaving, add_results, root_of
from rewarp.cli.verify import EXIT_CODES, add_allow_unchecked, exit_code
from rewarp.errors import UsageError
from rewarp.printing import tell

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rewarp.verify.programs import Output, ProgramRun

_EPILOG = f"""{EXIT_CODES}

examples:
  rewarp verify programs --a ./reduce_cuda --b ./reduce_hip --files out.bin:f32
  rewarp verify programs --a "./reduce 1000" --files out.bin:f32 --record cuda.zip      (on the NVIDIA machine)
  rewarp verify programs --a-recorded cuda.zip --b "./reduce 1000" --files out.bin:f32  (on the AMD machine)"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "programs",
        help="run two programs, or one and a recorded run, and compare output, files and buffers",
        description="Runs the original and the port, and compares how they end, what they print and what they write.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = parser.add_argument_group("the two programs")
    what.add_argument("--a", metavar="COMMAND", help="the original")
    what.add_argument("--b", metavar="COMMAND", help="the port")
    what.add_argument("--a-recorded", metavar="FILE", help="a recorded run of the original, in place of --a")
    what.add_argument("--b-recorded", metavar="FILE", help="a recorded run of the port, in place of --b")
    what.add_argument("--record", metavar="FILE", help="record the run of --a, and compare nothing")
    what.add_argument("--cwd-a", default=".", metavar="FOLDER", help="where the original runs (default: here)")
    what.add_argument("--cwd-b", default=".", metavar="FOLDER", help="where the port runs (default: here)")
    what.add_argument("--copy", action="store_true", help="run each in a copy of its folder, which is deleted after it")
    what.add_argument("--timeout", type=float, default=600.0, metavar="SECONDS", help="for each (default: 600)")
    how = parser.add_argument_group("how they are compared")
    how.add_argument(
        "--files", nargs="+", action="extend", default=[], metavar="FILE:KIND", help="files that both write; KIND is a "
        "dtype (f32, bf16, i64 ...), numbers, text or bytes (default: bytes)"
    )  # fmt: skip
    how.add_argument("--stdout", choices=["numbers", "text", "bytes"], default="numbers", help="default: numbers")
    how.add_argument("--ignore", action="append", default=[], metavar="REGEX", help="cut this out of text first")
    how.add_argument("--rtol", type=float, metavar="X", help="default: 1e-5 in text, by dtype in buffers")
    how.add_argument("--atol", type=float, metavar="X", help="default: 1e-8 in text, by dtype in buffers")
    output = parser.add_argument_group("output")
    output.add_argument("--json", nargs="?", const="-", metavar="FILE", help="as JSON (docs/verify-run.md)")
    add_allow_unchecked(output)
    output.add_argument("-q", "--quiet", action="store_true", help="no table")
    add_results(output)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rewarp.report import run as view
    from rewarp.report import verify as views
    from rewarp.verify.checks import Outcome
    from rewarp.verify.programs import Output, TextRules, compare_programs

    outputs = [Output.parse(text) for text in arguments.files]
    rules = TextRules(arguments.rtol, arguments.atol, tuple(arguments.ignore))
    if arguments.timeout <= 0:
        raise UsageError("--timeout must be above 0")
    if arguments.record:
        return _record(arguments, outputs)
    leaving = Leaving(arguments, root_of(arguments, Path.cwd()))
    first, second = (_prepared(arguments, which, outputs) for which in "ab")
    evidence = compare_programs(first(), second(), outputs, stdout=arguments.stdout, rules=rules)
    found = view.as_verification(evidence)
    printed = terminal.write_reports(
        {"json": arguments.json}, {"json": lambda: views.render_json(found)}, arguments.quiet
    )
    sides = (arguments.a, arguments.a_recorded, arguments.b, arguments.b_recorded)
    leaving.leave(lambda: views.render_json(found), about=" ".join(["programs", *filter(None, sides)]))
    if not arguments.quiet and not printed:
        from rewarp.report.console import Console

        views.show(found, Console(soft_wrap=False))
    code = exit_code(evidence.checks, arguments, quiet=arguments.quiet)
    # That both ended well alone says nothing of what they computed.
    return 3 if code == 0 and evidence.counts[Outcome.PASSED] < 2 else code


def _record(arguments: argparse.Namespace, outputs: Sequence[Output]) -> int:
    from rewarp.verify.programs import recorded

    if arguments.b or arguments.b_recorded or arguments.a_recorded:
        raise UsageError("--record runs --a alone")
    ran = _prepared(arguments, "a", outputs)()
    recorded.write(ran, Path(arguments.record))
    missing = [name for name, data in ran.files.items() if data is None]
    tell(f"{arguments.record}: {ran.ending}, {len(ran.stdout):,} bytes of output")
    if missing:
        tell(f"not written by the program: {', '.join(missing)}")
    return 0 if ran.ended_well and not missing else 1


def _prepared(arguments: argparse.Namespace, which: str, outputs: Sequence[Output]) -> Callable[[], ProgramRun]:
    """What is wrong with either program is told before one of them runs."""
    from rewarp.verify.programs import recorded, run_program

    command, file = getattr(arguments, which), getattr(arguments, f"{which}_recorded")
    if (command is None) == (file is None):
        raise UsageError(f"give either --{which} or --{which}-recorded")
    if file is not None:
        run = recorded.read(Path(file))
        return lambda: run
    folder = Path(getattr(arguments, f"cwd_{which}"))
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"--{which} {command}: {error}") from None
    if not words:
        raise UsageError(f"--{which} is empty")

    def run_now() -> ProgramRun:
        if not arguments.quiet:
            tell(f"running {shlex.join(words)}")
        return run_program(words, outputs, folder=folder, timeout=arguments.timeout, copy=arguments.copy)

    return run_now
