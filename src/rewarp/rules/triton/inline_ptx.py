"""TRI-004: PTX inside a Triton kernel."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.triton import in_kernel, milder, triton_name, values
from rewarp.targets import Context

# PTX writes its instructions with dots (`cvt.rn.f16x2.f32 $0`), AMD assembly with underscores (`v_exp_f32 $0`).
_PTX = re.compile(
    r"\.reg\s+\.|\b(?:lop3|prmt|shfl|vote|redux|ex2|lg2|cvt|mov|setp|selp|cp|ld|st|atom|red|fma|mul|add|mad|sub|shl|shr"
    r"|and|or|xor|not|rcp|sqrt|rsqrt|tanh|sin|cos|bfe|bfi|bar|fence|mbarrier|griddepcontrol|min|max|abs|neg|popc)"
    r"\.[a-z][\w:]*|%(?:r|rd|f|p|laneid|smid|globaltimer|tid)\d*\b|\b(?:clock|brkpt|membar)\b|\bdp[24]a\."
)
_AMDGCN = re.compile(r"\b(?:v|s|ds|buffer|global|flat|scratch|tbuffer)_[a-z]\w+")


@rule(
    id="TRI-004",
    title="A Triton kernel holds inline PTX",
    kinds=PYTHON_KINDS,
    anchors=["inline_asm_elementwise"],
    phase=Phase.TRANSLATION,
    rocm=Impact(
        Severity.CRASH,
        why="PTX is NVIDIA's instruction set: the assembler for AMD GPUs does not know it, so compiling the kernel fails.",
        fix="Write a second @triton.jit function with Triton operations only and choose between the two when the module "
        "is imported; the NVIDIA kernel then stays as it is.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example='tl.inline_asm_elementwise("ex2.approx.f32 $0, $1;", "=f,f", [x], dtype=tl.float32, is_pure=True, pack=1)',
    source="https://github.com/fla-org/flash-linear-attention/pull/664",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for tl.inline_asm_elementwise whose assembly text is PTX, written there, under a name or by a function here."""
    for call in document.nodes(ast.Call):
        if not triton_name(document, call.func).endswith("inline_asm_elementwise"):
            continue
        asm = document.argument(call, 0, "asm")
        if asm is None:
            continue
        for value in values(document, asm):
            text = document.string(value) or _made_by(document, value)
            found = _PTX.search(text)
            if found and not _AMDGCN.search(text):
                where = value if isinstance(document.parent(value), ast.IfExp) else call
                message = f"inline_asm_elementwise is given PTX (`{found[0]}`)"
                yield Hit(where, message, "tl.inline_asm_elementwise", severity=milder(document))


def _made_by(document: PythonFile, value: ast.expr) -> str:
    """The literal texts in the function that makes the assembly, where it is no kernel itself."""
    maker = document.enclosing(value, ast.FunctionDef)
    if maker is None or in_kernel(document, maker):
        return ""
    constants = (node for node in ast.walk(maker) if isinstance(node, ast.Constant))
    return "\n".join(node.value for node in constants if isinstance(node.value, str))
