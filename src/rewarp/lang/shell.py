"""Shell and what embeds it: scripts, Makefiles, Dockerfiles, .env files.

A light lexer that keeps offsets: comments and here-documents are blanked, line
continuations joined, words unquoted. It understands simple commands, not shell logic.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from rewarp.lang.document import Command, Document, EnvRead, EnvSet, Requirement, Word
from rewarp.lang.requirements import requirement
from rewarp.source import Span

_TOKEN = re.compile(
    rb"""(?P<comment>(?:(?<=[\s;&|()])|^)\#[^\r\n]*)
    |(?P<separator>\r\n|[;\r\n]|&&|\|\|?|&(?!>)|[(){}](?=[\s;)]|$)|(?<![$\w=])\()
    |(?P<redirect>\d*(?:>>?|<)&?\d*-?)
    |(?P<word>(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|\$\([^()]*(?:\([^()]*\)[^()]*)*\)|\$\{[^}]*\}|`[^`]*`|[^\s;&|()<>'"\\`]|[()](?=\w))+)
    """,
    re.X | re.M | re.S,
)
_HEREDOC = re.compile(rb"<<-?[ \t]*(['\"]?)([A-Za-z_]\w*)\1[^\n]*\n(.*?\n)??[ \t]*\2(?=[ \t]*[\r\n]|\Z)", re.S)
_CONTINUATION = re.compile(rb"\\(\r\n|\n)")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\+?=(.*)", re.S)
_VARIABLE = re.compile(rb"\$\{?([A-Za-z_]\w*)")
_KEYWORDS = {
    "if",
    "then",
    "else",
    "elif",
    "while",
    "until",
    "do",
    "!",
    "time",
    "sudo",
    "exec",
    "command",
    "nohup",
    "env",
}
_QUOTES = re.compile(r"'([^']*)'|\"((?:\\.|[^\"\\])*)\"|\\(.)", re.S)


def _unquote(text: str) -> str:
    return _QUOTES.sub(lambda m: next(g for g in m.groups() if g is not None), text)


def _blank(match: re.Match[bytes]) -> bytes:
    return re.sub(rb"[^\r\n]", b" ", match[0])


def _blank_body(match: re.Match[bytes]) -> bytes:
    # Keep the command line that opens the here-document; blank the operator and the body.
    first, newline, rest = match[0].partition(b"\n")
    opener = re.match(rb"<<-?[ \t]*(['\"]?)[A-Za-z_]\w*\1", first)
    assert opener
    kept = b" " * opener.end() + first[opener.end() :]
    return kept + newline + re.sub(rb"[^\r\n]", b" ", rest)


def simple_commands(code: bytes, base: int = 0) -> Iterator[list[tuple[str, Span]]]:
    """The simple commands of shell code, as words with spans. ``base`` is added to every offset."""
    code = _CONTINUATION.sub(lambda m: b" " * len(m[0]), _HEREDOC.sub(_blank_body, code))
    words: list[tuple[str, Span]] = []
    after_redirect = False
    for match in _TOKEN.finditer(code):
        if match.lastgroup == "word":
            if after_redirect:
                after_redirect = False
                continue
            text = match[0].decode("utf-8", "replace")
            words.append((_unquote(text), Span(base + match.start(), base + match.end())))
        elif match.lastgroup == "redirect":
            after_redirect = not match[0].endswith((b"&1", b"&2", b"-"))
        elif match.lastgroup == "separator":
            after_redirect = False
            if words:
                yield words
                words = []
    if words:
        yield words


def split_command(text: str) -> list[list[str]]:
    """The simple commands of a command line given as a string."""
    found = []
    for words in simple_commands(text.encode("utf-8", "replace")):
        plain = [word for word, _ in words]
        while plain and (_ASSIGNMENT.fullmatch(plain[0]) or plain[0] in _KEYWORDS):
            plain.pop(0)
        if plain:
            found.append(plain)
    return found


class _Fragment(NamedTuple):
    """A piece of a file that is shell code."""

    code: bytes
    base: int


class ShellFile(Document):
    """A shell script. Subclasses say which parts of their file are shell."""

    def fragments(self) -> list[_Fragment]:
        return [_Fragment(self.source.view, 0)]

    @cached_property
    def _parsed(self) -> tuple[list[Command], list[EnvSet]]:
        commands: list[Command] = []
        sets: list[EnvSet] = []
        for fragment in self.fragments():
            for words in simple_commands(fragment.code, fragment.base):
                while words and words[0][0] in _KEYWORDS:
                    words = words[1:]
                exporting = words and words[0][0] in ("export", "declare", "local", "readonly", "typeset")
                rest = words[1:] if exporting else words
                while rest:
                    assignment = _ASSIGNMENT.fullmatch(rest[0][0])
                    if assignment:
                        value = assignment[2]
                        sets.append(EnvSet(assignment[1], None if "$" in value else value, rest[0][1]))
                    elif not (exporting or rest[0][0] in _KEYWORDS):
                        break
                    rest = rest[1:]
                if rest and not exporting:
                    span = Span(rest[0][1].start, rest[-1][1].end)
                    commands.append(Command(tuple(Word(*word) for word in rest), span))
        return commands, sets

    @cached_property
    def commands(self) -> list[Command]:
        return self._parsed[0]

    @cached_property
    def env_sets(self) -> list[EnvSet]:
        return self._parsed[1]

    @cached_property
    def env_reads(self) -> list[EnvRead]:
        found: list[EnvRead] = []
        for command in self.commands:
            for word in command.words:
                start = word.where.start
                for match in _VARIABLE.finditer(self.source.view[start : word.where.end]):
                    found.append(EnvRead(match[1].decode(), Span(start + match.start(), start + match.end())))
        return found

    @cached_property
    def requirements(self) -> list[Requirement]:
        return pip_requirements(self.commands)


_PIP_VALUE_OPTIONS = {
    *("-r", "-c", "-e", "-f", "-i", "-t", "--requirement", "--constraint", "--find-links", "--index-url"),
    *(
        "--extra-index-url",
        "--target",
        "--prefix",
        "--root",
        "--platform",
        "--python-version",
        "--index",
        "-p",
        "--python",
    ),
    *("--abi", "--implementation", "--cache-dir", "--trusted-host", "--progress-bar", "--config-settings"),
}


def pip_requirements(commands: list[Command]) -> list[Requirement]:
    """What the ``pip install`` (and ``uv pip install``, ``uv add``) commands among these ask for."""
    found: list[Requirement] = []
    for command in commands:
        texts = command.texts
        if not re.fullmatch(r"pip[\d.]*|uv|python[\d.]*|poetry|pdm", command.name):
            continue
        verb = next((i for i, text in enumerate(texts[:6]) if text in ("install", "add")), None)
        if verb is None or (command.name.startswith("python") and "pip" not in texts[:verb]):
            continue
        takes_value = False
        for word in command.words[verb + 1 :]:
            if takes_value or word.text.startswith("-"):
                takes_value = not takes_value and word.text in _PIP_VALUE_OPTIONS
                continue
            if "/" in word.text.split("@")[0] or word.text.startswith((".", "$")) or word.text.endswith(".whl"):
                continue
            item = requirement(word.text, word.where)
            if item:
                found.append(item)
    return found


_RECIPE = re.compile(rb"^\t[@+-]*([^\r\n]*(?:\\\r?\n[^\r\n]*)*)", re.M)
_MAKE_SET = re.compile(
    rb"^[ \t]*(?:export[ \t]+|override[ \t]+)*([A-Za-z_]\w*)[ \t]*(?:\?|:{1,3}|\+|!)?="
    rb"[ \t]*([^\r\n#]*(?:\\\r?\n[^\r\n#]*)*)",
    re.M,
)


class Variable(NamedTuple):
    """A Make variable and its text."""

    name: str
    value: str
    span: Span


class Makefile(ShellFile):
    """A Makefile: recipes are shell; variables are kept with their text."""

    def fragments(self) -> list[_Fragment]:
        return [_Fragment(m[1], m.start(1)) for m in _RECIPE.finditer(self.source.view)]

    @cached_property
    def variables(self) -> list[Variable]:
        return [
            Variable(m[1].decode(), m[2].decode("utf-8", "replace"), Span(m.start(2), m.end(2)))
            for m in _MAKE_SET.finditer(self.source.view)
        ]

    @cached_property
    def env_sets(self) -> list[EnvSet]:
        plain = [EnvSet(v.name, None if "$" in v.value else v.value.strip(), v.span) for v in self.variables]
        return [*super().env_sets, *plain]


_INSTRUCTION = re.compile(
    rb"^[ \t]*([A-Za-z]+)[ \t]+((?:[^\r\n]*?\\[ \t]*\r?\n(?:[ \t]*\#[^\r\n]*\r?\n)*)*[^\r\n]*)", re.M
)
_ENV_PAIR = re.compile(rb"""([A-Za-z_]\w*)=("(?:\\.|[^"\\])*"|'[^']*'|[^\s\\]*)""")


