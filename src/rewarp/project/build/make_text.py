"""Makefiles, read as far as text tells: variables with make's functions, conditionals, rules. Nothing is run."""

from __future__ import annotations

import fnmatch
import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from rewarp.errors import GaveUp
from rewarp.project.build.make_shell import listed
from rewarp.workspace import Tree

UNKNOWN = "\x05"
"""Marks a value of which a part is not known; what stands behind it, up to the next, is what it is about."""
_SET = re.compile(r"(?:(?:export|override|private)\s+)*([\w.$(){}/-]+?)\s*(\?|::?:?|\+|!)?=\s*(.*)", re.S)
_RULE = re.compile(r"([^:=#]+?)\s*(::?)\s*([^=]*)$", re.S)
_CONDITION = re.compile(r"(ifeq|ifneq|ifdef|ifndef)\b\s*(.*)")
_SIDES = (re.compile(r"\((.*?),(.*)\)$"), re.compile(r"""["'](.*?)["']\s+["'](.*?)["']$"""))
_DEEPEST = 40
_MOST = 2_000_000
_MOST_FILES = 200


@dataclass
class Rule:
    targets: list[str]
    prerequisites: list[str]
    file: str
    line: int
    conditions: tuple[str, ...]
    recipe: list[tuple[int, str]] = field(default_factory=list)
    """Lines as they are written, each with its number."""


class TooMuch(GaveUp):
    """A Makefile would have more read than is looked at."""


