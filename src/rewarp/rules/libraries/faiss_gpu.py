"""LIB-014: faiss on the GPU."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.targets import Context

_GPU = re.compile(r"(?:faiss|faiss\.swigfaiss)\.(StandardGpuResources|index_cpu_to_gpu\w*|Gpu\w+)")


@rule(
    id="LIB-014",
    title="faiss runs on the GPU",
    kinds=PYTHON_KINDS,
    anchors=["faiss"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.CRASH,
        why="The faiss-gpu wheels are CUDA builds; faiss itself can be built from source for ROCm. In faiss-cpu the GPU names "
        "do not exist.",
        fix="Build faiss with ROCm, or keep the index on the CPU in the ROCm branch.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example="res = faiss.StandardGpuResources()",
    source="https://github.com/facebookresearch/faiss",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for faiss.StandardGpuResources, index_cpu_to_gpu and the Gpu* classes of faiss."""
    for path, node in document.refs("faiss.*"):
        if _GPU.fullmatch(path):
            caught = document.caught(node, "AttributeError", "Exception", "BaseException")
            yield Hit(node, f"{path} exists in GPU builds of faiss only", path, Severity.INFO if caught else None)
