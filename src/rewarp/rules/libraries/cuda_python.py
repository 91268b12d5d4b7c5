"""LIB-009: Python bindings of the CUDA toolkit."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.rules.shapes.import_fixes import NVIDIA_ONLY
from rewarp.rules.shapes.libraries import imports_of
from rewarp.targets import Context

# `cuda` alone is a common name of project folders: only cuda-python's own modules count.
_CUDA_PYTHON = tuple(
    f"cuda.{name}"
    for name in ("bindings", "cuda", "cudart", "nvrtc", "core", "tile", "cccl", "pathfinder", "parallel", "cooperative")
)
_OTHERS = ("pycuda", "nvmath", "cuquantum")


@rule(
    id="LIB-009",
    title="Python bindings of the CUDA toolkit are imported",
    kinds=PYTHON_KINDS,
    anchors=[
        *_OTHERS,
        "cudart",
        "nvrtc",
        "cuda ~import cuda",
        "cuda ~from cuda",
        "bindings cuda",
        "import_module cuda",
    ],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.CRASH,
        why="These packages load NVIDIA's driver and libraries. hip-python binds HIP, with a layer that answers to the names "
        "of cuda-python.",
        fix="Import them only when torch.version.hip is None; on ROCm use torch.cuda or hip-python.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example="from cuda.bindings import driver",
    source="https://github.com/ROCm/hip-python",
    fix=NVIDIA_ONLY,
    traits=[Trait.NOTHING_INSTEAD],
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for imports of cuda-python (cuda.bindings, cuda.cudart, ...), pycuda, nvmath and cuquantum."""
    yield from imports_of(document, *_CUDA_PYTHON, *_OTHERS, folders=True)
