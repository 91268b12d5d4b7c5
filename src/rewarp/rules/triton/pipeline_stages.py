"""TRI-002: pipelines deeper than AMD's default."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.literals import at_most, literal
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.triton import config_group, configs, has_dot, milder, options
from rewarp.targets import Context

_DEEP = 3


@rule(
    id="TRI-002",
    title="num_stages is set deeper than AMD's default",
    kinds=PYTHON_KINDS,
    anchors=["num_stages"],
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.PERF,
        why="Triton's AMD backend pipelines with two stages by default; every further stage takes more of the 64 KiB "
        "of LDS, so fewer waves run at once.",
        fix="Offer num_stages of 1 or 2 on ROCm, `min(num_stages, 2) if torch.version.hip else num_stages`, and measure.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="kernel[grid](a, b, c, BLOCK_M=128, BLOCK_N=128, BLOCK_K=32, num_stages=4)",
    source="https://github.com/triton-lang/triton/blob/main/third_party/amd/backend/compiler.py",
    fix=PythonFix(literal(at_most(2), "AMD's pipeline has two stages; more only take LDS.")),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for a launch with num_stages of 3 or more, and for lists of configs none of which has 1 or 2, of matmuls."""
    if not has_dot(document):
        return  # what is pipelined through LDS are the operands of tl.dot
    shallow: set[ast.AST] = set()
    deep: dict[ast.AST, tuple[ast.AST, int]] = {}
    explicit: dict[ast.Call, bool] = {}
    for option in options(document, context, "num_stages"):
        stages = document.number(option.value)
        if option.launch:
            if stages is not None and stages >= _DEEP:
                message = f"the kernel is launched with num_stages={stages:g}"
                yield Hit(option.where, message, "num_stages", severity=milder(document))
            continue
        explicit[option.owner] = True
        group = config_group(document, option.owner)
        if stages is None or stages < _DEEP:
            shallow.add(group)
        else:
            deep.setdefault(group, (option.where, int(stages)))
    for call in configs(document):
        # A config whose num_stages cannot be read may hold a shallow one.
        if call not in explicit and any(keyword.arg in (None, "num_stages") for keyword in call.keywords):
            shallow.add(config_group(document, call))
    for group, (where, stages) in deep.items():
        joined = isinstance(document.parent(group), ast.BinOp)  # with a list that is made elsewhere
        if group not in shallow and not joined:
            message = f"num_stages={stages}, and no config beside it has 1 or 2 stages"
            yield Hit(where, message, "num_stages", severity=milder(document))
