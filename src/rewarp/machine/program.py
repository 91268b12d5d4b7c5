"""A program ready to run: its image, loaded by the C side."""

from __future__ import annotations

import ctypes
import os
import tempfile
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rewarp.errors import UsageError
from rewarp.machine.accuracy import perturbed
from rewarp.machine.assembly import Program, parse
from rewarp.machine.image import Image
from rewarp.machine.library import MachineError, library
from rewarp.machine.shapes.shape import Unsupported

ARCHES = ("gfx942", "gfx1100", "gfx90a", "gfx950", "gfx1201")


class LoadedProgram:
    """Code for one architecture. Instructions that are not known stop a kernel where it comes to them, not before."""

    def __init__(self, program: Program) -> None:
        self.program = program
        image = Image(program)
        data = image.data()
        self.lanes = image.lanes
        self.unsupported: dict[int, Unsupported] = image.unsupported
        self.core = _functions(library(self.lanes).core())
        error = ctypes.create_string_buffer(512)
        folder = os.fsencode(library(self.lanes).folder)
        self.handle = self.core.machine_load(data, len(data), folder, error, len(error))
        if not self.handle:
            raise MachineError(f"the program cannot be loaded: {error.value.decode(errors='replace')}")
        weakref.finalize(self, self.core.machine_unload, self.handle)

    def symbol(self, name: str) -> int:
        """The address of a device variable."""
        found = int(self.core.machine_symbol(self.handle, name.encode(), None))
        if not found:
            raise UsageError(f"the program has no symbol {name}")
        return found

    def launch(
        self, name: str, grid: Sequence[int], block: Sequence[int], arguments: Sequence[Any], **options: Any
    ) -> bytes:
        """Run a kernel; see ``rewarp.machine.launch``."""
        from rewarp.machine.launch import launch

        return launch(self, name, grid, block, arguments, **options)


def _functions(core: ctypes.CDLL) -> ctypes.CDLL:
    pointer, text, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint64
    core.machine_load.restype, core.machine_load.argtypes = pointer, (text, size, text, text, size)
    core.machine_unload.restype, core.machine_unload.argtypes = None, (pointer,)
    core.machine_symbol.restype, core.machine_symbol.argtypes = size, (pointer, text, pointer)
    core.machine_kernel.restype, core.machine_kernel.argtypes = pointer, (pointer, text, pointer)
    core.machine_launch.restype, core.machine_launch.argtypes = ctypes.c_int, (pointer, pointer)
    return core


def load(code: str | bytes, arch: str = "", perturb: int | None = None) -> LoadedProgram:
    """Assembly, a code object or a fat binary, ready to run; of a fat binary, the part that serves ``arch``. With a number to
    perturb by, what cards approximate is moved within their bounds. Raises UsageError for an architecture that the machine is not made for."""
    if isinstance(code, bytes):
        from rewarp.machine.bundles import code_for

        code = code_for(code, arch or ARCHES[0])
    program = parse(code)
    check_arch(program.arch)
    if perturb is not None:
        program.instructions = list(perturbed(program.instructions, perturb))
    return LoadedProgram(program)


def check_arch(arch: str) -> None:
    if arch.partition(":")[0] not in ARCHES:
        raise UsageError(f"the machine runs code for {', '.join(ARCHES)}, not for {arch or 'an unknown card'}")


def compile_source(source: str | os.PathLike[str], arch: str = "gfx942", options: Sequence[str] = ()) -> LoadedProgram:
    """A HIP source, compiled by the toolchain that there is and made ready to run."""
    return load(compile_assembly(source, arch, options))


def compile_assembly(source: str | os.PathLike[str], arch: str, options: Sequence[str] = ()) -> str:
    """The device side of a HIP source, as assembly with the lines of the source."""
    from rewarp.toolchain import discovery

    with tempfile.TemporaryDirectory(prefix="rewarp-machine-") as folder:
        made = Path(folder, "device.s")
        wanted = ("-gline-tables-only", "-mprintf-kind=buffered", *options)
        done = discovery.find().compile_device(Path(source), arch, options=wanted, output=made)
        if not done.ok:
            first = next(iter(done.errors), None)
            raise UsageError(
                f"{os.fspath(source)} does not compile for {arch}: {first.message if first else 'unknown'}"
            )
        return made.read_text("utf-8")