class MakeText:
    """One Makefile and what it includes."""

    def __init__(self, tree: Tree, path: str, given: Mapping[str, str]) -> None:
        self.tree, self.folder = tree, posixpath.dirname(path)
        self.values: dict[str, str] = {
            "CURDIR": ".",
            "PWD": ".",
            "MAKE": "make",
            "CC": "cc",
            "CXX": "g++",
            "RM": "rm -f",
        }
        self.values |= given
        self.given = frozenset(given)
        self._overridden: set[str] = set()
        self.rules: list[Rule] = []
        self.notes: list[tuple[str, int, str]] = []
        self.tested: dict[str, tuple[str, int]] = {}
        """Variables that conditions ask for, with the first line that does."""
        self.read_lines: dict[str, set[int]] = {}
        """Of each file the lines inside conditionals that are read, or may be."""
        self.passed_over: dict[str, set[int]] = {}
        """And those that are not, where no option for a GPU decides it."""
        self._blocks: list[tuple[bool | None, bool, str]] = []
        """Open conditionals: whether this branch is read, whether one before was, what it says."""
        self._left = _MOST
        self._files: list[str] = []
        self._read(path)

    # --- lines ----------------------------------------------------------------------

    def _read(self, path: str) -> None:
        self._files.append(path)
        if len(self._files) > _MOST_FILES:
            raise TooMuch("more than 200 files are included")
        text = (self.tree.read(path) or b"").decode("utf-8", "replace").replace("\r\n", "\n").replace("\x05", " ")
        current: Rule | None = None
        number = 0
        skipping = False
        for raw in re.sub(r"\\\n[ \t]*", "\x06", text).split("\n"):
            number += 1
            line = raw.replace("\x06", " ")
            at, number = number, number + raw.count("\x06")
            if self._blocks:
                lines = self.passed_over if self._is_passed_over else self.read_lines
                lines.setdefault(path, set()).update(range(at, number + 1))
            if skipping or re.match(r"\s*define\b", line):
                skipping = not re.match(r"\s*endef\b", line)
                continue
            if line.startswith("\t") and current is not None:
                if self._state is not False:
                    current.recipe.append((at, line.strip()))
                continue
            line = re.sub(r"(?<!\\)#.*", "", line).strip()
            if not line or self._steer(line, path, at) or self._state is False:
                continue
            current = self._statement(line, path, at) or current

    def _statement(self, line: str, path: str, at: int) -> Rule | None:
        word, _, rest = line.partition(" ")
        if word in ("include", "-include", "sinclude"):
            self._include(self.expanded(rest), path, at)
            return None
        if word in ("export", "unexport", "vpath", "undefine") and "=" not in line:
            return None
        assignment = _SET.fullmatch(line)
        if assignment and ":" not in assignment[1]:
            name = self.expanded(assignment[1])
            wins = re.match(r"(?:(?:export|private)\s+)*override\s", line) is not None
            if wins or name not in self._overridden:
                self._assign(name, assignment[2] or "", assignment[3])
            if wins:
                self._overridden.add(name)
            return None
        own = re.fullmatch(r"[^:=]+:\s*([\w.-]+)\s*(\?|:|\+)?=\s*(.*)", line)
        if own:  # a variable for some targets: it counts for the file
            self._assign(own[1], own[2] or "", own[3])
            return None
        head, _, recipe = line.partition(";")
        found = _RULE.fullmatch(self.expanded(head))
        if not found:
            return None
        prerequisites = found[3].replace("|", " ")
        static = re.fullmatch(r"(\S*%\S*)\s*:\s*(.*)", prerequisites)
        targets, needed = found[1].split(), (static[2] if static else prerequisites).split()
        rule = Rule(targets, needed, path, at, self._conditions, [(at, recipe)] if recipe.strip() else [])
        if static:  # targets: %.o: %.cu
            for target in targets:
                stem = stem_of(static[1], target)
                if stem is not None:
                    made = [name.replace("%", stem, 1) for name in needed]
                    self.rules.append(Rule([target], made, path, at, rule.conditions, rule.recipe))
            return rule
        self.rules.append(rule)
        return rule

    def _include(self, names: str, path: str, at: int) -> None:
        for name in names.split():
            place = posixpath.normpath(posixpath.join(self.folder, name))
            if place in self.tree.entries and place not in self._files:
                self._read(place)
            elif place not in self.tree.entries:
                self.notes.append((path, at, f"{readable(name)} is not in the tree"))

    def _assign(self, name: str, how: str, value: str) -> None:
        if name in self.given:
            return
        if self._state is None:
            old = self.values.get(name, "")
            added = self.expanded(value)
            # Whether it is set is not known: a list that grows keeps both, anything else is not known.
            self.values[name] = f"{old} {added}" if how == "+" else old or added
        elif how == "+":
            self.values[name] = f"{self.values.get(name, '')} {self.expanded(value) if '$' in value else value}".strip()
        elif how == "!":
            self.values[name] = f"{UNKNOWN}{name}{UNKNOWN}"
        elif how != "?" or name not in self.values:
            itself = re.search(rf"\$[({{]{re.escape(name)}[)}}:]", value)
            self.values[name] = self.expanded(value) if ":" in how or itself else value

    # --- conditionals ---------------------------------------------------------------

    @property
    def _state(self) -> bool | None:
        if any(state is False for state, _, _ in self._blocks):
            return False
        return None if any(state is None for state, _, _ in self._blocks) else True

    @property
    def _is_passed_over(self) -> bool:
        return any(state is False and not _OF_GPUS.search(text) for state, _, text in self._blocks)

    @property
    def _conditions(self) -> tuple[str, ...]:
        return tuple(text for state, _, text in self._blocks if state is None)

    def _steer(self, line: str, path: str, at: int) -> bool:
        if line == "endif" or line.startswith("endif "):
            del self._blocks[-1:]
            return True
        if line == "else" or line.startswith("else "):
            if self._blocks:
                state, taken, text = self._blocks.pop()
                condition = _CONDITION.match(line[4:].strip())
                denied = f"not ({text})"
                if condition is None:
                    new = None if state is None else not taken
                    self._blocks.append((new, True, denied))
                else:
                    value = self._decided(condition[1], condition[2], path, at)
                    new = False if taken else None if state is None else value
                    self._blocks.append((new, taken or bool(value), condition[0]))
            return True
        condition = _CONDITION.match(line)
        if condition is None:
            return False
        value = self._decided(condition[1], condition[2], path, at) if self._state is not False else False
        self._blocks.append((value, bool(value), condition[0]))
        return True

    def _decided(self, word: str, text: str, path: str, at: int) -> bool | None:
        for name in re.findall(r"\$[({](\w+)[)}]", text) or re.findall(r"^\w+$", text.strip()):
            self.tested.setdefault(name, (path, at))
        if word in ("ifdef", "ifndef"):
            value = self.values.get(text.strip(), "")
            return None if UNKNOWN in value else bool(value) is (word == "ifdef")
        sides = next((found for pattern in _SIDES if (found := pattern.match(text.strip()))), None)
        if sides is None:
            return None
        one, other = (self.expanded(side).strip() for side in sides.groups())
        return None if UNKNOWN in one + other else (one == other) is (word == "ifeq")

    # --- expansion ------------------------------------------------------------------

    def expanded(self, text: str, local: Mapping[str, str] | None = None, depth: int = 0) -> str:
        """A text with its references replaced."""
        if "$" not in text:
            return text
        if depth > _DEEPEST:
            return f"{UNKNOWN}{text[:40]}{UNKNOWN}"
        self._left -= len(text)
        if self._left < 0:
            raise TooMuch("its variables stand for more than two million characters")
        found: list[str] = []
        at = 0
        while (start := text.find("$", at)) >= 0 and start + 1 < len(text):
            found.append(text[at:start])
            mark = text[start + 1]
            if mark in "({":
                end = _closed(text, start + 1)
                found.append(self._value(text[start + 2 : end], local or {}, depth + 1))
                at = end + 1
            else:
                found.append("$" if mark == "$" else self._named(mark, local or {}, depth + 1))
                at = start + 2
        return "".join((*found, text[at:]))

    def _value(self, inside: str, local: Mapping[str, str], depth: int) -> str:
        word, _, rest = inside.partition(" ")
        if word in _FUNCTIONS:
            arguments = [self.expanded(part, local, depth) for part in _split(rest)]
            return _FUNCTIONS[word](self, [part.strip() if word != "subst" else part for part in arguments])
        if word == "foreach" and len(parts := _split(rest)) == 3:
            name, items = parts[0].strip(), self.expanded(parts[1], local, depth).split()
            return " ".join(self.expanded(parts[2], {**local, name: item}, depth) for item in items[:2000])
        if word == "if" and len(parts := _split(rest)) >= 2:
            test = self.expanded(parts[0], local, depth).strip()
            if UNKNOWN in test:
                return f"{UNKNOWN}$({inside[:60]}){UNKNOWN}"
            return self.expanded(parts[1] if test else ",".join(parts[2:]), local, depth)
        if word == "shell" and (system := _UNAME.fullmatch(rest.strip())):
            name = {"m": "x86_64", "p": "x86_64", "i": "x86_64", "o": "GNU/Linux"}.get(system[1] or "s", "Linux")
            return name.lower() if system[2] else name
        if word == "shell" and (asked := _WHICH.fullmatch(rest.strip())):
            return asked[1]
        if word == "shell" and rest:
            command = self.expanded(rest, local, depth)
            files = listed(command, self.tree.entries, self.folder) if UNKNOWN not in command else None
            if files is not None:
                return " ".join(files)
        if word in _UNKNOWN_FUNCTIONS and rest:
            return f"{UNKNOWN}$({inside[:60]}){UNKNOWN}"
        name = self.expanded(inside, local, depth)
        name, colon, change = name.partition(":")
        if not colon or "=" not in change:
            return self._named(name.strip(), local, depth)
        old, _, new = change.partition("=")
        words = self._named(name, local, depth).split()
        pattern, made = (old, new) if "%" in old else ("%" + old, "%" + new)
        return " ".join(_substituted(pattern, made, word) for word in words)

    def _named(self, name: str, local: Mapping[str, str], depth: int) -> str:
        if name in local:
            return local[name]
        value = self.values.get(name, "")
        return self.expanded(value, local, depth) if "$" in value else value

    def wildcard(self, patterns: Sequence[str]) -> str:
        found: list[str] = []
        for pattern in patterns:
            place = posixpath.normpath(posixpath.join(self.folder, pattern))
            steps = [re.compile(fnmatch.translate(step)) for step in place.split("/")]
            paths = [path for path in self.tree.entries if _leads(steps, path)]
            found += [posixpath.relpath(path, self.folder or ".") for path in paths]
        return " ".join(found)


