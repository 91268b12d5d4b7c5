"""MessagePack, read: the form AMD's compiler keeps a code object's metadata in (https://msgpack.org)."""

from __future__ import annotations

import struct
from typing import Any

_NUMBERS = {
    0xCA: ">f", 0xCB: ">d", 0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q",
    0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q",
}  # fmt: skip
_LENGTHS = {0: ">B", 1: ">H", 2: ">I"}
_MOST_NESTED = 64


def unpack(data: bytes) -> Any:
    """The value in `data`; ValueError where it is damaged."""
    try:
        value, end = _value(data, 0, 0)
    except (struct.error, IndexError) as error:
        raise ValueError(f"damaged MessagePack: {error}") from None
    if end != len(data):
        raise ValueError("damaged MessagePack: something follows the value")
    return value


def _value(data: bytes, at: int, depth: int) -> tuple[Any, int]:
    if depth > _MOST_NESTED:
        raise ValueError("damaged MessagePack: nested too deeply")
    head, at = data[at], at + 1
    if head <= 0x7F:
        return head, at
    if head >= 0xE0:
        return head - 0x100, at
    if head <= 0x8F:
        return _map(data, at, head & 0x0F, depth)
    if head <= 0x9F:
        return _array(data, at, head & 0x0F, depth)
    if head <= 0xBF:
        return _text(data, at, head & 0x1F)
    if head in (0xC0, 0xC2, 0xC3):
        return {0xC0: None, 0xC2: False, 0xC3: True}[head], at
    if head in _NUMBERS:
        form = _NUMBERS[head]
        return struct.unpack_from(form, data, at)[0], at + struct.calcsize(form)
    for first, width, read in ((0xC4, 3, _bytes), (0xD9, 3, _text)):
        if first <= head < first + width:
            size, at = _length(data, at, head - first)
            return read(data, at, size)
    for first, read_all in ((0xDC, _array), (0xDE, _map)):
        if first <= head < first + 2:
            size, at = _length(data, at, head - first + 1)
            return read_all(data, at, size, depth)
    raise ValueError(f"damaged MessagePack: no value begins with {head:#x}")


def _length(data: bytes, at: int, width: int) -> tuple[int, int]:
    form = _LENGTHS[width]
    return struct.unpack_from(form, data, at)[0], at + struct.calcsize(form)


def _bytes(data: bytes, at: int, size: int) -> tuple[bytes, int]:
    if at + size > len(data):
        raise ValueError("damaged MessagePack: cut short")
    return data[at : at + size], at + size


def _text(data: bytes, at: int, size: int) -> tuple[str, int]:
    content, at = _bytes(data, at, size)
    return content.decode("utf-8", "replace"), at


def _array(data: bytes, at: int, count: int, depth: int) -> tuple[list[Any], int]:
    items = []
    for _ in range(count):
        item, at = _value(data, at, depth + 1)
        items.append(item)
    return items, at


def _map(data: bytes, at: int, count: int, depth: int) -> tuple[dict[Any, Any], int]:
    items = {}
    for _ in range(count):
        key, at = _value(data, at, depth + 1)
        if not isinstance(key, (str, int)):
            raise ValueError("damaged MessagePack: a key that is no name")
        items[key], at = _value(data, at, depth + 1)
    return items, at
