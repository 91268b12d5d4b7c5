"""One launch: arguments as the kernel's metadata says, memory that it may touch, what it printed or did wrong."""

from __future__ import annotations

import ctypes
import os
import struct
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rewarp.errors import RewarpError, UsageError
from rewarp.machine.assembly import Kernel, Place
from rewarp.machine.library import MachineError
from rewarp.machine.program import LoadedProgram
from rewarp.machine.watch import Seen, Watch

Axes = tuple[int, int, int]
LDS_LIMIT = 65_536
THREADS_LIMIT = 1_024
_UNKNOWN, _REFUSED = 5, 7


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


class _Range(ctypes.Structure):
    _fields_ = (
        ("start", ctypes.c_uint64),
        ("end", ctypes.c_uint64),
        ("writable", ctypes.c_uint32),
        ("number", ctypes.c_uint32),
    )


class _Fresh(ctypes.Structure):
    _fields_ = (("start", ctypes.c_uint64), ("end", ctypes.c_uint64), ("known", ctypes.c_void_p))


_NAME_OF = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)


class _Request(ctypes.Structure):
    """As ``core/machine.h`` has it."""

    _fields_ = (
        ("kernel", ctypes.c_uint32),
        ("cooperative", ctypes.c_uint32),
        ("grid", ctypes.c_uint32 * 3),
        ("block", ctypes.c_uint32 * 3),
        ("dynamic_lds", ctypes.c_uint32),
        ("cores", ctypes.c_uint32),
        ("arguments", ctypes.c_char_p),
        ("arguments_size", ctypes.c_uint64),
        ("ranges", ctypes.POINTER(_Range)),
        ("range_count", ctypes.c_uint64),
        ("limit", ctypes.c_uint64),
        ("name_of", _NAME_OF),
        ("freed", ctypes.c_void_p),
        ("answer", ctypes.c_void_p),
        ("order", ctypes.c_uint64),
        ("watch", ctypes.c_uint32),
        ("has_blocks", ctypes.c_uint32),
        ("fresh", ctypes.POINTER(_Fresh)),
        ("fresh_count", ctypes.c_uint64),
        ("done", ctypes.c_uint64),
        ("groups", ctypes.c_uint64),
        ("stop", ctypes.c_uint32),
        ("reason", ctypes.c_uint32),
        ("fault", ctypes.c_uint32),
        ("lane", ctypes.c_uint32),
        ("wave", ctypes.c_uint32),
        ("op", ctypes.c_uint32),
        ("group", ctypes.c_uint32 * 3),
        ("address", ctypes.c_uint64),
        ("size", ctypes.c_uint64),
        ("seen", ctypes.POINTER(Seen)),
        ("seen_count", ctypes.c_uint64),
        ("seen_forgotten", ctypes.c_uint64),
        ("printed", ctypes.c_void_p),
        ("printed_size", ctypes.c_uint64),
        ("why", ctypes.c_char * 512),
    )


