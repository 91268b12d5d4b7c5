"""``rewarp translate PATH``: CUDA C++ to HIP, on standard output, beside, in a mirror tree, in place or as a shim."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rewarp import printing
from rewarp.cli.results import Leaving, add_results
from rewarp.errors import UsageError
from rewarp.escape import joined

if TYPE_CHECKING:
    from rewarp.files import NewFile
    from rewarp.report import translate as reports
    from rewarp.report.translate import TranslateReport
    from rewarp.translation.shim import Found
    from rewarp.translation.tree import Naming, TranslatedTree

_MOST_UNASKED = 300
"""Sources that are compiled without being asked."""
_SUFFIXES = (".hip", ".cu", ".cpp", ".hip.cpp")
_EPILOG = """A single file goes to standard output unless told otherwise; a folder needs a way.
exit codes: 0 every CUDA name found its twin, or --allow lets it be; 1 something is left, or --check found a difference;
2 the job could not be done: bad arguments, or a file that could not be read (all others are done); 3 with --compile:
nothing is left, and something could not be compiled. Where a HIP compiler is here, what is written (-o, --beside,
--in-place) and what --check judges is compiled without being asked; --no-compile leaves that out"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "translate",
        help="CUDA C++ to HIP; every name that has no twin is reported",
        description="Translates CUDA C++ to HIP. What cannot be translated is reported, never passed over.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("path", nargs="?", help="a folder, a file, or - for standard input")
    ways = parser.add_argument_group("ways (one of them)").add_mutually_exclusive_group()
    ways.add_argument("-o", "--output", metavar="PATH", help="a file; for a folder, the folder of a mirror tree")
    ways.add_argument("--beside", action="store_true", help="next to the originals: x.hip for x.cu, x_hip.h for x.h")
    ways.add_argument("--in-place", action="store_true", help="over the originals; wants a clean git tree, or --force")
    ways.add_argument("--shim", metavar="DIR", help="leave sources alone: write headers that let hipcc compile them")
    views = parser.add_argument_group("views")
    views.add_argument("--diff", action="store_true", help="show a patch, write nothing")
    views.add_argument("--check", action="store_true", help="write nothing; exit 1 if anything would change or is left")
    views.add_argument(
        "--json", nargs="?", const="-", metavar="FILE", help="write a report as JSON (docs/translate.md)"
    )
    add_results(views)
    how = parser.add_argument_group("how")
    how.add_argument("--suffix", choices=_SUFFIXES, default=".hip", help="what .cu becomes (default: .hip)")
    how.add_argument("--launch", choices=("chevron", "ggl"), default="chevron", help="<<<>>> or hipLaunchKernelGGL")
    how.add_argument(
        "--rtc", action="store_true", help="translate CUDA source in raw strings where no file uses NVRTC, too"
    )
    how.add_argument("--exclude", action="append", default=[], metavar="GLOB", help="leave out paths (repeatable)")
    how.add_argument(
        "--allow", action="append", default=[], metavar="WHAT", help="unsupported, unknown, all or a name (repeatable)"
    )
    how.add_argument(
        "--compile",
        action=argparse.BooleanOptionalAction,
        help="compile the result for gfx942 with the HIP compiler here (a ROCm, or wheels); errors become findings "
        "(default: where files are written or checked, if a compiler is here)",
    )
    how.add_argument(
        "-I",
        dest="include",
        action="append",
        default=[],
        metavar="DIR",
        help="where the result is compiled: search for headers",
    )
    how.add_argument("--force", action="store_true", help="write over files that git could not bring back")
    how.add_argument(
        "--support",
        choices=("used", "full"),
        default="used",
        help="as much of rewarp_hip.h as the result uses, or the whole (default: used)",
    )
    how.add_argument("--support-header", action="store_true", help="print rewarp_hip.h, which some results include")
    how.add_argument("-q", "--quiet", action="store_true", help="no summary, no progress")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    if arguments.support_header:
        from rewarp.translation.support import support_header

        printing.emit(support_header())
        return 0
    _tell_path_from_report(arguments)
    from rewarp.report.translate import TranslateReport
    from rewarp.translation.output import as_patch

    way = _way(arguments)
    if arguments.results and arguments.path == "-":
        raise UsageError("--results is about a file or a folder, not about standard input")
    leaving = Leaving(arguments, Path(arguments.path))
    if arguments.include and not (arguments.compile or (arguments.compile is None and _is_for_good(arguments, way))):
        raise UsageError("-I is for what is compiled: translating needs no headers")
    tree = _translated(arguments, way)
    files, more = _files(arguments, way, tree)
    compilation, not_compiled = None, _why_not_compiled(arguments, way, tree)
    if not not_compiled:
        from rewarp.cli.translate_compiling import compiled

        exclude = [*arguments.exclude, *_own_output(Path(arguments.path), arguments.output)]
        compilation, refused = compiled(Path(arguments.path), tree, exclude, arguments.include, arguments.quiet)
        more = [*more, *refused]
    stale = [new for new in files if not new.is_written()] if arguments.check else []
    dry = arguments.diff or arguments.check or way == "nowhere"
    written = [] if dry else _write(arguments, way, tree, files)
    allow = frozenset(arguments.allow)
    report = TranslateReport(tree, way, allow, tuple(map(str, written)), tuple(more), compilation, not_compiled)
    if arguments.diff:
        printing.emit(as_patch(tree, files))
    leaving.leave(lambda: reports.render(report))
    _tell(arguments, report, stale)
    if tree.failed:
        return 2
    differs = arguments.check and bool(stale or (arguments.path == "-" and tree.changed))
    if report.left or differs:
        return 1
    return 3 if arguments.compile and compilation and compilation.not_checked else 0


