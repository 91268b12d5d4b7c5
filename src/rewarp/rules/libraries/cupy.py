"""LIB-003: CuPy."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.import_fixes import NOT_ON_GAUDI
from rewarp.rules.shapes.libraries import imports_of, noted
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
    gaudi_fix=NOT_ON_GAUDI,
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for imports of cupy and cupyx, raw kernels, cupy.cuda.nccl, and plans that CuPy refuses to make on ROCm."""
    yield from noted(imports_of(document, "cupy", "cupyx"), context, "on ROCm it comes from cupy-rocm-7-0")
    for path, node in document.refs(*_NCCL):
        yield Hit(node, f"{path} talks to NCCL without torch", path)
    for path, node in document.refs(*_RAW):
        message = f"{path} holds CUDA source text that hiprtc compiles on ROCm"
        yield Hit(node, message, path, severity=Severity.INFO)
    if context.target.name == "rocm":
        for call in _refused_plans(document):
            message = "CuPy raises on ROCm for a plan of C2R over several axes ('hipFFT's C2R PlanNd is buggy and unsupported')"
            yield Hit(call, message, "cupyx.scipy.fft.get_fft_plan", fix="Call irfftn without a plan on ROCm.")


def _refused_plans(document: PythonFile) -> Iterator[ast.Call]:
    """``get_fft_plan(x, axes=(1, 2), value_type="C2R")``: over one axis CuPy makes a Plan1d, which it has on ROCm."""
    if not any(True for _ in document.imports_of("cupy", "cupyx")):
        return
    for call in document.nodes(ast.Call):
        keywords = {keyword.arg: keyword.value for keyword in call.keywords}
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        value_type, axes = keywords.get("value_type"), keywords.get("axes")
        if name == "get_fft_plan" and value_type is not None and document.string(value_type) == "C2R":
            if isinstance(axes, (ast.Tuple, ast.List)) and len(axes.elts) > 1:
                yield call
