"""TRI-010: the module needs Triton."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.targets import Context


@rule(
    id="TRI-010",
    title="Triton is imported without a fallback",
    kinds=PYTHON_KINDS,
    anchors=["triton ~import triton", "triton ~from triton", "triton import_module"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.WORKS,
        why="ROCm builds of torch bring a Triton with the AMD backend: the package is called pytorch-triton-rocm, "
        "triton-rocm or triton depending on the release, the module always triton.",
        fix="Nothing here; do not pin a Triton of your own beside the one torch asks for.",
        safety=Safety.NONE,
        effort=Effort.NONE,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="There is no Triton for Gaudi, so a module that imports it at the top cannot be imported.",
        fix="Import it only where it exists and give the operation a torch fallback.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example="import triton",
    versions="the wheel that holds Triton differs by torch release",
    source="https://github.com/ROCm/pytorch/pull/2914",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for the first import of triton at the top of a module, outside try and outside functions."""
    for item in document.imports_of("triton"):
        if not item.optional and not item.deferred and not document.unreachable(item.node, context.target):
            yield Hit(item.node, f"{item.full} is imported as soon as this module is", item.full)
            return
