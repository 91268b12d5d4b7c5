"""Tables of names, read from the CSV files beside this module when a rule first asks.

``torch_cuda.csv`` lists the public surface of ``torch.cuda`` (names without the prefix).
Its ``rocm`` column says what the name does on a ROCm build: ``same``, ``differs`` (a rule
of its own speaks about it) or ``absent``. Its ``gaudi`` column is the twin in ``torch.hpu``,
``none`` where the Gaudi bridge (HabanaAI/gaudi-pytorch-bridge) has none, and empty where
that is not known.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path


def rows(file: str) -> list[dict[str, str]]:
    """The rows of one table, each by column name."""
    text = Path(__file__).with_name(file).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


@lru_cache(maxsize=1)
def amd_arches() -> tuple[str, ...]:
    """The architectures of AMD's GPUs; one that is not here may be newer."""
    return tuple(dict.fromkeys(row["gfx_target"] for row in rows("amd_arch.csv")))


@dataclass(frozen=True, slots=True)
class CudaName:
    """One name below ``torch.cuda.``"""

    name: str
    rocm: str
    gaudi: str
    note: str
    source: str

    @property
    def gaudi_twin(self) -> str | None:
        """The name to use on Gaudi, or None when there is none or it is not known."""
        return self.gaudi if self.gaudi not in ("", "none") else None


@lru_cache(maxsize=1)
def torch_cuda() -> Mapping[str, CudaName]:
    """The surface of ``torch.cuda``, by name."""
    return {row["name"]: CudaName(**row) for row in rows("torch_cuda.csv")}


@lru_cache(maxsize=1)
def torch_cuda_modules() -> frozenset[str]:
    """The names below ``torch.cuda.`` that are modules: those other names stand in."""
    parents = {name.rpartition(".")[0] for name in torch_cuda()}
    return frozenset(parent for parent in parents if parent and not parent.endswith(")"))


def find_torch_cuda(name: str) -> CudaName | None:
    """The row for a name below ``torch.cuda.``; an attribute of a class belongs to its class."""
    table = torch_cuda()
    while name not in table:
        name, dot, _ = name.rpartition(".")
        if not dot or name in torch_cuda_modules() or name.endswith(")"):
            return None
    return table[name]
