"""Package requirements: one requirement string, requirements files, setup.cfg."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any

from rewarp.lang.document import Command, Document, EnvSet, Requirement, Word
from rewarp.source import Span

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[([^\]]*)\])?\s*(?=$|[<>=!~;@\s,(#])")
_LINE = re.compile(rb"[^\r\n]+")
_COMMENT = re.compile(rb"(^|\s)#.*")
_SECTION = re.compile(rb"^\[([^\]]+)\]")
_REQUIREMENT_KEYS = ("install_requires", "setup_requires", "tests_require", "requires")


def normalise(name: str) -> str:
    """PEP 503 name, as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def requirement(text: str, where: Any, group: str = "") -> Requirement | None:
    """Parse one requirement string; None if it is not one (an option, a URL, a path)."""
    match = _REQUIREMENT.match(text)
    if not match:
        return None
    extras = tuple(part.strip().lower() for part in (match[2] or "").split(",") if part.strip())
    return Requirement(normalise(match[1]), text.strip(), where, extras, group)


class RequirementsFile(Document):
    """requirements.txt and its kin. Options (``--index-url ...``) are commands named ``pip``."""

    @cached_property
    def _lines(self) -> list[tuple[str, Span]]:
        found: list[tuple[str, Span]] = []
        view = self.source.view.replace(b"\\\r\n", b"   ").replace(b"\\\n", b"  ")
        for match in _LINE.finditer(view):
            raw = _COMMENT.sub(b"", match[0])
            text = raw.strip()
            if text:
                start = match.start() + raw.index(text)
                found.append((text.decode("utf-8", "replace"), Span(start, start + len(text))))
        return found

    @cached_property
    def requirements(self) -> list[Requirement]:
        parsed = (requirement(text, span) for text, span in self._lines if not text.startswith("-"))
        return [item for item in parsed if item]

    @cached_property
    def commands(self) -> list[Command]:
        """Each option line or direct URL as a ``pip`` command, so index rules see them everywhere alike."""
        found: list[Command] = []
        for text, span in self._lines:
            if text.startswith("-") or "://" in text:
                words = re.split(r"[\s=]+", text, maxsplit=1) if text.startswith("-") else [text]
                found.append(Command((Word("pip", span), *(Word(word, span) for word in words)), span))
        return found


class SetupCfg(Document):
    """setup.cfg and tox.ini: the requirement lists of [options], [options.extras_require] and tox's environments,
    and the variables that tox sets."""

    @cached_property
    def _items(self) -> list[tuple[str, str, str, Span]]:
        """Every line of every value: its section, its key, its text and where it is."""
        found: list[tuple[str, str, str, Span]] = []
        section, key = b"", b""
        for match in _LINE.finditer(self.source.view):
            raw = _COMMENT.sub(b"", match[0])
            header = _SECTION.match(raw)
            if header:
                section, key = header[1].strip(), b""
                continue
            text = raw.strip()
            if not text:
                continue
            start = match.start() + raw.index(text)
            if not raw[:1].isspace() and b"=" in raw:
                name, _, value = raw.partition(b"=")
                key, text = name.strip(), value.strip()
                start = match.start() + len(raw) - len(value.lstrip())
            if text:
                place = Span(start, start + len(text))
                where, name_, value_ = (part.decode("utf-8", "replace") for part in (section, key, text))
                found.append((where, name_, value_, place))
        return found

    @cached_property
    def requirements(self) -> list[Requirement]:
        found: list[Requirement] = []
        for section, key, text, span in self._items:
            extras = section == "options.extras_require"
            tox = key == "deps" and section.startswith("testenv")
            if tox:
                text = re.sub(r"^[\w{},!.-]+:\s+", "", text)  # "py310: package"
            if extras or tox or (section == "options" and key in _REQUIREMENT_KEYS):
                item = requirement(text, span, key if extras else "")
                if item:
                    found.append(item)
        return found

    @cached_property
    def env_sets(self) -> list[EnvSet]:
        found: list[EnvSet] = []
        for section, key, text, span in self._items:
            name, equals, value = text.partition("=")
            if key in ("setenv", "set_env") and section.startswith("testenv") and equals:
                found.append(EnvSet(name.strip(), None if "{" in value else value.strip(), span))
        return found
