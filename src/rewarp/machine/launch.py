"""One launch: arguments in memory as the kernel's metadata says, registers as its descriptor says, all cores."""

from __future__ import annotations

import ctypes
import os
import struct
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from rewarp.errors import RewarpError, UsageError
from rewarp.machine.assembly import Kernel, Place
from rewarp.machine.dialects import SPARE
from rewarp.machine.library import MachineError, library
from rewarp.machine.program import Block, LoadedProgram, block

Axes = tuple[int, int, int]
LDS_LIMIT = 65_536
THREADS_LIMIT = 1_024
_BUDGET = 20_000
_HEAD = struct.Struct("<QQQ QQ 3I3I 4I 32I 4I qQ QQ 2I")
_REASONS = {1: "fault", 2: "trap", 3: "endless", 4: "memory"}
_FAULTS = {
    1: "reads {size} bytes at {address:#x}, which belong to nothing the kernel was given",
    2: "writes {size} bytes at {address:#x}, which belong to nothing the kernel may write to",
    3: "changes {size} bytes at {address:#x}, which belong to nothing the kernel may write to",
    4: "reaches {size} bytes at {address:#x} of LDS, which end before",
    5: "reaches {size} bytes at {address:#x} of scratch, which end before",
    6: "jumps to {address:#x}, which is no code",
    7: "changes {size} bytes at {address:#x}, which is not aligned",
}


@dataclass
class LaunchError(RewarpError):
    """A kernel did what it must not."""

    kernel: str
    why: str
    place: Place | None = None
    group: Axes = (0, 0, 0)
    lane: int = 0
    instruction: str = ""

    def __str__(self) -> str:
        where = f" ({self.place.file}:{self.place.line})" if self.place else ""
        return f"{self.kernel}: {self.why}; workgroup {self.group}, lane {self.lane}: {self.instruction.strip()}{where}"


@dataclass
class Memory:
    """What a kernel may look at: pieces of memory of the host."""

    ranges: list[tuple[int, int, bool]] = field(default_factory=list)

    def add(self, address: int, size: int, writable: bool = True) -> None:
        if size:
            self.ranges.append((address, address + size, writable))

    def packed(self) -> tuple[ctypes.Array[ctypes.c_char], int]:
        """Sorted, with pieces that touch or overlap in the same way joined: they may come from one array."""
        merged: list[list[int]] = []
        for start, end, writable in sorted(self.ranges):
            if merged and start < merged[-1][1]:
                merged[-1][1] = max(end, merged[-1][1])
                merged[-1][2] |= int(writable)
            else:
                merged.append([start, end, int(writable)])
        data = b"".join(
            struct.pack("<QQII", start, end, writable, n) for n, (start, end, writable) in enumerate(merged)
        )
        return ctypes.create_string_buffer(data, max(len(data), 1)), len(merged)


def launch(
    program: LoadedProgram,
    name: str,
    grid: Sequence[int],
    block_size: Sequence[int],
    arguments: Sequence[Any],
    *,
    dynamic_lds: int = 0,
    memory: Memory | None = None,
    cores: int | None = None,
    limit: int = 0,
) -> bytes:
    """Run a kernel to its end. Arguments are NumPy arrays, numbers, addresses or bytes. Gives what it printed.

    Raises LaunchError for what the kernel does wrong, Unsupported for an instruction that it comes to and nobody knows.
    """
    kernel = program.program.kernels.get(name)
    if kernel is None:
        raise UsageError(f"no kernel {name}: there are {', '.join(sorted(program.program.kernels)) or 'none'}")
    started = _Launch(program, kernel, _axes(grid), _axes(block_size), dynamic_lds, memory or Memory())
    started.set_arguments(arguments)
    return started.run(cores or len(os.sched_getaffinity(0)), limit)


def _axes(given: Sequence[int]) -> Axes:
    values = [int(value) for value in given] + [1, 1, 1]
    if any(value < 1 for value in values):
        raise UsageError(f"a grid and its blocks have at least one of each: {tuple(given)}")
    return values[0], values[1], values[2]


