"""PKG-005: CuPy for CUDA."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.document import Document, Requirement
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.packaging import EXTRA_FOR_AMD, PACKAGE_KINDS, PYTHON_ANCHORS, REQUIREMENTS_FOR_AMD, packages
from rewarp.targets import Context


def _cupy(item: Requirement) -> str | None:
    return f"{item.name} is CuPy built for CUDA" if re.fullmatch(r"cupy-cuda\d+x?", item.name) else None


@rule(
    id="PKG-005",
    title="CuPy for CUDA is asked for",
    kinds=PACKAGE_KINDS,
    anchors=["cupy*"],
    python_anchors=PYTHON_ANCHORS,
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.CRASH,
        why="The cupy-cudaNNx wheels load CUDA libraries. The build for AMD GPUs is a package of its own, cupy-rocm-7-0.",
        fix="Ask for cupy-rocm-7-0 on ROCm, in an extra or a list of packages of its own, and keep this one for NVIDIA.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="CuPy has no build for Gaudi.",
        fix="Leave it out on Gaudi and use NumPy or torch there.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example="cupy-cuda12x>=13",
    versions="cupy-rocm-7-0 is for ROCm 7",
    source="https://pypi.org/project/cupy-rocm-7-0/",
    fix=(REQUIREMENTS_FOR_AMD, EXTRA_FOR_AMD),
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for cupy-cuda11x, cupy-cuda12x and so on among the packages a file asks for."""
    yield from packages(document, context, _cupy)
