"""LIB-016: DeepSpeed operators that do not build for AMD."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.libraries._shapes import PYTHON, import_hit
from rewarp.targets import Context

_BUILDERS = {
    "GDSBuilder": "GPUDirect Storage",
    "EvoformerAttnBuilder": "CUTLASS",
    "InferenceCutlassBuilder": "CUTLASS",
    "SparseAttnBuilder": "sparse attention",
}
_MODULES = {
    "deepspeed.ops.deepspeed4science": "CUTLASS",
    "deepspeed.ops.sparse_attention": "sparse attention",
    "deepspeed.ops.gds": "GPUDirect Storage",
}


@rule(
    id="LIB-016",
    title="A DeepSpeed operator is used that does not build for AMD",
    kinds=PYTHON,
    anchors=[*_BUILDERS, "deepspeed4science", "sparse_attention", "DS4Sci_EvoformerAttention", "gds"],
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.BUILD,
        why="DeepSpeed compiles most of its operators for ROCm through hipify. The ones on GPUDirect Storage, CUTLASS and the "
        "old sparse attention have NVIDIA sources only.",
        fix="Ask the builder's is_compatible() first and take another path when it says no.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    gaudi=Impact(
        Severity.BUILD,
        why="DeepSpeed supports Gaudi with a few operators of its own (Adam, FP quantiser, inference); this one is not among "
        "them.",
        fix="Ask the builder's is_compatible() first and take another path when it says no.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example="from deepspeed.ops.op_builder import GDSBuilder",
    source="https://github.com/deepspeedai/DeepSpeed",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for imports of DeepSpeed's GDS, CUTLASS and sparse attention operators that nothing asks is_compatible about."""
    if b"is_compatible" in document.source.view or b"__compatible_ops__" in document.source.view:
        return
    for item in document.imports_of("deepspeed.ops"):
        needs = _BUILDERS.get(item.name or "") if "op_builder" in item.module else None
        for module, what in _MODULES.items():
            if f"{item.full}.".startswith(f"{module}."):
                needs = what
        if needs:
            yield import_hit(document, item, what=f"it needs {needs}")
