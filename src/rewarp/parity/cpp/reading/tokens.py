"""C++ as tokens, as one back end's compiler would see it: other back ends' `#if` branches are gone.

A branch whose condition cannot be decided stays, between marks, so that whoever reads the code knows that either
may be compiled.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

from rewarp.lang.cpp.conditions import compiled_arms, fold_directive
from rewarp.lang.cpp.file import CodeFile, check_depth
from rewarp.lang.cpp.tokens import NUMBER, WORD
from rewarp.lang.kinds import Kind
from rewarp.parity.names.backends import backend_of, words
from rewarp.source import SourceFile

_TOKEN = re.compile(rf"{WORD}|{NUMBER}|\"[^\"]*\"?|'[^']*'?|<<<|>>>|->|::|==|!=|<=|>=|&&|\|\||\S")
_DIRECTIVE_LINE = re.compile(rb"^[ \t]*\#(?:\\\r?\n|[^\n])*", re.M)
_REST_OF_DIRECTIVE = re.compile(rb"(?:\\\r?\n|[^\n])*")
_INCLUDE = re.compile(rb"^[ \t]*\#[ \t]*include[ \t]+[\"<]([^\">\n]+)", re.M)
_DEFINE = re.compile(rb"[ \t]*\#[ \t]*define[ \t]+([A-Za-z_]\w*)\(([^()]*)\)")
OPEN, CLOSE = "([{", ")]}"
_OPENING = frozenset(OPEN)
_OPENED_BY = dict(zip(CLOSE, OPEN))
_LOOK_AHEAD = 8
"""Empty tokens after the last one, so that a look past the end, or before the beginning, finds nothing."""
_DEFINED = re.compile(r"(?:defined\s*)?\(?\s*([A-Za-z_]\w*)\s*\)?")
IF_UNKNOWN, ELSE_UNKNOWN, END_UNKNOWN = "#if", "#else", "#endif"
"""The marks around code that may or may not be compiled."""
_MARKS = frozenset((IF_UNKNOWN, ELSE_UNKNOWN, END_UNKNOWN))
_SWITCH_WORDS = frozenset(
    "use using enable enabled with have has backend platform build compile compiled is on support supported target for gpu device".split()
)
_BUILT_IN = {
    "cuda": {
        "__CUDACC__": True,
        "__NVCC__": True,
        "__HIPCC__": False,
        "__HIP__": False,
        "__HIP_DEVICE_COMPILE__": False,
    },
    "rocm": {"__HIPCC__": True, "__HIP__": True, "__CUDACC__": False, "__NVCC__": False, "__CUDA_ARCH__": False},
}
Macros = Callable[[str], "bool | None"]


def macros_of(backend: str) -> Macros:
    """What a back end's compiler says of a macro, as far as the macro's name tells whose it is."""
    built_in = _BUILT_IN.get(backend, {})
    table = words()

    def known(name: str) -> bool | None:
        if name in built_in:
            return built_in[name]
        owner = backend_of(name)
        if owner is None:
            return None
        if owner != backend:
            # `GGML_USE_CUDA` is set for HIP builds of shared sources as well: whose it is says nothing there.
            return None if (owner, backend) == ("cuda", "rocm") else False
        parts = [part for part in name.lower().split("_") if part]
        # `GGML_USE_HIP` is the platform; `GGML_HIP_NO_VMM` and `HIP_VERSION` are not.
        rest = [part for part in parts if part not in table]
        return True if any(part in _SWITCH_WORDS for part in rest) or not rest else None

    return known


class Macro(NamedTuple):
    """A `#define` with parameters."""

    parameters: str
    body: str
    at: int


class Tokens:
    """A file's tokens with their partners: for every bracket, where its other half stands."""

    def __init__(self, path: str, data: bytes, macros: Macros) -> None:
        self.path = path
        self.source = SourceFile(path, data)
        check_depth(self.source, Kind.CPP)
        self._file = CodeFile(self.source, Kind.CPP)
        self.defined: dict[str, Macro] = {}
        self.list, self.offsets = _without_unclear_marks(*self._read(macros))
        self.size = len(self.list)
        self.partner, self._alone, self._open = _partners(self.list)
        self.list += [""] * _LOOK_AHEAD
        self.memory: dict[object, Any] = {}
        """What was found out about ranges of tokens, for whoever asks again."""

    @cached_property
    def unmatched(self) -> int | None:
        """The first bracket without a partner that nothing outside the file could open or close."""
        left = [index for index in self._open if not self._opens_namespace(index)]
        return min((*self._alone, *left), default=None)

    @property
    def left_open(self) -> int:
        """Namespaces that stand open at the end: whoever includes the file closes them."""
        return sum(map(self._opens_namespace, self._open))

    def closes_only(self, opened: int) -> bool:
        """Whether all that has no partner is a `}` outside everything, and not more of them than others opened before. One
        that nothing follows leaves nothing unsure."""
        strays = [index for index in self._alone if index != self.size - 1]
        return (
            self.unmatched in self._alone
            and all(self.list[index] == "}" for index in self._alone)
            and len(strays) <= opened
        )

    def _opens_namespace(self, index: int) -> bool:
        """`namespace a {`, `extern "C" {`."""
        if self.list[index] != "{":
            return False
        head = next((at for at in range(index - 1, -1, -1) if self.list[at] in (";", "}", "{", ")")), -1)
        return any(self.list[at] in ("namespace", "extern") for at in range(head + 1, index))

    @cached_property
    def includes(self) -> list[str]:
        """The files that it includes by name, as far as their last part."""
        return [name.rpartition(b"/")[2].decode("latin-1") for name in _INCLUDE.findall(self.source.view)]

    @cached_property
    def _line_starts(self) -> list[int]:
        return self.source.line_starts

    def line(self, index: int) -> int:
        return bisect_right(self._line_starts, self.offsets[min(index, self.size - 1)]) if self.size else 1

    def needed(self, index: int) -> set[str]:
        """The macros that must be defined for a token to be compiled: by `#ifdef X` and `#if defined(X)` around it."""
        tests = [arm.test for _, arm in self._file.around(self.offsets[index])]
        asked = [test.condition for test in tests if test.word in ("if", "ifdef", "elif")]
        return {found[1] for condition in asked if (found := _DEFINED.fullmatch(condition.strip()))}

    def line_text(self, line: int) -> str:
        return self.source.line_text(line).strip()

    def before(self, index: int) -> str:
        """What stands between a token and the one before it: comments."""
        start = self.offsets[index - 1] + len(self.list[index - 1]) if index else 0
        return self.source.view[start : self.offsets[index]].decode("utf-8", "replace")

    def literal(self, index: int) -> str:
        """What a string token says."""
        at = self.offsets[index]
        return self.source.view[at : at + len(self.list[index])].decode("utf-8", "replace").strip('"')

    def _read(self, macros: Macros) -> tuple[list[str], list[int]]:
        code = self._file.code
        marks = self._marks(macros)
        texts: list[str] = []
        offsets: list[int] = []

        def tokenise(start: int, end: int) -> None:
            found = list(_TOKEN.finditer(code[start:end].decode("latin-1")))
            texts.extend([match[0] for match in found])
            offsets.extend([start + match.start() for match in found])

        is_compiled, at = True, 0
        for line in _DIRECTIVE_LINE.finditer(code):
            if line.start() < at:
                continue
            if is_compiled:
                tokenise(at, line.start())
            at = self._end_of_directive(line.start(), line.end())
            if line.start() in marks:
                mark, is_compiled = marks[line.start()]
                if mark:
                    texts.append(mark)
                    offsets.append(line.start())
            elif is_compiled and (macro := _DEFINE.match(code, line.start())):
                body = code[macro.end() : at].decode("latin-1").replace("\\\n", " \n")
                self.defined[macro[1].decode()] = Macro(macro[2].decode("latin-1"), body, line.start())
        if is_compiled:
            tokenise(at, len(code))
        return texts, offsets

    def _marks(self, macros: Macros) -> dict[int, tuple[str, bool]]:
        """By the place of a directive: the mark that stands for it, or nothing, and whether what follows is compiled, or may
        be. An include guard lets its file be."""
        found: dict[int, tuple[str, bool]] = {}
        compiled = dict.fromkeys(self._file.conditionals, True)
        for one in self._file.every_conditional():
            values = [
                test.include_guard or test.word == "else" or fold_directive(test.word, test.condition, macros)
                for test in (arm.test for arm in one.arms)
            ]
            mark = IF_UNKNOWN
            for arm, value in zip(one.arms, compiled_arms(values)):
                is_unknown = compiled[one] and value is None
                is_compiled = compiled[one] and value is not False
                found[arm.test.where.start] = (mark if is_unknown else "", is_compiled)
                compiled |= dict.fromkeys(arm.nested, is_compiled)
                mark = ELSE_UNKNOWN if is_unknown else mark
            if one.end:
                found[one.end.where.start] = (END_UNKNOWN if mark == ELSE_UNKNOWN else "", compiled[one])
        return found

    def _end_of_directive(self, start: int, end: int) -> int:
        """Where a directive ends: a comment that stands open at the end of its line goes on in the next."""
        view = self.source.view
        while view.rfind(b"/*", start, end) > view.rfind(b"*/", start, end):
            closed = next((last for first, last in self._file.comments if first < end < last), None)
            if closed is None:
                break
            rest = _REST_OF_DIRECTIVE.match(self._file.code, closed)
            assert rest is not None
            end = rest.end()
        return end


