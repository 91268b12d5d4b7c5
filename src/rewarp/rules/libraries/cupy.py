"""LIB-003: CuPy."""

from collections.abc import Iterator
from dataclasses import replace

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.libraries._fixes import NOT_ON_GAUDI, WHERE_INSTALLED
from rewarp.rules.libraries._shapes import imports_of
from rewarp.targets import Context

_RAW = ("cupy.RawKernel", "cupy.RawModule", "cupy.cuda.compile_with_cache")
_NCCL = ("cupy.cuda.nccl", "cupy.cuda.nccl.*")


@rule(
    id="LIB-003",
    title="CuPy is imported",
    kinds=PYTHON_KINDS,
    anchors=["cupy", "cupyx"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.CRASH,
        why="The cupy-cuda12x and cupy-cuda13x wheels need CUDA's libraries. CuPy 14 has wheels for ROCm 7 (cupy-rocm-7-0); "
        "its NCCL module and the source text of raw kernels need a look.",
        fix="Ask for cupy-rocm-7-0 on ROCm and for the CUDA wheel on NVIDIA, and use torch.distributed for collectives.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="CuPy does not run on Gaudi.",
        fix="Do the work with torch or numpy.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example="import cupy as cp",
    versions="cupy >= 14 for ROCm 7",
    source="https://github.com/vllm-project/vllm/pull/2855",
    fix=WHERE_INSTALLED,
    gaudi_fix=NOT_ON_GAUDI,
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for imports of cupy and cupyx, raw kernels and cupy.cuda.nccl."""
    for hit in imports_of(document, "cupy", "cupyx"):
        if "cupy" in context.project.offered:
            yield replace(hit, message=f"{hit.message}; the project asks for cupy-rocm", severity=Severity.INFO)
        else:
            yield hit
    for path, node in document.refs(*_NCCL):
        yield Hit(node, f"{path} talks to NCCL without torch", path)
    for path, node in document.refs(*_RAW):
        message = f"{path} holds CUDA source text that hiprtc compiles on ROCm"
        yield Hit(node, message, path, severity=Severity.INFO)
