"""LMCache's chunk files: what their names and headers say, held against their size.

In-process LMCache names a file ``model@world_size@worker@hash@dtype[@layer][@tag%value].data`` and puts a header in front
of the numbers (unless ``save_chunk_meta`` is off); the multi-process one writes ``model@0xRANK@group@hash[@salt].data``
with nothing but the numbers. Read in LMCache 0.5.6: utils.py, v1/protocol.py, v1/memory_management.py, fs_connector.py,
fs_l2_adapter.py.
"""

from __future__ import annotations

import math
import os
import re
import struct
from dataclasses import dataclass, replace
from pathlib import Path

from rewarp.bridge.formats import Encoding, encoding_of
from rewarp.errors import UsageError

SUFFIX = ".data"
UINT8 = "uint8"
KEY_DTYPES = {"fp8_e4m3fn": "e4m3fn", "fp8_e5m2": "e5m2"}
"""What a key may say of the encoding; ``uint8`` says nothing. Keys have names for fnuz too, headers have not: LMCache
cannot store such a chunk."""
_HEADER_DTYPES = {"half": 2, "bfloat16": 3, "float": 4, "double": 5, "uint8": 6, "fp8_e4m3fn": 7, "fp8_e5m2": 8}
_WIDTHS = {1: 2, 2: 2, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 1}
_BY_LAYER = (1, 6)
"""KV_2LTD and KV_MLA_FMT: the second length is the number of layers."""
_BINARY = (4, 5)
_CODEC = b"LMCKV"
_AES_OVERHEAD = 29
"""Version, nonce and tag of LMCache's aesgcm."""
_MOST_GROUPS = 64
_OURS = re.compile(r"[^@]+@\d+@\d+@-?[0-9a-f]+@(?P<dtype>[a-z0-9_]+)(?:@(?P<layer>\d+))?(?:@[^@%]+%[^@]*)*", re.ASCII)
_MULTI = re.compile(r"[^@]+@0x[0-9a-f]+@[0-9a-f]+@[0-9a-f]+(?:@[^@]*)?", re.ASCII)


@dataclass(frozen=True)
class Chunk:
    """One file."""

    file: Path
    size: int
    dtype: str | None
    """What the key says; None in the multi-process mode, whose keys say nothing."""
    layer: int | None
    """Of a file that holds one layer."""
    header: tuple[int, ...] = ()
    """Length, format, and for each group of layers a dtype and four lengths; empty where the file has none."""
    shape: tuple[int, ...] = ()
    """Without a header, what was said."""

    @property
    def start(self) -> int:
        """Where the numbers begin."""
        return 4 * len(self.header)

    @property
    def groups(self) -> list[tuple[int, ...]]:
        return [tuple(self.header[at : at + 5]) for at in range(2, len(self.header), 5)]

    @property
    def layers(self) -> tuple[int, int] | None:
        """How often the layers lie behind one another (K, then V), and how many they are; None where that cannot be
        told, and where the file holds only one."""
        if self.layer is not None or len(self.groups) > 1 or (self.header and self.header[1] not in _BY_LAYER):
            return None
        lengths = self.groups[0][1:] if self.header else self.shape
        return (lengths[0], lengths[1]) if len(lengths) == 4 else None

    def head(self, dtype: str | None) -> bytes:
        """The header of the same chunk under a key with another dtype."""
        if not self.header:
            return b""
        code = _HEADER_DTYPES[dtype or UINT8]
        words = [*self.header[:2], *(word for group in self.groups for word in (code, *group[1:]))]
        return struct.pack(f"={len(words)}i", *words)

    def named(self, dtype: str | None) -> str:
        """The file's name under a key with another dtype."""
        if self.dtype is None or dtype is None:
            return self.file.name
        parts = self.file.name.removesuffix(SUFFIX).split("@")
        return "@".join([*parts[:4], dtype, *parts[5:]]) + SUFFIX


def is_chunk_name(name: str) -> bool:
    stem = name.removesuffix(SUFFIX)
    return name.endswith(SUFFIX) and bool(_OURS.fullmatch(stem) or _MULTI.fullmatch(stem))


def holds_codes(name: str) -> bool:
    """Whether a chunk of that name may hold 8-bit floats."""
    own = _OURS.fullmatch(name.removesuffix(SUFFIX))
    return own is None or own["dtype"] == UINT8 or own["dtype"] in KEY_DTYPES