def _without_unclear_marks(texts: list[str], offsets: list[int]) -> tuple[list[str], list[int]]:
    """Marks stay around whole statements; where a branch cuts through one, only the first branch stays."""
    if _MARKS.isdisjoint(texts):
        return texts, offsets
    kept: list[str] = []
    at: list[int] = []
    groups: list[list[int]] = []  # for each open group, where its marks stand
    for text, offset in zip(texts, offsets):
        if text == IF_UNKNOWN:
            groups.append([len(kept)])
        elif text == ELSE_UNKNOWN and groups:
            groups[-1].append(len(kept))
        elif text == END_UNKNOWN and groups:
            marks = [*groups.pop(), len(kept)]
            if not all(_whole(kept, start, end) for start, end in zip(marks, marks[1:])):
                first = slice(marks[0] + 1, marks[1])
                kept[marks[0] :], at[marks[0] :] = kept[first], at[first]
                continue
        kept.append(text)
        at.append(offset)
    return kept, at


def _whole(texts: list[str], mark: int, end: int) -> bool:
    """Whether whole statements stand between a mark and the next."""
    before = next((texts[i] for i in range(mark - 1, -1, -1) if texts[i] not in _MARKS), ";")
    last = next((texts[i] for i in range(end - 1, mark, -1) if texts[i] not in _MARKS), ";")
    if (texts[mark] == IF_UNKNOWN and before not in ";{}:") or last not in ";}:":
        return False
    depth = 0
    for text in texts[mark + 1 : end]:
        if text in OPEN:
            depth += 1
        elif text in CLOSE:
            depth -= 1
            if depth < 0:
                return False
        elif not depth and text in ("case", "default", "else"):
            return False
    return depth == 0


def _partners(texts: list[str]) -> tuple[dict[int, int], list[int], list[int]]:
    """For every bracket its partner; those that never had one; and those that stand open at the end."""
    partner: dict[int, int] = {}
    stack: list[int] = []
    alone: list[int] = []
    for index, text in enumerate(texts):
        if text in _OPENING:
            stack.append(index)
        elif text in _OPENED_BY:
            while stack and texts[stack[-1]] != _OPENED_BY[text]:
                alone.append(stack.pop())
            if stack:
                start = stack.pop()
                partner[start], partner[index] = index, start
            else:
                alone.append(index)
    return partner, alone, stack