def _is_for_good(arguments: argparse.Namespace, way: str) -> bool:
    """Whether more is asked for than a look at the translation."""
    return bool(arguments.path != "-" and (arguments.check or way in ("mirror", "beside", "in-place")))


def _why_not_compiled(arguments: argparse.Namespace, way: str, tree: TranslatedTree) -> str:
    """Empty where the result is compiled. What is only looked at does not wait for a compiler, unless it is asked for."""
    if arguments.compile:
        return ""
    if arguments.compile is False:
        return "--no-compile"
    if not _is_for_good(arguments, way):
        return "nothing is written here; --compile asks the compiler all the same"
    units = sum(one.path.endswith((".cu", ".hip")) for one in tree.translations)
    if not units:
        return "there is no CUDA source"
    if units > _MOST_UNASKED:
        return f"{units} sources take long: --compile"
    from rewarp.cli.translate_compiling import why_no_compiler

    return why_no_compiler()


def _tell_path_from_report(arguments: argparse.Namespace) -> None:
    """``rewarp translate --json src`` means the folder src, and no report ever replaces a source file."""
    from rewarp.cli.terminal import tell_path_from_reports

    reports = {"json": arguments.json}
    arguments.path = tell_path_from_reports(arguments.path, reports)
    arguments.json = reports["json"]
    if arguments.path is None:
        raise UsageError("give a file, a folder, or - for standard input")
    if arguments.path != "-" and not os.path.exists(arguments.path):
        raise UsageError(f"{arguments.path} does not exist")
    if arguments.diff and arguments.json == "-":
        raise UsageError("--diff and --json cannot both go to standard output; give --json a file name")
    if arguments.compile and (arguments.path == "-" or arguments.shim):
        raise UsageError(
            "--compile is about the translation of a file or a folder; rewarp verify build compiles others"
        )
    if arguments.diff and arguments.shim:
        raise UsageError("--diff shows what changes in sources, and with --shim nothing does")


def _way(arguments: argparse.Namespace) -> str:
    """Where the result goes."""
    if arguments.output:
        from rewarp.files import is_stream

        if not is_stream(Path(arguments.output)):
            return "mirror"
        if os.path.isdir(arguments.path):
            raise UsageError(f"-o {arguments.output}: the folder of a mirror tree cannot be made of it")
        return "stream"
    if arguments.shim:
        return "shim"
    if arguments.beside or arguments.in_place:
        if arguments.path == "-":
            raise UsageError("standard input has no place; give -o")
        return "beside" if arguments.beside else "in-place"
    if arguments.diff or arguments.check or arguments.json == "-":
        return "nowhere"
    if os.path.isdir(arguments.path):
        raise UsageError("a folder needs one of -o, --beside, --in-place, --shim, --diff, --check, --json")
    return "stdout"


