"""CUDA C++, C++ and Rust: code with comments and strings told apart.

``code`` is the file with every comment and string blanked, byte for byte the same length,
so a regular expression over it can only match code. The string literals (inline PTX lives
there) and ``#include`` paths are kept beside it with their places.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from rewarp.lang import rust
from rewarp.lang.cpp.conditions import OPENING, compiled_arms, fold_directive
from rewarp.lang.cpp.lexer import REST_OF_LINE, Hiding, blanked, hiding, literals, skip_blanks_back
from rewarp.lang.document import Document
from rewarp.lang.kinds import Kind
from rewarp.lang.nesting import check_nesting, conditions_too_deep, has_endless_word, nests_too_deep
from rewarp.source import SourceFile, Span

if TYPE_CHECKING:
    from rewarp.targets.base import Target

_INCLUDE = re.compile(rb"^[ \t]*\#[ \t]*include[ \t]*([<\"])([^>\"\r\n]+)[>\"]", re.M)
_DIRECTIVE = re.compile(rb"\#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b(" + REST_OF_LINE + rb")")
_GUARD = re.compile(
    rb"(?:ifndef[ \t]+|if[ \t]*![ \t]*defined[ \t(]*)(\w+)[ \t)]*(?:[^\S \t]\s*)?\#[ \t]*define[ \t]+(\w+)"
)
_CONDITIONAL = frozenset(b"if ifdef ifndef elif elifdef elifndef else endif".split())
_IDENTIFIER = re.compile(rb"[A-Za-z_]\w*")
_TOKEN_BEFORE = re.compile(rb"([A-Za-z_]\w*|[^\s\w])[ \t]*\Z")
_NOT_TYPES = frozenset(
    b"return else do case throw co_return co_await co_yield new delete and or not goto sizeof".split()
)
_LONG_LINE = 400
_BRACKET = re.compile(rb"[()\[\]{}]")
_NEWLINE = ord("\n")


class Literal(NamedTuple):
    """A string literal: its text between the quotes and its span (quotes included)."""

    text: str
    where: Span


class Include(NamedTuple):
    path: str
    where: Span
    system: bool = True
    """Written ``<path>``, not ``"path"``."""


class Directive(NamedTuple):
    """One line of conditional compilation."""

    word: str
    condition: str
    where: Span
    include_guard: bool
    """``#ifndef X`` with ``#define X`` right after it: says nothing about the platform."""


Truth = Callable[[Directive], "bool | None"]
"""Whether what a directive asks holds; None where that is not known."""


@dataclass
class Arm:
    """What lies between two directives of one ``#if``, and the ``#if``s in it."""

    test: Directive
    """The directive that opens it."""
    body: Span
    nested: list[Conditional]


@dataclass(eq=False)
class Conditional:
    """An ``#if`` with its ``#elif`` and ``#else``."""

    arms: list[Arm] = field(default_factory=list)
    end: Directive | None = None
    """Its ``#endif``; None where the file ends before."""

    @property
    def where(self) -> Span:
        """From its ``#if`` to its ``#endif``, without that."""
        return Span(self.arms[0].test.where.start, self.arms[-1].body.end)

    def every(self) -> Iterator[Conditional]:
        """This one and those inside it, each before what it holds. They may nest deeper than Python's stack."""
        pending = [self]
        while pending:
            one = pending.pop()
            yield one
            pending += [inner for arm in reversed(one.arms) for inner in reversed(arm.nested)]

    def compiled(self, truth: Truth) -> list[bool | None]:
        """For each arm whether the compiler sees it. Of an include guard that is not known."""
        tests = (arm.test for arm in self.arms)
        return list(compiled_arms(None if one.include_guard else one.word == "else" or truth(one) for one in tests))


class Branch(NamedTuple):
    """What lies between two directives of one ``#if``."""

    where: Span
    test: Directive
    """The directive that opens it."""
    compiled: bool | None
    """Whether its condition lets the compiler see it; None when that is not known."""


