"""One kernel by itself: found by the name it has in its source, launched over NumPy arrays or CPU tensors."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rewarp.errors import UsageError
from rewarp.machine.launch import launch as launch_in
from rewarp.machine.program import LoadedProgram, compile_source
from rewarp.toolchain.demangle import demangled


@dataclass(frozen=True)
class LoadedKernel:
    """A kernel of a program that is ready to run."""

    program: LoadedProgram
    name: str
    """As the program has it, which is mangled where the source is C++."""


def kernel_of(program: LoadedProgram, name: str = "") -> LoadedKernel:
    """The kernel with a name, as written or mangled; without one, the only kernel there is. Raises UsageError."""
    names = sorted(program.program.kernels)
    if name in names:
        return LoadedKernel(program, name)
    found = [one for one in names if not name or name in (_plain(demangled(one)), demangled(one))]
    if len(found) == 1:
        return LoadedKernel(program, found[0])
    there = ", ".join(demangled(one) for one in found or names) or "none"
    wanted = f"kernel {name}".rstrip()
    raise UsageError(f"{'more than one' if len(found) > 1 else 'no'} {wanted}: there are {there}")


def _plain(signature: str) -> str:
    """``scale`` of ``ns::scale<float>``."""
    return signature.partition("<")[0].rpartition("::")[2]


def launch(
    kernel: LoadedKernel | str | os.PathLike[str],
    grid: Sequence[int] | int,
    block: Sequence[int] | int,
    args: Sequence[Any],
    *,
    arch: str = "gfx942",
    **options: Any,
) -> bytes:
    """Run one kernel to its end; gives what it printed.

    The kernel is one of a loaded program (``kernel_of(program, "saxpy")``), or the path of a HIP source, with the
    kernel's name behind two colons where there are several: ``"ops.hip::saxpy"``. Arguments are NumPy arrays, CPU
    tensors, numbers, addresses or bytes.
    """
    if not isinstance(kernel, LoadedKernel):
        path, _, name = os.fspath(kernel).partition("::")
        kernel = kernel_of(compile_source(path, arch), name)
    sizes = [(size,) if isinstance(size, int) else size for size in (grid, block)]
    return launch_in(kernel.program, kernel.name, sizes[0], sizes[1], args, **options)
