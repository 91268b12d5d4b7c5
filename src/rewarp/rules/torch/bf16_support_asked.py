"""PY-CAP-009: how a program asks for bfloat16."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.gaudi import judged_for_gaudi
from rewarp.rules.shapes.gaudi_twins import twin
from rewarp.rules.shapes.torch import branches, conditions, refusal
from rewarp.rules.torch._capability import ANCHORS, about_bf16, asks_cuda, for_amd, tests
from rewarp.targets import Context

_PATH = "torch.cuda.is_bf16_supported"
_WITHOUT = ("gfx900", "gfx906", "gfx10")
"""GPUs without native bfloat16: Vega, RDNA1 and RDNA2."""


@rule(
    id="PY-CAP-009",
    title="bfloat16 support is asked the NVIDIA way",
    kinds=PYTHON_KINDS,
    anchors=["is_bf16_supported", *ANCHORS],
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.PERF,
        why="is_bf16_supported() and a test for Ampere say yes on every AMD GPU, also on gfx906 and RDNA2, which have no native "
        "bfloat16 and run it slowly.",
        fix="Deny it by gcnArchName for gfx906, gfx900 and gfx10xx; other AMD GPUs need no change.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.PERF,
        why="Gaudi always has bfloat16, but torch.cuda does not know it and says no, or raises.",
        fix="Take bfloat16 whenever torch.hpu.is_available().",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="dtype = torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16",
    source="https://github.com/comfyanonymous/ComfyUI/commit/e2919d38b",
    gaudi_fix=PythonFix(twin),
)
@judged_for_gaudi
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for torch.cuda.is_bf16_supported(), and for tests of the compute capability for 8 that choose bfloat16."""
    arch = context.versions.arch
    if context.target.name == "rocm" and not context.versions.may_be(*_WITHOUT):
        return
    # On an unknown AMD GPU the answer is most likely right: inform, do not judge.
    severity = Severity.INFO if context.target.name == "rocm" and arch is None else None
    answer = "true on every AMD GPU" if context.target.name == "rocm" else "not true on Gaudi, which has it"
    for _, call in document.calls(_PATH):
        stops = context.target.name == "gaudi" and _refuses(document, call)
        end = ", and the program stops here where bfloat16 is wanted" if stops else ""
        yield Hit(call, f"{_PATH}() is asked: {answer}{end}", _PATH, severity=Severity.CRASH if stops else severity)
    for test in tests(document):
        if about_bf16(document, test) and not for_amd(document, test.node):
            raises = context.target.name == "gaudi" and asks_cuda(document, test)
            message = f"Ampere or newer ({test.reads}) stands for bfloat16: {answer}"
            yield Hit(test.node, message, _PATH, severity=Severity.CRASH if raises else severity)


def _refuses(document: PythonFile, call: ast.Call) -> bool:
    """Whether the program gives up where the answer is no, which ``and`` may ask for as well."""
    blocks = (branches(condition, positive)[1] for condition, positive in conditions(document, call))
    return any(refusal(document, block) == "stop" for block in blocks)