class CodeFile(Document):
    """A file in a language with C-like comments and strings."""

    def __init__(self, source: SourceFile, kind: Kind, hidden: Hiding | None = None) -> None:
        """``hidden``: what hides code in it, where that was found out before."""
        super().__init__(source, kind)
        if hidden is not None:
            self.hiding = hidden

    @cached_property
    def hiding(self) -> Hiding:
        """What is not code, of C++."""
        return hiding(self.source.view)

    @cached_property
    def _split(self) -> tuple[bytes, list[Span]]:
        view = self.source.view
        parts: list[bytes] = []
        literals: list[Span] = []
        at = 0
        for kind, start, end in self._tokens():
            text = view[start:end]
            parts.append(view[at:start])
            if kind == "comment":
                parts.append(blanked(text))
            else:
                quote = b"'" if kind == "char" else b'"'
                last = b"" if len(text) < 2 else text[-1:] if text[-1] in b"\r\n" else quote
                parts += (quote, blanked(text[1:-1]), last)
                if kind != "char":
                    literals.append(Span(start, end))
            at = end
        parts.append(view[at:])
        return b"".join(parts), literals

    def _tokens(self) -> Iterator[tuple[str, int, int]]:
        """Comments, strings and character literals: (kind, start, end)."""
        view = self.source.view
        return rust.literals(view) if self.kind is Kind.RUST else literals(view, self.hiding.hidden)

    @property
    def code(self) -> bytes:
        """The file with comments and strings blanked; offsets are those of the view."""
        return self._split[0]

    @cached_property
    def comments(self) -> list[Span]:
        return [Span(start, end) for kind, start, end in self._tokens() if kind == "comment"]

    @cached_property
    def literals(self) -> list[Literal]:
        return [Literal(_inner(self.source.view[slice(*span)]), span) for span in self._split[1]]

    @cached_property
    def includes(self) -> list[Include]:
        """``#include`` paths. Read from the file itself: quotes make them look like strings."""
        found = []
        for match in _INCLUDE.finditer(self.source.view):
            if self.code[match.start() : match.start(1)].strip().startswith(b"#"):
                path = match[2].decode("utf-8", "replace").strip()
                found.append(Include(path, Span(match.start(), match.end()), match[1] == b"<"))
        return found

    def search(self, pattern: re.Pattern[bytes], group: int | str = 0) -> Iterator[tuple[re.Match[bytes], Span]]:
        """Matches of a pattern in code, with the span of the match or of one group."""
        for match in pattern.finditer(self.code):
            yield match, Span(*match.span(group))

    @cached_property
    def words(self) -> dict[bytes, list[int]]:
        """Every identifier in code, with the offsets it stands at. The words of an include path are none."""
        code = bytearray(self.code)
        for include in self.includes:
            start, end = include.where
            code[start:end] = b" " * (end - start)
        found: dict[bytes, list[int]] = {}
        for match in _IDENTIFIER.finditer(bytes(code)):
            try:
                found[match[0]].append(match.start())
            except KeyError:
                found[match[0]] = [match.start()]
        return found

    def closing(self, at: int) -> int:
        """The offset after the bracket that closes the one at ``at``; the end of the code if none does."""
        return self._closings.get(at, len(self.code))

    @cached_property
    def _closings(self) -> dict[int, int]:
        """In one pass: from each that is left open the rest of the file would be read."""
        found: dict[int, int] = {}
        opened: list[int] = []
        for match in _BRACKET.finditer(self.code):
            if match[0] in b"([{":
                opened.append(match.start())
            elif opened:
                found[opened.pop()] = match.end()
        return found

    @cached_property
    def directives(self) -> list[Directive]:
        """``#if``, ``#elif``, ``#else`` and ``#endif`` in order, conditions without comments."""
        conditional = (line.start for line in self.hiding.lines if line.word in _CONDITIONAL)
        return [directive for at in conditional if (directive := _directive(self.code, at))]

    @cached_property
    def conditionals(self) -> list[Conditional]:
        """Conditional compilation as a tree. What is never closed ends with the file."""
        top: list[Conditional] = []
        stack: list[tuple[Conditional, Directive, list[Conditional]]] = []
        for directive in self.directives:
            if directive.word in OPENING:
                stack.append((Conditional(), directive, []))
            elif stack:
                one, test, nested = stack.pop()
                one.arms.append(Arm(test, Span(test.where.end, directive.where.start), nested))
                if directive.word == "endif":
                    one.end = directive
                    (stack[-1][2] if stack else top).append(one)
                else:
                    stack.append((one, directive, []))
        while stack:
            one, test, nested = stack.pop()
            one.arms.append(Arm(test, Span(test.where.end, len(self.code)), nested))
            (stack[-1][2] if stack else top).append(one)
        return top

    def every_conditional(self) -> Iterator[Conditional]:
        """Each before those inside it."""
        for one in self.conditionals:
            yield from one.every()

    def around(self, at: int) -> list[tuple[Conditional, Arm]]:
        """The conditionals that a place stands in, outermost first, with the arm of each."""
        arms = ((one, arm) for one in self.every_conditional() for arm in one.arms)
        return [(one, arm) for one, arm in arms if arm.body.start <= at < arm.body.end]

    # --- preprocessor gates ---------------------------------------------------------

    def branches(self, target: Target) -> list[Branch]:
        """Every branch of conditional compilation, with whether the target compiles it."""
        return self.branches_by(lambda test: _folded(test.word, test.condition, target))

    def branches_by(self, truth: Truth) -> list[Branch]:
        """The same by what is known of conditions."""
        return [
            Branch(arm.body, arm.test, compiled)
            for conditional in self.every_conditional()
            for arm, compiled in zip(conditional.arms, conditional.compiled(truth))
        ]

    def _dead_regions(self, target: Target) -> list[Span]:
        """Code that the preprocessor drops when building for the target; none of these lies inside another."""
        key = (target.name, target.undefined_macros)
        regions = self._dead.get(key)
        if regions is None:
            regions = self._dead[key] = []
            for where in sorted(branch.where for branch in self.branches(target) if branch.compiled is False):
                if not regions or where.start >= regions[-1].end:
                    regions.append(where)
        return regions

    @cached_property
    def _dead(self) -> dict[tuple[str, frozenset[str]], list[Span]]:
        return {}

    def unreachable(self, where: Any, target: Target) -> bool:
        return self.is_dead(self.span(getattr(where, "where", where)).start, target)

    def is_dead(self, at: int, target: Target) -> bool:
        """Whether the preprocessor drops a place when building for the target."""
        regions = [] if self.kind is Kind.RUST else self._dead_regions(target)
        index = bisect_right(regions, (at, sys.maxsize)) - 1
        return index >= 0 and at < regions[index].end


