"""Which kernels a program without torch gave to the device: asked of the vendor's profiler, where it is installed."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rewarp.host import Backend, Host

Kernels = dict[str, tuple[int, int]]
"""Name: how often, and nanoseconds together."""

_Wrap = Callable[[str, Path, Sequence[str]], list[str]]
_Read = Callable[[Host, str, Path], "Kernels | None"]


@dataclass(frozen=True)
class Profiler:
    """A vendor's tool that runs a command and writes down its kernels."""

    tool: str
    path: str
    wrap: _Wrap
    read: _Read
    """None where the tool left nothing that could be read."""

    def command(self, folder: Path, command: Sequence[str]) -> list[str]:
        return self.wrap(self.path, folder, command)

    def kernels(self, host: Host, folder: Path) -> Kernels | None:
        return self.read(host, self.path, folder)


def find(host: Host, backend: Backend) -> Profiler | None:
    """The first of the vendor's tools that is installed."""
    for name, wrap, read in _TOOLS.get(backend, ()):
        found = host.which(name)
        if found:
            return Profiler(name, found[0], wrap, read)
    return None


def names(backend: Backend) -> str:
    """The tools that would be asked, in words."""
    return " or ".join(name for name, _, _ in _TOOLS.get(backend, ()))


def _with_rocprof(tool: str, folder: Path, command: Sequence[str]) -> list[str]:
    return [tool, "--kernel-trace", "--output-format", "csv", "-d", str(folder), "--", *command]


def _read_rocprof(host: Host, tool: str, folder: Path) -> Kernels | None:
    files = sorted(folder.rglob("*kernel_trace.csv"))
    if not files:
        return None
    kernels: Kernels = {}
    for file in files:
        for row in csv.DictReader(io.StringIO(file.read_text("utf-8", "replace"))):
            took = int(row.get("End_Timestamp") or 0) - int(row.get("Start_Timestamp") or 0)
            _add(kernels, row.get("Kernel_Name") or "", 1, took)
    return kernels


def _with_nsys(tool: str, folder: Path, command: Sequence[str]) -> list[str]:
    options = ["--trace=cuda", "--sample=none", "--cpuctxsw=none", "--force-overwrite=true"]
    return [tool, "profile", *options, f"--output={folder / 'run'}", *command]


def _read_nsys(host: Host, tool: str, folder: Path) -> Kernels | None:
    report = folder / "run.nsys-rep"
    if not report.is_file():
        return None
    options = ["--report=cuda_gpu_kern_sum", "--format=csv", "--force-export=true", "--output=-"]
    ran = host.run_program([tool, "stats", *options, str(report)], 120)
    return parse_nsys(ran.stdout.splitlines()) if ran.worked else None


def parse_nsys(lines: Iterable[str]) -> Kernels | None:
    """The table in what `nsys stats` prints; None where it says neither that kernels ran nor that none did."""
    rest = iter(lines)
    said = []
    for line in rest:
        said.append(line)
        if line.startswith("Time (%)"):
            kernels: Kernels = {}
            for row in csv.DictReader([line, *rest]):
                if row.get("Name") and (row.get("Instances") or "").isdigit():
                    _add(kernels, row["Name"], int(row["Instances"]), int(float(row.get("Total Time (ns)") or 0)))
            return kernels
    return {} if any("does not contain CUDA kernel data" in line for line in said) else None


def _with_ncu(tool: str, folder: Path, command: Sequence[str]) -> list[str]:
    measured = ["--metrics", _NCU_TIME, "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none"]
    return [tool, *measured, "--target-processes", "all", "--log-file", str(folder / "ncu.csv"), *command]


def _read_ncu(host: Host, tool: str, folder: Path) -> Kernels | None:
    log = folder / "ncu.csv"
    return parse_ncu(log.read_text("utf-8", "replace").splitlines()) if log.is_file() else None


def parse_ncu(lines: Iterable[str]) -> Kernels | None:
    """The rows among what ncu writes; None where it says neither that kernels ran nor that none did."""
    rest = iter(lines)
    said = []
    for line in rest:
        said.append(line)
        if line.startswith('"ID"'):
            kernels: Kernels = {}
            for row in csv.DictReader([line, *rest]):
                if (row.get("ID") or "").isdigit():  # the row below the header holds units
                    _add(kernels, row["Kernel Name"], 1, int(float((row.get(_NCU_TIME) or "0").replace(",", ""))))
            return kernels
    return {} if any("No kernels were profiled" in line for line in said) else None


def _add(kernels: Kernels, name: str, count: int, nanoseconds: int) -> None:
    before = kernels.get(name, (0, 0))
    kernels[name] = (before[0] + count, before[1] + nanoseconds)


_NCU_TIME = "gpu__time_duration.sum"
_TOOLS: dict[Backend, tuple[tuple[str, _Wrap, _Read], ...]] = {
    Backend.ROCM: (("rocprofv3", _with_rocprof, _read_rocprof),),
    Backend.CUDA: (("nsys", _with_nsys, _read_nsys), ("ncu", _with_ncu, _read_ncu)),
}


def as_table(kernels: Mapping[str, tuple[int, int]], most: int = 200) -> dict[str, list[int]]:
    """The kernels that took longest, fit for JSON."""
    ordered = sorted(kernels.items(), key=lambda item: -item[1][1])
    return {name: list(figures) for name, figures in ordered[:most]}
