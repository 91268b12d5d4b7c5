"""YAML: workflows, compose files, Kubernetes manifests, conda environments.

A line lexer rather than a YAML parser, on purpose: many of these files are templates
(``{{ .Values.gpus }}``) that no YAML parser accepts, and rules need byte offsets. It
understands block mappings and sequences by indentation, flow values on one line, comments
and block scalars (``run: |``).
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import NamedTuple

from rewarp.lang.document import EnvRead, EnvSet, Requirement
from rewarp.lang.kinds import Kind
from rewarp.lang.requirements import requirement
from rewarp.lang.shell import ShellFile, _Fragment
from rewarp.source import Span

_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)?")
_ENTRY = re.compile(
    rb"""(?P<key>"[^"]*"|'[^']*'|[^\s:#\[\]{}"',&*!|>%@`-][^:#\r\n]*?|-?[\w./][\w./ -]*)[ \t]*:(?=\s|$)[ \t]*"""
)
_COMMENT = re.compile(rb"(?:^|\s)#.*")
_BLOCK = re.compile(rb"[|>][+-]?\d*[+-]?\s*$")
_SHELL_KEYS = {"run", "script", "before_script", "after_script", "command", "entrypoint", "args", "install"}
_FLOW_ITEM = re.compile(rb"""[^\s\[\]{},"']+|"[^"]*"|'[^']*'""")


class Entry(NamedTuple):
    """One scalar: the keys that lead to it, its text, and where it is.

    ``path`` holds mapping keys only; a sequence item shares its parent's path."""

    path: tuple[str, ...]
    value: str
    span: Span
    key_span: Span

    @property
    def key(self) -> str:
        return self.path[-1] if self.path else ""


def _clean(raw: bytes) -> str:
    text = raw.decode("utf-8", "replace").strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


class YamlFile(ShellFile):
    """A YAML file as a list of scalars with their key paths."""

    @cached_property
    def entries(self) -> list[Entry]:
        found: list[Entry] = []
        stack: list[tuple[int, str]] = []
        lines = [m.span() for m in _LINE.finditer(self.source.view) if m.end() > m.start()]
        index = 0
        while index < len(lines):
            start, end = lines[index]
            index += 1
            raw = _COMMENT.sub(b"", self.source.view[start:end].rstrip(b"\r\n"))
            body = raw.lstrip(b" \t")
            if not body.strip() or body.startswith((b"---", b"%")):
                continue
            indent = len(raw) - len(body)
            while body.startswith(b"- ") or body == b"-":  # "- - x" nests
                step = len(body) - len(body[1:].lstrip(b" \t"))
                while stack and stack[-1][0] >= indent + (0 if stack[-1][1] == "" else 1):
                    stack.pop()
                indent += step
                body = body[step:]
            match = _ENTRY.match(body)
            if not match:
                self._add(found, tuple(k for i, k in stack if i < indent), body, end_of(start, raw, body), None)
                continue
            while stack and stack[-1][0] >= indent:
                stack.pop()
            key = _clean(match["key"])
            path = (*(k for _, k in stack), key)
            at = end_of(start, raw, body)
            key_span = Span(at, at + match.end("key"))
            value = body[match.end() :]
            if _BLOCK.match(value):
                block_start = lines[index][0] if index < len(lines) else end
                while index < len(lines):
                    line = self.source.view[slice(*lines[index])]
                    if line.strip() and len(line) - len(line.lstrip(b" \t")) <= indent:
                        break
                    index += 1
                block_end = lines[index - 1][1] if index else end
                text = self.source.view[block_start:block_end].decode("utf-8", "replace")
                found.append(Entry(path, text, Span(block_start, block_end), key_span))
                continue
            stack.append((indent, key))
            self._add(found, path, value, at + match.end(), key_span)
        return found

    @staticmethod
    def _add(found: list[Entry], path: tuple[str, ...], raw: bytes, start: int, key_span: Span | None) -> None:
        value = raw.strip()
        at = start + len(raw) - len(raw.lstrip())
        span = Span(at, at + len(value))
        if value.startswith(b"[") and value.endswith(b"]") and not value.startswith(b"[["):
            for item in _FLOW_ITEM.finditer(value):
                inner = Span(at + item.start(), at + item.end())
                found.append(Entry(path, _clean(item[0]), inner, key_span or inner))
        else:
            found.append(Entry(path, _clean(value), span, key_span or span))

    def fragments(self) -> list[_Fragment]:
        return [
            _Fragment(self.source.view[entry.span.start : entry.span.end], entry.span.start)
            for entry in self.entries
            if entry.key in _SHELL_KEYS and entry.value and not entry.value.startswith(("{", "["))
        ]

    @cached_property
    def env_sets(self) -> list[EnvSet]:
        found = list(super().env_sets)
        for entry in self.entries:
            if len(entry.path) > 1 and entry.path[-2] in ("env", "environment", "variables"):
                found.append(EnvSet(entry.key, None if "$" in entry.value else entry.value, entry.key_span))
            elif entry.key in ("environment", "env") and "=" in entry.value:
                name, _, value = entry.value.partition("=")
                found.append(EnvSet(name.strip(), None if "$" in value else value, entry.span))
        # Kubernetes: `- name: X` followed by `value: y`
        for entry, following in zip(self.entries, self.entries[1:]):
            if entry.key == "name" and following.key == "value" and "env" in entry.path:
                found.append(EnvSet(entry.value, following.value, entry.span))
        return found

    @cached_property
    def env_reads(self) -> list[EnvRead]:
        return super().env_reads

    @cached_property
    def requirements(self) -> list[Requirement]:
        found = list(super().requirements)
        if self.kind is Kind.CONDA:
            for entry in self.entries:
                if entry.path[:1] in (("dependencies",), ("requirements",)) and entry.value:
                    text = entry.value.rpartition("::")[2]
                    text = re.sub(r"(?<![<>=!~])=(?!=)", "==", text, count=1)
                    item = requirement(text, entry.span, "conda" if entry.key != "pip" else "")
                    if item:
                        found.append(item)
        return found


def end_of(start: int, raw: bytes, body: bytes) -> int:
    """Offset of ``body``, which is the tail of ``raw``."""
    return start + len(raw) - len(body)
