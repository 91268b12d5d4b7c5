"""LIB-002: the binaries of flash-attn."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.import_fixes import NVIDIA_ONLY
from rewarp.rules.shapes.libraries import imports_of
from rewarp.targets import Context

_FA3 = ("flash_attn_interface", "flash_attn_3", "flash_attn_3_cuda", "flashattn_hopper_cuda")
_FA2 = "flash_attn_2_cuda"


@rule(
    id="LIB-002",
    title="FlashAttention 3 or a binary of flash-attn is imported",
    kinds=PYTHON_KINDS,
    anchors=[*_FA3, _FA2],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.CRASH,
        why="The kernels of FlashAttention 3 are written for Hopper. flash_attn_2_cuda is an inner module of flash-attn 2 "
        "that a ROCm build has with Composable Kernel, but not with Triton.",
        fix="Import it only when torch.version.hip is None; on ROCm use flash_attn_func of flash-attn 2.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example="from flash_attn_interface import flash_attn_func",
    source="https://github.com/Dao-AILab/flash-attention",
    fix=NVIDIA_ONLY,
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for imports of flash_attn_interface, flash_attn_3 and flash_attn_2_cuda."""
    yield from imports_of(document, *_FA3, folders=True)
    for item in document.imports_of(_FA2):
        message = f"{_FA2} is there only if flash-attn was built with Composable Kernel; flash_attn_func always is"
        yield Hit(item.node, message, item.full, severity=Severity.INFO)
