"""What the source asks of a kernel where it launches it: block sizes and shared memory that are plain numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from rewarp.errors import UnreadableSource
from rewarp.lang.cpp.conditions import number
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.kinds import Kind
from rewarp.source import SourceFile, Span
from rewarp.targets import ROCM
from rewarp.translation.code import call_arguments, skip_space, stripped, template_begin

_NAME_END = re.compile(rb"[A-Za-z_]\w*\s*\Z")
_CONFIGURATION = re.compile(rb"<|>>>|[()\[\]{},;]")
_MACRO_LAUNCH = re.compile(rb"\bhipLaunchKernelGGL\s*(?=\()")
_KERNEL_NAME = re.compile(rb"(?:HIP_KERNEL_NAME|dim3)?\s*(?:\(\s*)?(?:[\w:]+::)?([A-Za-z_]\w*)")
_DEFINE = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)[ \t]+([^\r\n]+)", re.M)
_CONSTANT = re.compile(
    rb"\b(?:const|constexpr)\b(?:\s+(?:const|constexpr|static|unsigned|int|long|size_t|auto|uint32_t|int32_t)){0,8}"
    rb"\s+([A-Za-z_]\w*)\s*(?:=\s*([^;,{}]{1,400})|\{([^;{}]{1,400})\}|\(([^;{}]{1,400})\))\s*[;,]"
)
_ENUM = re.compile(rb"\benum\s*(?:\w+\s*)?\{\s*([A-Za-z_]\w*)\s*=\s*([^;,{}]{1,400})\}")
_INTEGER = rb"(?:unsigned\s+)?(?:int|long\s+long|long|short|size_t|auto|unsigned|u?int(?:8|16|32|64)_t)"
_LOCAL = re.compile(rb"(?<![\w.>*&])" + _INTEGER + rb"\s+([A-Za-z_]\w*)\s*=\s*([^;,{}]{1,400});")
"""A variable; a number like a constant where nothing changes it."""
_STEPPED = rb"(?:\+\+|--|&|>>)\s*%s\b|\b%s\s*(?:\+\+|--)"
_DIM3 = re.compile(rb"\bdim3\s+([A-Za-z_]\w*)\s*(?:=\s*dim3\s*)?(?=[({])")
_ASSIGNED = rb"\b%s\s*(?:\.\s*[xyz]\s*)?(?:=(?!=)|\+=|-=|\*=|/=|%%=|&=|\|=|\^=|<<=|>>=)"
_DECLARED = (
    rb"\b(?:dim3|const|constexpr)\b[^;={}()]*\b%s\s*=(?!=)|\benum\b[^;={}]*\{\s*%s\s*=|(?<![\w.>*&])"
    + _INTEGER
    + rb"\s+%s\s*=(?!=)"
)
_OTHER = rb"\b(?:int|unsigned|long|size_t|dim3|auto|uint32_t|int32_t|uint64_t|int64_t)\s*[&*]?\s+%s\s*(?:[,);]|\[)"
_SIZEOF = re.compile(rb"\bsizeof\s*\(\s*((?:unsigned |signed )?\w+(?: int)?)\s*\)")
_SIZES = {
    **dict.fromkeys((b"char", b"bool", b"uint8_t", b"int8_t", b"unsigned char"), 1),
    **dict.fromkeys((b"short", b"half", b"__half", b"uint16_t", b"int16_t", b"unsigned short"), 2),
    **dict.fromkeys((b"int", b"float", b"unsigned", b"unsigned int", b"uint32_t", b"int32_t"), 4),
    **dict.fromkeys((b"double", b"float2", b"int2", b"uint64_t", b"int64_t", b"size_t"), 8),
    **dict.fromkeys((b"float4", b"int4", b"double2"), 16),
}


@dataclass(frozen=True)
class Launch:
    """One launch of a kernel."""

    kernel: str
    """Its last name, without namespaces and template arguments."""
    line: int
    block: int | None
    """Threads in a block; None where it is no plain number."""
    dynamic_lds: int | None


def find_launches(path: str, data: bytes, options: Iterable[str] = ()) -> list[Launch]:
    """The launches in a source, in its order; none for what cannot be read. Macros in ``options`` go before the
    source's own, which then stand under an ``#ifndef``."""
    source = SourceFile(path, data)
    try:
        document = CodeFile(source, Kind.CUDA)
        code = document.code
    except UnreadableSource:
        return []
    numbers = _Numbers(document, options)
    found = []
    at = code.find(b"<<<")
    while at != -1:
        kernel, parts = _kernel_before(code, at), _configuration(code, at + 3)
        if kernel and parts and len(parts) >= 2:
            found.append(_launch(source, code, at, kernel, parts, numbers))
        at = code.find(b"<<<", at + 3)
    for match in _MACRO_LAUNCH.finditer(code):
        call = call_arguments(code, match.end())
        if call and len(call[0]) >= 4:
            name = _KERNEL_NAME.match(code[slice(*stripped(code, call[0][0]))])
            if name:
                found.append(_launch(source, code, match.start(), name[1].decode(), call[0][1:4], numbers))
    return sorted(found, key=lambda launch: launch.line)


