"""Texts that are hard for a regular expression, derived from its structure; and every expression of the package on them.

For each repeat without an end: what must stand before it, its body many times, and something that does not match. And the
beginning of a match many times over: an expression that reads to the end of the text from each of its beginnings takes time
in the square of the text even where it never goes back.
"""

from __future__ import annotations

import ast
import importlib
import json
import math
import pkgutil
import re
import signal
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, AnyStr

import rewarp

try:
    import re._constants as constants
    import re._parser as parser
except ImportError:  # Python 3.10
    import sre_constants as constants
    import sre_parse as parser

_FUNCTIONS = frozenset("compile search match fullmatch sub subn split findall finditer".split())
_FEW, _MANY = 2_000, 8_000
_LEAST = 0.03
_LIMIT = 1.0
_CLASSES = {
    constants.CATEGORY_DIGIT: "1",
    constants.CATEGORY_NOT_DIGIT: "a",
    constants.CATEGORY_SPACE: " ",
    constants.CATEGORY_NOT_SPACE: "a",
    constants.CATEGORY_WORD: "a",
    constants.CATEGORY_NOT_WORD: " ",
}
_ALPHABET = "a1 _(<{['\"/\\-.,;:=#\n\t*&|>)}]$%@!~^+?é"


def patterns() -> dict[tuple[str | bytes, int], list[str]]:
    """Every regular expression of the package, with the places that have it."""
    found: dict[tuple[str | bytes, int], list[str]] = {}
    for module in pkgutil.walk_packages(rewarp.__path__, "rewarp."):
        try:
            loaded = importlib.import_module(module.name)
        except ImportError:  # what needs torch
            continue
        for name, value in vars(loaded).items():
            if isinstance(value, re.Pattern) and name not in ("re",):
                found.setdefault((value.pattern, value.flags), []).append(f"{module.name}.{name}")
    for file in sorted(Path(rewarp.__path__[0]).rglob("*.py")):
        for literal, flags, line, _ in _literals(file):
            found.setdefault((literal, flags), []).append(f"{file.name}:{line}")
    return found


def uses() -> dict[str, set[str]]:
    """The ways in which expressions are used, by name; of private names, which mean the module's own, with the module."""
    found: dict[str, set[str]] = {}
    root = Path(rewarp.__path__[0])
    for file in root.rglob("*.py"):
        module = ".".join(("rewarp", *file.relative_to(root).with_suffix("").parts)).removesuffix(".__init__")
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.Attribute) and isinstance(node.value, (ast.Name, ast.Attribute)):
                name = node.value.id if isinstance(node.value, ast.Name) else node.value.attr
                way = node.attr if node.attr in ("match", "fullmatch") else "search"
                found.setdefault(f"{module}.{name}" if name.startswith("_") else name, set()).add(way)
        for _, _, line, function in _literals(file):
            if function != "compile":
                way = function if function in ("match", "fullmatch") else "search"
                found.setdefault(f"{file.name}:{line}", set()).add(way)
    return found


def _ways(places: list[str], used: dict[str, set[str]]) -> set[str]:
    """The ways in which an expression may be used; all of them where it is handed on, or stands in a call."""
    every = {"search", "match", "fullmatch"}
    ways: set[str] = set()
    named = [place for place in places if ".py:" not in place]
    for place in named or places:
        name = place.rpartition(".")[2]
        ways |= used.get(place if name.startswith("_") or not named else name) or every
    return ways


def _literals(file: Path) -> Iterator[tuple[str | bytes, int, int, str]]:
    for node in ast.walk(ast.parse(file.read_bytes())):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
            continue
        if node.func.attr in _FUNCTIONS and isinstance(node.func.value, ast.Name) and node.func.value.id == "re":
            given = node.args[0]
            if isinstance(given, ast.Constant) and isinstance(given.value, (str, bytes)):
                try:
                    yield given.value, re.compile(given.value, _flags(node)).flags, node.lineno, node.func.attr
                except re.error:
                    continue


def _flags(call: ast.Call) -> int:
    """Those that a call of ``re`` names: an expression is another one without them."""
    named = {
        node.attr
        for part in (*call.args[1:], *call.keywords)
        for node in ast.walk(part)
        if isinstance(node, ast.Attribute)
    }
    return sum({getattr(re, name) for name in named if isinstance(getattr(re, name, None), re.RegexFlag)})


# --- texts from structure -------------------------------------------------------------


def _one_of(items: Any) -> list[str]:
    """Characters of a set, as different as can be."""
    return [char for char in _ALPHABET if _in_set(items, char)] or [_member(items)]


def _in_set(items: Any, char: str) -> bool:
    negated, found = False, False
    for op, value in items:
        if op is constants.NEGATE:
            negated = True
        elif op is constants.LITERAL:
            found |= ord(char) == value
        elif op is constants.RANGE:
            found |= value[0] <= ord(char) <= value[1]
        elif op is constants.CATEGORY:
            found |= _in_category(value, char)
    return found != negated


def _in_category(category: Any, char: str) -> bool:
    name = str(category)
    is_in = char.isdigit() if "DIGIT" in name else char.isspace() if "SPACE" in name else char.isalnum() or char == "_"
    return is_in != ("_NOT_" in name)


def _member(items: Any) -> str:
    for op, value in items:
        if op is constants.LITERAL:
            return chr(value)
        if op is constants.RANGE:
            return chr(value[0])
        if op is constants.CATEGORY:
            return _CLASSES.get(value, "a")
    return "a"


