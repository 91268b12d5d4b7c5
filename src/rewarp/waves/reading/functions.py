"""As much of C++ as the wave pass needs: where functions begin and end, and what they are called."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rewarp.source import Span
from rewarp.waves.reading.brackets import closing

_SCOPES = (b"namespace", b"struct", b"class", b"union", b"enum", b"extern")
_SCOPE = re.compile(rb"\b(?:" + b"|".join(_SCOPES) + rb")\b")
_BETWEEN_ROUNDS = re.compile(rb"[^()]*([()]|\Z)")
_DIRECTIVES = re.compile(rb"(?m)^[ \t]*#(?:[^\\\n]|\\\r?\n|\\(?!\r?\n))*\n")
_LONGEST_NAME = 1000
_LONG_LINE = 4000
_NAME_BACKWARDS = re.compile(rb"\s*(?:>[^<>()]*<\s*)?(\w*[A-Za-z_~]|[^\w\s(]{1,3}rotarepo)")
_NOT_FUNCTIONS = frozenset(
    b"__launch_bounds__ __attribute__ __declspec decltype alignas noexcept enable_if requires if for while switch "
    b"catch sizeof defined __cluster_dims__ explicit static_assert".split()
)
_SPECIFIER = re.compile(
    rb"\s*(?:__global__|__device__|__host__|__forceinline__|static|inline|void|constexpr|template|extern|auto|int|float|bool)\b"
)
_SHOUTED = re.compile(rb"[A-Z][A-Z0-9_]*")
_ANOTHER = re.compile(rb"\s*[A-Za-z_]\w*\s*\(")
_TEMPLATE = re.compile(rb"\s*template\s*(?=<)")
_ANGLE_OR_ROUND = re.compile(rb"[<>()]")


@dataclass(frozen=True)
class Function:
    """A function, a method, a lambda's surroundings or a macro with a body."""

    name: str
    head: Span
    body: Span
    is_macro: bool = False

    def holds(self, at: int) -> bool:
        return self.head.start <= at < self.body.end


def definitions(text: bytes) -> Iterator[Function]:
    """Functions by their braces. A brace in the first column closes a function whatever the count says."""
    line_ends, first_columns = _Next(text, b"\n"), _Next(text, b"\n}")
    at = text.find(b"{")
    while at >= 0:
        end = at + 1
        if head := _head(text, at):
            end = _body_end(text, at, head[1].start, line_ends.after(at), first_columns.after(at))
            yield Function(*head, Span(at, end))
        at = text.find(b"{", end)


class _Next:
    """Where some bytes stand next, asked for at places that come in order: what was found holds until it is passed."""

    def __init__(self, text: bytes, wanted: bytes) -> None:
        self._text = text
        self._wanted = wanted
        self._found = -1

    def after(self, at: int) -> int:
        """The end of the text where there is none."""
        if self._found < at:
            found = self._text.find(self._wanted, at)
            self._found = found if found >= 0 else len(self._text)
        return self._found


def _body_end(text: bytes, at: int, head: int, line_end: int, first_column: int) -> int:
    if line_end - at > _LONG_LINE:  # it may hold thousands of functions, and is not counted through for each
        end = closing(text, at, line_end - at)
        if end < line_end:
            return end
    elif text.count(b"{", at, line_end) == text.count(b"}", at, line_end):
        return closing(text, at, line_end - at)
    last = min(first_column + 2, len(text))
    if not head or text[head - 1] in b"\n":
        return last  # what begins in the first column ends there
    return min(closing(text, at, last - at), last)


def _head(text: bytes, brace: int) -> tuple[str, Span] | None:
    """The name and head of the function whose body begins here; None for namespaces, types and initialisers."""
    start = 0
    for end in (b"{", b"}", b";"):  # each no further back than the one before it
        start = max(start, text.rfind(end, start, brace) + 1)
    before = text[start:brace]
    if b"#" in before:  # what the preprocessor is told between two functions is part of neither
        before = _DIRECTIVES.sub(lambda line: b" " * len(line[0]), before)
    stripped = before.rstrip()
    if b"(" not in before or stripped.endswith((b"=", b",", b"(")):
        return None
    if any(word in before for word in _SCOPES) and _opens_scope(before):
        return None
    begin = _after_template(before)
    at = before.find(b"(", begin)
    while at >= 0:
        found = _NAME_BACKWARDS.match(before[max(begin, at - _LONGEST_NAME) : at][::-1])
        name = found[1][::-1] if found else b""
        if name and name not in _NOT_FUNCTIONS and not _is_attribute(before, name, at):
            return name.decode("utf-8", "replace"), Span(start + len(before) - len(before.lstrip()), brace)
        at = before.find(b"(", at + 1)
    return None


def _opens_scope(head: bytes) -> bool:
    """Whether a namespace or type is meant: its word stands outside brackets, and none opens behind it."""
    depth = 0
    for part in _BETWEEN_ROUNDS.finditer(head):
        if not depth and part[1] != b"(" and _SCOPE.search(part[0]):
            return True
        depth = max(depth + {b"(": 1, b")": -1}.get(part[1], 0), 0)
    return False


def _is_attribute(head: bytes, name: bytes, bracket: int) -> bool:
    """``LAUNCH_BOUNDS(512) __global__ void kernel(…)``, or ``__global__ void LAUNCH_BOUNDS(512) kernel(…)``"""
    if head.find(b"(", bracket + 1) < 0:
        return False
    after = closing(head, bracket)
    return bool(_SPECIFIER.match(head, after) or (_SHOUTED.fullmatch(name) and _ANOTHER.match(head, after)))


def _after_template(head: bytes) -> int:
    """Where a function's head goes on after ``template <…>``, whose defaults may hold calls."""
    at, template = 0, _TEMPLATE.match(head)
    while template:
        depth = rounds = 0
        for match in _ANGLE_OR_ROUND.finditer(head, template.end()):
            mark = head[match.start()]
            if mark in b"()":
                rounds += 1 if mark == ord("(") else -1
            elif not rounds:
                depth += 1 if mark == ord("<") else -1
                if not depth:
                    at = match.end()
                    break
        if depth:
            return at
        template = _TEMPLATE.match(head, at)
    return at
