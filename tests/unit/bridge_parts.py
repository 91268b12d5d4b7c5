"""Checkpoints and chunks for the tests of the bridge, made byte by byte."""

from __future__ import annotations

import json
import struct
from pathlib import Path

Tensors = dict[str, tuple[str, list[int], bytes]]
ALL = bytes(range(256))


def write_checkpoint(file: Path, tensors: Tensors, metadata: dict[str, str] | None = None) -> Path:
    """A safetensors file."""
    header: dict[str, object] = {"__metadata__": metadata} if metadata else {}
    place = 0
    for name, (dtype, shape, data) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [place, place + len(data)]}
        place += len(data)
    text = json.dumps(header).encode()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(data for _, _, data in tensors.values()))
    return file


def read_tensors(file: Path) -> Tensors:
    """What another reader, with no code of rewarp's, finds in a safetensors file."""
    from safetensors import deserialize

    return {name: (it["dtype"], list(it["shape"]), bytes(it["data"])) for name, it in deserialize(file.read_bytes())}


def floats(*numbers: float) -> bytes:
    return struct.pack(f"<{len(numbers)}f", *numbers)


def chunk_name(
    dtype: str | None = "uint8", layer: int | None = None, tag: str = "", hash_: str = "e591ed5642480290"
) -> str:
    """A file name of LMCache's; without a dtype one of its multi-process mode."""
    if dtype is None:
        return f"org-SEP-model@0x10000@0@{hash_ * 4}.data"
    return f"org-SEP-model@1@0@{hash_}@{dtype}{'' if layer is None else f'@{layer}'}{tag}.data"


def chunk_bytes(data: bytes, shape: tuple[int, ...], dtype: int = 6, layout: int = 1) -> bytes:
    """A chunk with LMCache's header of one group."""
    return struct.pack("=7i", len(data), layout, dtype, *shape, *[0] * (4 - len(shape))) + data
