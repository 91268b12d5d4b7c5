"""safetensors files as they lie on the disk: what the header says, held against the file; contents are not read.

A checkpoint is one file, or a folder with many and perhaps an index of which tensor lies in which.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rewarp.errors import UsageError

_LONGEST_HEADER = 100_000_000
"""The limit that the format's own reader has."""
_BITS = {
    **dict.fromkeys(("BOOL", "U8", "I8", "F8_E4M3", "F8_E5M2", "F8_E4M3FNUZ", "F8_E5M2FNUZ", "F8_E8M0"), 8),
    **dict.fromkeys(("F16", "BF16", "I16", "U16"), 16),
    **dict.fromkeys(("F32", "I32", "U32"), 32),
    **dict.fromkeys(("F64", "I64", "U64", "C64"), 64),
}
METADATA = "__metadata__"
INDEX = ".safetensors.index.json"


@dataclass(frozen=True)
class Tensor:
    """One tensor's entry."""

    file: Path
    name: str
    dtype: str
    shape: tuple[int, ...]
    begin: int
    """Where its bytes begin in the file."""
    end: int

    @property
    def size(self) -> int:
        return self.end - self.begin

    @property
    def module(self) -> str:
        """What it belongs to: its name without the last part."""
        return self.name.rpartition(".")[0]


@dataclass(frozen=True)
class Header:
    """One file."""

    file: Path
    metadata: Mapping[str, str]
    tensors: tuple[Tensor, ...]
    """In the order of their bytes, which lie without gaps."""
    start: int
    """Where the first tensor's bytes begin."""
    size: int
    """Of the whole file."""

    def rewritten(self, dtypes: Mapping[str, str], metadata: Mapping[str, str]) -> bytes:
        """The header of a file with the same tensors, of which some have another dtype of the same size."""
        entries: dict[str, Any] = {METADATA: {**self.metadata, **metadata}}
        for tensor in self.tensors:
            offsets = [tensor.begin - self.start, tensor.end - self.start]
            dtype = dtypes.get(tensor.name, tensor.dtype)
            entries[tensor.name] = {"dtype": dtype, "shape": list(tensor.shape), "data_offsets": offsets}
        text = json.dumps(entries, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")
        text += b" " * (-len(text) % 8)
        return len(text).to_bytes(8, "little") + text


def read_header(file: Path) -> Header:
    """Raises UsageError for a file that another reader could take for something else: a gap, an overlap, a wrong size."""
    try:
        size = file.stat().st_size
        with open(file, "rb") as stream:
            length = int.from_bytes(stream.read(8), "little")
            if size < 10 or length > min(size - 8, _LONGEST_HEADER):
                raise UsageError(f"{file}: cut short, or not a safetensors file")
            entries = json.loads(stream.read(length).decode("utf-8"), object_pairs_hook=_once)
        return _checked(file, entries, 8 + length, size)
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror or error}") from None
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise UsageError(f"{file}: damaged, or not a safetensors file ({type(error).__name__}: {error})") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A name that stands twice has two meanings, and every reader may take another."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands in the header twice")
    return found


def _checked(file: Path, entries: Any, start: int, size: int) -> Header:
    metadata = entries.pop(METADATA, {})
    if not all(isinstance(it, str) for pair in metadata.items() for it in pair):
        raise ValueError("metadata that is no text")
    tensors = []
    for name, entry in entries.items():
        begin, end = entry["data_offsets"]
        shape = entry["shape"]
        if not all(type(it) is int and it >= 0 for it in (begin, end, *shape)) or not isinstance(entry["dtype"], str):
            raise ValueError(f"{name}: no such shape or place")
        tensor = Tensor(file, name, entry["dtype"], tuple(shape), start + begin, start + end)
        bits = _BITS.get(tensor.dtype)
        if bits is not None and math.prod(shape) * bits != tensor.size * 8:
            raise ValueError(f"{name} has not the length of its shape")
        tensors.append(tensor)
    tensors.sort(key=lambda it: (it.begin, it.end))
    place = start
    for tensor in tensors:
        if tensor.begin != place:
            raise ValueError(f"{tensor.name} does not begin where the one before it ends")
        place = tensor.end
    if place != size:
        raise UsageError(f"{file}: {'cut short' if place > size else 'longer than its header says'}: damaged")
    return Header(file, metadata, tuple(tensors), start, size)


# --- many files ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Checkpoint:
    """All the safetensors files of a model."""

    path: Path
    shards: tuple[Header, ...]

    @property
    def tensors(self) -> dict[str, Tensor]:
        return {tensor.name: tensor for shard in self.shards for tensor in shard.tensors}


def read_checkpoint(path: Path) -> Checkpoint:
    """A file, or a folder: all its shards, which must be those that its index names."""
    if not path.is_dir():
        return Checkpoint(path, (read_header(path),))
    files = sorted(it for it in path.iterdir() if it.name.endswith(".safetensors"))
    if not files:
        raise UsageError(f"{path}: no .safetensors file in it")
    shards = tuple(map(read_header, files))
    seen: dict[str, Path] = {}
    for tensor in (it for shard in shards for it in shard.tensors):
        other = seen.setdefault(tensor.name, tensor.file)
        if other != tensor.file:
            raise UsageError(f"{path}: {tensor.name} lies in {other.name} and in {tensor.file.name}")
    for index in sorted(it for it in path.iterdir() if it.name.endswith(INDEX)):
        _compare(index, seen)
    return Checkpoint(path, shards)


def _compare(index: Path, seen: Mapping[str, Path]) -> None:
    """A shard that is missing would be a model without some of its layers."""
    try:
        places = json.loads(index.read_text(encoding="utf-8"))["weight_map"]
        wrong = [name for name, file in places.items() if name not in seen or seen[name].name != file]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(f"{index}: cannot be read ({type(error).__name__}: {error})") from None
    if wrong:
        raise UsageError(f"{index}: {wrong[0]} is not where the index says ({len(wrong)} such)")