class Instruction(NamedTuple):
    """One Dockerfile instruction: FROM, RUN, ENV, ..."""

    name: str
    value: str
    span: Span
    """The span of the value."""


class Dockerfile(ShellFile):
    """A Dockerfile: RUN lines are shell, ENV and ARG set variables."""

    @cached_property
    def instructions(self) -> list[Instruction]:
        view = re.sub(rb"^[ \t]*\#[^\r\n]*", _blank, self.source.view, flags=re.M)
        return [
            Instruction(m[1].decode().upper(), m[2].decode("utf-8", "replace").strip(), Span(m.start(2), m.end(2)))
            for m in _INSTRUCTION.finditer(view)
        ]

    def fragments(self) -> list[_Fragment]:
        found = []
        for item in self.instructions:
            if item.name in ("RUN", "CMD", "ENTRYPOINT"):
                code = self.source.view[item.span.start : item.span.end]
                if code.lstrip().startswith(b"["):  # exec form
                    code = re.sub(rb"[\[\],]", b" ", code)
                code = re.sub(rb"^(--\w+=\S+\s+)+", _blank, code)
                found.append(_Fragment(code, item.span.start))
        return found

    @cached_property
    def env_sets(self) -> list[EnvSet]:
        found = list(super().env_sets)
        for item in self.instructions:
            if item.name not in ("ENV", "ARG"):
                continue
            code = self.source.view[item.span.start : item.span.end]
            pairs = list(_ENV_PAIR.finditer(code))
            if pairs:
                found += [
                    EnvSet(
                        m[1].decode(),
                        _literal(m[2].decode("utf-8", "replace")),
                        Span(item.span.start + m.start(), item.span.start + m.end()),
                    )
                    for m in pairs
                ]
            else:  # the old form: ENV NAME value
                name, _, value = item.value.partition(" ")
                if re.fullmatch(r"[A-Za-z_]\w*", name):
                    found.append(EnvSet(name, _literal(value.strip()), item.span))
        return found


def _literal(text: str) -> str | None:
    text = _unquote(text)
    return None if "$" in text else text


_DOTENV = re.compile(rb"^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=[ \t]*([^\r\n]*)", re.M)


class DotEnv(Document):
    """A .env file: NAME=value lines."""

    @cached_property
    def env_sets(self) -> list[EnvSet]:
        return [
            EnvSet(m[1].decode(), _literal(m[2].decode("utf-8", "replace").strip()), Span(m.start(), m.end()))
            for m in _DOTENV.finditer(self.source.view)
        ]
