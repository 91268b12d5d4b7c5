"""TOML: pyproject.toml and Cargo.toml, with the place of every value.

``tomllib`` says whether the file is valid and what it means; it gives no positions, so a
small lexer finds each key and string, and the two are used together.
"""

from __future__ import annotations

import re
import sys
from functools import cached_property
from typing import Any, NamedTuple

from rewarp.errors import ParseError
from rewarp.lang import parsers
from rewarp.lang.document import Document, Requirement
from rewarp.lang.kinds import Kind
from rewarp.lang.requirements import requirement
from rewarp.source import SourceFile, Span

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_TOKEN = re.compile(
    rb'''(?P<comment>\#[^\r\n]*)
    |^[ \t]*\[{1,2}(?P<table>[^\[\]\r\n]+)\]{1,2}
    |(?P<key>(?<![A-Za-z0-9_.-])(?<!\.[ \t])(?:[A-Za-z0-9_-]+|"[^"\r\n]*"|'[^'\r\n]*')
        (?:[ \t]*\.[ \t]*(?:[A-Za-z0-9_-]+|"[^"\r\n]*"|'[^'\r\n]*'))*)(?=[ \t]*=)
    |(?P<string>"""(?:\\.|[^\\])*?"""|\'\'\'.*?\'\'\'|"(?:\\.|[^"\\\r\n])*"|'[^'\r\n]*')
    |(?P<open>[\[{])|(?P<close>[\]}])
    ''',
    re.X | re.M | re.S,
)


class TomlString(NamedTuple):
    """A string value: the keys that lead to it, its text and its span (with quotes)."""

    path: tuple[str, ...]
    value: str
    span: Span


class TomlKey(NamedTuple):
    """A key: the full path to it and its span."""

    path: tuple[str, ...]
    span: Span


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in re.findall(r'"[^"]*"|\'[^\']*\'|[^.\s"\']+', dotted))


class TomlFile(Document):
    """A valid TOML file: ``data`` is its content, ``strings`` and ``keys`` know their places."""

    def __init__(self, source: SourceFile, kind: Kind) -> None:
        super().__init__(source, kind)
        text = source.view.decode("utf-8", "replace")
        try:
            self.data: dict[str, Any] = parsers.toml(text.replace("\r\n", "\n"))
        except tomllib.TOMLDecodeError as error:
            raise ParseError(f"not valid TOML: {error}") from None
        except RecursionError:
            raise ParseError("nested too deeply for the TOML parser") from None

    @cached_property
    def _tokens(self) -> tuple[list[TomlString], list[TomlKey]]:
        strings: list[TomlString] = []
        keys: list[TomlKey] = []
        table: tuple[str, ...] = ()
        nesting: list[tuple[str, ...]] = []
        key: tuple[str, ...] = ()
        view, at = self.source.view, 0
        while match := _TOKEN.search(view, at):
            at = match.end()
            text = match[0].decode("utf-8", "replace")
            prefix = nesting[-1] if nesting else table
            if match.lastgroup == "table" and nesting:  # an array inside an array, on its own line
                nesting.append(key)
                at = match.start() + text.index("[") + 1
            elif match.lastgroup == "table":
                table = _parts(match["table"].decode("utf-8", "replace"))
                keys.append(TomlKey(table, Span(match.start("table"), match.end("table"))))
                key = table
            elif match.lastgroup == "key":
                key = (*prefix, *_parts(text))
                keys.append(TomlKey(key, Span(*match.span())))
            elif match.lastgroup == "string":
                quotes = 3 if text.startswith(('"""', "'''")) else 1
                strings.append(TomlString(key, text[quotes:-quotes], Span(*match.span())))
            elif match.lastgroup == "open":
                nesting.append(key)
            elif match.lastgroup == "close" and nesting:
                key = nesting.pop()
        return strings, keys

    def pixi_path(self, path: tuple[str, ...]) -> tuple[str, ...]:
        """A path as pixi.toml would have it; empty where pixi does not look."""
        if path[:2] == ("tool", "pixi"):
            return path[2:]
        return path if self.source.path.endswith("pixi.toml") else ()

    @property
    def strings(self) -> list[TomlString]:
        return self._tokens[0]

    @property
    def keys(self) -> list[TomlKey]:
        return self._tokens[1]

    @cached_property
    def requirements(self) -> list[Requirement]:
        if self.kind is Kind.CARGO:
            return []
        found: list[Requirement] = []
        for item in self.strings:
            group = _requirement_group(item.path)
            if group is not None:
                parsed = requirement(item.value, item.span, group)
                if parsed:
                    found.append(parsed)
        for key in self.keys:  # poetry and Pipfile: the name is the key
            group = _named_dependency(key.path)
            if group is None and (pixi := self.pixi_path(key.path)):
                group = _pixi_dependency(pixi)
            if group is not None and key.path[-1] != "python":
                parsed = requirement(key.path[-1], key.span, group)
                if parsed:
                    found.append(parsed)
        return found


def _pixi_dependency(path: tuple[str, ...]) -> str | None:
    """The group of a package that pixi installs; ``conda`` for one from a conda channel that everybody gets."""
    feature = ""
    if path[0] == "feature" and len(path) > 2:
        feature, path = path[1], path[2:]
    if path[0] == "target" and len(path) > 2:
        path = path[2:]
    if len(path) != 2 or path[0] not in ("dependencies", "pypi-dependencies"):
        return None
    return feature or ("conda" if path[0] == "dependencies" else "")


_TOOL_LISTS = {
    "uv": ("dev-dependencies", "override-dependencies", "constraint-dependencies"),
    "hatch": ("dependencies", "extra-dependencies"),
}


def _requirement_group(path: tuple[str, ...]) -> str | None:
    if path in (("project", "dependencies"), ("build-system", "requires")):
        return "" if path[0] == "project" else "build-system"
    if path[:2] == ("project", "optional-dependencies") and len(path) == 3:
        return path[2]
    if path[:1] == ("dependency-groups",) and len(path) == 2:
        return path[1]
    if path[:1] == ("tool",) and len(path) > 2 and path[-1] in _TOOL_LISTS.get(path[1], ()):
        return path[-2] if path[-2] != path[1] else "dev"
    if path[:3] == ("tool", "pdm", "dev-dependencies") and len(path) == 4:
        return path[3]
    return None


def _named_dependency(path: tuple[str, ...]) -> str | None:
    if path[:2] == ("tool", "poetry"):
        if len(path) == 4 and path[2] in ("dependencies", "dev-dependencies"):
            return "" if path[2] == "dependencies" else "dev"
        if len(path) == 6 and path[2] == "group" and path[4] == "dependencies":
            return path[3]
    if len(path) == 2 and path[0] in ("packages", "dev-packages"):
        return ""
    return None
