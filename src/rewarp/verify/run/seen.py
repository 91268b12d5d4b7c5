"""Everything that was seen of a run: what the checks are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rewarp.host import Backend, Machine
from rewarp.verify.run.backends import attention_backends, backends_of_kernels
from rewarp.verify.run.process import Ran
from rewarp.verify.run.profilers import Kernels
from rewarp.verify.run.reports import TorchProcess


@dataclass(frozen=True)
class Seen:
    runs: tuple[Ran, ...]
    processes: tuple[TorchProcess, ...]
    """Of all runs."""
    calls: Mapping[str, Any] | None
    """What came of calling a function: each call, and memory after it."""
    machine: Machine
    expected: Backend | None
    """The device that should have been used; None where this machine has no accelerator and none was asked for."""
    vendor_tool: str | None = None
    vendor_kernels: Kernels | None = None
    """By the vendor's profiler, in a run of its own; None where it did not run or left nothing."""

    @property
    def workers(self) -> tuple[TorchProcess, ...]:
        """Those that ran a model or a kernel. One that only asked for its device counts where there is no other."""
        working = tuple(process for process in self.processes if process.works)
        return working or tuple(process for process in self.processes if process.devices)

    @property
    def kernels(self) -> Kernels:
        """By name, over all processes."""
        table: Kernels = dict(self.vendor_kernels or {})
        for process in self.processes:
            for name, (count, nanoseconds) in (process.profile.get("kernels") or {}).items():
                before = table.get(name, (0, 0))
                table[name] = (before[0] + count, before[1] + nanoseconds)
        return table

    @property
    def attention(self) -> dict[str, int]:
        operators: dict[str, int] = {}
        for process in self.processes:
            for name, count in (process.profile.get("attention") or {}).items():
                operators[name] = operators.get(name, 0) + count
        return attention_backends(operators)

    @property
    def backends(self) -> frozenset[str]:
        return backends_of_kernels(self.kernels) | frozenset(self.attention)

    @property
    def kernels_were_watched(self) -> bool:
        return self.vendor_kernels is not None or any(process.was_profiled for process in self.processes)

    @property
    def problems(self) -> list[str]:
        return [f"{process.name}: {line}" for process in self.processes for line in process.problems]
