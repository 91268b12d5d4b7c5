"""The golden file: one .safetensors file that holds a recording. Any safetensors reader opens it.

The manifest is JSON in the file's metadata. It repeats each tensor's dtype and shape, because the format has no codes
for some dtypes and a sampled tensor is shorter than its shape, and has a digest of its content.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rewarp.errors import UsageError
from rewarp.files import replacing
from rewarp.verify.numbers.formats import COMPLEX, FORMATS, Array
from rewarp.verify.numbers.recording import Call, Recording
from rewarp.verify.numbers.tensors import Stored, kept_count

FORMAT = "rewarp.golden"
VERSION = 1
_LONGEST_HEADER = 100_000_000
"""The limit that other readers of the format have."""


def write(recording: Recording, file: Path) -> int:
    """Write a golden file, whole or not at all; returns its size."""
    described = {
        key: {"dtype": it.form.name, "shape": list(it.shape), "stride": it.stride, "digest": it.digest()}
        for key, it in recording.tensors.items()
    }
    manifest = {**recording.manifest(), "tensors": described}
    header: dict[str, Any] = {
        "__metadata__": {"format": FORMAT, "version": str(VERSION), "manifest": json.dumps(manifest, allow_nan=False)}
    }
    place = 0
    for key, stored in recording.tensors.items():
        end = place + stored.raw.size
        header[key] = {"dtype": stored.form.safetensors, "shape": _file_shape(stored), "data_offsets": [place, end]}
        place = end
    head = json.dumps(header, separators=(",", ":")).encode()
    head += b" " * (-len(head) % 8)
    if len(head) > _LONGEST_HEADER:
        raise UsageError(f"{file}: the list of tensors alone is {len(head)} bytes; record fewer modules")
    with replacing(file) as stream:
        stream.write(len(head).to_bytes(8, "little") + head)
        for stored in recording.tensors.values():
            stream.write(stored.raw.data)
    return 8 + len(head) + place


def _file_shape(stored: Stored) -> list[int]:
    shape = list(stored.shape) if stored.stride == 1 else [kept_count(stored.shape, stored.stride)]
    return [*shape, 2] if stored.form.kind == COMPLEX else shape


def is_golden(file: Path) -> bool:
    """Whether the file is, or was once, one of ours."""
    try:
        with open(file, "rb") as stream:
            return f'"format":"{FORMAT}"'.encode() in stream.read(100)
    except OSError:
        return False


def read(file: Path) -> Recording:
    """Read a golden file. Contents are mapped, not loaded; each is held against its digest when it is first used."""
    try:
        header, start, size = _header(file)
        metadata = header.pop("__metadata__", None)
        if not isinstance(metadata, dict) or metadata.get("format") != FORMAT:
            raise UsageError(f"{file}: a safetensors file, but not one that rewarp recorded")
        if metadata.get("version") != str(VERSION):
            raise UsageError(f"{file}: written in version {metadata.get('version')} of the format; this is {VERSION}")
        manifest = json.loads(metadata["manifest"])
        tensors = _Mapped(file, start, size, header, manifest["tensors"])
        recording = _recording(manifest, tensors)
        missing = [key for key in recording.referred() if key not in tensors]
        if missing:
            raise UsageError(f"{file}: damaged: {missing[0]} is not in it")
        return recording
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from None
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError) as error:
        raise UsageError(f"{file}: damaged, or not a golden file ({type(error).__name__}: {error})") from None


def _header(file: Path) -> tuple[dict[str, Any], int, int]:
    """The list of tensors, where their contents start, and how long they are."""
    size = file.stat().st_size
    with open(file, "rb") as stream:
        length = int.from_bytes(stream.read(8), "little")
        if size < 10 or length > min(size - 8, _LONGEST_HEADER):
            raise UsageError(f"{file}: cut short, or not a safetensors file")
        header = json.loads(stream.read(length).decode("utf-8"))
    if not isinstance(header, dict):
        raise ValueError("the header is no object")
    return header, 8 + length, size - 8 - length


def _recording(manifest: dict[str, Any], tensors: Mapping[str, Stored]) -> Recording:
    """The recording that a manifest describes; ValueError and the like where it does not."""
    calls = [Call(**call) for call in manifest["calls"]]
    if not calls:
        raise ValueError("no call was recorded")
    setting, options = manifest["setting"], manifest["options"]
    for name, kinds in {"device": str, "switches": dict, "versions": dict, "time": str}.items():
        _must_be(setting, name, kinds)
    for name, kinds in _OPTIONS.items():
        _must_be(options, name, kinds)
    if options["dtype"] is not None and options["dtype"] not in FORMATS:
        raise ValueError(f"dtype {options['dtype']}")
    for call in calls:
        for name, kinds in _CALL.items():
            _must_be(vars(call), name, kinds)
    fields = ("inputs", "weights", "weights_kept", "notes")
    inputs, weights, kept, notes = (manifest[name] for name in fields)
    return Recording(setting, options, calls, dict(inputs), dict(weights), str(kept), tensors, list(map(str, notes)))


_OPTIONS: dict[str, Any] = {"target": str, "seed": int, "dtype": (str, type(None)), "depth": (int, type(None))}
_CALL: dict[str, Any] = {
    **dict.fromkeys(("module", "kind"), str),
    **dict.fromkeys(("index", "layers"), int),
    **dict.fromkeys(("inputs", "outputs"), dict),
    **dict.fromkeys(("skipped", "devices"), list),
    "parent": (str, type(None)),
}


def _must_be(part: dict[str, Any], name: str, kinds: Any) -> None:
    if name not in part:
        raise ValueError(f"no {name}")
    if not isinstance(part[name], kinds):
        raise ValueError(f"{name} is {part[name]!r:.40}")


class _Mapped(Mapping[str, Stored]):
    """Tensors in a file, read when they are asked for."""

    def __init__(self, file: Path, start: int, size: int, header: dict[str, Any], described: dict[str, Any]) -> None:
        import numpy as np

        self._file, self._described = file, described
        self._spans: dict[str, tuple[int, int]] = {}
        self._sound: set[str] = set()
        for key, entry in described.items():
            begin, end = header[key]["data_offsets"]
            form, shape = FORMATS[entry["dtype"]], tuple(entry["shape"])
            whole = all(isinstance(part, int) and part >= 0 for part in (*shape, begin, entry["stride"] - 1))
            if not whole or end - begin != kept_count(shape, entry["stride"]) * form.size:
                raise ValueError(f"{key} has not the length of its shape")
            if end > size:
                raise UsageError(f"{file}: cut short: {key} should end {end - size} bytes after its end")
            self._spans[key] = (begin, end)
        empty: Array = np.zeros(0, dtype=np.uint8)
        self._data: Array = np.memmap(file, dtype=np.uint8, mode="r", offset=start, shape=(size,)) if size else empty

    def __getitem__(self, key: str) -> Stored:
        entry, (begin, end) = self._described[key], self._spans[key]
        raw = self._data[begin:end]
        stored = Stored(FORMATS[entry["dtype"]], tuple(entry["shape"]), raw, entry["stride"])
        if key not in self._sound:
            if stored.digest() != entry["digest"]:
                raise UsageError(f"{self._file}: damaged: {key} does not hold what was written")
            self._sound.add(key)
        return stored

    def __iter__(self) -> Iterator[str]:
        return iter(self._spans)

    def __len__(self) -> int:
        return len(self._spans)
