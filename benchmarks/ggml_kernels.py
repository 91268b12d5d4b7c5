"""llama.cpp's ggml-cuda kernels as AMD code, run on the machine one by one, held against NumPy.

    python benchmarks/ggml_kernels.py FOLDER [--arch gfx942] [--only REGEX]

FOLDER is `ggml` of ggml-org/llama.cpp. Its sources are compiled as its own HIP build does (GGML_USE_HIP, vendors/hip.h), all their
kernels are listed, and those that there is a reference for are called as ggml calls them.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path

import ggml_movement
import ggml_products
import ggml_rows
from ggml_calls import Kernel, Outcome
from kernel_checks import judged, say

from rewarp import machine
from rewarp.machine.program import compile_assembly
from rewarp.machine.runtime import libraries

CHECKS: dict[str, Callable[[Kernel], Outcome]] = {**ggml_rows.CHECKS, **ggml_movement.CHECKS, **ggml_products.CHECKS}
SOURCES = (
    "sumrows", "unary", "norm", "convert", "softmax", "quantize", "getrows", "rope", "argsort", "binbcast", "cpy", "scale", "mmvf",
    "mmvq", "template-instances/fattn-vec-instance-f16-f16",
)  # fmt: skip


def options(folder: Path) -> tuple[str, ...]:
    folders = (folder / "include", folder / "src", folder / "src/ggml-cuda", libraries.headers())
    included = [part for place in folders for part in ("-I", str(place))]
    # HIP 6.2 has no OCP fp8; of it, ggml names the type and uses it on NVIDIA only.
    return ("-O2", "-std=c++17", "-DGGML_USE_HIP", "-D__hip_fp8_e4m3=__hip_fp8_e4m3_fnuz", *included)


def assembly(folder: Path, source: str, arch: str, kept: Path | None) -> str:
    place = kept / f"{Path(source).name}.{arch}.s" if kept else None
    if place and place.is_file():
        return place.read_text("utf-8")
    made = compile_assembly(folder / f"src/ggml-cuda/{source}.cu", arch, options(folder))
    if place:
        place.write_text(made, "utf-8")
    return made


def checked(kernel: Kernel) -> Callable[[], Outcome]:
    check = CHECKS.get(kernel.base)
    return lambda: check(kernel) if check else None


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--arch", default="gfx942")
    parser.add_argument("--only", default="", help="sources, by a regular expression")
    parser.add_argument("--kernel", default="", help="kernels, by a regular expression")
    parser.add_argument("--kept", type=Path, help="a folder to keep assembly in, and to take it from")
    chosen = parser.parse_args()
    for source in (one for one in SOURCES if re.search(chosen.only, one)):
        program = machine.load(assembly(chosen.folder, source, chosen.arch, chosen.kept))
        for name in sorted(program.program.kernels):
            kernel = Kernel(program, name)
            if re.search(chosen.kernel, kernel.signature):
                say(source, kernel.signature, judged(checked(kernel)))
