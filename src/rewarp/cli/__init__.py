"""The command line: parse arguments, call the API, print. One file per command."""

from __future__ import annotations

import argparse
import contextlib
import errno
import importlib
import io
import os
import re
import shlex
import sys
from collections.abc import Sequence
from typing import NoReturn, TextIO

from rewarp import __version__, plugins
from rewarp.cli.arguments import Parser
from rewarp.errors import RewarpError, UsageError, did_you_mean
from rewarp.printing import tell

_COMMANDS = (
    "project",
    "scan",
    "translate",
    "waves",
    "port",
    "run",
    "verify",
    "parity",
    "bench",
    "bridge",
    "fleet",
    "report",
    "explain",
    "skill",
    "mcp",
    "doctor",
    "completion",
)
UNSAID = {"verify": "all", "parity": "compare", "bench": "here", "fleet": "run"}
"""The subcommand that is meant where none is named."""
_WORD = re.compile(r"[a-z][a-z-]*", re.I)
EXIT_FAILED = 2
_NO_ROOM = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EROFS, errno.EBADF)
EXIT_INTERRUPTED = 130


def parser(wanted: Sequence[str] = _COMMANDS) -> argparse.ArgumentParser:
    top = Parser(prog="rewarp", description="Carries CUDA code to AMD GPUs and proves that it arrived.")
    top.add_argument("--version", action="version", version=f"rewarp {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in wanted:
        importlib.import_module(f"rewarp.cli.{name}").add_parser(commands)
    return top


def add_subcommands(parser: argparse.ArgumentParser, package: str, names: Sequence[str]) -> None:
    """One file of the package per subcommand."""
    subcommands = parser.add_subparsers(dest="subcommand", metavar="SUBCOMMAND", required=True)
    for name in names:
        importlib.import_module(f"{package}.{name.replace('-', '_')}").add_parser(subcommands)


def with_subcommand(given: Sequence[str]) -> list[str]:
    """`verify PATH` is `verify all PATH`: a command with subcommands has one that need not be said."""
    unsaid = UNSAID.get(given[0]) if given else None
    if unsaid is None or given[1:2] in (["-h"], ["--help"]):
        return list(given)
    names = importlib.import_module(f"rewarp.cli.{given[0]}").SUBCOMMANDS
    if given[1:2] and given[1] in names:
        return list(given)
    if given[1:2] and _WORD.fullmatch(given[1]) and not os.path.lexists(given[1]):
        hint = did_you_mean(given[1], names, before=f"{given[0]} ")
        raise UsageError(f"no subcommand or path {given[1]!r}{hint}")
    return [given[0], unsaid, *given[1:]]


def _hold_streams() -> None:
    """Where a standard stream was closed, the next file would get its number, and what is printed. Standard output is then
    one that cannot be written to, which is said; the others are as good as empty."""
    for number, mode in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)  # the lowest number that is free: this one
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)


def _end(number: int, frame: object) -> NoReturn:
    """SIGTERM: what was begun is taken back, what lies in temporary folders is removed."""
    raise SystemExit(128 + number)


def _survive_odd_names() -> None:
    """A file name that is not UTF-8 must not end a report."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code: 0 clean, 1 findings, 2 could not do the job."""
    if argv is None:
        import signal

        _hold_streams()
        signal.signal(signal.SIGTERM, _end)
    _survive_odd_names()
    try:
        given = with_subcommand(sys.argv[1:] if argv is None else argv)
        # Only the command that was asked for is imported: one file must not wait for what the others need.
        arguments = parser(given[:1] if given[:1] and given[0] in _COMMANDS else _COMMANDS).parse_args(given)
        arguments.command_line = shlex.join(["rewarp", *(sys.argv[1:] if argv is None else argv)])
        if getattr(arguments, "no_plugins", False):
            plugins.switch_off()
        code: int = arguments.run(arguments)
        sys.stdout.flush()
        return code
    except RewarpError as error:
        _say(f"error: {error}", *error.more)
        return EXIT_FAILED
    except KeyboardInterrupt:
        _say("interrupted; nothing was changed")
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        _drop(sys.stdout)  # the reader went away (`| head`): nobody is there to be told
        return EXIT_FAILED
    except OSError as error:
        # A full disk, a limit on sizes, a folder that vanished: never a traceback, whose exit code would mean findings.
        _drop(sys.stdout)
        named = isinstance(error.filename, (str, bytes))
        doing = os.fsdecode(error.filename) if named else "cannot write" if error.errno in _NO_ROOM else "system"
        _say(f"error: {doing}: {error.strerror or error}")
        return EXIT_FAILED
    except Exception as error:
        # Python's own way ends with 1, which means findings: a defect must not pass for an answer.
        if argv is not None:
            raise  # whoever calls from Python is told in Python's way
        import traceback

        _say(
            f"error: {type(error).__name__}, a defect of rewarp; nothing is known", *traceback.format_exc().splitlines()
        )
        return EXIT_FAILED


def _say(message: str, *more: str) -> None:
    """On standard error, which may be as full as the rest."""
    try:
        tell(f"rewarp: {message}", *more)
    except OSError:
        _drop(sys.stderr)


def _drop(stream: TextIO) -> None:
    """What a stream still holds cannot be written, and Python must not try again, and complain, at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
