"""What device code printed: records in a buffer, formats by number."""

from __future__ import annotations

import re
import struct

_SPECIFIER = re.compile(rb"%([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+))?(hh|h|ll|l|z|j|t|L)?([diouxXeEfFgGaAcsp%])")


def printed(buffer: bytes, formats: dict[int, str]) -> bytes:
    """The text of a launch, in the order in which records were made."""
    used, _ = struct.unpack_from("<II", buffer)
    end = min(8 + used, len(buffer))
    found, at = [], 8
    while at + 12 <= end:
        (control,) = struct.unpack_from("<I", buffer, at)
        size = control >> 2
        if size < 12:
            break
        (number,) = struct.unpack_from("<Q", buffer, at + 4)
        form = formats.get(number)
        found.append(_formatted(form.encode() if form else b"?\n", buffer[at + 12 : at + size]))
        at += size
    return b"".join(found)


def _formatted(form: bytes, arguments: bytes) -> bytes:
    at = 0

    def value(found: re.Match[bytes]) -> bytes:
        nonlocal at
        flags, width, precision, length, kind = found.groups()
        if kind == b"%":
            return b"%"
        raw = arguments[at : at + 8].ljust(8, b"\0")
        at += 8
        letter = kind.decode()
        spec = "%" + flags.decode() + (width or b"").decode() + (f".{precision.decode()}" if precision else "")
        if letter == "s":
            end = arguments.find(b"\0", at - 8)
            text = arguments[at - 8 : end if end >= 0 else None]
            at = at - 8 + (len(text) + 8) // 8 * 8
            return bytes((spec.encode() + b"s") % text)
        if letter in "eEfFgGaA":
            number = struct.unpack("<d", raw)[0]
            return (float(number).hex() if letter in "aA" else (spec + letter) % number).encode()
        if letter == "c":
            return raw[:1]
        if letter == "p":
            return b"0x%x" % int.from_bytes(raw, "little")
        size = {None: 4, b"hh": 1, b"h": 2}.get(length, 8)
        number = int.from_bytes(raw[:size], "little", signed=letter in "di")
        return ((spec + ("d" if letter == "i" else letter if letter != "u" else "d")) % number).encode()

    return _SPECIFIER.sub(value, form)
