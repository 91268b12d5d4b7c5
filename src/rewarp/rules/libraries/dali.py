"""LIB-013: NVIDIA DALI."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.rules.shapes.import_fixes import NVIDIA_ONLY
from rewarp.rules.shapes.libraries import imports_of
from rewarp.targets import Context

_PACKAGES = ("nvidia.dali",)


@rule(
    id="LIB-013",
    title="NVIDIA DALI is imported",
    kinds=PYTHON_KINDS,
    anchors=["dali"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.CRASH,
        why="DALI decodes and augments on NVIDIA GPUs only; AMD's library for that is rocAL, with another interface.",
        fix="Keep the DALI pipeline for NVIDIA and give ROCm one from torchvision or rocAL.",
        safety=Safety.NONE,
        effort=Effort.HOURS,
    ),
    example="from nvidia.dali import pipeline_def",
    source="https://github.com/ROCm/rocAL",
    fix=NVIDIA_ONLY,
    traits=[Trait.NOTHING_INSTEAD],
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for imports of nvidia.dali."""
    yield from imports_of(document, *_PACKAGES)
