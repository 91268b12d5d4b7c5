"""The manual page of all commands, for man."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp import __version__
from rewarp.cli.description import Argument, Command

_NAME = "carries CUDA code to AMD GPUs and proves that it arrived"
_EXIT = (
    ("0", "done, and nothing was found that had to be reported"),
    ("1", "findings, or something failed"),
    ("2", "misuse, or the job could not be done"),
)
_PLACES = (
    ("REWARP_CACHE_DIR", "where rewarp keeps what it can make again (default: ~/.cache/rewarp)"),
    ("pyproject.toml", "settings, in the table [tool.rewarp]"),
)
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


def man_page(top: Command) -> str:
    """In roff."""
    return "\n".join(_lines(top)) + "\n"


def _lines(top: Command) -> Iterator[str]:
    yield ".\\\" Generated from the command line's own definitions: scripts/build_docs.py"
    yield f'.TH REWARP 1 "" "rewarp {__version__}" "User Commands"'
    yield from (".SH NAME", f"rewarp \\- {_text(_NAME)}", ".SH SYNOPSIS")
    yield from (".B rewarp", r"\fICOMMAND\fR [\fIARGUMENT\fR ...]")
    yield from (".SH DESCRIPTION", _text(top.description))
    yield "Each command is described below;"
    yield from (".B rewarp", r"\fICOMMAND\fR \fB\-\-help\fR", "says the same in short.")
    yield from (".SH OPTIONS", *_arguments(top))
    yield ".SH COMMANDS"
    for command in list(top.all())[1:]:
        yield f".SS {_text(command.name)}"
        yield _text(command.description)
        if command.unsaid:
            yield from (".PP", f"{_text(command.name)} PATH means {_text(command.unsaid.name)} PATH.")
        yield from _arguments(command)
        yield from _paragraphs(command.epilog)
    for title, rows in (("EXIT STATUS", _EXIT), ("ENVIRONMENT AND FILES", _PLACES)):
        yield f".SH {title}"
        for word, meaning in rows:
            yield from (".TP", f".B {_text(word)}", _text(meaning))


def _arguments(command: Command) -> Iterator[str]:
    for argument in command.arguments:
        if "--help" in argument.names and command.word != "rewarp":
            continue
        yield from (".TP", _head(argument), _text(argument.help) or r"\&")


def _head(argument: Argument) -> str:
    names = ", ".join(rf"\fB{_text(name)}\fR" for name in argument.names)
    value = rf"\fI{_text(argument.value)}\fR" if argument.value else ""
    value = f"[{value}]" if value and argument.is_optional else value
    return f"{names} {value}".strip()


def _paragraphs(text: str) -> Iterator[str]:
    """Lines stay lines; an empty one begins a paragraph."""
    request = ".PP"
    for line in map(str.strip, text.splitlines()):
        if line:
            yield from (request, _text(line))
        request = ".br" if line else ".PP"


def _text(text: str) -> str:
    """As roff takes it: no character is a request, a quote or an escape, and a hyphen stays the one of the keyboard."""
    found = (
        text.replace("\\", r"\e")
        .replace("-", r"\-")
        .replace("'", r"\(aq")
        .replace("`", r"\(ga")
        .replace("^", r"\(ha")
        .replace("~", r"\(ti")
    )
    found = _NOT_ASCII.sub(lambda match: rf"\[u{ord(match[0]):04X}]", found)
    return rf"\&{found}" if found.startswith(".") else found
