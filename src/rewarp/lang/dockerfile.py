"""Dockerfiles: RUN lines are shell, ENV and ARG set variables."""

from __future__ import annotations

import re
from functools import cached_property
from typing import NamedTuple

from rewarp.lang.document import EnvSet
from rewarp.lang.shell import HEREDOC, Fragment, ShellFile, blank, heredoc_names, literal
from rewarp.source import Span

_INSTRUCTION = re.compile(rb"[ \t]*([A-Za-z]+)[ \t]+(?=\S)")
_ENV_PAIR = re.compile(rb"""(?<!\w)([A-Za-z_]\w*)=("(?:\\.|[^"\\])*"|'[^']*'|[^\s\\]*)""", re.S)
_SHELLS = {"", "sh", "bash", "/bin/sh", "/bin/bash"}


class Instruction(NamedTuple):
    """One Dockerfile instruction: FROM, RUN, ENV, ..."""

    name: str
    value: str
    span: Span
    """The span of the value."""
    bodies: tuple[Span, ...] = ()
    """The here-documents it opens."""


class Dockerfile(ShellFile):
    """A Dockerfile: RUN lines are shell, ENV and ARG set variables."""

    @cached_property
    def instructions(self) -> list[Instruction]:
        view = self.source.view
        starts = self.source.line_starts
        lines = [Span(a, b) for a, b in zip(starts, [*starts[1:], len(view)])]
        last = {view[a:b].strip(): number for number, (a, b) in enumerate(lines)} if b"<<" in view else {}
        found: list[Instruction] = []
        at = 0
        while at < len(lines):
            match = _INSTRUCTION.match(view, lines[at].start, lines[at].end)
            if not match:
                at += 1
                continue
            end = _trimmed(view, lines[at])
            while view.endswith(b"\\", match.end(), end) and at + 1 < len(lines):
                at += 1
                text = view[lines[at].start : lines[at].end].strip()
                if text and not text.startswith(b"#"):  # comments and empty lines do not end it
                    end = _trimmed(view, lines[at])
            at += 1
            span = Span(match.end(), end)
            bodies: list[Span] = []
            for name in heredoc_names(view[span.start : span.end]):
                if last.get(name, -1) < at:
                    continue
                begin = at
                while view[lines[at].start : lines[at].end].strip() != name:
                    at += 1
                bodies.append(Span(lines[begin].start, lines[at].start))
                at += 1
            value = _logical(view[span.start : span.end]).decode("utf-8", "replace").strip()
            found.append(Instruction(match[1].decode().upper(), value, span, tuple(bodies)))
        return found

    def fragments(self) -> list[Fragment]:
        found = []
        for item in self.instructions:
            if item.name not in ("RUN", "CMD", "ENTRYPOINT"):
                continue
            code = _logical(self.source.view[item.span.start : item.span.end])
            if code.lstrip().startswith(b"["):  # exec form
                code = re.sub(rb"[\[\],]", b" ", code)
            code = re.sub(rb"^\s*(--[\w-]+(=\S+)?\s+)+", blank, code)
            found.append(Fragment(code, item.span.start))
            runs = HEREDOC.sub(b"", code).strip().decode("utf-8", "replace")
            if item.name == "RUN" and runs in _SHELLS:
                found += [Fragment(self.source.view[a:b], a) for a, b in item.bodies]
        return found

    @cached_property
    def env_sets(self) -> list[EnvSet]:
        found = list(super().env_sets)
        for item in self.instructions:
            if item.name not in ("ENV", "ARG"):
                continue
            code = _logical(self.source.view[item.span.start : item.span.end])
            if re.match(rb"[A-Za-z_]\w*=", code):
                found += [
                    EnvSet(
                        m[1].decode(),
                        literal(m[2].decode("utf-8", "replace")),
                        Span(item.span.start + m.start(), item.span.start + m.end()),
                    )
                    for m in _ENV_PAIR.finditer(code)
                ]
            elif item.name == "ENV":  # the old form: ENV NAME value
                name, _, value = item.value.partition(" ")
                if re.fullmatch(r"[A-Za-z_]\w*", name):
                    found.append(EnvSet(name, literal(value.strip()), item.span))
        return found


def _trimmed(view: bytes, line: Span) -> int:
    return line.start + len(view[line.start : line.end].rstrip())


def _logical(code: bytes) -> bytes:
    """The lines of one instruction as one line of the same length: comments and continuations blanked."""
    if b"\n" not in code and b"\r" not in code:
        return code
    lines = code.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if number and line.lstrip().startswith(b"#"):
            lines[number] = b" " * len(line)
        else:
            text = line.rstrip()
            kept = text[:-1] if text.endswith(b"\\") and number < len(lines) - 1 else text
            lines[number] = kept + b" " * (len(line) - len(kept))
    return b"".join(lines)
