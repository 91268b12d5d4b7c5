"""Package requirements: one requirement string, requirements files, setup.cfg."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any

from rewarp.lang.document import Command, Document, Requirement, Word
from rewarp.source import Span

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[([^\]]*)\])?\s*(?=$|[<>=!~;@\s,(#])")
_LINE = re.compile(rb"[^\r\n]+")
_COMMENT = re.compile(rb"(^|\s)#.*")
_SECTION = re.compile(rb"^\[([^\]]+)\]")
_REQUIREMENT_KEYS = (b"install_requires", b"setup_requires", b"tests_require", b"requires")


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


def without_bom(view: bytes) -> bytes:
    """The view with a byte order mark replaced by spaces: offsets stay."""
    return b"   " + view[3:] if view.startswith(b"\xef\xbb\xbf") else view


class RequirementsFile(Document):
    """requirements.txt and its kin. Options (``--index-url ...``) are commands named ``pip``."""

    @cached_property
    def _lines(self) -> list[tuple[str, Span]]:
        found: list[tuple[str, Span]] = []
        view = without_bom(self.source.view).replace(b"\\\r\n", b"   ").replace(b"\\\n", b"  ")
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
    """setup.cfg: the requirement lists of [options] and [options.extras_require]."""

    @cached_property
    def requirements(self) -> list[Requirement]:
        found: list[Requirement] = []
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
            extras = section == b"options.extras_require"
            if text and (extras or (section == b"options" and key in _REQUIREMENT_KEYS)):
                span = Span(start, start + len(text))
                item = requirement(
                    text.decode("utf-8", "replace"), span, key.decode("utf-8", "replace") if extras else ""
                )
                if item:
                    found.append(item)
        return found
