"""LIB-001: flash-attn."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.lang.python_names import Import
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.libraries._shapes import import_hit
from rewarp.targets import Context

_SUPPORTED = ("gfx90a", "gfx94", "gfx95", "gfx11", "gfx12")
# Parts of the package that are built from CUDA or CUTLASS sources only.
_CUDA_PARTS = (
    "flash_attn.cute",
    "flash_attn.ops.fused_dense",
    "flash_attn.ops.layer_norm",
    "flash_attn.ops.rms_norm",
    "flash_attn.fused_softmax",
)


@rule(
    id="LIB-001",
    title="flash-attn is imported",
    kinds=PYTHON_KINDS,
    anchors=["flash_attn"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.CRASH,
        why="Upstream flash-attn supports ROCm with the interface of FlashAttention 2 (Composable Kernel, or Triton) on "
        "MI200 to MI355 and RDNA3/4. It must be built for ROCm; a few of its modules have CUDA sources only.",
        fix="Install flash-attn from source on the ROCm machine and keep the import. Where it may be missing, fall back to "
        "torch's scaled_dot_product_attention in the ROCm branch, and mind the transposed layout.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="flash-attn has no kernels for Gaudi, where FusedSDPA does this work.",
        fix="Call FusedSDPA (habana_frameworks.torch.hpex.kernels) or scaled_dot_product_attention on Gaudi.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example="from flash_attn.ops.fused_dense import FusedDense",
    versions="flash-attn >= 2.6",
    source="https://github.com/Dao-AILab/flash-attention#amd-rocm-support",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for imports of flash_attn: the supported ones inform, its CUDA-only modules and GPUs alarm."""
    for item in document.imports_of("flash_attn"):
        if context.target.name != "rocm":
            yield import_hit(document, item)
        elif _cuda_part(item):
            yield import_hit(document, item, what="this part of flash-attn has no ROCm sources", folders=True)
        elif not context.versions.may_be(*_SUPPORTED):
            yield import_hit(document, item, what=f"flash-attn has no kernels for {context.versions.arch}")
        else:
            message = f"{item.full} is supported on ROCm by upstream flash-attn, once that is built for ROCm"
            yield Hit(item.node, message, item.full, severity=Severity.INFO)


def _cuda_part(item: Import) -> bool:
    return any(f"{item.full}.".startswith(f"{part}.") for part in _CUDA_PARTS)
