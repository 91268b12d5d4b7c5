"""The metadata of kernels: the part of YAML that LLVM writes."""

from __future__ import annotations

import re
from typing import Any

_INTEGER = re.compile(r"-?(?:0x[0-9a-fA-F]+|\d+)$")


class Metadata:
    """The YAML that LLVM writes for metadata: maps, lists, scalars, by indentation. Not YAML as a whole."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = [
            (len(line) - len(line.lstrip()), line.strip())
            for line in lines
            if line.strip() and line.strip() not in ("---", "...")
        ]
        self._at = 0

    def read(self) -> dict[str, Any]:
        found = self._block(0) if self._lines else {}
        return found if isinstance(found, dict) else {}

    def _block(self, indent: int) -> Any:
        if self._lines[self._at][1].startswith("- ") or self._lines[self._at][1] == "-":
            return self._list(self._lines[self._at][0])
        return self._map(self._lines[self._at][0])

    def _list(self, indent: int) -> list[Any]:
        found: list[Any] = []
        while self._at < len(self._lines) and self._lines[self._at][0] == indent and self._lines[self._at][1][0] == "-":
            rest = self._lines[self._at][1][1:].strip()
            inner = indent + self._lines[self._at][1].index(rest) if rest else indent + 2
            if re.match(r"[\w.]+:(\s|$)", rest):
                self._lines[self._at] = (inner, rest)
                found.append(self._map(inner))
            else:
                self._at += 1
                found.append(_scalar(rest))
        return found

    def _map(self, indent: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while self._at < len(self._lines) and self._lines[self._at][0] == indent:
            key, _, rest = self._lines[self._at][1].partition(":")
            if self._lines[self._at][1].startswith("- "):
                break
            self._at += 1
            if rest.strip():
                found[key] = _scalar(rest.strip())
            elif self._at < len(self._lines) and (
                self._lines[self._at][0] > indent
                or (self._lines[self._at][0] == indent and self._lines[self._at][1].startswith("- "))
            ):
                found[key] = self._block(indent)
            else:
                found[key] = None
        return found


def _scalar(text: str) -> Any:
    if text[:1] in "'\"":
        inner = text[1:-1]
        return inner.replace("''", "'") if text[0] == "'" else inner.encode().decode("unicode_escape")
    if text == "[]":
        return []
    if _INTEGER.match(text):
        return int(text, 0)
    return {"true": True, "false": False}.get(text, text)
