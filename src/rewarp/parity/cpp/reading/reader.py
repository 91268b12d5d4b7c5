"""A C++ file, read for its declarations. Bodies are not looked into."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from rewarp.parity.cpp.reading.declarations import Class, CppFile, Entry, Function, Table
from rewarp.parity.cpp.reading.expansion import Defined, defined_in
from rewarp.parity.cpp.reading.tokens import ELSE_UNKNOWN, END_UNKNOWN, IF_UNKNOWN, Macros, Tokens

_NAME = re.compile(r"[A-Za-z_]\w*\Z")
_MARKS = frozenset((IF_UNKNOWN, ELSE_UNKNOWN, END_UNKNOWN))
_ACCESS = frozenset({"public", "private", "protected"})
_CLASS_WORDS = frozenset({"class", "struct", "union"})
_AFTER_PARAMETERS = frozenset("const noexcept override final volatile throw try mutable requires & &&".split())
_NOT_FUNCTIONS = frozenset(
    "if for while switch return sizeof catch decltype alignas __attribute__ __declspec __launch_bounds__ noexcept "
    "static_assert defined __align__ operator throw asm requires".split()
)
_DEEP = 40
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".cuh", ".inl")
_SOURCES = (*_HEADERS, ".c", ".cc", ".cpp", ".cxx", ".cu", ".hip", ".m", ".mm")


def read_file(path: str, data: bytes, macros: Macros) -> CppFile:
    """Raises UnreadableSource for bytes that are no text."""
    tokens = Tokens(path, data, macros)
    file = CppFile(path, tokens)
    _Reader(file).scope(0, tokens.size, None, 0)
    return file


class Readings:
    """Files as they were read: two back ends whose macros agree about a file see the same."""

    def __init__(self) -> None:
        self._known: dict[str, list[tuple[CppFile, dict[str, bool | None]]]] = defaultdict(list)
        self._macros: dict[str, Defined] | None = None

    def macros(self, files: Mapping[str, bytes]) -> Mapping[str, Defined]:
        """The macros of all files of a tree, of one that is defined twice the first; headers go first."""
        if self._macros is None:
            self._macros = {}
            for path in sorted(files, key=lambda path: (not path.lower().endswith(_HEADERS), path)):
                if path.lower().endswith(_SOURCES) and b"define" in files[path]:
                    for name, macro in defined_in(path, files[path]):
                        self._macros.setdefault(name, macro)
        return self._macros

    def read(self, path: str, data: bytes, macros: Macros) -> CppFile:
        for file, asked in self._known[path]:
            if all(macros(name) is answer for name, answer in asked.items()):
                return file
        answers: dict[str, bool | None] = {}

        def noted(name: str) -> bool | None:
            answers[name] = macros(name)
            return answers[name]

        file = read_file(path, data, noted)
        self._known[path].append((file, answers))
        return file


class _Head(NamedTuple):
    """What stands before the `{` of a class."""

    brace: int
    name: str
    bases: tuple[str, ...]
    arguments: tuple[str, ...]


class _Reader:
    def __init__(self, file: CppFile) -> None:
        self.file = file
        self.tokens = file.tokens
        self.list = file.tokens.list
        self.partner = file.tokens.partner
        self.text = file.tokens.list.__getitem__

    def scope(self, at: int, end: int, owner: Class | None, depth: int) -> None:
        """The declarations of a file, a namespace or a class."""
        while at < end and depth < _DEEP:
            word = self.text(at)
            following = self.text(at + 1)
            if word in _MARKS or word in ";}" or (word in _ACCESS and following == ":"):
                at += 1
            elif word == "namespace" or (word == "extern" and following.startswith('"')):
                at = self._block(at, end, owner, depth)
            elif word == "template":
                at = self._after_angles(at + 1)
            elif self._declares_no_code(at, end):
                at = self._skip_to(at, end)
            else:
                at = self._declaration(at, end, owner, depth)

    def _declares_no_code(self, at: int, end: int) -> bool:
        """A name for a type, a friend, or enumerators; before anything else, `enum` is only a part of a type."""
        if self.text(at) in ("using", "typedef", "friend"):
            return self._class_head(at + 1, end) is None
        if self.text(at) != "enum":
            return False
        stop = next((index for index in range(at, end) if self.text(index) in ("{", ";", "(", "=")), end)
        return self.text(stop) in ("{", ";")

    def _block(self, at: int, end: int, owner: Class | None, depth: int) -> int:
        while at < end and self.text(at) not in ("{", ";"):
            at += 1
        if self.text(at) != "{":
            return at + 1
        close = self.partner.get(at, end)
        self.scope(at + 1, close, owner, depth + 1)
        return close + 1

    def _after_angles(self, at: int) -> int:
        """Past `< … >`, where one begins here."""
        if self.text(at) != "<":
            return at
        depth = 0
        for index in range(at, min(at + 2000, self.tokens.size)):
            text = self.text(index)
            if text == "<":
                depth += 1
            elif text in (">", ">>>"):
                depth -= len(text)
                if depth <= 0:
                    return index + 1
            elif text in (";", "{"):
                break
        return at + 1

    def _skip_to(self, at: int, end: int) -> int:
        """Past the `;` that ends this declaration."""
        while at < end:
            text = self.text(at)
            if text == ";":
                return at + 1
            at = self.partner.get(at, at) + 1 if text in ("{", "(", "[") else at + 1
        return end

    def _class_head(self, at: int, end: int) -> _Head | None:
        """The class that begins here."""
        if self.text(at) not in _CLASS_WORDS:
            return None
        name, in_bases = "", False
        arguments: tuple[str, ...] = ()
        bases: list[str] = []
        index = at + 1
        while index < min(end, at + 400):
            text = self.text(index)
            if text == "{":
                return _Head(index, name, tuple(bases), arguments)
            if text == "(" and not in_bases:  # `struct __attribute__((packed)) X`
                if self.text(index - 1) not in ("__attribute__", "alignas", "__align__", "__declspec"):
                    return None
                index = self.partner.get(index, index)
                name = ""
            elif text in ";=)*&" and not in_bases:
                return None
            elif text == ":" and not in_bases:
                in_bases = True
            elif text == "<":
                close = self._after_angles(index) - 1
                if not in_bases:
                    arguments = self._angled(index, close)
                index = close
            elif _NAME.match(text):
                if in_bases and text not in _ACCESS and text != "virtual":
                    if self.text(index - 1) == "::" and bases:
                        bases[-1] = text
                    else:
                        bases.append(text)
                elif not in_bases and text != "final":
                    name = text
            index += 1
        return None

    def _angled(self, open_: int, close: int) -> tuple[str, ...]:
        """The template arguments between `<` and `>`."""
        found, depth = [""], 0
        for text in self.list[open_ + 1 : close]:
            depth += (text == "<") - (text.count(">") if text in (">", ">>>") else 0)
            if text == "," and not depth:
                found.append("")
            elif text not in _MARKS:
                found[-1] += text
        return tuple(found)

    def _declaration(self, start: int, end: int, owner: Class | None, depth: int) -> int:
        """One declaration; gives where the next one begins."""
        words: list[str] = []
        at = start
        found: tuple[int, int] | None = None  # a name and the `(` after it
        while at < end:
            text = self.text(at)
            if text in _CLASS_WORDS and found is None:
                head = self._class_head(at, end)
                if head:
                    return self._class(head, at, end, depth)
            if text in _MARKS:
                at += 1
                continue
            if text == ";":
                if found:
                    self._function(found, None, words, owner)
                elif owner is not None:
                    owner.fields += 1
                return at + 1
            if text == "=":
                return self._initialised(at, end, found, words, owner)
            if text == "(":
                name = self.text(at - 1)
                if found is None and self.text(at + 1) == "*" and self.text(at + 3) == ")" and self.text(at + 4) == "(":
                    # `int (*name)(…)`
                    if owner is not None:
                        owner.pointers.append(self.text(at + 2))
                    return self._skip_to(at, end)
                if _NAME.match(name) and name not in _NOT_FUNCTIONS and at > start:
                    found = (at - 1, at)
                at = self.partner.get(at, at) + 1
                if found and self.text(at) == ":" and self.text(at + 1) != ":":
                    at = self._body_after_initialisers(at, end)
                continue
            if text == "{":
                close = self.partner.get(at, end)
                if found:
                    self._function(found, (at + 1, close), words, owner)
                    return self._after_catches(close + 1)
                # A brace that belongs to nothing known: an initialiser, an Objective-C block, a macro's.
                at = close + 1
                if self.text(at) != ";" and self.text(at) != ",":
                    return at
                continue
            if text == "<" and _NAME.match(self.text(at - 1)):
                at = max(self._after_angles(at), at + 1)
                continue
            if text == "}":
                return at + 1
            if _NAME.match(text):
                if found and text not in _AFTER_PARAMETERS and self.text(at - 1) == ")" and self.text(at + 1) != "(":
                    found = None  # `MACRO(x) type name(…)`
                words.append(text)
            at += 1
        return end

    def _body_after_initialisers(self, at: int, end: int) -> int:
        """The `{` of a constructor, past `: a(1), b{2}`."""
        while at < end:
            text = self.text(at)
            if text in "([" and text:
                at = self.partner.get(at, at) + 1
            elif text == "{":
                if _NAME.match(self.text(at - 1)) and self.text(at - 1) not in _AFTER_PARAMETERS:
                    at = self.partner.get(at, at) + 1
                    continue
                return at
            elif text == ";":
                return at
            else:
                at += 1
        return end

    def _after_catches(self, at: int) -> int:
        while self.text(at) == "catch" and self.text(at + 1) == "(":
            brace = self.partner.get(at + 1, at + 1) + 1
            at = self.partner.get(brace, brace) + 1
        return at

    def _class(self, head: _Head, at: int, end: int, depth: int) -> int:
        brace, name, bases, arguments = head
        found = Class(name, bases, self.file.path, self.tokens.line(at), arguments=arguments)
        close = self.partner.get(brace, end)
        self.scope(brace + 1, close, found, depth + 1)
        if name:
            self.file.classes.append(found)
        # `} name = { … };`: an object of a class without a name is no table of functions.
        return self._skip_to(close + 1, end)

    def _function(
        self, found: tuple[int, int], body: tuple[int, int] | None, words: list[str], owner: Class | None
    ) -> None:
        name_at, parenthesis = found
        close = self.partner.get(parenthesis, parenthesis)
        flags = set(words)
        if self.text(close + 1) == "=" and self.text(close + 2) == "0":
            flags.add("pure")
        flags |= {text for text in self.list[close + 1 : close + 5] if text in _AFTER_PARAMETERS}
        holder = owner.name if owner else ""
        if owner is None and self.text(name_at - 1) == "::":
            holder = self._holder(name_at - 2)
        name = ("~" if self.text(name_at - 1) == "~" else "") + self.text(name_at)
        function = Function(
            name, holder, self._parameters(parenthesis, close), frozenset(flags), self.tokens, name_at, body
        )
        if owner is not None:
            owner.methods.append(function)
        self.file.functions.append(function)

    def _holder(self, at: int) -> str:
        """The class before `::name`."""
        if self.text(at) == ">":
            depth = 0
            while at > 0:
                depth += (self.text(at) == ">") - (self.text(at) == "<")
                at -= 1
                if depth == 0:
                    break
        return self.text(at) if _NAME.match(self.text(at)) else ""

    def _parameters(self, open_: int, close: int) -> tuple[str, ...]:
        names: list[str] = []
        last, depth, defaulted = "", 0, False
        index = open_ + 1
        while index < close:
            text = self.text(index)
            if text in "([{" and text:
                if self.text(index + 1) == "*":  # a pointer to a function
                    last = self.text(index + 2)
                index = self.partner.get(index, index)
            elif text == "<":
                depth += 1
            elif text in (">", ">>>"):
                depth = max(0, depth - len(text))
            elif text == "," and not depth:
                names.append(last)
                last, defaulted = "", False
            elif text == "=":
                defaulted = True
            elif _NAME.match(text) and not depth and not defaulted:
                last = text
            index += 1
        return (*names, last) if last else tuple(names)

    def _initialised(
        self, at: int, end: int, found: tuple[int, int] | None, words: list[str], owner: Class | None
    ) -> int:
        if found:
            # `= 0`, `= default`, `= delete`
            if self.text(at + 1) != "delete":
                self._function(found, None, words, owner)
            return self._skip_to(at, end)
        if self.text(at + 1) == "{" and owner is None:
            name_at = at - 1
            while self.text(name_at) == "]":
                name_at = self.partner.get(name_at, name_at) - 1
            types = [
                word
                for word in words[:-1]
                if word not in ("static", "const", "struct", "constexpr", "inline", "extern")
            ]
            if types and _NAME.match(self.text(name_at)):
                entries = self._entries(at + 1)
                self.file.tables.append(
                    Table(types[-1], self.text(name_at), self.file.path, self.tokens.line(name_at), entries)
                )
        if owner is not None:
            owner.fields += 1
        return self._skip_to(at, end)

    def _entries(self, brace: int) -> tuple[Entry, ...]:
        entries: list[Entry] = []
        start, index, close = brace + 1, brace + 1, self.partner.get(brace, brace)
        while index <= close:
            text = self.text(index)
            if index == close or text == ",":
                if index > start:
                    entries.append(self._entry(start, index))
                start = index + 1
            elif text in "([{" and text:
                index = self.partner.get(index, index)
            index += 1
        return tuple(entries)

    def _entry(self, start: int, end: int) -> Entry:
        while start < end and self.text(start) in _MARKS:
            start += 1
        field_name, is_remark = None, False
        line = self.tokens.line(start)
        if self.text(start) == "." and self.text(start + 2) == "=":
            field_name, start = self.text(start + 1), start + 3
        elif comment := _NAMED_BY_COMMENT.search(self.tokens.before(start)):
            field_name, is_remark = comment[1], True
        value = " ".join(text for text in self.list[start:end] if text not in _MARKS)
        return Entry(field_name, value, line, is_remark)


_NAMED_BY_COMMENT = re.compile(r"/\*\s*\.?([A-Za-z_]\w*)\s*(?:[=:]\s*)?\*/")
