"""LIB-008: numba's CUDA target."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.rules.shapes.import_fixes import NVIDIA_ONLY
from rewarp.rules.shapes.libraries import imports_of
from rewarp.targets import Context


@rule(
    id="LIB-008",
    title="numba.cuda is used",
    kinds=PYTHON_KINDS,
    anchors=["numba", "numba_cuda"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.CRASH,
        why="numba.cuda generates code for NVIDIA GPUs only.",
        fix="Write the kernel in Triton or HIP, or try AMD's numba-hip, which can stand in for numba.cuda.",
        safety=Safety.NONE,
        effort=Effort.REWRITE,
    ),
    example="from numba import cuda",
    source="https://github.com/ROCm/numba-hip",
    fix=NVIDIA_ONLY,
    traits=[Trait.NOTHING_INSTEAD],
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for imports of numba.cuda, and for numba.cuda used through a plain import of numba."""
    found = False
    for hit in imports_of(document, "numba.cuda", "numba_cuda"):
        found = True
        yield hit
    if not found:
        for path, node in document.refs("numba.cuda.*"):
            yield Hit(node, f"{path} runs on NVIDIA GPUs only", path)
