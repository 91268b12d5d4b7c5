"""Scales: which tensor of a checkpoint is the scale of which, and the same scale when its codes mean half, or twice, as
much. A name or a shape that is not known is no scale, and nothing is guessed."""

from __future__ import annotations

import math
import re
import struct
import sys
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from rewarp import tables
from rewarp.bridge.checkpoint import Checkpoint, Tensor
from rewarp.bridge.formats import Counts
from rewarp.errors import UsageError

WEIGHT, ACTIVATION, BOUND, CACHE = "weight", "activation", "bound", "cache"
_SOUNDS_LIKE_ONE = re.compile(r"scal(e|ing)", re.IGNORECASE)
_LAYER = re.compile(r"(?:^|\.)(?:layers|blocks|h)\.(\d+)\.")


@dataclass(frozen=True)
class Scale:
    """A tensor that scales another."""

    tensor: Tensor
    role: str
    granularity: str
    """``per tensor``, ``per channel`` or ``per block``."""


@lru_cache(maxsize=1)
def _names() -> tuple[tuple[str, str], ...]:
    return tuple((row["name"], row["role"]) for row in tables.rows("fp8_scales.csv"))


@lru_cache(maxsize=1)
def cache_names() -> tuple[str, ...]:
    """How names of scales of a KV cache end."""
    return tuple(name for name, role in _names() if role == CACHE)


def is_cache_scale(name: str) -> bool:
    return any(name == end or name.endswith(f".{end}") for end in cache_names())


def scales_of(weight: Tensor, tensors: Mapping[str, Tensor]) -> list[Scale]:
    """What scales a tensor of codes, and what its module computes with. Raises UsageError for two scales of one tensor."""
    found = []
    for name, role in _roles(weight).items():
        if role in (WEIGHT, ACTIVATION) and name in tensors:
            found.append(Scale(tensors[name], role, _granularity(weight, tensors[name], role)))
    own = [scale.tensor.name for scale in found if scale.role == WEIGHT]
    if len(own) > 1:
        raise UsageError(f"{weight.name}: which is its scale, {own[0]} or {own[1]}?")
    return found


def unknown_scales(weights: Iterable[Tensor], tensors: Mapping[str, Tensor]) -> list[str]:
    """Tensors in the modules of weights that sound like scales, and have no role that is known."""
    modules, known = set(), set()
    for weight in weights:
        modules.add(weight.module)
        known |= {weight.name, *_roles(weight)}
    return [
        name
        for name, tensor in tensors.items()
        if tensor.module in modules and name not in known and not is_cache_scale(name)
        and _SOUNDS_LIKE_ONE.search(name.rpartition(".")[2])
    ]  # fmt: skip


def _roles(weight: Tensor) -> dict[str, str]:
    """The names that scales of a weight may have. A module's only weight is called just that; others share their module
    with strangers, and what is said of the module is not said of them."""
    alone = weight.name.endswith(".weight")
    return {
        pattern.format(weight=weight.name, module=weight.module): role
        for pattern, role in _names()
        if role != CACHE and (alone or "{module}" not in pattern)
    }


def _granularity(weight: Tensor, scale: Tensor, role: str) -> str:
    """How finely a scale divides its tensor; UsageError where it does not fit."""
    count = math.prod(scale.shape)
    if count == 1:
        return "per tensor"
    if role == WEIGHT:
        if scale.shape == weight.shape[: len(scale.shape)] or scale.shape == (*weight.shape[:-1], 1):
            return "per channel"
        if len(scale.shape) == len(weight.shape) and all(map(_divides, weight.shape, scale.shape)):
            return "per block"
    elif len(scale.shape) == 1:
        return "per channel"
    raise UsageError(
        f"{scale.name} of shape {list(scale.shape)} cannot be the scale of {weight.name}, {list(weight.shape)}"
    )


