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

from rewarp.lang.document import EnvSet, Requirement
from rewarp.lang.kinds import Kind
from rewarp.lang.requirements import requirement
from rewarp.lang.shell import Fragment, ShellFile
from rewarp.source import Span

_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)?")
_QUOTED_KEY = re.compile(rb"""("[^"\r\n]*"|'[^'\r\n]*')[ \t]*:(?=\s|$)[ \t]*""")
_COLON = re.compile(rb":(?=\s|$)[ \t]*")
_NO_KEY = b"[]{}\"',&*!|>%@`#:"
_COMMENT = re.compile(rb"(?:^|\s)#.*")
_OPENING = re.compile(rb"""[ \t]*(?:-[ \t]+)*(?:[\w./$-]+:[ \t]+)?(?:"(?:\\.|[^"\\])*"|'[^']*')""")
_BLOCK = re.compile(rb"[|>][+-]?\d*[+-]?\s*$")
_SHELL_KEYS = {
    *("run", "script", "before_script", "after_script", "command", "commands", "entrypoint", "args", "install"),
    *("bash", "setup"),
}
_PACKAGE_KEYS = {"pip", "python_packages"}
_DASH = re.compile(rb"-(?: [ \t]*|\Z)")
_FLOW_ITEM = re.compile(rb"""[^\s\[\]{},"']+|"[^"]*"|'[^']*'""")
_NAME = re.compile(r"[A-Za-z_]\w*")


class Entry(NamedTuple):
    """One scalar: the keys that lead to it, its text, and where it is.

    ``path`` holds mapping keys only; a sequence item shares its parent's path."""

    path: tuple[str, ...]
    value: str
    span: Span
    key_span: Span
    folded: bool = False
    """A block scalar whose line breaks are spaces (``>``)."""

    @property
    def key(self) -> str:
        return self.path[-1] if self.path else ""


def _clean(raw: bytes) -> str:
    text = raw.decode("utf-8", "replace").strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


def _without_comment(line: bytes) -> bytes:
    """A line up to its comment; a ``#`` inside a quoted scalar is none."""
    if b"#" not in line:
        return line
    quoted = _OPENING.match(line)
    at = quoted.end() if quoted else 0
    return line[:at] + _COMMENT.sub(b"", line[at:])


def _entry_key(body: bytes) -> tuple[bytes, int] | None:
    """The key a line starts with and where its value starts; None if it has none."""
    if body[:1] in (b'"', b"'"):
        quoted = _QUOTED_KEY.match(body)
        return (quoted[1], quoted.end()) if quoted else None
    if not body or body[0] in _NO_KEY:
        return None
    colon = _COLON.search(body)
    if not colon or not body[: colon.start()].strip():
        return None
    return body[: colon.start()].rstrip(), colon.end()


class YamlFile(ShellFile):
    """A YAML file as a list of scalars with their key paths."""

    @cached_property
    def entries(self) -> list[Entry]:
        found: list[Entry] = []
        stack: list[tuple[int, str]] = []
        view = self.source.view
        lines = [m.span() for m in _LINE.finditer(view) if m.end() > m.start()]
        index = 0
        while index < len(lines):
            start, end = lines[index]
            index += 1
            raw = _without_comment(view[start:end].rstrip(b"\r\n"))
            body = raw.lstrip(b" \t")
            if not body.strip() or body.startswith(b"%"):
                continue
            if raw.startswith(b"---"):
                stack = []
                continue
            indent = outer = len(raw) - len(body)
            begin = 0
            while dash := _DASH.match(body, begin):  # "- - x" nests
                while stack and stack[-1][0] > indent:
                    stack.pop()
                outer = indent
                indent += dash.end() - begin
                begin = dash.end()
            body = body[begin:]
            at = end_of(start, raw, body)
            entry = _entry_key(body)
            if entry is None:
                path = tuple(k for i, k in stack if i < indent)
                key_span, value = None, body
            else:
                key, offset = entry
                while stack and stack[-1][0] >= indent:
                    stack.pop()
                path = (*(k for _, k in stack), _clean(key))
                key_span, value = Span(at, at + len(key)), body[offset:]
                at, outer = at + offset, indent
            if not _BLOCK.match(value):
                if entry is not None:
                    stack.append((indent, path[-1]))
                self._add(found, path, value, at, key_span)
                continue
            block_start = block_end = end
            while index < len(lines):
                line = view[slice(*lines[index])]
                if line.strip() and len(line) - len(line.lstrip(b" \t")) <= outer:
                    break
                block_end = lines[index][1]
                index += 1
            span = Span(block_start, block_end)
            text = view[block_start:block_end].decode("utf-8", "replace")
            found.append(Entry(path, text, span, key_span or span, value.startswith(b">")))
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

    def fragments(self) -> list[Fragment]:
        found: list[Fragment] = []
        for entry in self.entries:
            if entry.key not in _SHELL_KEYS or not entry.value or entry.value.startswith(("{", "[")):
                continue
            start, end = entry.span
            code = self.source.view[start:end]
            if len(code) > 1 and code[:1] == code[-1:] and code[:1] in (b'"', b"'"):
                code, start = code[1:-1], start + 1
            if entry.folded:
                code = re.sub(rb"[\r\n]", b" ", code)
            found.append(Fragment(code, start))
        return found

    @cached_property
    def env_sets(self) -> list[EnvSet]:
        found = list(super().env_sets)
        for entry in self.entries:
            if len(entry.path) > 1 and entry.path[-2] in ("env", "environment", "variables", "env_vars"):
                name, value, where = entry.key, entry.value, entry.key_span
            elif entry.key in ("environment", "env") and "=" in entry.value:
                name, _, value = entry.value.partition("=")
                where = entry.span
            else:
                continue
            if _NAME.fullmatch(name.strip()):
                found.append(EnvSet(name.strip(), None if "$" in value else value, where))
        # Kubernetes: `- name: X` followed by `value: y`
        for entry, following in zip(self.entries, self.entries[1:]):
            if entry.key == "name" and following.key == "value" and "env" in entry.path:
                found.append(EnvSet(entry.value, following.value, entry.span))
        return found

    @cached_property
    def is_conda(self) -> bool:
        """Whether this is a conda environment or recipe, by its name or by what it holds."""
        if self.kind is Kind.CONDA:
            return True
        top = {entry.path[0] for entry in self.entries if entry.path}
        return self.kind is Kind.YAML and {"channels", "dependencies"} <= top

    @cached_property
    def requirements(self) -> list[Requirement]:
        found = list(super().requirements)
        if not self.is_conda:
            for entry in self.entries:
                if entry.key in _PACKAGE_KEYS and entry.value and "\n" not in entry.value:
                    item = requirement(entry.value, entry.span)
                    if item:
                        found.append(item)
        else:
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
