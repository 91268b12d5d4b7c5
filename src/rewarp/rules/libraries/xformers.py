"""LIB-004: xFormers."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.import_fixes import NOT_ON_GAUDI
from rewarp.rules.shapes.libraries import import_hit, noted
from rewarp.targets import Context

_CUTLASS = (
    "xformers.ops.fmha.cutlass",
    "xformers.ops.fmha.cutlass.*",
    "xformers.ops.MemoryEfficientAttentionCutlassOp",
)


@rule(
    id="LIB-004",
    title="xFormers operators are imported",
    kinds=PYTHON_KINDS,
    anchors=["xformers"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.CRASH,
        why="The xFormers wheels on PyPI hold CUDA kernels. Experimental ROCm wheels exist on PyTorch's own index with the "
        "Composable Kernel and Triton operators; the CUTLASS ones are absent.",
        fix="Install the ROCm wheel, or test for the operator in the ROCm branch and use scaled_dot_product_attention.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="xFormers has no operators for Gaudi.",
        fix="Use FusedSDPA or scaled_dot_product_attention on Gaudi.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example="import xformers.ops as xops",
    versions="xformers >= 0.0.28",
    source="https://github.com/facebookresearch/xformers",
    gaudi_fix=NOT_ON_GAUDI,
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for imports of xformers.ops and for its CUTLASS operators."""
    for item in document.imports_of("xformers"):
        if item.full == "xformers" or item.full.startswith("xformers.ops"):
            build = "PyTorch's index for ROCm has a build of it"
            yield from noted([import_hit(document, item)], context, build)
    for path, node in document.refs(*_CUTLASS):
        yield Hit(node, f"{path} is a CUTLASS operator", path)
