"""What the watched processes reported, as types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rewarp.host import Backend

_TYPES = {"cuda": Backend.CUDA, "xpu": Backend.XPU, "hpu": Backend.GAUDI}
_ON_CPU, _ON_DEVICE = "cpu ", "device "


@dataclass(frozen=True)
class TorchProcess:
    """One process that imported torch."""

    pid: int
    rank: str | None
    complete: bool
    """Whether it came to write its last report."""
    torch: Mapping[str, Any]
    profile: Mapping[str, Any]
    finite: Mapping[str, Any]
    memory: Sequence[Any]
    """After each optimizer step: its number, bytes of the process, bytes on its devices."""
    steps: int
    problems: tuple[str, ...]

    @classmethod
    def of(cls, report: Mapping[str, Any]) -> TorchProcess:
        return cls(
            pid=report["pid"],
            rank=report.get("rank"),
            complete=bool(report.get("complete")),
            torch=report.get("torch") or {},
            profile=report.get("profile") or {},
            finite=report.get("finite") or {},
            memory=report.get("memory") or (),
            steps=report.get("steps") or 0,
            problems=tuple(report.get("problems") or ()),
        )

    @property
    def name(self) -> str:
        return f"rank {self.rank}" if self.rank is not None else f"process {self.pid}"

    @property
    def build(self) -> str:
        """The torch it used: `torch 2.9.0 (ROCm 7.1)`."""
        hip, cuda = self.torch.get("hip"), self.torch.get("cuda")
        kind = f"ROCm {hip}" if hip else f"CUDA {cuda}" if cuda else "no CUDA, no ROCm"
        return f"torch {self.torch.get('version')} ({kind})"

    @property
    def devices(self) -> dict[Backend, str]:
        """The devices it initialised, by name."""
        found = {}
        for device in self.torch.get("initialised") or ():
            backend = _TYPES[device["type"]]
            if backend is Backend.CUDA and self.torch.get("hip"):
                backend = Backend.ROCM
            found[backend] = str(device.get("name"))
        return found

    @property
    def works(self) -> bool:
        """Whether it ran a model, rather than feeding one."""
        return bool(self.steps or self.finite.get("forwards") or self.kernel_count)

    @property
    def was_profiled(self) -> bool:
        return float(self.profile.get("seconds") or 0) > 0

    @property
    def kernel_count(self) -> int:
        return int(self.profile.get("kernel_count") or 0)

    @property
    def kernel_ns(self) -> int:
        return int(self.profile.get("kernel_ns") or 0)

    def heavy(self, on_cpu: bool) -> dict[str, list[int]]:
        """Heavy operators there: count, nanoseconds together, nanoseconds of the first."""
        prefix = _ON_CPU if on_cpu else _ON_DEVICE
        table: Mapping[str, list[int]] = self.profile.get("heavy") or {}
        return {name.removeprefix(prefix): figures for name, figures in table.items() if name.startswith(prefix)}

    @property
    def heavy_cpu_ns(self) -> int:
        """Without the first call of each operator, which carries the start of its library."""
        return sum(together - first for _, together, first in self.heavy(on_cpu=True).values())


def calls_of(tables: Iterable[Mapping[str, list[int]]]) -> int:
    return sum(figures[0] for table in tables for figures in table.values())
