"""What is known while CMake files are run: variables, targets, conditions around the place; arguments expanded with it."""

from __future__ import annotations

import posixpath
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rewarp.errors import RewarpError
from rewarp.lang.cmake.blocks import Block, Call, Node
from rewarp.lang.cmake.modules import MORE_NAMES
from rewarp.lang.cmake.outcome import CMakeOption, CMakeTarget, Directory, Given, Item, Reason
from rewarp.lang.cmake.scopes import Scopes
from rewarp.lang.cmake.setting import Files, Setting
from rewarp.lang.cmake.values import (
    Conditions,
    Element,
    Guards,
    Literal,
    Truth,
    cleaned,
    elements,
    has_choice,
    is_known,
    unknown,
)

_LONGEST = 4_000_000
_PIECE = re.compile(r"\\(?P<escaped>.)|\$(?P<kind>ENV|CACHE)?\{|\}", re.S)
_BRACKET = re.compile(r"\[(=*)\[\r?\n?(.*)\]\1\]", re.S)
_VARIABLE = re.compile(r"[A-Za-z]\w*")
_CONTROL = {"n": "\n", "t": "\t", "r": "\r", ";": "\\;"}


class LimitError(RewarpError):
    """The files would run longer, or deeper, than is looked at."""


class Exit(NamedTuple):
    """A way out of a block: return, break, continue, fatal; where it is not sure, under which condition."""

    kind: str
    when: Truth = True


@dataclass
class Frame:
    """A file, function or macro that is being run."""

    file: str
    macro: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Function:
    block: Block
    is_macro: bool
    file: str
    guards: Guards = ()
    """Conditions under which it is defined, as far as nothing here decides them."""