def check_depth(source: SourceFile, kind: Kind = Kind.CUDA) -> None:
    """Raises UnreadableSource for what nests, and for names that go on, without end. What does so in comments and strings
    alone is no such file; they are told apart only where it matters."""
    view = source.view
    if nests_too_deep(view) or conditions_too_deep(view) or has_endless_word(view):
        check_nesting(CodeFile(source, kind).code, preprocessed=kind is not Kind.RUST)


@lru_cache(maxsize=4096)
def _folded(word: str, condition: str, target: Target) -> bool | None:
    """Whether the target's compiler takes a branch. The files of a project ask the same few questions."""
    return fold_directive(word, condition, target.macro)


def _directive(code: bytes, at: int) -> Directive | None:
    """The line of conditional compilation whose ``#`` stands at a place."""
    match = _DIRECTIVE.match(code, at)
    if match is None:
        return None
    line = skip_blanks_back(code, match.start())
    if line and code[line - 1] != _NEWLINE:
        return None
    guard = _GUARD.match(code, match.start(1)) if match[1] in (b"ifndef", b"if") else None
    return Directive(
        match[1].decode(),
        match[2].decode("utf-8", "replace").strip(),
        Span(line, match.end()),
        bool(guard and guard[1] == guard[2]),
    )


def is_declaration(code: bytes, at: int) -> bool:
    """Whether the name at a place is declared or defined there, as far as what stands before it tells."""
    line = max(code.rfind(b"\n", 0, at) + 1, at - _LONG_LINE)
    before = code[line:at]
    if not before.strip():  # the type may stand on the line above
        above = code.rfind(b"\n", 0, max(line - 1, 0)) + 1
        before = code[above:line].rstrip()
        if before.lstrip().startswith(b"#"):
            return False
    token = _TOKEN_BEFORE.search(before)
    if not token:
        return False
    if token[1] in (b"*", b"&"):  # `float* name(`, but not `a * name(`
        return bool(re.search(rb"(?:^|[;{}\s])\w+[*&]+[ \t]*\Z", before)) and b"=" not in before
    return bool(re.match(rb"[A-Za-z_]", token[1])) and token[1] not in _NOT_TYPES


def _inner(text: bytes) -> str:
    """What a literal says, without prefix, quotes and raw-string delimiters."""
    prefix, _, inner = text.partition(b'"')
    if prefix.endswith(b"R"):
        inner = inner.partition(b"(")[2]
        inner = inner.rpartition(b")")[0] if inner.endswith(b'"') else inner
    else:
        hashes = prefix.lstrip(b"bcr")
        inner = inner.removesuffix(b'"' + hashes)
    return inner.decode("utf-8", "replace")
