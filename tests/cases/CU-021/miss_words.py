"""Lowers to llvm.nvvm.barrier0 for nvptx64-nvidia-cuda, as numba does."""

import re

# llvm.nvvm.read.ptx.sreg.tid.x is what triton calls the thread's number
HELP = "the triple, nvptx64-nvidia-cuda by default; llvm.nvvm.barrier0 is not lowered"
MEANINGS = {"llvm.nvvm.barrier0": "waits"}


def from_nvidia(ir, triple):
    "Whether it is @llvm.nvvm's."
    if triple == "nvptx64-nvidia-cuda" or triple in ("nvptx-nvidia-cuda", "nvptx64-nvidia-cuda"):
        return True
    if re.search("@llvm.nvvm.barrier0", ir) or ir.startswith("llvm.nvvm.") or "!nvvm.annotations" in ir:
        return True
    raise ValueError("it is not 'nvptx64-nvidia-cuda'")


def meaning(ir):
    return MEANINGS["llvm.nvvm.barrier0"], ir.replace("@llvm.nvvm.barrier0", "barrier"), "nvvm", "ptx_kernel"
# output
