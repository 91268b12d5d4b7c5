"""Device code as host programs carry it: the bundle that clang's offload driver makes."""

from __future__ import annotations

import struct

_MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"
_ENTRY = struct.Struct("<QQQ")
_PAGE = 4096
_HOST = b"host-x86_64-unknown-linux-gnu-"


def bundle(code: bytes, arch: str) -> bytes:
    """One entry for the host, which is empty, and one for the device: assembly, or a code object."""
    entries = ((_HOST, b""), (f"hipv4-amdgcn-amd-amdhsa--{arch}".encode(), code))
    size = len(_MAGIC) + 8 + sum(_ENTRY.size + len(name) for name, _ in entries)
    start = -(-size // _PAGE) * _PAGE
    head = _MAGIC + struct.pack("<Q", len(entries))
    for name, content in entries:
        head += _ENTRY.pack(start, len(content), len(name)) + name
    return head.ljust(start, b"\0") + code