class State(ABC):
    def __init__(self, files: Files, setting: Setting) -> None:
        self.files, self.setting = files, setting
        self.conditions = Conditions()
        self.scopes = Scopes(self.conditions)
        self.path: list[Literal] = []
        """The undecided conditions around the place that is run."""
        self.functions: dict[str, list[Function]] = {}
        """Of each name what was defined last; before it, what holds where that is not defined."""
        self.targets: dict[str, CMakeTarget] = {}
        self.aliases: dict[str, str] = {}
        self.languages: dict[str, list[Guards]] = {}
        self.options: dict[str, CMakeOption] = {}
        self.messages: list[str] = []
        self.unread: list[tuple[Reason, str]] = []
        self.stopped = ""
        self.refusals: list[tuple[Reason, str]] = []
        self.wanted: frozenset[str] = frozenset()
        self.ran: dict[str, set[int]] = {}
        """Of each file the lines of the calls that were run, on some way at least."""
        self.configured: dict[str, set[bool | None]] = {}
        """Macros of headers that are written, and whether they are defined there; None where that is not known."""
        self._undefined: list[set[str]] = []
        """For each if() around this place the variables that its tests asked for and nothing defines."""
        self.directory = Directory(setting.root, setting.build, Given())
        self.directories = [self.directory]
        self.frames: list[Frame] = []
        self.policies: dict[str, str] = {}
        self.minimum = "3.10"
        self.missing: str = ""
        """Something that was not there to be read, and that may define commands and targets."""
        self.listings: dict[bool, Sequence[str]] = {}
        """The paths of the tree, without folders and with them."""
        self._blocks: dict[str, tuple[Node, ...]] = {}

    @abstractmethod
    def asked(self, test: str, word: str) -> bool | None:
        """The answer to a test of a condition: TARGET, EXISTS, COMMAND and the like."""

    def inside(self, path: str) -> str | None:
        """The path in the tree of an absolute one; None for what is elsewhere."""
        path = posixpath.normpath(path)
        root = self.setting.root.rstrip("/")
        if path == root:
            return ""
        return path[len(root) + 1 :] if path.startswith(root + "/") else None

    # --- arguments -------------------------------------------------------------------

    def raw(self, call: Call) -> list[str]:
        """Each argument, expanded and not split."""
        macro = self.frames[-1].macro if self.frames else None
        found: list[str] = []
        for argument in call.arguments:
            text = cleaned(argument.text)
            if argument.style == "bracket":
                match = _BRACKET.fullmatch(text)
                found.append(match[2] if match else text)
                continue
            if macro and "$" in text:
                text = re.sub(r"\$\{(\w+)\}", lambda match: macro.get(match[1], match[0]), text)
            found.append(self.substituted(text))
        return found

    def expanded(self, call: Call) -> list[Element]:
        found: list[Element] = []
        for argument, value in zip(call.arguments, self.raw(call)):
            found += elements(value) if argument.style == "bare" else [Element(value)]
        return found

    def substituted(self, text: str) -> str:
        """References to variables replaced, escapes resolved."""
        if "$" not in text and "\\" not in text:
            return text
        stack: list[tuple[str, list[str]]] = []
        into: list[str] = []
        at = 0
        for piece in _PIECE.finditer(text):
            into.append(text[at : piece.start()])
            at = piece.end()
            if piece["escaped"]:
                into.append(_CONTROL.get(piece["escaped"], piece["escaped"]))
            elif piece[0] != "}":
                stack.append((piece["kind"] or "", into))
                into = []
            elif stack:
                kind, outer = stack.pop()
                outer.append(self._referred(kind, "".join(into)))
                into = outer
            else:
                into.append("}")
        into.append(text[at:])
        while stack:
            _, outer = stack.pop()
            into = [*outer, *into]
        found = "".join(into)
        if len(found) > _LONGEST:
            raise LimitError("a value grows beyond 4 MB")
        return found

    def _referred(self, kind: str, name: str) -> str:
        if has_choice(name) or not is_known(name):
            return unknown(f"${{{name}}}")
        if kind == "ENV":
            if name in self.setting.environment:
                return self.setting.environment[name] or ""
            return unknown(f"$ENV{{{name}}}", maybe_undefined=True)
        value = self.scopes.cached(name) if kind == "CACHE" else self.variable(name)
        return (value or "").replace("\x07", "")

    # --- what conditions ask ---------------------------------------------------------

    def variable(self, name: str) -> str | None:
        value = self.scopes.get(name)
        if value is None and self._undefined and _VARIABLE.fullmatch(name):
            self._undefined[-1].add(name)
        return value

    def matched(self, groups: Sequence[str | None] | None) -> None:
        values = (
            [unknown(f"CMAKE_MATCH_{at}") for at in range(10)] if groups is None else [group or "" for group in groups]
        )
        for at in range(10):
            name = f"CMAKE_MATCH_{at}"
            if at < len(values) or self.scopes.get(name):
                self.scopes.set(name, values[at] if at < len(values) else "")
        self.scopes.set("CMAKE_MATCH_COUNT", str(max(len(values) - 1, 0)))

    def all_of(self, guards: Guards) -> Truth:
        truth: Truth = True
        for guard in guards:
            truth = self.conditions.both(truth, self.conditions.value(guard))
        return truth

    @property
    def files_run(self) -> tuple[str, ...]:
        return tuple(self._blocks)

    def may_bring(self, name: str, what: str) -> None:
        """Something that cannot be read may set variables: those whose names begin like its own, in any case."""
        bare = name.rstrip("0123456789")
        stem = re.escape(bare if len(bare) > 2 else name)
        more = "|".join(MORE_NAMES.get(name.lower(), ()))
        pattern = rf"(?i:{stem})\w*" + (f"|(?:{more})\\w*" if more else "")
        self.scopes.origins.append((re.compile(pattern), what))

    # --- notes -----------------------------------------------------------------------

    def note(self, call: Call, what: str) -> None:
        self.unread.append((Reason(call.file, call.line), what))

    def stop(self, call: Call, why: str) -> Exit:
        """CMake ends here with an error."""
        if not self.path and not self.stopped:
            self.stopped = f"{call.file}:{call.line}: {why}"
            self.refusals.append((Reason(call.file, call.line), why))
            self.wanted = frozenset(name for names in self._undefined for name in names)
        return Exit("fatal")

    def item(self, element: Element, reason: Reason) -> Item:
        return Item(element.text, (*self.path, *element.guards), reason)
