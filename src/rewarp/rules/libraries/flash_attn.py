"""LIB-001: flash-attn."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.place import Place, Refused
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.lang.python_names import Import
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.import_fixes import NOT_ON_GAUDI, gated
from rewarp.rules.shapes.import_fixes import Import as ImportStatement
from rewarp.rules.shapes.libraries import import_hit
from rewarp.runtime import public_names
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


_FLASH = ("flash_attn", "flash_attn.flash_attn_interface")


def _attention(place: Place, statement: ImportStatement) -> list[str] | Refused:
    """The helper's functions have the same names and arguments, and take the best attention that is there."""
    module = statement.module if isinstance(statement, ast.ImportFrom) and not statement.level else None
    names = [alias.name for alias in statement.names]
    if module not in _FLASH or not set(public_names()).issuperset(names):
        return Refused("flash-attn has to be built for ROCm; the helper has no twin of all that is imported here")
    if place.helper is None:
        return Refused("no place in the project serves all files that need the helper")
    listed = ", ".join(f"{a.name} as {a.asname}" if a.asname else a.name for a in statement.names)
    return [f"from {place.helper} import {listed}"]


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
    fix=PythonFix(
        gated(_attention, "On ROCm attention goes to AMD's library, then to PyTorch's own."),
        needs_helper=True,
    ),
    gaudi_fix=NOT_ON_GAUDI,
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
