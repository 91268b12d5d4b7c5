"""A recording: every module call with its inputs and outputs, the weights, and how it was made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from rewarp.errors import UsageError
from rewarp.verify.numbers.formats import FORMATS
from rewarp.verify.numbers.tensors import NotStorable, Stored, from_array, from_torch

MODEL = "(model)"
RESULT = "(result)"


@dataclass
class Call:
    """One call of one module. Paths of tensors lead to the keys under which they are stored."""

    module: str
    kind: str
    """The module's class."""
    index: int
    """The how-manieth call of this module, from 0."""
    parent: str | None = None
    """The name of the call inside which it happened."""
    layers: int = 0
    """Calls of modules without children that had ended when this call did."""
    inputs: dict[str, str] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)
    """What it took or returned that is not compared, and why."""
    devices: list[str] = field(default_factory=list)
    """Where its outputs were."""

    @property
    def name(self) -> str:
        return f"{self.module}#{self.index + 1}" if self.index else self.module


class Pool:
    """Tensors by key; the same content is kept once, however often it goes from module to module."""

    def __init__(self) -> None:
        self.tensors: dict[str, Stored] = {}
        self._known: dict[str, str] = {}

    def add(self, key: str, stored: Stored) -> str:
        known = self._known.setdefault(stored.digest(), key)
        if known == key:
            self.tensors[key] = stored
        return known

    def add_all(self, prefix: str, values: Mapping[str, Any], skipped: list[str]) -> dict[str, str]:
        """Add what can be stored, under keys that say where it was seen first."""
        keys = {}
        for path, value in values.items():
            try:
                stored = stored_value(value)
            except NotStorable as reason:
                skipped.append(f"{path or 'it'}: {reason}")
            else:
                keys[path] = self.add(f"{prefix}.{path}" if path else prefix, stored)
        return keys


def stored_value(value: Any) -> Stored:
    """A tensor, array or number, as it is now."""
    import numpy as np
    import torch

    if isinstance(value, torch.Tensor):
        return from_torch(value)
    array = np.array(value)
    if array.dtype.name not in FORMATS:
        raise NotStorable(f"dtype {array.dtype.name} is not compared")
    return from_array(array)


@dataclass
class Recording:
    """All that was seen in one run."""

    setting: dict[str, Any]
    """Device, versions, switches, revision, time."""
    options: dict[str, Any]
    """Target, seed, dtype, depth."""
    calls: list[Call]
    """In the order in which they ended; the last one is the whole."""
    inputs: dict[str, str]
    """What the whole was called with."""
    weights: dict[str, str]
    """Keys of parameters and buffers, or their digests where only those were kept."""
    weights_kept: str
    """``stored``, ``hashed``, or ``none`` for something that has none."""
    tensors: Mapping[str, Stored]
    notes: list[str] = field(default_factory=list)

    def manifest(self) -> dict[str, Any]:
        return {
            "setting": self.setting,
            "options": self.options,
            "calls": [asdict(call) for call in self.calls],
            "inputs": self.inputs,
            "weights": self.weights,
            "weights_kept": self.weights_kept,
            "notes": self.notes,
        }

    def referred(self) -> Iterator[str]:
        """Every key that something refers to."""
        yield from self.inputs.values()
        if self.weights_kept == "stored":
            yield from self.weights.values()
        for call in self.calls:
            yield from call.inputs.values()
            yield from call.outputs.values()


def thinned(recording: Recording, most: int) -> Recording:
    """The recording in at most so many bytes: inputs of modules go first, then of their outputs every n-th element
    stays. Inputs, weights and final outputs of the whole are kept, or nothing could be replayed."""
    tensors = recording.tensors
    whole = recording.calls[-1]
    stored_weights = recording.weights.values() if recording.weights_kept == "stored" else ()
    needed = {*recording.inputs.values(), *stored_weights, *whole.outputs.values()}
    if _size(tensors, set(tensors)) <= most:
        return recording
    room = most - _size(tensors, needed)
    if room < 0:
        raise UsageError(f"inputs, weights and final outputs alone are {most - room} bytes, more than {most}")
    outputs = {key for call in recording.calls for key in call.outputs.values()} - needed
    stride, total = 1, _size(tensors, outputs)
    while total > room:
        if stride > total:
            raise UsageError(f"not even one element of each module fits into {most} bytes; record fewer modules")
        stride = max(stride + 1, stride * total // max(room, 1))
        total = sum(tensors[key].sampled(stride).raw.size for key in outputs)
    kept = {key: tensors[key] if key in needed else tensors[key].sampled(stride) for key in (*needed, *outputs)}
    for call in recording.calls:
        gone = {path: key for path, key in call.inputs.items() if key not in kept}
        call.inputs = {path: key for path, key in call.inputs.items() if key not in gone.values()}
        call.skipped += [f"{path}: input left out to save space" for path in gone]
    if stride > 1:
        recording.notes.append(f"of module outputs every {stride}th element is kept, to stay below {most} bytes")
    recording.tensors = {key: kept[key] for key in tensors if key in kept}
    return recording


def _size(tensors: Mapping[str, Stored], keys: set[str]) -> int:
    return sum(tensors[key].raw.size for key in keys)
