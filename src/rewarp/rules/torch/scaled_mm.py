"""FP8-004: torch._scaled_mm."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.targets import Context

_PATH = "torch._scaled_mm"
_MATRIX_CORES = ("gfx94", "gfx95", "gfx12")
_SHAPERS = ("unsqueeze", "reshape", "expand")


@rule(
    id="FP8-004",
    title="torch._scaled_mm multiplies FP8 matrices",
    kinds=PYTHON_KINDS,
    anchors=["_scaled_mm"],
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.CRASH,
        why="On ROCm hipBLASLt does the work: which layouts of scales it takes (one for the tensor, one for each row, one "
        "for each block) depends on its version, use_fast_accum is ignored, and GPUs without FP8 matrix cores refuse.",
        fix="Try the layout on the target once and fall back to one scale for the tensor, or to bf16.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example="torch._scaled_mm(a, b, scale_a=sa.unsqueeze(1), scale_b=sb.unsqueeze(0), use_fast_accum=True)",
    versions="torch 2.5 and later",
    source="https://github.com/pytorch/pytorch/blob/main/torch/_meta_registrations.py",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for torch._scaled_mm; a note only, unless its scales are visibly more than one number."""
    for _, call in document.calls(_PATH):
        scales = [document.argument(call, 2, "scale_a"), document.argument(call, 3, "scale_b")]
        fast = document.argument(call, 7, "use_fast_accum")
        if not context.versions.may_be(*_MATRIX_CORES):
            yield Hit(call, f"{context.versions.arch} has no FP8 matrix cores for _scaled_mm", _PATH)
        elif any(scale is not None and _has_shape(scale) for scale in scales):
            yield Hit(call, "_scaled_mm gets a scale for each row or block", _PATH)
        elif isinstance(fast, ast.Constant) and fast.value is True:
            yield Hit(call, "use_fast_accum changes nothing on ROCm", _PATH, severity=Severity.INFO)
        else:
            yield Hit(call, "_scaled_mm runs through hipBLASLt on ROCm", _PATH, severity=Severity.INFO)


def _has_shape(scale: ast.expr) -> bool:
    for node in ast.walk(scale):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _SHAPERS:
            return True
        if isinstance(node, ast.Subscript) and any(
            isinstance(part, ast.Constant) and part.value is None for part in ast.walk(node.slice)
        ):
            return True
    return False
