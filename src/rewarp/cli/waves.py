"""``rewarp waves PATH``: what breaks when 32 lanes become 64, and the fix."""

from __future__ import annotations

import argparse
import os
import posixpath
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rewarp import printing
from rewarp.cli.results import Leaving, add_results
from rewarp.cli.terminal import tell_path_from_reports, write_reports
from rewarp.errors import UsageError

if TYPE_CHECKING:
    from rewarp.files import NewFile
    from rewarp.findings import Failed
    from rewarp.lang.cpp.file import CodeFile
    from rewarp.report.waves import WavesReport
    from rewarp.waves.fixing.plan import FilePlan, Plan

_NEIGHBOURS = 300
_HEADERS = (".h", ".cuh", ".hpp", ".hh", ".hxx", ".inl", ".inc", ".tcc")
_EPILOG = """Files that include one another are changed together, or not at all; NVIDIA's compiler sees the same tokens as before.
exit codes: 0 nothing counts on 32 lanes, or what did is cured by the fixes that were asked for; 1 something is left;
2 the job could not be done: bad arguments, or a file that could not be read (all others are done)"""


class _Read(NamedTuple):
    """The files of a path; ``around`` only tell about them and stay as they are."""

    documents: list[CodeFile]
    around: list[CodeFile]
    failed: list[Failed]
    folder: Path
    header_in: str | None
    """Where the portable header lies already."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "waves",
        help="what breaks when 32 lanes become 64, and the fix",
        description="Finds what counts on warps of 32 lanes, says what happens on AMD's 64-wide waves, and makes it right "
        "on both widths through one small header, rewarp_waves.h.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("path", nargs="?", help="a folder, or a file")
    ways = parser.add_argument_group("fixing (one of them)").add_mutually_exclusive_group()
    ways.add_argument("--diff", action="store_true", help="show the fixes as a patch, write nothing")
    ways.add_argument(
        "--fix", "--in-place", action="store_true", help="write the fixes; wants a clean git tree, or --force"
    )
    how = parser.add_argument_group("how")
    how.add_argument("--unsafe-fixes", action="store_true", help="also fixes that need a look afterwards")
    how.add_argument("--whole-waves", action="store_true", help="let warps become whole waves where that is understood")
    how.add_argument("--exclude", action="append", default=[], metavar="GLOB", help="leave out paths (repeatable)")
    how.add_argument("--force", action="store_true", help="write over files that git could not bring back")
    how.add_argument("--header", action="store_true", help="print rewarp_waves.h")
    how.add_argument("--json", nargs="?", const="-", metavar="FILE", help="write a report as JSON (docs/waves.md)")
    how.add_argument("-q", "--quiet", action="store_true", help="no list of hazards, no progress")
    add_results(how)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    if arguments.header:
        from rewarp.waves.support import portable_header

        printing.emit(portable_header())
        return 0
    reports: dict[str, str | None] = {"json": arguments.json}
    path = tell_path_from_reports(arguments.path, reports)
    if path is None:
        raise UsageError("give a file or a folder")
    if not os.path.exists(path):
        raise UsageError(f"{path} does not exist")
    if arguments.diff and reports["json"] == "-":
        raise UsageError("--diff and --json cannot both go to standard output; give --json a file name")
    return _run(arguments, Path(path), reports)


def _run(arguments: argparse.Namespace, path: Path, reports: dict[str, str | None]) -> int:
    from rewarp.report import waves as views

    leaving = Leaving(arguments, path)
    read = _read(path, arguments.exclude)
    plan = _plan(read, arguments.whole_waves)
    report = views.WavesReport(len(read.documents), plan.files, tuple(read.failed), arguments.unsafe_fixes)
    wanted = [item for item in plan.files if report.is_applied(item)]
    header = _header(read.folder, plan.header_in) if wanted else None
    if arguments.diff:
        printing.emit(_patch(wanted, header, plan.header_in))
    elif arguments.fix and header:
        report = _written(arguments, read.folder, wanted, header, report)
    written_out = write_reports(reports, {"json": lambda: views.render(report)}, arguments.quiet)
    leaving.leave(lambda: views.render(report))
    if not written_out and not arguments.quiet:
        printing.write(views.text(report), aside=arguments.diff)
    if read.failed:
        return 2
    fixed = arguments.fix or arguments.diff
    return 1 if (report.left if fixed else report.hazards) else 0


# --- reading --------------------------------------------------------------------------------


def _read(path: Path, exclude: Iterable[str]) -> _Read:
    return _read_folder(path, exclude) if path.is_dir() else _read_file(path)


def _read_folder(root: Path, exclude: Iterable[str]) -> _Read:
    from rewarp.findings import Failed
    from rewarp.lang.kinds import CPP_KINDS
    from rewarp.waves.support import HEADER
    from rewarp.workspace import find_files

    listing = find_files(root, tuple(exclude))
    documents: list[CodeFile] = []
    failed = [item for item in listing.left_out if isinstance(item, Failed)]
    header_in = None
    for entry in listing.files:
        if entry.kind not in CPP_KINDS:
            continue
        if posixpath.basename(entry.path) == HEADER:
            header_in = posixpath.dirname(entry.path)
        elif not _is_support(entry.path):
            item = _document(entry.path, Path(entry.file))
            (failed if isinstance(item, Failed) else documents).append(item)  # type: ignore[arg-type]
    return _Read(documents, [], failed, root, header_in)


def _read_file(file: Path) -> _Read:
    """One file, what it includes in quotes, and what includes it."""
    from rewarp.findings import Failed
    from rewarp.lang.kinds import CPP_KINDS, kind_of_path

    if kind_of_path(file.name) not in CPP_KINDS:
        raise UsageError(f"{file}: not a C++ or CUDA file by its name")
    first = _document(file.name, file)
    if isinstance(first, Failed):
        return _Read([], [], [first], file.parent, "")
    found = {file.name: first}
    pending = [first, *_including(file, found)]
    while pending and len(found) < _NEIGHBOURS:
        document = pending.pop()
        for include in document.includes:
            target = posixpath.normpath(posixpath.join(posixpath.dirname(document.source.path), include.path))
            if include.system or target in found or "\0" in target or _is_support(target):
                continue
            if (file.parent / target).is_file():
                item = _document(target, file.parent / target)
                if not isinstance(item, Failed):
                    found[target] = item
                    pending.append(item)
    return _Read([first], list(found.values())[1:], [], file.parent, "")


def _including(file: Path, found: dict[str, CodeFile]) -> Iterator[CodeFile]:
    """The files of its repository, or of its folder, that include a header; ``found`` gets them too."""
    from rewarp import git
    from rewarp.findings import Failed
    from rewarp.lang.kinds import CPP_KINDS
    from rewarp.workspace import find_files

    if file.suffix not in _HEADERS:
        return
    top = git.run(file.parent, "rev-parse", "--show-toplevel")
    root = Path(os.fsdecode(top.stdout.strip())) if top and not top.returncode else file.parent
    for entry in find_files(root, ()).files:
        path = os.path.relpath(entry.file, file.parent).replace(os.sep, "/")
        if entry.kind not in CPP_KINDS or path in found or _is_support(path) or len(found) >= _NEIGHBOURS:
            continue
        if os.fsencode(file.name) in Path(entry.file).read_bytes():
            item = _document(path, Path(entry.file))
            if not isinstance(item, Failed) and any(posixpath.basename(i.path) == file.name for i in item.includes):
                found[path] = item
                yield item


def _is_support(path: str) -> bool:
    return posixpath.basename(path) in ("rewarp_waves.h", "rewarp_hip.h")


def _document(path: str, file: Path) -> CodeFile | Failed:
    from rewarp.findings import Failed
    from rewarp.lang.cpp.file import CodeFile
    from rewarp.lang.kinds import Kind, kind_of_path
    from rewarp.translation.tree import read_source

    source = read_source(path, file)
    return source if isinstance(source, Failed) else CodeFile(source, kind_of_path(path) or Kind.CUDA)


def _plan(read: _Read, whole_waves: bool) -> Plan:
    from rewarp.translation.ptx import hip_form
    from rewarp.waves.fixing.plan import Plan, half_of_a_group, plan

    planned = plan([*read.documents, *read.around], whole_waves, read.header_in, hip_form)
    own = {document.source.path for document in read.documents}
    mine = tuple(item for item in planned.files if item.document.source.path in own)
    others = [item.document.source.path for item in planned.files if item.edits and item not in mine]
    if others:
        mine = tuple(half_of_a_group(item, others[0]) for item in mine)
    return Plan(mine, planned.header_in)


# --- writing --------------------------------------------------------------------------------


def _header(folder: Path, header_in: str) -> NewFile:
    from rewarp.files import NewFile
    from rewarp.waves.support import HEADER, portable_header

    file = folder / header_in / HEADER
    if file.exists() and not file.read_bytes().startswith(f"// {HEADER}:".encode()):
        raise UsageError(f"{file} exists and is another file")
    return NewFile(file, portable_header())


def _written(
    arguments: argparse.Namespace, folder: Path, wanted: list[FilePlan], header: NewFile, report: WavesReport
) -> WavesReport:
    from dataclasses import replace

    from rewarp import git
    from rewarp.edits import apply
    from rewarp.files import NewFile, refuse_links, write_together

    files = [header]
    for plan in wanted:
        place = folder / plan.document.source.path
        files.append(NewFile(place, apply(plan.document.source.data, plan.edits), place))
    refuse_links(folder, [os.path.relpath(new.file, folder) for new in files])
    if note := git.guard(folder, [new.file for new in files], "--fix", arguments.force):
        printing.tell(note)
    return replace(report, written=tuple(map(str, write_together(files))))


def _patch(wanted: list[FilePlan], header: NewFile | None, header_in: str) -> bytes:
    from rewarp.translation import patch

    sources = [(plan.document.source, plan.edits) for plan in wanted]
    parts = [patch.changed_file(source.path, source.path, source.data, edits) for source, edits in sources]
    if header and not header.file.exists():
        parts.append(patch.new_file(posixpath.join(header_in, header.file.name), header.data or b""))
    return b"".join(parts)