@dataclass
class Memory:
    """What a kernel may look at: pieces of memory of the host."""

    ranges: list[tuple[int, int, bool]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    """What each of them is called."""
    fresh: list[tuple[int, int, Any]] = field(default_factory=list)
    """Memory that nobody wrote yet: where it starts and ends, and a bit for each byte that is known, which launches set."""

    def add(self, address: int, size: int, writable: bool = True, name: str = "") -> None:
        if size:
            self.ranges.append((address, address + size, writable))
            self.names.append(name)

    def add_fresh(self, address: int, size: int, name: str = "") -> None:
        """Memory of which nothing is known, as after an allocation."""
        self.add(address, size, name=name)
        self.fresh.append((address, address + size, ctypes.create_string_buffer(size // 8 + 16)))


def launch(
    program: LoadedProgram,
    name: str,
    grid: Sequence[int],
    block: Sequence[int],
    arguments: Sequence[Any],
    *,
    dynamic_lds: int = 0,
    cooperative: bool = False,
    memory: Memory | None = None,
    cores: int | None = None,
    limit: int = 0,
    watch: Watch | None = None,
    order: int = 0,
) -> bytes:
    """Run a kernel to its end. Arguments are NumPy arrays, numbers, addresses or bytes. Gives what it printed.

    A ``cooperative`` launch may synchronise its whole grid. What is seen on the way goes to ``watch``. Another ``order`` than
    0 runs waves and groups in a hostile one, each number always in the same. Both run on one core.

    Raises LaunchError for what the kernel does wrong, Unsupported for an instruction that it comes to and nobody knows.
    """
    kernel = program.program.kernels.get(name)
    if kernel is None:
        raise UsageError(f"no kernel {name}: there are {', '.join(sorted(program.program.kernels)) or 'none'}")
    made = _Launch(program, kernel, memory or Memory())
    made.set_sizes(_axes(grid), _axes(block), dynamic_lds, cooperative)
    made.set_arguments(arguments)
    made.set_watch(watch, order)
    return made.run(cores or len(os.sched_getaffinity(0)), limit)


def _axes(given: Sequence[int]) -> Axes:
    values = [int(value) for value in given] + [1, 1, 1]
    if any(value < 1 for value in values):
        raise UsageError(f"a grid and its blocks have at least one of each: {tuple(given)}")
    return values[0], values[1], values[2]


class _Launch:
    def __init__(self, program: LoadedProgram, kernel: Kernel, memory: Memory) -> None:
        self._program, self._kernel, self._memory = program, kernel, memory
        self._kept: list[Any] = []
        self._request = _Request()

    def set_sizes(self, grid: Axes, block: Axes, dynamic_lds: int, cooperative: bool) -> None:
        name, threads = self._kernel.name, block[0] * block[1] * block[2]
        lds = self._kernel.directives.get("group_segment_fixed_size", 0) + dynamic_lds
        if threads > THREADS_LIMIT:
            raise UsageError(f"{name}: {threads} threads in a block; the card takes {THREADS_LIMIT}")
        limit = 163_840 if self._program.program.arch.startswith("gfx950") else LDS_LIMIT
        if lds > limit:
            raise UsageError(f"{name}: {lds} bytes of LDS; the card has {limit}")
        self._request.grid[:], self._request.block[:] = grid, block
        self._request.dynamic_lds, self._request.cooperative = dynamic_lds, int(cooperative)

    def set_arguments(self, arguments: Sequence[Any]) -> None:
        plain = [item for item in self._kernel.arguments if not str(item[".value_kind"]).startswith("hidden_")]
        if len(plain) != len(arguments):
            raise UsageError(f"{self._kernel.name} takes {len(plain)} arguments, not {len(arguments)}")
        content = bytearray(max([item[".offset"] + item[".size"] for item in plain], default=0))
        for number, (item, given) in enumerate(zip(plain, arguments), 1):
            data = self._argument(given, item[".size"], item[".value_kind"], f"argument {number}")
            content[item[".offset"] : item[".offset"] + item[".size"]] = data
        packed = bytes(content)
        self._kept.append(packed)
        self._request.arguments, self._request.arguments_size = packed, len(packed)

    def set_watch(self, watch: Watch | None, order: int) -> None:
        self._watch = watch
        self._request.watch, self._request.order = int(watch is not None), order
        names = [ctypes.create_string_buffer(name.encode()) for name in self._memory.names]
        self._request.name_of = _NAME_OF(
            lambda number: ctypes.addressof(names[number]) if number < len(names) else None
        )
        fresh = [_Fresh(start, end, ctypes.addressof(known)) for start, end, known in self._memory.fresh]
        self._request.fresh, self._request.fresh_count = (_Fresh * len(fresh))(*fresh), len(fresh)

    def _argument(self, given: Any, size: int, kind: str, name: str) -> bytes:
        if hasattr(given, "__array_interface__"):
            if kind == "by_value" and not getattr(given, "shape", ()):
                return bytes(given.tobytes()).ljust(size, b"\0")[:size]
            address, read_only = given.__array_interface__["data"]
            self._memory.add(*_extent(given, int(address)), not read_only, name)
            self._kept.append(given)
            return int(address).to_bytes(8, "little")
        if hasattr(given, "data_ptr"):  # a tensor
            storage = given.untyped_storage()
            self._memory.add(storage.data_ptr(), storage.nbytes(), name=name)
            return int(given.data_ptr()).to_bytes(8, "little")
        if isinstance(given, (bytes, bytearray)):
            return bytes(given).ljust(size, b"\0")[:size]
        if isinstance(given, float):
            return struct.pack({2: "<e", 4: "<f", 8: "<d"}[size], given)
        return (int(given) & ((1 << 8 * size) - 1)).to_bytes(size, "little")

    def run(self, cores: int, limit: int) -> bytes:
        request, core = self._request, self._program.core
        number = ctypes.c_uint32()
        core.machine_kernel(self._program.handle, self._kernel.name.encode(), ctypes.byref(number))
        pieces = [_Range(start, end, int(w), n) for n, (start, end, w) in enumerate(self._memory.ranges)]
        ranges = (_Range * len(pieces))(*pieces)
        request.kernel, request.cores, request.limit = number.value, cores, limit
        request.ranges, request.range_count = ranges, len(ranges)
        # A thread of its own does the work: the main one only waits, so that Ctrl-C is heard.
        worker = threading.Thread(
            target=core.machine_launch, args=(self._program.handle, ctypes.byref(request)), daemon=True
        )
        worker.start()
        try:
            worker.join()
        except BaseException:
            request.stop = 1
            worker.join()
            raise
        try:
            if self._watch is not None:
                seen = request.seen[: request.seen_count] if request.seen else []
                names = self._memory.names
                self._watch.add(
                    self._program.program.instructions, self._kernel.name, names, seen, request.seen_forgotten
                )
            self._check()
            return ctypes.string_at(request.printed, request.printed_size) if request.printed else b""
        finally:
            _free(request.printed)
            _free(ctypes.cast(request.seen, ctypes.c_void_p).value)

    def _check(self) -> None:
        seen = self._request
        if seen.reason == 0:
            return
        why = bytes(seen.why).decode("utf-8", "replace")
        if seen.reason == _REFUSED:
            raise MachineError(why)
        if seen.reason == _UNKNOWN and seen.op in self._program.unsupported:
            raise self._program.unsupported[seen.op]
        instruction = self._program.program.instructions[min(seen.op, len(self._program.program.instructions) - 1)]
        group = (seen.group[0], seen.group[1], seen.group[2])
        raise LaunchError(self._kernel.name, why, instruction.place, group, seen.lane, instruction.text)


def _free(pointer: int | None) -> None:
    free = ctypes.CDLL(None).free
    free.argtypes = (ctypes.c_void_p,)
    free(pointer)


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
