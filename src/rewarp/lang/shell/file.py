"""A file with shell code as a document: its commands, variables, requirements, and what a platform never runs of it."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any

from rewarp.lang.cover import Cover
from rewarp.lang.document import Command, Document, EnvRead, EnvSet, Requirement
from rewarp.lang.shell.gates import FALSEHOODS
from rewarp.lang.shell.installs import pip_requirements
from rewarp.lang.shell.reading import Fragment, Reader, dead_spans
from rewarp.lang.shell.words import blank
from rewarp.source import Span
from rewarp.targets.base import Target

VARIABLE = re.compile(rb"\$\{?([A-Za-z_]\w*)")
_RUN_HERE = frozenset({".", "source", "eval"})
"""What may set any variable."""
_OUTSIDE = re.compile(r"~|\$\{?HOME\b|/(?!dev/)")
"""A file of the user's or the system's knows nothing of the script's variables."""
_CHANGES = _RUN_HERE | {"read", "getopts", "mapfile", "readarray", "printf"}
_ERREXIT = re.compile(
    rb"(?m)^[ \t]*set[ \t]+(?:[-+\w]+[ \t]+){0,9}-(?:[a-zA-Z]{0,9}e[a-zA-Z]{0,9}|[a-zA-Z]{0,9}o[ \t]+errexit)\b|\A#![^\n]{0,200}[ \t]-[a-z]{0,9}e"
)


class ShellFile(Document):
    """A shell script. Subclasses say which parts of their file are shell."""

    def fragments(self) -> list[Fragment]:
        return [Fragment(self.source.view, 0)]

    @cached_property
    def _parsed(self) -> Reader:
        reader = Reader()
        for fragment in self.fragments():
            reader.read(fragment.code, fragment.base)
        return reader

    @cached_property
    def commands(self) -> list[Command]:
        return self._parsed.commands

    @cached_property
    def env_sets(self) -> list[EnvSet]:
        return self._parsed.sets

    @cached_property
    def env_reads(self) -> list[EnvRead]:
        found: list[EnvRead] = []
        for _, (start, end) in self._parsed.words:
            raw = self.source.view[start:end]
            if b"'" in raw and not raw.startswith(b'"'):
                raw = re.sub(rb"'[^']*'", blank, raw)
            for match in VARIABLE.finditer(raw):
                found.append(EnvRead(match[1].decode(), Span(start + match.start(), start + match.end())))
        return list(dict.fromkeys(found))

    @cached_property
    def requirements(self) -> list[Requirement]:
        return pip_requirements(self.commands)

    def failure_is_handled(self, command: Command) -> bool:
        """Whether the script expects this command to fail: it is a test, or ``|| something`` follows."""
        return self._handled.holds(self.span(command))

    def failure_is_ignored(self, command: Command) -> bool:
        """Whether the script neither stops at failures nor does anything with this command's result."""
        # What Makefiles, images and pipelines hold is run by something that does stop.
        span = self.span(command)
        return type(self) is ShellFile and span.start < self._stops_from and not self._decisive.holds(span)

    @cached_property
    def _stops_from(self) -> int:
        """Where the script says that it stops at failures; looked for once, however many commands ask."""
        found = _ERREXIT.search(self.source.view)
        return found.end() if found else len(self.source.view)

    @cached_property
    def _decisive(self) -> Cover:
        return Cover(self._parsed.decisive)

    @cached_property
    def _handled(self) -> Cover:
        return Cover(self._parsed.handled)

    def unreachable(self, where: Any, target: Target) -> bool:
        dead = self._dead.get(target)
        if dead is None:
            dead = self._dead[target] = self._never_run(target)
        return self.span(where).start in dead

    def _never_run(self, target: Target) -> Cover:
        dead, off = Cover(dead_spans(self._parsed.arms, target)), dict[str, str]()
        # Switches that a script turns on only where it has found NVIDIA's tools, and switches that those turn on.
        while type(self) is ShellFile and (more := self._kept_off(dead).items() - off.items()):
            if off.keys() >= {name for name, _ in more}:
                break
            off = dict(more) | off
            dead = Cover(dead_spans(self._parsed.arms, target, off))
        return dead

    def _kept_off(self, dead: Cover) -> dict[str, str]:
        """Variables that get one value of no, and others only in code that never runs; with that value."""
        values: dict[str, set[str | None]] = {}
        first: dict[str, int] = {}
        turned_on: set[str] = set()
        for item in self.env_sets:
            if self.span(item).start in dead:
                turned_on.add(item.name)
            else:
                values.setdefault(item.name, set()).add(item.value)
                first.setdefault(item.name, self.span(item).start)
        off = {
            name: value
            for name, given in values.items()
            if len(given) == 1 and (value := min(given, key=str)) is not None
        }
        changing = [
            (self.span(command).start, command.texts)
            for command in self.commands
            if command.name in _CHANGES
            and not (command.name != "eval" and _OUTSIDE.match(" ".join(command.texts[1:2])))
        ]
        return {
            name: value
            for name, value in off.items()
            if name in turned_on
            and value.lower() in FALSEHOODS
            and not any(name in texts or (texts[0] in _RUN_HERE and at > first[name]) for at, texts in changing)
        }

    @cached_property
    def _dead(self) -> dict[Target, Cover]:
        return {}

    def exclusive(self, one: Any, other: Any) -> bool:
        """Whether two places are in different arms of the same ``if``, so that only one of them runs."""
        first, second = self.span(one).start, self.span(other).start
        groups = {arm.group for arm in self._parsed.arms if first in arm and second not in arm}
        return any(
            arm.group in groups for arm in self._parsed.arms if second in arm and first not in arm and arm.group >= 0
        )
