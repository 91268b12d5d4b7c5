"""The bytes of a log as whole lines: compressed or not, in any Unicode form, without colours, in blocks of bounded size."""

from __future__ import annotations

import codecs
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from rewarp.errors import UnreadableSource
from rewarp.lang import parsers
from rewarp.source import BOMS

BLOCK = 1 << 20
LONGEST_LINE = 1 << 22
"""A longer one is no line of a log; it is cut, and what is cut is not read."""

_GZIP = b"\x1f\x8b"
_COLOUR = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_CONTROL = bytes(set(range(32)) - {*b"\t\n\r\f\v\b\x1b\x00"})
_MOST_CONTROL = 0.05
_BOXED = re.compile(rb'\{"log": ?"')


class BrokenOff(UnreadableSource):
    """The rest of a file cannot be read; what came before it was."""


class Lines:
    """Bytes as they come, cut into blocks of whole lines. The line under way waits for its end."""

    def __init__(self) -> None:
        self._open: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> bytes:
        """The whole lines that ``data`` completes, each with its end."""
        cut = data.rfind(b"\n") + 1
        if not cut and self._size + len(data) > LONGEST_LINE:
            # A progress bar is one line for hours; what it overwrote is past.
            cut = data.rfind(b"\r") + 1 or len(data)
        if not cut:
            self._open.append(data)
            self._size += len(data)
            return b""
        whole = b"".join([*self._open, data[:cut]])
        self._open = [data[cut:]] if cut < len(data) else []
        self._size = len(data) - cut
        return clean(_unboxed(whole))

    def rest(self) -> bytes:
        """The last line, which no line end closed."""
        return clean(_unboxed(b"".join(self._open)))


def _unboxed(block: bytes) -> bytes:
    """What Docker keeps of a container's output, line by line in JSON, as it was printed."""
    return b"".join(map(_printed, block.splitlines(keepends=True))) if _BOXED.match(block) else block


def _printed(line: bytes) -> bytes:
    try:
        box = parsers.from_json(line) if _BOXED.match(line) else None
    except (ValueError, RecursionError):
        box = None
    text = box.get("log") if isinstance(box, dict) else None
    return text.encode("utf-8", "replace") if isinstance(text, str) else line


def clean(block: bytes) -> bytes:
    """Without colours, NULs and carriage returns before line ends."""
    if b"\x1b" in block:
        block = _COLOUR.sub(b"", block)
    if b"\0" in block:
        block = block.replace(b"\0", b"")
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    return block


def chunks(file: Path) -> Iterator[bytes]:
    """The content as UTF-8, unpacked, as it is read. Raises ``UnreadableSource``; ``BrokenOff`` after a part of it."""
    try:
        with file.open("rb") as stream:
            yield from _unicode(_unpacked(stream))
    except OSError as error:
        raise UnreadableSource(f"cannot be read: {error.strerror or error}") from None


def _unpacked(stream: BinaryIO) -> Iterator[bytes]:
    data = stream.read(BLOCK)
    if not data.startswith(_GZIP):
        while data:
            yield data
            data = stream.read(BLOCK)
        return
    member = zlib.decompressobj(31)
    while data:
        try:
            yield from _inflated(member, data)
        except zlib.error:
            raise BrokenOff("the gzip data is damaged") from None
        data = member.unused_data or stream.read(BLOCK)
        if member.eof and data:
            if not data.startswith(_GZIP):
                return
            member = zlib.decompressobj(31)
    if not member.eof:
        raise BrokenOff("the gzip data breaks off")


def _inflated(member: zlib._Decompress, data: bytes) -> Iterator[bytes]:
    """At most a block at a time: a small file may unpack to a thousand times its size."""
    while data and not member.eof:
        yield member.decompress(data, BLOCK)
        data = member.unconsumed_tail


def _unicode(data: Iterator[bytes]) -> Iterator[bytes]:
    first = next(data, b"")
    mark, encoding = next(((mark, name) for mark, name in BOMS if first.startswith(mark)), (b"", None))
    encoding = encoding or _without_mark(first) or _of_windows(first)
    if encoding is None and looks_binary(first):
        raise UnreadableSource("it is not text")
    if encoding in (None, "utf-8"):
        yield first[len(mark) :]
        yield from data
        return
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    yield decoder.decode(first[len(mark) :]).encode()
    for part in data:
        yield decoder.decode(part).encode()
    yield decoder.decode(b"", final=True).encode()


_CHINESE = re.compile("损失|训练|轮次|准确率|设备|模型")


def _of_windows(head: bytes) -> str | None:
    """What Chinese Windows writes, where its words are those of a training."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        decoder.decode(head)
    except UnicodeDecodeError:
        try:
            text = codecs.getincrementaldecoder("gb18030")().decode(head)
        except UnicodeDecodeError:
            return None
        return "gb18030" if _CHINESE.search(text) else None
    return None


def _without_mark(head: bytes) -> str | None:
    """PowerShell's redirections are UTF-16; cut in two, they have no mark."""
    sample = head[:4096]
    if len(sample) < 4 or b"\0" not in sample:
        return None
    even, odd = sample[0::2].count(0) / len(sample[0::2]), sample[1::2].count(0) / len(sample[1::2])
    if odd > 0.4 and even < 0.05:
        return "utf-16-le"
    return "utf-16-be" if even > 0.4 and odd < 0.05 else None


def looks_binary(head: bytes) -> bool:
    sample = head[: 1 << 16]
    strange = len(sample) - len(sample.translate(None, _CONTROL))
    return strange > _MOST_CONTROL * len(sample)
