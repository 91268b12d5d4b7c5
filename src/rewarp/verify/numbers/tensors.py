"""A tensor outside torch: its dtype, its shape, its bytes."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rewarp.errors import GaveUp, UsageError
from rewarp.verify.numbers.formats import COMPLEX, FORMATS, Array, Format, format_of

if TYPE_CHECKING:
    import torch


class NotStorable(GaveUp):
    """A tensor whose content cannot be kept, and why."""


@dataclass(frozen=True, eq=False)
class Stored:
    """A tensor's content. Where ``stride`` is more than 1, only every stride-th element of the flat tensor is kept."""

    form: Format
    shape: tuple[int, ...]
    raw: Array
    """Its bytes, flat."""
    stride: int = 1

    @property
    def count(self) -> int:
        """Elements of the whole tensor."""
        return math.prod(self.shape)

    def digest(self) -> str:
        hashed = hashlib.blake2b(f"{self.form.name} {self.shape} {self.stride} ".encode(), digest_size=16)
        hashed.update(self.raw.data)
        return hashed.hexdigest()

    def sampled(self, stride: int) -> Stored:
        """Every stride-th element."""
        import numpy as np

        if stride == self.stride:
            return self
        if self.stride != 1:
            raise ValueError("a sample cannot be sampled again")
        raw = np.ascontiguousarray(self.raw.reshape(-1, self.form.size)[::stride]).reshape(-1)
        return Stored(self.form, self.shape, raw, stride)


def kept_count(shape: tuple[int, ...], stride: int) -> int:
    """How many elements a sample holds."""
    return -(-math.prod(shape) // stride)


def from_torch(tensor: torch.Tensor) -> Stored:
    """A copy of the tensor's content as it is now."""
    import torch

    name = str(tensor.dtype).removeprefix("torch.")
    form = FORMATS.get(name)
    if form is None or tensor.is_quantized:
        raise NotStorable(f"dtype {name} is not compared")
    if tensor.device.type == "meta":
        raise NotStorable("a meta tensor has no content")
    if tensor.is_nested or hasattr(tensor, "__tensor_flatten__"):
        raise NotStorable(f"{type(tensor).__name__} is not a plain tensor")
    try:
        with torch.no_grad():
            dense = tensor.detach().to_dense() if tensor.layout is not torch.strided else tensor.detach()
            flat = dense.resolve_conj().resolve_neg().to("cpu").contiguous().reshape(-1)
            parts = torch.view_as_real(flat).reshape(-1) if form.kind == COMPLEX else flat
            # Without a copy, a tensor on the CPU would go on changing under our hands.
            return Stored(form, tuple(dense.shape), parts.view(torch.uint8).numpy().copy())
    except (ValueError, NotImplementedError, TypeError) as error:  # lazy parameters, layouts without a dense form
        raise NotStorable((str(error).splitlines() or [type(error).__name__])[0][:100]) from None


def to_torch(stored: Stored) -> torch.Tensor:
    """The tensor on the CPU."""
    import torch

    flat = torch.from_numpy(stored.raw.copy())
    dtype = getattr(torch, stored.form.name)
    if stored.form.kind == COMPLEX:
        part = torch.float32 if stored.form.size == 8 else torch.float64
        return torch.view_as_complex(flat.view(part).reshape(*stored.shape, 2))
    return flat.view(dtype).reshape(stored.shape)


def from_array(array: Any, dtype: str | None = None) -> Stored:
    """From a numpy array, or from bytes with a dtype's name."""
    import numpy as np

    if isinstance(array, (bytes, bytearray, memoryview)):
        if dtype is None:
            raise UsageError("raw bytes need a dtype")
        raw, form = np.frombuffer(array, dtype=np.uint8), format_of(dtype)
        if raw.size % form.size:
            raise UsageError(f"{raw.size} bytes are no whole number of {form.name}")
        return Stored(form, (raw.size // form.size,), raw)
    given = np.asarray(array)
    form = format_of(dtype or given.dtype.name)
    if given.dtype.itemsize != form.size:
        raise UsageError(f"an array of {given.dtype.name} does not hold {form.name}")
    if given.dtype.byteorder == ">":
        given = given.astype(given.dtype.newbyteorder("<"))
    return Stored(form, given.shape, np.ascontiguousarray(given).reshape(-1).view(np.uint8))
