"""What every command does at the end and on the way: write reports, show progress."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from rewarp.errors import UsageError
from rewarp.files import is_stream, write_whole
from rewarp.lang.kinds import kind_of_path
from rewarp.printing import tell

_STDOUT = ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")


def tell_path_from_reports(path: str | None, reports: dict[str, str | None]) -> str | None:
    """``--json src`` means the folder src, and no report ever replaces a source file.

    Gives the path that is meant, and sets that report to standard output.
    """
    for name, file in reports.items():
        if file is None or file == "-" or not (os.path.isdir(file) or (os.path.exists(file) and kind_of_path(file))):
            continue
        if path is not None:
            raise UsageError(f"--{name} {file}: this is a folder or a source file, not a place for a report")
        path, reports[name] = file, "-"
    return path


def arches(given: list[str]) -> tuple[str, ...]:
    """The architectures that ``--arch`` names, with commas or said several times; five of today's where none is."""
    from rewarp.toolchain import DEFAULT_ARCHES, is_arch
    from rewarp.toolchain.arches import not_an_arch

    names = tuple(dict.fromkeys(name.strip() for name in ",".join(given).split(",") if name.strip()))
    for name in names:
        if not is_arch(name):
            raise not_an_arch(name)
    return names or DEFAULT_ARCHES


def write_reports(reports: Mapping[str, str | None], render: Mapping[str, Callable[[], str]], quiet: bool) -> bool:
    """Each report to its file, or to standard output for ``-``; tells whether one went there."""
    wanted = {name: "-" if file in _STDOUT else file for name, file in reports.items() if file is not None}
    if sum(file == "-" for file in wanted.values()) > 1:
        raise UsageError("only one format can go to standard output; give the others a file name")
    files = [os.path.realpath(file) for file in wanted.values() if file != "-"]
    if twice := [file for file in files if files.count(file) > 1 and not is_stream(Path(file))]:
        raise UsageError(f"{twice[0]}: two reports would go to this file; give each a name of its own")
    for name, file in wanted.items():
        write_text(file, render[name]())
        if file != "-" and not quiet:
            tell(f"{name}: {file}")
    return "-" in wanted.values()


def write_text(file: str, text: str) -> None:
    """To a file, whole or not at all, or to standard output for ``-``."""
    if file == "-":
        sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
        sys.stdout.buffer.flush()
    else:
        write_whole(Path(file), text)


@contextmanager
def progress_bar(doing: str, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on a terminal; silence in a pipe."""
    if quiet or not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from rewarp.report.console import Console

    columns = (TextColumn(doing, markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    # Refreshed by hand: a refresh thread would be running while worker processes are forked.
    bar = Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
    task = bar.add_task(doing, total=None)
    with bar:

        def update(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)
            bar.refresh()

        yield update