class _Launch:
    def __init__(
        self, program: LoadedProgram, kernel: Kernel, grid: Axes, size: Axes, dynamic_lds: int, memory: Memory
    ) -> None:
        self._program, self._kernel, self._grid, self._size = program, kernel, grid, size
        self._dynamic, self._memory = dynamic_lds, memory
        self._lds = kernel.directives.get("group_segment_fixed_size", 0) + dynamic_lds
        self._kept: list[Any] = []
        self._printed: Block | None = None
        threads = size[0] * size[1] * size[2]
        if threads > THREADS_LIMIT:
            raise UsageError(f"{kernel.name}: {threads} threads in a block; the card takes {THREADS_LIMIT}")
        if self._lds > LDS_LIMIT:
            raise UsageError(f"{kernel.name}: {self._lds} bytes of LDS; the card has {LDS_LIMIT}")
        wanted = kernel.directives
        if any(wanted.get(f"float_round_mode_{kind}", 0) for kind in ("32", "16_64")):
            raise MachineError(f"{kernel.name} does not round to the nearest number, which is not modelled")
        if any(wanted.get(f"float_denorm_mode_{kind}", 3) != 3 for kind in ("32", "16_64")):
            raise MachineError(f"{kernel.name} flushes denormal numbers to zero, which is not modelled")
        for piece in program.blocks.values():
            memory.add(piece.address, piece.size, piece.writable)

    # --- arguments ------------------------------------------------------------------------

    def set_arguments(self, arguments: Sequence[Any]) -> None:
        described = self._kernel.arguments
        plain = [item for item in described if not str(item[".value_kind"]).startswith("hidden_")]
        if len(plain) != len(arguments):
            raise UsageError(f"{self._kernel.name} takes {len(plain)} arguments, not {len(arguments)}")
        size = self._kernel.directives.get("kernarg_size", 0)
        content = bytearray(max(size, 8))
        for item, given in zip(plain, arguments):
            data = self._argument(given, item[".size"], item[".value_kind"])
            content[item[".offset"] : item[".offset"] + item[".size"]] = data
        for item in described:
            kind = str(item[".value_kind"])
            if kind.startswith("hidden_"):
                value = self._hidden(kind.removeprefix("hidden_"))
                content[item[".offset"] : item[".offset"] + item[".size"]] = value.to_bytes(item[".size"], "little")
        self._arguments = self._keep(block("arguments", bytes(content), 64, writable=False))

    def _keep(self, piece: Block) -> Block:
        self._kept.append(piece)
        self._memory.add(piece.address, piece.size, piece.writable)
        return piece

    def _argument(self, given: Any, size: int, kind: str) -> bytes:
        if hasattr(given, "__array_interface__"):
            if kind == "by_value" and not getattr(given, "shape", ()):
                return bytes(given.tobytes()).ljust(size, b"\0")[:size]
            address, read_only = given.__array_interface__["data"]
            self._memory.add(*_extent(given, int(address)), not read_only)
            self._kept.append(given)
            return int(address).to_bytes(8, "little")
        if hasattr(given, "data_ptr"):  # a tensor
            storage = given.untyped_storage()
            self._memory.add(storage.data_ptr(), storage.nbytes())
            return int(given.data_ptr()).to_bytes(8, "little")
        if isinstance(given, (bytes, bytearray)):
            return bytes(given).ljust(size, b"\0")[:size]
        if isinstance(given, float):
            return struct.pack({2: "<e", 4: "<f", 8: "<d"}[size], given)
        return (int(given) & ((1 << 8 * size) - 1)).to_bytes(size, "little")

    def _hidden(self, kind: str) -> int:
        axis = "xyz".find(kind[-1])
        if kind.startswith("block_count_"):
            return self._grid[axis]
        if kind.startswith("group_size_"):
            return self._size[axis]
        if kind == "grid_dims":
            return 3 if self._grid[2] * self._size[2] > 1 else 2 if self._grid[1] * self._size[1] > 1 else 1
        if kind == "dynamic_lds_size":
            return self._dynamic
        if kind == "printf_buffer":
            content = struct.pack("<II", 0, (1 << 20) - 8).ljust(1 << 20, b"\0")
            self._printed = self._keep(block("printed", content))
            return self._printed.address
        return 0  # remainders and offsets are none; what is missing faults where it is used

    # --- registers ------------------------------------------------------------------------

    def _user_sgprs(self) -> list[int]:
        wanted = self._kernel.directives
        found: list[int] = []

        def pointer(value: int) -> list[int]:
            return [value & 0xFFFFFFFF, value >> 32]

        if wanted.get("user_sgpr_dispatch_ptr"):
            found += pointer(self._packet().address)
        if wanted.get("user_sgpr_queue_ptr"):
            found += pointer(self._keep(block("queue", bytes(256))).address)
        if wanted.get("user_sgpr_kernarg_segment_ptr"):
            found += pointer(self._arguments.address)
        if wanted.get("user_sgpr_dispatch_id"):
            found += [0, 0]
        if wanted.get("user_sgpr_private_segment_size"):
            found.append(self._scratch)
        length = wanted.get("user_sgpr_kernarg_preload_length", 0)
        start = self._arguments.address + 4 * wanted.get("user_sgpr_kernarg_preload_offset", 0)
        found += struct.unpack(f"<{length}I", ctypes.string_at(start, 4 * length))
        return found + [0] * (wanted.get("user_sgpr_count", 0) - len(found))

    def _packet(self) -> Block:
        items = [count * size for count, size in zip(self._grid, self._size)]
        content = struct.pack("<HH3HH3IIIQQQQ", 0, 3, *self._size, 0, *items, self._scratch, self._lds, 0, 0, 0, 0)
        return self._keep(block("dispatch", content, 64, writable=False))

    @property
    def _scratch(self) -> int:
        own = self._kernel.directives.get("private_segment_fixed_size", 0)
        return max(own, 16_384) if self._kernel.directives.get("uses_dynamic_stack") else own

    # --- running --------------------------------------------------------------------------

    def run(self, cores: int, limit: int) -> bytes:
        core = library(self._program.lanes).core()
        user = self._user_sgprs()
        ranges, count = self._memory.packed()
        wanted = self._kernel.directives
        ids = sum(wanted.get(f"system_sgpr_workgroup_id_{axis}", axis == "x") << n for n, axis in enumerate("xyz"))
        groups = self._grid[0] * self._grid[1] * self._grid[2]
        head = _HEAD.pack(
            *(self._program.code, self._program.size, self._program.program.labels[self._kernel.name]),
            *(ctypes.addressof(ranges), count, *self._grid, *self._size),
            *(self._registers, self._lds, self._scratch + 15 & ~15, len(user)),
            *(user + [0] * (32 - len(user))),
            *(ids, 1, wanted.get("system_vgpr_workitem_id", 0), 0),
            *(_BUDGET, limit, 0, groups, 0, 0),
        )
        core.size_of_launch.restype = ctypes.c_uint64
        state = ctypes.create_string_buffer(core.size_of_launch() + 64)
        place = ctypes.addressof(state) + 63 & ~63
        ctypes.memmove(place, head, len(head))
        stop = ctypes.c_uint32.from_address(place + _HEAD.size - 8)
        _on_all(lambda: core.run_launch(ctypes.c_void_p(place)), min(cores, groups), stop)
        self._check(place)
        return self._text()

    @property
    def _registers(self) -> int:
        """How many vector registers a wave has; AccVGPRs lie behind 256 others."""
        declared = self._kernel.directives.get("next_free_vgpr", 256)
        split = self._kernel.directives.get("accum_offset", declared)
        if declared > split or self._program.uses_accumulators:
            return 512
        # A called function may use more, and pairs of instructions need one that no program has.
        return SPARE + 1 if self._program.lanes == 32 else min(declared + 8, 256)

    def _check(self, place: int) -> None:
        after = _HEAD.unpack(ctypes.string_at(place, _HEAD.size))
        reason = _REASONS.get(after[-1])
        if reason is None:
            return
        at = place + (_HEAD.size + 15 & ~15)
        report = _Report.from_address(at)
        group = tuple((ctypes.c_uint32 * 3).from_address(at + ctypes.sizeof(_Report)))
        number = (report.pc - self._program.code) // 48 if report.pc else 0
        number = min(max(number, 0), len(self._program.program.instructions) - 1)
        if number in self._program.unsupported and reason == "fault" and report.fault == 0:
            raise self._program.unsupported[number]
        instruction = self._program.program.instructions[number]
        why = {
            "trap": "a trap: an assertion failed, or the program gave up",
            "endless": "a loop does not end",
            "memory": "not enough memory for a workgroup's registers",
        }.get(reason, reason)
        if reason == "fault":
            why = _FAULTS[report.fault].format(size=report.fault_size, address=report.fault_address)
        raise LaunchError(self._kernel.name, why, instruction.place, group, report.fault_lane, instruction.text)

    def _text(self) -> bytes:
        if self._printed is None:
            return b""
        from rewarp.machine.printing import printed

        return printed(ctypes.string_at(self._printed.address, 1 << 20), self._program.program.formats)


