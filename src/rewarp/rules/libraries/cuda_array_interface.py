"""LIB-017: tensors handed to other libraries."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.targets import Context

_NAME = "__cuda_array_interface__"
_NVIDIA = (
    "numba.cuda",
    "pycuda",
    "cuda.bindings",
    "cuda.cuda",
    "cuda.cudart",
    "nvidia.dali",
    "tensorrt",
    "cudf",
    "rmm",
)
_DLPACK = ("torch.utils.dlpack.to_dlpack", "torch.utils.dlpack.from_dlpack", "torch.to_dlpack", "torch.from_dlpack")


@rule(
    id="LIB-017",
    title="GPU memory is handed to another library",
    kinds=PYTHON_KINDS,
    anchors=[_NAME, "dlpack", "to_dlpack", "from_dlpack"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.CRASH,
        why="Who reads __cuda_array_interface__ expects a pointer of CUDA's. A DLPack capsule says which device it is, and ROCm "
        "torch says kDLROCM: the other library must know that type.",
        fix="Exchange through from_dlpack, with a ROCm build of the other library.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example="pointer = tensor.__cuda_array_interface__['data'][0]",
    source="https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/DLConvertor.cpp",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for __cuda_array_interface__ (an alarm beside an NVIDIA-only library) and for DLPack exchange (a note)."""
    nvidia = next((item.full for item in document.imports_of(*_NVIDIA)), None)
    for node in document.nodes(ast.Attribute, ast.FunctionDef):
        if (node.attr if isinstance(node, ast.Attribute) else node.name) == _NAME:
            yield _hit(node, f"{_NAME} hands out a CUDA pointer", nvidia)
    for call in document.nodes(ast.Call):
        asked = document.raw(call.func) in ("getattr", "setattr") and len(call.args) >= 2
        if asked and document.string(call.args[1]) == _NAME:
            yield _hit(call, f"{_NAME} hands out a CUDA pointer", nvidia)
    for path, call in document.calls(*_DLPACK):
        message = f"{path} exchanges memory that ROCm torch marks as kDLROCM"
        yield Hit(call, message, path, severity=Severity.INFO)


def _hit(where: ast.AST, message: str, nvidia: str | None) -> Hit:
    if nvidia:
        return Hit(where, f"{message}, and {nvidia} takes it", _NAME)
    return Hit(where, message, _NAME, severity=Severity.INFO)