def _translated(arguments: argparse.Namespace, way: str) -> TranslatedTree:
    from rewarp.translation.changes import Options
    from rewarp.translation.tree import translate_text, translate_tree

    options = Options(arguments.launch, arguments.rtc, whole_support=arguments.support == "full")
    if arguments.path == "-":
        return translate_text(sys.stdin.buffer.read(), options)
    root = Path(arguments.path)
    naming = _naming(arguments, way, root)
    exclude = [*arguments.exclude, *_own_output(root, arguments.output or arguments.shim)]
    with_progress = not arguments.quiet and sys.stderr.isatty()
    return translate_tree(root, options, naming, exclude, _show_progress if with_progress else None)


def _naming(arguments: argparse.Namespace, way: str, root: Path) -> Naming:
    from rewarp.translation.tree import KEEP_NAMES, Naming, beside, with_suffix

    if way == "beside":
        return beside(arguments.suffix)
    if way != "mirror":
        return KEEP_NAMES
    if os.path.realpath(arguments.output) == os.path.realpath(root):
        raise UsageError("-o is where the original is: use --in-place")
    if root.is_dir() or _is_folder(arguments.output):
        return with_suffix(arguments.suffix)
    name = Path(arguments.output).name
    return Naming(lambda path: name)


def _is_folder(output: str) -> bool:
    return os.path.isdir(output) or output.endswith(("/", os.sep))


def _own_output(root: Path, output: str | None) -> list[str]:
    """What an earlier run wrote below the folder is no part of it."""
    if not output or not root.is_dir():
        return []
    inside = os.path.relpath(os.path.realpath(output), os.path.realpath(root)).replace(os.sep, "/")
    return [] if inside.startswith("..") else [inside]


def _show_progress(done: int, total: int) -> None:
    if total > 20 and (done == total or not done % 10):
        printing.progress("" if done == total else f"translating {done}/{total}")


# --- writing --------------------------------------------------------------------------------


def _files(arguments: argparse.Namespace, way: str, tree: TranslatedTree) -> tuple[list[NewFile], list[Found]]:
    """The files that a way writes, and the problems that only it has."""
    from rewarp.translation import output

    if way == "shim":
        from rewarp.translation.shim import make_shim

        return make_shim(tree, Path(arguments.shim))
    if way == "mirror":
        out = Path(arguments.output)
        if arguments.path == "-":
            return output.single(tree, out), []
        whole = os.path.isdir(arguments.path) or _is_folder(arguments.output)
        return output.mirror(tree, out if whole else out.parent), []
    if way == "stream":  # the code alone: beside a device there is no place for a header
        from rewarp.files import NewFile

        return [NewFile(Path(arguments.output), translation.data) for translation in tree.translations], []
    if way == "beside":
        return output.next_to(tree), []
    return output.in_place(tree) if arguments.path != "-" else [], []


def _write(arguments: argparse.Namespace, way: str, tree: TranslatedTree, files: list[NewFile]) -> list[Path]:
    from rewarp.files import write_together
    from rewarp.translation import output

    if way == "stdout":
        for translation in tree.translations:
            printing.emit(translation.data)
        return []
    if way == "beside" and not arguments.force:
        output.refuse_strangers(files)
    if way == "in-place" and files:
        from rewarp import git

        root = Path(arguments.path)
        folder = root if root.is_dir() else root.parent
        if note := git.guard(folder, [new.file for new in files], "--in-place", arguments.force):
            printing.tell(note)
    return write_together(files)


# --- telling --------------------------------------------------------------------------------


def _tell(arguments: argparse.Namespace, report: TranslateReport, stale: list[NewFile]) -> None:
    """The report; standard output is for code, so the summary goes beside it."""
    from rewarp.report import translate as reports

    if arguments.json == "-":
        printing.emit(reports.render(report).encode())
    elif arguments.json:
        from rewarp.files import write_whole

        write_whole(Path(arguments.json), reports.render(report))
    if arguments.quiet:
        for failed in report.tree.failed:
            printing.tell(f"rewarp: error: {failed.path}: {failed.reason}")
        return
    text = reports.summary(report)
    if stale:
        text += joined(f"would change: {new.file}" for new in stale)
    elif report.written:
        text += f"\nfiles written: {len(report.written)}\n"
    if report.way in ("stdout", "stream") and report.tree.needs_support:
        text += "\nthe result includes rewarp_hip.h: rewarp translate --support-header > rewarp_hip.h\n"
    printing.write(text, aside=True)