def read_chunk(file: Path, shape: tuple[int, ...] | None = None) -> Chunk:
    """Raises UsageError where name, header, shape and size do not say the same."""
    if not is_chunk_name(file.name):
        raise UsageError(f"{file}: not a name that LMCache gives to a chunk, so its key is not known")
    own = _OURS.fullmatch(file.name.removesuffix(SUFFIX))
    dtype = own["dtype"] if own else None
    layer = int(own["layer"]) if own and own["layer"] else None
    try:
        size = os.stat(file).st_size
        with open(file, "rb") as stream:
            begin = stream.read(4 * (2 + 5 * _MOST_GROUPS))
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror or error}") from None
    chunk = Chunk(file, size, dtype, layer, _header(begin, size) if own else ())
    if begin.startswith(_CODEC):
        raise UsageError(f"{file}: compressed (LMCache's asym_k16_v8): its numbers cannot be told apart")
    return _with_header(chunk) if chunk.header else _without(chunk, begin, shape)


def _header(begin: bytes, size: int) -> tuple[int, ...]:
    """The header, of as many groups as fit; nothing where there is none."""
    for groups in range(1, _MOST_GROUPS + 1):
        count = 2 + 5 * groups
        if len(begin) < 4 * count:
            break
        words = struct.unpack_from(f"={count}i", begin)
        if words[0] == size - 4 * count and words[0] >= 0 and 0 <= words[1] <= 8:
            return words
    return ()


def _with_header(chunk: Chunk) -> Chunk:
    length, layout = chunk.header[:2]
    if layout in _BINARY:
        raise UsageError(f"{chunk.file}: compressed (cachegen, or bytes of another serialiser): nothing can be recoded")
    expected = 0
    for code, *lengths in chunk.groups:
        if code not in _WIDTHS or min(lengths) < 0:
            raise UsageError(f"{chunk.file}: its header names no type or shape that is known; damaged?")
        expected += math.prod(it for it in lengths if it) * _WIDTHS[code]
    codes = {group[0] for group in chunk.groups}
    if expected != length:
        raise UsageError(f"{chunk.file}: {length} bytes are not {chunk.groups}; damaged?")
    if (
        chunk.dtype is not None
        and codes != {_HEADER_DTYPES.get(chunk.dtype, -1)}
        and not (chunk.dtype == "half" and codes <= {1, 2})
    ):
        raise UsageError(f"{chunk.file}: its key says {chunk.dtype}, its header says {sorted(codes)}; damaged?")
    return chunk


def _without(chunk: Chunk, begin: bytes, shape: tuple[int, ...] | None) -> Chunk:
    if shape is None:
        raise UsageError(
            f"{chunk.file}: no header that says what it holds, or cut short: give --shape 2,LAYERS,TOKENS,SIZE"
        )
    count = math.prod(shape)
    if chunk.size == count + _AES_OVERHEAD and begin[:1] == b"\x01":
        raise UsageError(f"{chunk.file}: encrypted (LMCache's aesgcm): convert it where the key is")
    if chunk.size == 2 * count:
        raise UsageError(f"{chunk.file}: numbers of 16 bits, which are the same on all platforms: nothing to convert")
    if chunk.size != count:
        raise UsageError(
            f"{chunk.file}: {chunk.size} bytes are not {list(shape)} of one byte each: compressed, or partial"
        )
    return replace(chunk, shape=shape)


def encoding_in(chunk: Chunk, given: Encoding | None) -> Encoding:
    """In which encoding a chunk is."""
    if chunk.dtype in KEY_DTYPES:
        found = encoding_of(KEY_DTYPES[chunk.dtype])
        # Gaudi 2's numbers go by the name of e4m3fn.
        if given is not None and (given.kind != found.kind or given.family == "fnuz"):
            raise UsageError(f"{chunk.file}: its key says {found.name}, --from says {given.name}")
        return given or found
    if not holds_codes(chunk.file.name):
        raise UsageError(f"{chunk.file}: {chunk.dtype} is the same on all platforms: nothing to convert")
    if given is None:
        raise UsageError(f"{chunk.file}: bytes, of which the key does not say the encoding: give --from")
    return given


def key_dtype(chunk: Chunk, target: Encoding, wanted: str | None) -> str | None:
    """The dtype in the key under which a reader looks for the result."""
    if chunk.dtype is None:
        return None
    if wanted is not None:
        if wanted != UINT8 and KEY_DTYPES.get(wanted) != target.name.partition("-")[0]:
            raise UsageError(f"a key with {wanted} holds no {target.name}")
        return wanted
    return UINT8 if target.family == "fnuz" else chunk.dtype