def _leads(steps: Sequence[re.Pattern[str]], path: str) -> bool:
    """No pattern goes over a slash."""
    parts = path.split("/")
    return len(parts) == len(steps) and all(step.match(part) for step, part in zip(steps, parts, strict=True))


def _closed(text: str, at: int) -> int:
    opens, closes = ("(", ")") if text[at] == "(" else ("{", "}")
    depth = 0
    for place in range(at, len(text)):
        depth += (text[place] == opens) - (text[place] == closes)
        if depth == 0:
            return place
    return len(text)


def _split(text: str) -> list[str]:
    """Arguments of a function: at commas outside of brackets."""
    found, depth, start = [], 0, 0
    for at, mark in enumerate(text):
        depth += (mark in "({") - (mark in ")}")
        if mark == "," and depth == 0:
            found.append(text[start:at])
            start = at + 1
    return [*found, text[start:]]


def stem_of(pattern: str, name: str) -> str | None:
    """What ``%`` stands for where a name is of a pattern."""
    before, mark, after = pattern.partition("%")
    if not mark or len(name) < len(before) + len(after) or not (name.startswith(before) and name.endswith(after)):
        return None
    return name[len(before) : len(name) - len(after)]


def _substituted(pattern: str, made: str, word: str) -> str:
    stem = stem_of(pattern, word) if "%" in pattern else ("" if pattern == word else None)
    return word if stem is None else made.replace("%", stem, 1)


