"""`case`: which patterns lead to which lines. Every `esac` is found in one pass, however deep they nest."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp.lang.shell.words import unquote

_CASE = re.compile(rb"""(?<![\w-])case[ \t]+("[^"]*"|'[^']*'|\S+)[ \t]+in(?=\s)""")
_CASE_TOKEN = re.compile(rb"""(?<![\w-])(?:case|esac)(?![\w-])|;;|\)|'[^']*'|"(?:\\.|[^"\\])*"|\$\([^()]*\)""", re.S)


class _Case:
    """A ``case`` that is being read."""

    def __init__(self, match: re.Match[bytes]) -> None:
        self.match = match
        self.start = match.end()
        self.patterns: list[str] | None = None
        self.arms: list[tuple[list[str], int, int]] = []
        """Of each arm its patterns and where its code is."""

    def take(self, token: re.Match[bytes]) -> None:
        """A token that stands in this ``case`` and in none within it."""
        word = token[0]
        if word in (b";;", b"esac"):
            if self.patterns is not None:
                self.arms.append((self.patterns, self.start, token.start()))
            self.patterns, self.start = None, token.end()
        elif word == b")" and self.patterns is None:
            text = token.string[self.start : token.start()].decode("utf-8", "replace").strip().lstrip("(")
            self.patterns, self.start = [unquote(part.strip()) for part in text.split("|")], token.end()


def cases(code: bytes) -> Iterator[tuple[re.Match[bytes], list[tuple[list[str], int, int]]]]:
    """Every ``case``, and its arms. One within another is read along with it; only what a quote hides from that, for
    itself."""
    found = {match.start(): match for match in _CASE.finditer(code)}
    read: set[int] = set()
    for place, match in found.items():
        if place in read:
            continue
        read.add(place)
        cases = [_Case(match)]
        open_cases: list[_Case | None] = [*cases]
        for token in _CASE_TOKEN.finditer(code, match.end()):
            innermost = open_cases[-1]
            if token[0] == b"case":
                inner = found.get(token.start())
                open_cases.append(_Case(inner) if inner and token.start() not in read else None)
                cases += [case for case in open_cases[-1:] if case is not None]
                read.add(token.start())
            elif innermost is None or token.start() >= innermost.match.end():
                if innermost is not None:
                    innermost.take(token)
                if token[0] == b"esac":
                    open_cases.pop()
                    if not open_cases:
                        break
        yield from ((case.match, case.arms) for case in cases)
