"""``rewarp run``: a CUDA or HIP program as AMD machine code, on this CPU."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from rewarp import printing
from rewarp.cli import terminal
from rewarp.cli.arguments import Parser, size_of
from rewarp.cli.results import Leaving, add_results, root_of
from rewarp.errors import UsageError

if TYPE_CHECKING:
    from rewarp.run import NotBuilt, Request

_EPILOG = """The program's host code runs here, with your rights: run a stranger's program with --sandbox, or not at all.
What ran here ran as AMD machine code on an emulator; it did not run on a card.

exit codes: 0 it ran, and ended well; 1 an alarm, outputs that differ, or the program's own failure; 2 bad arguments, or
it does not compile or link; 3 incomplete: an instruction or a function that is not supported, or a limit

examples:
  rewarp run saxpy.cu
  rewarp run port/main.hip --arch gfx1100 -- --size 4096
  rewarp run --compare gfx942,gfx1100 a.cu"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "run",
        help="run a CUDA or HIP program as AMD machine code on this CPU, under watch",
        description="Translates, compiles and links a program for an AMD GPU, and runs it on an emulator, under watch.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if isinstance(parser, Parser):
        parser.behind = "arguments"
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="sources (.cu, .hip, .cpp, .c) or one executable; its arguments after --",
    )
    _add_ways(parser)
    build = parser.add_argument_group("for the compiler")
    build.add_argument(
        "-I", dest="includes", action="append", default=[], metavar="FOLDER", help="look for headers there"
    )
    build.add_argument("-D", dest="defines", action="append", default=[], metavar="NAME[=VALUE]", help="define a macro")
    build.add_argument("-std", dest="standard", metavar="STANDARD", help="the language, such as c++20")
    build.add_argument("-l", dest="libraries", action="append", default=[], metavar="LIBRARY", help="link with it")
    build.add_argument(
        "-L", dest="folders", action="append", default=[], metavar="FOLDER", help="look for libraries there"
    )
    build.add_argument(
        "--option", action="append", default=[], metavar="OPTION", help="any other: --option=-ffast-math"
    )
    build.add_argument("--keep", metavar="FOLDER", help="work there, and leave sources, assembly and program")
    output = parser.add_argument_group("output")
    output.add_argument("--json", metavar="FILE", help="a report as JSON, - for standard output (docs/run.md)")
    add_results(output)
    output.add_argument("-q", "--quiet", action="store_true", help="no report; alarms are told all the same")
    parser.set_defaults(run=run, arguments=[])


def _add_ways(parser: argparse.ArgumentParser) -> None:
    how = parser.add_argument_group("how it runs")
    which = how.add_mutually_exclusive_group()
    which.add_argument("--arch", help="gfx942 (MI300X), gfx1100 (RX 7900) ... (default: gfx942; on a GPU, its own)")
    which.add_argument("--compare", metavar="ARCH,ARCH", help="run on each, and say where outputs part")
    how.add_argument(
        "--orders", type=int, default=0, metavar="N", help="run N more times, with waves in hostile orders"
    )
    how.add_argument("--tolerance", type=float, metavar="X", help="numbers may differ by so much (default: not at all)")
    how.add_argument("--fast", action="store_true", help="watch for nothing: faster, and no alarms")
    how.add_argument("--on", choices=("machine", "gpu", "rocjitsu"), default="machine", help="the emulator (default), an AMD "
                     "GPU that is here, or AMD's own emulator")  # fmt: skip
    how.add_argument("--cores", type=int, metavar="N", help="workgroups at the same time (default: all cores)")
    how.add_argument("--time-limit", type=float, metavar="SECONDS", help="for each run; all of its processes are ended")
    how.add_argument("--memory-limit", metavar="SIZE", help="such as 4G: of the device, and of the process")
    how.add_argument("--sandbox", action="store_true", help="no network, nothing to write to (needs bubblewrap)")


def run(arguments: argparse.Namespace) -> int:
    from rewarp.report import program as view
    from rewarp.run import NotBuilt, run_program

    terminal.tell_path_from_reports("", {"json": arguments.json})  # no report ever replaces a source file
    request = request_of(arguments)
    leaving = Leaving(arguments, root_of(arguments, request.files[0]))
    programs = [Path(os.path.relpath(file, leaving.root)) if leaving.folder else file for file in request.files]
    about = "-".join([*map(str, programs), *request.arches])  # a run that fails says nothing of architectures
    tell = (lambda line: None) if arguments.quiet else (lambda line: printing.tell(f"rewarp: {line}"))
    aside = arguments.json == "-"
    if aside and len(request.arches) == 1 and not request.orders:
        raise UsageError("the program has standard output; give --json a file name")
    try:
        result = run_program(request, tell=tell, pass_on=printing.pass_on if aside else printing.emit)
    except NotBuilt as error:
        _tell_why(error)
        failure = view.render_failure(error, programs)
        leaving.leave(lambda: failure, about=about)
        if arguments.json:
            terminal.write_text(arguments.json, failure)
        return 2
    leaving.leave(lambda: view.render_json(result, programs), about=about)
    if arguments.json:
        terminal.write_text(arguments.json, view.render_json(result, programs))
    printing.tell(*(view.alarms(result) if arguments.quiet else view.lines(result)))
    return result.exit_code


def request_of(arguments: argparse.Namespace) -> Request:
    """What was asked for. Raises UsageError."""
    from rewarp.run import Limits, Request

    named = arguments.compare or arguments.arch
    unsaid = ("native",) if arguments.on == "gpu" else ("gfx942",)
    arches = terminal.arches(named.split(",")) if named else unsaid
    if arguments.compare and len(arches) < 2:
        raise UsageError("--compare needs two architectures, such as gfx942,gfx1100")
    if not arguments.compare and len(arches) > 1:
        raise UsageError("--arch takes one architecture; --compare runs several")
    for name, least in (("orders", 0), ("cores", 1), ("time_limit", 0), ("tolerance", 0)):
        value = getattr(arguments, name)
        if value is not None and (value < least or (name == "time_limit" and not value)):
            raise UsageError(f"--{name.replace('_', '-')} {value:g}: too small")
    standard = [f"-std={arguments.standard}"] if arguments.standard else []
    return Request(
        files=tuple(map(Path, arguments.files)),
        arguments=tuple(arguments.arguments),
        arches=arches,
        orders=arguments.orders,
        includes=tuple(map(Path, arguments.includes)),
        options=(*(f"-D{name}" for name in arguments.defines), *standard, *arguments.option),
        libraries=tuple(arguments.libraries),
        library_folders=tuple(Path(folder).absolute() for folder in arguments.folders),
        watch=not arguments.fast,
        cores=arguments.cores,
        limits=Limits(
            arguments.time_limit,
            size_of("--memory-limit", arguments.memory_limit) if arguments.memory_limit is not None else None,
        ),
        sandbox=arguments.sandbox,
        where=arguments.on,
        keep=Path(arguments.keep) if arguments.keep else None,
        tolerance=arguments.tolerance,
    )


def _tell_why(error: NotBuilt) -> None:
    printing.tell(f"rewarp: error: {error}", *map(str, error.diagnostics[1:]))
    for finding in error.findings:
        printing.tell(f"{finding.path}:{finding.line}:{finding.column}: not translated: {finding.message}")