def _filtered(words: Sequence[str], patterns: Sequence[str], *, out: bool) -> str:
    kept = [
        word
        for word in words
        if any(stem_of(p, word) is not None if "%" in p else p == word for p in patterns) is not out or UNKNOWN in word
    ]
    return " ".join(kept)


def _each(change: Callable[[str], str]) -> Callable[[MakeText, list[str]], str]:
    return lambda make, arguments: " ".join(change(word) for word in arguments[0].split())


def readable(text: str) -> str:
    return re.sub(f"{UNKNOWN}([^{UNKNOWN}]*){UNKNOWN}", r"<\1>", text).replace(UNKNOWN, "")


_UNAME = re.compile(
    r"(?:/bin/)?uname(?: -([smpio]))?(?: 2>/dev/null)?"
    r"(\s*\|\s*tr\s+(?:A-Z\s+a-z|[\"']?\[:upper:\][\"']?\s+[\"']?\[:lower:\][\"']?|[\"']\[A-Z\][\"']\s+[\"']\[a-z\][\"']))?"
)
_WHICH = re.compile(
    r"(?:which|command -v|type -p)\s+(nvcc|g\+\+|gcc|clang\+\+|clang|cc|c\+\+|ar|ld)(?:\s+2>\s*/dev/null)?"
)
"""Where a compiler is. That it is there is what a build for NVIDIA rests on; by its name it is the same one."""
_OF_GPUS = re.compile(r"(?i)cuda|gpu|nvcc|nvidia|hip|rocm|amd")
"""Options that a user who has a GPU sets."""
_UNKNOWN_FUNCTIONS = frozenset("shell call eval origin flavor file guile value".split())
_FUNCTIONS: dict[str, Callable[[MakeText, list[str]], str]] = {
    "wildcard": lambda make, a: make.wildcard(a[0].split()),
    "patsubst": lambda make, a: " ".join(_substituted(a[0], a[1], word) for word in a[2].split()) if len(a) > 2 else "",
    "subst": lambda make, a: a[2].strip().replace(a[0].strip(), a[1].strip()) if len(a) > 2 and a[0].strip() else "",
    "filter": lambda make, a: _filtered(a[1].split(), a[0].split(), out=False) if len(a) > 1 else "",
    "filter-out": lambda make, a: _filtered(a[1].split(), a[0].split(), out=True) if len(a) > 1 else "",
    "addprefix": lambda make, a: " ".join(a[0] + word for word in a[1].split()) if len(a) > 1 else "",
    "addsuffix": lambda make, a: " ".join(word + a[0] for word in a[1].split()) if len(a) > 1 else "",
    "basename": _each(lambda word: posixpath.splitext(word)[0]),
    "suffix": _each(lambda word: posixpath.splitext(word)[1]),
    "notdir": _each(posixpath.basename),
    "dir": _each(lambda word: (posixpath.dirname(word) or ".") + "/"),
    "abspath": _each(posixpath.normpath),
    "realpath": _each(posixpath.normpath),
    "sort": lambda make, a: " ".join(sorted(set(a[0].split()))),
    "strip": lambda make, a: " ".join(a[0].split()),
    "firstword": lambda make, a: " ".join(a[0].split()[:1]),
    "lastword": lambda make, a: " ".join(a[0].split()[-1:]),
    "words": lambda make, a: str(len(a[0].split())),
    "findstring": lambda make, a: a[0] if len(a) > 1 and a[0] in a[1] else "",
    "or": lambda make, a: next((part for part in a if part), ""),
    "and": lambda make, a: a[-1] if all(a) else "",
    "error": lambda make, a: "",
    "warning": lambda make, a: "",
    "info": lambda make, a: "",
}