def _launch(source: SourceFile, code: bytes, at: int, kernel: str, parts: list[Span], numbers: _Numbers) -> Launch:
    block = numbers.threads(code[slice(*stripped(code, parts[1]))])
    shared = numbers.value(code[slice(*stripped(code, parts[2]))]) if len(parts) > 2 else 0
    return Launch(kernel, source.position(at).line, block, shared)


def _kernel_before(code: bytes, at: int) -> str | None:
    end = at
    while code[end - 1 : end].isspace():
        end -= 1
    if code[end - 1 : end] == b">":
        end = template_begin(code, end) or 0
    name = _NAME_END.search(code, max(0, end - 200), end)
    return name[0].strip().decode() if name else None


def _configuration(code: bytes, at: int) -> list[Span] | None:
    """What stands between ``<<<`` and ``>>>``, split at commas."""
    depth, start = 0, at
    parts: list[Span] = []
    for match in _CONFIGURATION.finditer(code, at, at + 4000):
        token = match[0]
        if token in (b"(", b"[", b"{"):
            depth += 1
        elif token in (b")", b"]", b"}"):
            depth -= 1
        elif token == b";" or depth < 0:
            return None
        elif not depth and token in (b",", b">>>"):
            parts.append(Span(start, match.start()))
            start = match.end()
            if token == b">>>":
                return parts
    return None


class _Numbers:
    """Names in a source that are plain numbers: each defined once, or always the same."""

    def __init__(self, document: CodeFile, options: Iterable[str]) -> None:
        self._code = document.code
        given = (option[2:].partition("=") for option in options if option.startswith("-D"))
        self._texts = _defined(document) | {
            name.encode(): frozenset((value.encode() or b"1",)) for name, _, value in given
        }
        self._open: set[bytes] = set()
        self._set_again: dict[bytes, bool] = {}

    def threads(self, text: bytes) -> int | None:
        """Threads of a block: a number, or a ``dim3`` of numbers, or the name of one."""
        match = re.match(rb"dim3\s*(?=[({])", text)
        if match:
            return self._product(text, match.end())
        if text.startswith(b"{"):
            return self._product(text, 0)
        if re.fullmatch(rb"[A-Za-z_]\w*", text):
            declared = [found for found in _DIM3.finditer(self._code) if found[1] == text]
            if declared:
                products = {self._product(self._code, found.end()) for found in declared}
                return products.pop() if len(products) == 1 and not self._changed(text) else None
        return self.value(text)

    def _product(self, code: bytes, at: int) -> int | None:
        if code[at : at + 1] == b"{":
            end = code.find(b"}", at)
            code, at = b"(" + code[at + 1 : end] + b")", 0
        call = call_arguments(code, skip_space(code, at))
        if call is None or not 1 <= len(call[0]) <= 3:
            return None
        result = 1
        for span in call[0]:
            value = self.value(code[slice(*span)])
            if value is None:
                return None
            result *= value
        return result

    def _changed(self, name: bytes) -> bool:
        """Whether the name gets a value elsewhere too: set again, or a parameter or variable of another function."""
        if name not in self._set_again:
            word = re.escape(name)
            assigned = len(re.findall(_ASSIGNED % word, self._code))
            declared = len(re.findall(_DECLARED % (word, word, word), self._code))
            other = re.search(_OTHER % word, self._code) or re.search(_STEPPED % (word, word), self._code)
            self._set_again[name] = assigned > declared or other is not None
        return self._set_again[name]

    def value(self, text: bytes) -> int | None:
        """The value of an expression of whole numbers; None where something in it is not one."""
        plain = _SIZEOF.sub(lambda found: str(_SIZES.get(found[1], "?")).encode(), text)
        return number(plain.decode("latin-1"), lambda name: self._named(name.encode("latin-1")))

    def _named(self, name: bytes) -> int | None:
        texts = self._texts.get(name, frozenset())
        if len(texts) != 1 or name in self._open or self._changed(name):
            return None
        self._open.add(name)
        try:
            return self.value(next(iter(texts)))
        finally:
            self._open.discard(name)


def _defined(document: CodeFile) -> dict[bytes, frozenset[bytes]]:
    """Macros, constants and enumerators with the texts that they stand for where AMD's compiler sees them."""
    found: dict[bytes, set[bytes]] = {}
    for pattern in (_DEFINE, _CONSTANT, _LOCAL, _ENUM):
        for match in pattern.finditer(document.code):
            if document.is_dead(match.start(), ROCM):
                continue
            text = next(group for group in match.groups()[1:] if group is not None)
            found.setdefault(match[1], set()).add(text.strip())
    return {name: frozenset(texts) for name, texts in found.items()}