def _divides(length: int, parts: int) -> bool:
    """Whether so many blocks of one size cover a length."""
    return 0 < parts <= length and -(-length // -(-length // parts)) == parts


def cache_scales(checkpoint: Checkpoint) -> tuple[bool, ...]:
    """For each layer, whether the checkpoint has scales of its KV cache. vLLM uses 1.0 where it has none, and doubles
    those that there are, whichever they are, where FP8 is fnuz (vLLM a014e35, quantization/kv_cache.py)."""
    layers: dict[int, bool] = {}
    for name, tensor in checkpoint.tensors.items():
        match = _LAYER.search(name)
        if match is None:
            continue
        layer = int(match[1])
        counts = is_cache_scale(name) and name.rpartition(".")[2] not in ("q_scale", "prob_scale")
        if counts and math.prod(tensor.shape) != 1:
            raise UsageError(f"{name} has {list(tensor.shape)} values: only one for each layer is known to be read")
        layers[layer] = layers.get(layer, False) or counts
    if not layers or sorted(layers) != list(range(len(layers))):
        raise UsageError(f"{checkpoint.path}: its layers cannot be told from the names of its tensors")
    return tuple(layers[number] for number in range(len(layers)))


# --- another scale ---------------------------------------------------------------------------

_FLOATS = {"F32": "f", "F64": "d"}
_NONE = -1
_WIDTHS = {"F8_E8M0": 1, "U8": 1, "F16": 2, "BF16": 2, "F32": 4, "F64": 8}


@dataclass(frozen=True)
class Rescaling:
    """Multiplies scales by a power of two, exactly or not at all."""

    dtype: str
    ratio: float
    name: str

    def __post_init__(self) -> None:
        if self.dtype not in _WIDTHS:
            raise UsageError(f"{self.name}: a scale of type {self.dtype} is not known")

    def apply(self, block: bytes) -> bytes:
        if self.dtype in _FLOATS:
            numbers = array(_FLOATS[self.dtype], _little(block, _WIDTHS[self.dtype]))
            result = array(numbers.typecode, [number * self.ratio for number in numbers])
            if any(new / self.ratio != old and old == old for old, new in zip(numbers, result)):
                self._refuse()
            return _little(result.tobytes(), numbers.itemsize)
        codes = array("B" if _WIDTHS[self.dtype] == 1 else "H", _little(block, _WIDTHS[self.dtype]))
        table = _table(self.dtype, self.ratio)
        new = [table[code] for code in codes]
        if _NONE in new:
            self._refuse()
        return _little(array(codes.typecode, new).tobytes(), codes.itemsize)

    def count(self, block: bytes) -> Counts:
        """Scales are no stored numbers."""
        return Counts()

    def _refuse(self) -> None:
        raise UsageError(f"{self.name}: a scale times {self.ratio:g} is no {self.dtype} any more; nothing was written")


def _little(data: bytes, width: int) -> bytes:
    """Between the file's byte order and this machine's."""
    if sys.byteorder == "little" or width == 1:
        return data
    numbers = array({2: "H", 4: "I", 8: "Q"}[width], data)
    numbers.byteswap()
    return numbers.tobytes()


def e8m0_value(code: int) -> float:
    """Powers of two, from 2**-127; the last code is NaN. There is no zero and no sign."""
    return math.nan if code == 0xFF else math.ldexp(1.0, code - 127)


@lru_cache(maxsize=16)
def _table(dtype: str, ratio: float) -> tuple[int, ...]:
    """For each code that of the scale multiplied."""
    if dtype in ("F8_E8M0", "U8"):
        step = round(math.log2(ratio))
        return tuple(code if code == 0xFF else code + step if 0 <= code + step < 0xFF else _NONE for code in range(256))
    layout, shift = ("<e", 0) if dtype == "F16" else ("<f", 16)  # a bfloat16 is the upper half of a float
    return tuple(_multiplied(code, ratio, layout, shift) for code in range(1 << 16))


def _multiplied(code: int, ratio: float, layout: str, shift: int) -> int:
    width = struct.calcsize(layout)
    (value,) = struct.unpack(layout, (code << shift).to_bytes(width, "little"))
    if not math.isfinite(value):
        return code
    try:
        packed = struct.pack(layout, value * ratio)
    except OverflowError:
        return _NONE
    new = int.from_bytes(packed, "little")
    exact = struct.unpack(layout, packed)[0] == value * ratio and new >> shift << shift == new
    return new >> shift if exact else _NONE
