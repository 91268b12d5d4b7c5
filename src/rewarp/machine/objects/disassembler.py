"""AMD's own disassembler: LLVM's C interface, from the wheel rocm-llvm-python."""

from __future__ import annotations

import ctypes
import importlib.util
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from rewarp.machine.library import MachineError

_TRIPLE = b"amdgcn-amd-amdhsa"
_LONGEST = 1024
_SPACE = re.compile(r"[\t ]+")
_HALF = re.compile(r"\bv\d+\.[lh]\b")
_CHOSEN_HALVES = re.compile(r" op_sel:\[[01,]+\]")


class Decoded(NamedTuple):
    address: int
    size: int
    text: str
    """Empty: these bytes are no instruction."""


@lru_cache(maxsize=1)
def _llvm() -> ctypes.CDLL:
    # The wheel's `rocm` is a namespace that imports nothing by itself; only the library in it is used.
    spec = importlib.util.find_spec("rocm")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    file = next((path for folder in folders if (path := Path(folder, "llvm", "librocmllvm.so")).is_file()), None)
    if file is None:
        raise MachineError('code objects need AMD\'s disassembler: pip install "rewarp[machine]"')
    try:
        library = ctypes.CDLL(str(file))
    except OSError as error:
        raise MachineError(f"AMD's disassembler cannot be loaded: {error}") from None
    for part in ("TargetInfo", "Target", "TargetMC", "Disassembler"):
        getattr(library, f"LLVMInitializeAMDGPU{part}")()
    pointer, text, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
    library.LLVMCreateDisasmCPUFeatures.restype = pointer
    library.LLVMCreateDisasmCPUFeatures.argtypes = [text, text, text, pointer, ctypes.c_int, pointer, pointer]
    library.LLVMDisasmInstruction.restype = size
    library.LLVMDisasmInstruction.argtypes = [pointer, pointer, ctypes.c_uint64, ctypes.c_uint64, text, size]
    library.LLVMDisasmDispose.argtypes = [pointer]
    return library


def _plain(text: str) -> str:
    """As a compiler writes it: no offset is 0, and the halves of registers are told once."""
    text = _SPACE.sub(" ", text).strip()
    if text.startswith("s_load_") and text.endswith(" null"):
        return text.removesuffix("null") + "0x0"
    return _CHOSEN_HALVES.sub("", text) if _HALF.search(text) else text


def disassembled(code: bytes, address: int, arch: str, wave_size: int) -> Iterator[Decoded]:
    """Every instruction from the first byte to the last, one after the other."""
    library = _llvm()
    features = f"+wavefrontsize{wave_size}" if wave_size == 32 or not arch.startswith("gfx9") else ""
    context = library.LLVMCreateDisasmCPUFeatures(_TRIPLE, arch.encode(), features.encode(), None, 0, None, None)
    if not context:
        raise MachineError(f"AMD's disassembler does not know {arch}")
    try:
        # What follows the last byte is there to be read: an instruction may begin close before the end.
        content = ctypes.create_string_buffer(code, len(code) + 64)
        start, at, text = ctypes.addressof(content), 0, ctypes.create_string_buffer(_LONGEST)
        while at + 4 <= len(code):
            size = library.LLVMDisasmInstruction(context, start + at, len(code) - at, address + at, text, _LONGEST)
            yield Decoded(address + at, size or 4, _plain(text.value.decode("utf-8", "replace")) if size else "")
            at += size or 4
    finally:
        library.LLVMDisasmDispose(context)
