"""Tensors in memory that the machine knows: what torch allocates for the CPU comes from the HIP runtime."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from rewarp.files import write_bytes
from rewarp.machine import MachineError
from rewarp.machine.library import machine_folder
from rewarp.run.linking import link
from rewarp.run.torch.building import compiler_for, torch_libraries, torch_options
from rewarp.toolchain import Toolchain

_SOURCE = Path(__file__).with_name("memory.cpp")


@contextlib.contextmanager
def known_memory(arch: str, runtime: Path) -> Iterator[None]:
    """Inside, new tensors are the runtime's; older ones stay what they are."""
    library = ctypes.CDLL(str(_library(arch, runtime)))
    library.rewarp_take_memory()
    try:
        yield
    finally:
        library.rewarp_give_memory_back()


def _library(arch: str, runtime: Path) -> Path:
    import torch

    compiler = compiler_for(arch)
    made_from = repr((torch.__version__, torch.__file__, str(runtime), compiler.identity)).encode()
    digest = hashlib.sha256(made_from + _SOURCE.read_bytes()).hexdigest()
    file = machine_folder() / f"torch-{digest[:24]}.so"
    if not file.exists():
        write_bytes(file, _compiled(compiler, runtime))
    return file


def _compiled(compiler: Toolchain, runtime: Path) -> bytes:
    with tempfile.TemporaryDirectory(prefix="rewarp-torch-") as place:
        folder = Path(place)
        made, library = folder / "memory.o", folder / "memory.so"
        options = ("-w", *torch_options(folder))
        done = compiler.compile_host(_SOURCE, options=options, language="c++", output=made)
        if not done.ok:
            raise MachineError(f"torch's memory cannot be taken over: {next(iter(done.errors), 'the compiler failed')}")
        link(
            compiler, [made], library, runtime=runtime, libraries=("c10",), folders=(torch_libraries(),), shared=True
        )  # fmt: skip
        return library.read_bytes()
