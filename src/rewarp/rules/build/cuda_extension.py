"""BLD-005: ``CUDAExtension`` as it is."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import Kind
from rewarp.lang.python import PythonFile
from rewarp.project.build_files import EXTENSION
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.targets import Context


@rule(
    id="BLD-005",
    title="CUDAExtension: translated on ROCm, no way on Gaudi",
    kinds=Kind.PYTHON,
    anchors=["CUDAExtension"],
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.WORKS,
        why="On a ROCm build of torch, CUDAExtension translates the CUDA sources with hipify and compiles the copies "
        "with hipcc; the originals stay as they are.",
        fix="Keep CUDAExtension. Put the generated files (*.hip, *_hip.*) into .gitignore.",
    ),
    gaudi=Impact(
        Severity.BUILD,
        why="CUDAExtension asks for the folder of a CUDA toolkit as soon as it is called, and raises where there is none; no compiler "
        "takes its CUDA sources to Gaudi.",
        fix="Build it only where torch.version.cuda is not None, and express its operations in PyTorch on Gaudi.",
        safety=Safety.NONE,
        effort=Effort.HOURS,
    ),
    example='CUDAExtension("pkg._C", ["csrc/ops.cpp", "csrc/kernel.cu"])',
    source="https://github.com/pytorch/pytorch/blob/main/torch/utils/cpp_extension.py",
    traits=[Trait.TORCH_EXTENSION],
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for calls of torch's CUDAExtension."""
    for _, node in document.refs(f"{EXTENSION}.CUDAExtension"):
        call = document.parent(node)
        name = None
        if isinstance(call, ast.Call) and call.func is node:
            name = document.string(document.argument(call, 0, "name"))
        which = f"the extension {name}" if name and "{}" not in name else "this extension"
        if context.target.name == "gaudi":
            yield Hit(node, f"{which} needs a CUDA toolkit: the build stops here", "CUDAExtension")
            continue
        yield Hit(node, f"torch translates and builds {which} for AMD by itself", "CUDAExtension")
