"""Device code as host programs and module loaders take it: the bundle that clang's offload driver makes."""

from __future__ import annotations

import struct
from collections.abc import Mapping

_MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"
_ENTRY = struct.Struct("<QQQ")
_PAGE = 4096
_HOST = b"host-x86_64-unknown-linux-gnu-"


def bundle(codes: Mapping[str, bytes]) -> bytes:
    """One entry for the host, which is empty, and one for each architecture: assembly, or a code object."""
    entries = [(_HOST, b""), *((f"hipv4-amdgcn-amd-amdhsa--{arch}".encode(), code) for arch, code in codes.items())]
    size = len(_MAGIC) + 8 + sum(_ENTRY.size + len(name) for name, _ in entries)
    start = _page(size)
    head, body = _MAGIC + struct.pack("<Q", len(entries)), b""
    for name, content in entries:
        head += _ENTRY.pack(start + len(body), len(content), len(name)) + name
        body = (body + content).ljust(_page(len(body) + len(content)), b"\0")
    return head.ljust(start, b"\0") + body


def _page(size: int) -> int:
    return -(-size // _PAGE) * _PAGE
