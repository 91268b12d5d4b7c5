"""CUDA names and their HIP twins, from ``cuda_names.tsv``.

The file is read as one blob when a rule first asks; a row is taken apart only when it is
looked at. Thousands of Python objects at import would cost more than the whole scan of a file.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from typing import NamedTuple


class Twin(NamedTuple):
    """What is known of one CUDA name."""

    hip: str
    """The HIP name; empty when there is none."""
    library: str
    """``runtime``, ``driver``, ``device``, ``BLAS``, ``DNN``, ``FFT``, ``RAND``, ``SPARSE``, ``SOLVER``, ..."""
    status: str
    """``ok``, ``experimental`` or ``unsupported``."""

    @property
    def supported(self) -> bool:
        return self.status != "unsupported"


@lru_cache(maxsize=1)
def names() -> dict[bytes, bytes]:
    """Every known name, with the rest of its row; ``twin`` reads it."""
    blob = resources.files("rewarp.tables").joinpath("cuda_names.tsv").read_bytes()
    table: dict[bytes, bytes] = {}
    for line in blob.splitlines():
        name, _, rest = line.partition(b"\t")
        table[name] = rest
    return table


def twin(name: bytes) -> Twin | None:
    """What is known of a name; None when the table does not list it."""
    row = names().get(name)
    return Twin(*row.decode().split("\t")) if row is not None else None
