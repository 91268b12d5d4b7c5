"""TRI-006: thread block clusters."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.literals import at_most, literal
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.triton import kernel_parameters, options
from rewarp.targets import Context


@rule(
    id="TRI-006",
    title="A Triton kernel is launched with num_ctas above 1",
    kinds=PYTHON_KINDS,
    anchors=["num_ctas"],
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.CRASH,
        why="Clusters of blocks are a Hopper feature; for AMD GPUs up to gfx12 Triton raises ValueError when num_ctas "
        "is more than 1.",
        fix="Use `num_ctas=1 if torch.version.hip else N`.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example="kernel[grid](a, b, c, num_ctas=2)",
    source="https://github.com/triton-lang/triton/blob/main/third_party/amd/backend/compiler.py",
    fix=PythonFix(literal(at_most(1), "Clusters of blocks are NVIDIA's.")),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for a literal num_ctas above 1 in a launch or a triton.Config."""
    if (context.versions.arch or "").startswith("gfx125"):
        return  # has multi-CTA launches
    for option in options(document, context, "num_ctas"):
        ctas = document.number(option.value)
        if ctas is not None and ctas > 1 and "num_ctas" not in kernel_parameters(document, option.owner):
            yield Hit(option.where, f"num_ctas={ctas:g} asks for a cluster of blocks", "num_ctas")