def _extent(array: Any, address: int) -> tuple[int, int]:
    """Where an array begins and how far it reaches; a view may have gaps, or run backwards."""
    strides = [(count - 1) * step for count, step in zip(array.shape, array.strides or ()) if count > 1]
    size = (
        array.nbytes
        if not strides
        else sum(step for step in strides if step > 0) + int(array.__array_interface__["typestr"][2:])
    )
    low = sum(step for step in strides if step < 0)
    return address + low, max(size - low, 0) if array.nbytes else 0


class _Report(ctypes.Structure):
    """A wave, as C lays it out."""

    _fields_ = (
        ("v", ctypes.c_uint64),
        ("before_s", ctypes.c_uint64),
        ("s", ctypes.c_uint32 * 128),
        ("scc", ctypes.c_uint32),
        ("lds", ctypes.c_uint64),
        ("lds_size", ctypes.c_uint32),
        ("scratch_size", ctypes.c_uint32),
        ("scratch", ctypes.c_uint64),
        ("code", ctypes.c_uint64),
        ("code_size", ctypes.c_uint64),
        ("pc", ctypes.c_uint64),
        ("memory", ctypes.c_uint64),
        ("last", ctypes.c_uint64 * 6),
        ("budget", ctypes.c_int64),
        ("fault", ctypes.c_uint32),
        ("fault_lane", ctypes.c_uint32),
        ("fault_address", ctypes.c_uint64),
        ("fault_size", ctypes.c_uint64),
        ("mode", ctypes.c_uint32),
        ("wave_number", ctypes.c_uint32),
        ("trap", ctypes.c_uint32),
        ("clock", ctypes.c_uint64),
        ("padding", ctypes.c_uint64),
    )


def _on_all(work: Callable[[], object], cores: int, stop: ctypes.c_uint32) -> None:
    """On so many cores. The main thread only waits, so that Ctrl-C is heard, and ends them all."""
    threads = [threading.Thread(target=work, daemon=True) for _ in range(cores)]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    except BaseException:
        stop.value = 1
        for thread in threads:
            thread.join()
        raise
