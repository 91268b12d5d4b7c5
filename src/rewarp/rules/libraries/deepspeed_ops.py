"""LIB-016: DeepSpeed operators that do not build for AMD."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.libraries import import_hit
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
}


@rule(
    id="LIB-016",
    title="A DeepSpeed operator is used that does not build for AMD",
    kinds=PYTHON_KINDS,
    anchors=[*_BUILDERS, "deepspeed4science", "sparse_attention"],
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
    example="handle = GDSBuilder().load().gds_handle()",
    source="https://github.com/deepspeedai/DeepSpeed",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for DeepSpeed's GDS, CUTLASS and sparse attention operators that nothing asks is_compatible about."""
    if b"is_compatible" in document.source.view or b"__compatible_ops__" in document.source.view:
        return
    for path, node in document.refs("deepspeed.ops.*"):
        *_, builder, method = path.split(".")
        needs = _BUILDERS.get(builder.removesuffix("()"))
        if needs and method == "load":
            yield Hit(node, f"{builder}.load compiles an operator that needs {needs}", path)
    if "deepspeed/ops/" in document.source.path:
        return  # DeepSpeed itself: its modules import one another
    for item in document.imports_of(*_MODULES):
        needs = next(what for module, what in _MODULES.items() if item.full.startswith(module))
        yield import_hit(document, item, what=f"it needs {needs}")