class Texts:
    """What a parsed expression matches, and what it has trouble with."""

    def __init__(self, tree: Any, flags: int) -> None:
        self._flags = flags
        self._groups: dict[int, str] = {}
        self.pumps: list[tuple[str, str]] = []
        """What stands before a repeat, and a body of it."""
        self.example = self._sequence(tree, "")

    def _sequence(self, tree: Any, before: str) -> str:
        text = ""
        for op, value in tree:
            text += self._item(op, value, before + text)
        return text

    def _item(self, op: Any, value: Any, before: str) -> str:
        if op is constants.LITERAL:
            return chr(value)
        if op is constants.NOT_LITERAL:
            return next(char for char in _ALPHABET if ord(char) != value)
        if op is constants.ANY:
            return "a"
        if op is constants.IN:
            return _one_of(value)[0]
        if op is constants.BRANCH:
            first, *_ = [self._sequence(branch, before) for branch in value[1]]
            return first
        if op is constants.SUBPATTERN:
            text = self._sequence(value[3], before)
            self._groups[value[0]] = text
            return text
        if op in (constants.MAX_REPEAT, constants.MIN_REPEAT) or str(op) == "POSSESSIVE_REPEAT":
            return self._repeat(*value, before)
        if op is constants.GROUPREF:
            return self._groups.get(value, "")
        if op is constants.GROUPREF_EXISTS:
            return self._sequence(value[1], before)
        if op is constants.ASSERT and value[0] > 0:
            self._sequence(value[1], before)
        return ""

    def _repeat(self, least: int, most: Any, body: Any, before: str) -> str:
        text = self._sequence(body, before)
        if most is constants.MAXREPEAT or most > 1000:
            for each in self._bodies(body) or [text]:
                self.pumps.append((before, each))
            if text:
                self.pumps.append((before, text))
        return text * max(least, 1 if most else 0)

    def _bodies(self, body: Any) -> list[str]:
        """Of a repeated character: several that differ."""
        if len(body) != 1:
            return []
        op, value = body[0]
        if op is constants.IN:
            return _one_of(value)
        if op is constants.ANY or op is constants.NOT_LITERAL:
            return [char for char in _ALPHABET if op is constants.ANY or ord(char) != value]
        if op is constants.SUBPATTERN:
            return self._bodies(value[3])
        return []

    @property
    def attacks(self) -> list[tuple[str, str]]:
        """A head, and what is to be repeated behind it."""
        found = dict.fromkeys((before, body) for before, body in self.pumps if body)
        for before, body in self.pumps:
            found |= dict.fromkeys([("", body), ("", before), ("", before + body), ("", before + body + "\n")])
        for cut in range(1, min(len(self.example), 40) + 1):
            found[("", self.example[:cut])] = None
        return [(head, unit) for head, unit in found if unit]


def _fits(pattern: re.Pattern[AnyStr], text: str) -> AnyStr:
    return text.encode() if isinstance(pattern.pattern, bytes) else text  # type: ignore[return-value]


# --- running them ---------------------------------------------------------------------


class _Long(Exception):
    pass


def _give_up(*_: Any) -> None:
    raise _Long


def _seconds(run: Callable[[Any], Any], text: Any) -> float:
    begun = time.process_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, _LIMIT)
    try:
        run(text)
    except _Long:
        return _LIMIT
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.process_time() - begun


def growth(pattern: re.Pattern[AnyStr], head: str, unit: str, ways: Collection[str]) -> tuple[str, float, float] | None:
    """How an expression is used, the exponent and the seconds for the longer text; None where it is fast."""

    def everywhere(text: AnyStr) -> None:
        for _ in pattern.finditer(text):
            pass

    worst: tuple[str, float, float] | None = None
    for name, run in (("search", everywhere), ("match", pattern.match), ("fullmatch", pattern.fullmatch)):
        if name not in ways:
            continue
        texts = [_fits(pattern, head + unit * (size // len(unit)) + "\0") for size in (_FEW, _MANY)]
        if (many := _seconds(run, texts[1])) < _LEAST:
            continue
        few = _seconds(run, texts[0])
        found = math.log(many / max(few, 1e-5)) / math.log(_MANY / _FEW)
        if found > 1.3 and (worst is None or many > worst[2]):
            worst = (name, found, many)
    return worst


def report(only: str, file: Path | None) -> int:
    """Prints the expressions of the package that grow too fast."""
    signal.signal(signal.SIGVTALRM, _give_up)
    every, used = patterns(), uses()
    rows = []
    print("| expression | used as | head | unit | exponent | seconds for 8 KB |\n|---|---|---|---|---:|---:|")
    for (source, flags), places in sorted(every.items(), key=lambda item: item[1][0]):
        if only not in " ".join(places):
            continue
        pattern = re.compile(source, flags)
        text = source.decode("latin-1") if isinstance(source, bytes) else source
        texts = Texts(parser.parse(text, flags & ~re.UNICODE if isinstance(source, bytes) else flags), flags)
        worst: dict[str, Any] | None = None
        for head, unit in texts.attacks:
            found = growth(pattern, head, unit, _ways(places, used))
            if found:
                way, steep, seconds = found
                worst = {
                    "places": places,
                    "way": way,
                    "head": head,
                    "unit": unit,
                    "exponent": steep,
                    "seconds": seconds,
                }
                break
        if worst:
            rows.append(worst)
            print(
                f"| {places[0]} | {worst['way']} | `{worst['head']!r}` | `{worst['unit']!r}` "
                f"| {worst['exponent']:.1f} | {worst['seconds']:.2f} |",
                flush=True,
            )
    print(f"\n{len(every)} expressions, {len(rows)} of them above 1.3 on some text")
    if file:
        file.write_text(json.dumps(rows, indent=1) + "\n")
    return int(bool(rows))
