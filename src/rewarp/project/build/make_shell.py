"""What commands in ``$(shell …)`` print that only look at the project's own files: ``find`` and ``ls``. Nothing is run."""

from __future__ import annotations

import fnmatch
import posixpath
import re
import shlex
from collections.abc import Callable, Collection, Sequence

_QUIET = re.compile(r"\s*2>\s*/dev/null")
_SORTED = re.compile(r"\s*\|\s*sort\s*$")
_NEEDS_A_SHELL = re.compile(r"[|&;<>`$\n]")
_Test = Callable[[str], bool]


def listed(command: str, paths: Collection[str], folder: str) -> list[str] | None:
    """The files that a command prints, as it spells them; None where it is another command, or asks for more than names."""
    plain = _QUIET.sub("", command.strip())
    plain, is_sorted = _SORTED.sub("", plain), bool(_SORTED.search(plain))
    if _NEEDS_A_SHELL.search(plain):
        return None
    try:
        words = shlex.split(plain)
    except ValueError:
        return None
    found = None
    if words[:1] == ["find"]:
        found = _found(words[1:], paths, folder)
    elif words[:1] == ["ls"] and len(words) > 1 and all(_names_files(word, paths, folder) for word in words[1:]):
        found = [name for word in words[1:] for name in sorted(_matching(word, paths, folder))]
    return sorted(found) if found is not None and is_sorted else found


def _names_files(word: str, paths: Collection[str], folder: str) -> bool:
    """Of a folder ls prints what is in it: that is not followed."""
    return not word.startswith("-") and ("*" in word or posixpath.normpath(posixpath.join(folder, word)) in paths)


def _matching(pattern: str, paths: Collection[str], folder: str) -> list[str]:
    """No pattern of the shell's goes over a slash."""
    place = posixpath.normpath(posixpath.join(folder, pattern))
    steps = place.split("/")
    names = (path.split("/") for path in paths)
    hits = [n for n in names if len(n) == len(steps) and all(map(fnmatch.fnmatchcase, n, steps))]
    head = pattern[: -len(posixpath.relpath(place, folder or "."))] if pattern.startswith("./") else ""
    return [head + posixpath.relpath("/".join(name), folder or ".") for name in hits]


def _found(words: Sequence[str], paths: Collection[str], folder: str) -> list[str] | None:
    at = next((at for at, word in enumerate(words) if word[0:1] in ("-", "(", "!")), len(words))
    starts = list(words[:at]) or ["."]
    if any(mark in start for start in starts for mark in "*?["):
        return None
    expression = _Expression(words[at:])
    test = expression.read()
    if test is None:
        return None
    found: list[str] = []
    for start in starts:
        root = posixpath.normpath(posixpath.join(folder, start))
        below = "" if root == "." else root + "/"
        for path in sorted(paths):
            rest = path[len(below) :]
            depth = rest.count("/") + 1
            if path.startswith(below) and expression.least <= depth <= expression.most:
                name = posixpath.join(start, rest)
                if test(name):
                    found.append(name)
    return found


class _Expression:
    """find's tests of names, with their operators."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = list(words)
        self.least, self.most = 0, 1_000

    def read(self) -> _Test | None:
        """None where something else is asked for, or done."""
        try:
            test = self._either()
        except (IndexError, ValueError):
            return None
        return None if self._words else test

    def _either(self) -> _Test:
        tests = [self._both()]
        while self._words[:1] in (["-o"], ["-or"]):
            del self._words[0]
            tests.append(self._both())
        return lambda name: any(test(name) for test in tests)

    def _both(self) -> _Test:
        tests: list[_Test] = []
        while self._words and self._words[0] not in ("-o", "-or", ")"):
            if self._words[0] in ("-a", "-and"):
                del self._words[0]
            tests.append(self._one())
        return lambda name: all(test(name) for test in tests)

    def _one(self) -> _Test:
        word = self._words.pop(0)
        if word in ("!", "-not"):
            test = self._one()
            return lambda name: not test(name)
        if word == "(":
            test = self._either()
            if self._words.pop(0) != ")":
                raise ValueError("a bracket is left open")
            return test
        if word == "-print":
            return _always
        value = self._words.pop(0)
        if word in ("-maxdepth", "-mindepth"):
            if word == "-maxdepth":
                self.most = int(value)
            else:
                self.least = int(value)
            return _always
        if word == "-type" and value == "f":
            return _always
        if word in ("-name", "-iname"):
            return _named(value, word == "-iname")
        if word in ("-path", "-wholename"):
            return lambda name: fnmatch.fnmatchcase(name, value)
        raise ValueError(word)


def _named(pattern: str, in_any_case: bool) -> _Test:
    wanted = pattern.lower() if in_any_case else pattern

    def test(name: str) -> bool:
        last = posixpath.basename(name)
        return fnmatch.fnmatchcase(last.lower() if in_any_case else last, wanted)

    return test


def _always(name: str) -> bool:
    return True
