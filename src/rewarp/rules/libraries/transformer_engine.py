"""LIB-007: Transformer Engine."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.libraries._fixes import NOT_ON_GAUDI, WHERE_INSTALLED
from rewarp.rules.libraries._shapes import imports_of
from rewarp.targets import Context

_PACKAGES = ("transformer_engine", "transformer_engine_torch")


@rule(
    id="LIB-007",
    title="Transformer Engine is imported",
    kinds=PYTHON_KINDS,
    anchors=_PACKAGES,
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.CRASH,
        why="NVIDIA's wheels hold CUDA code only. ROCm/TransformerEngine is a fork with the same module name,"
        " whose FP8 recipes pick the types of the AMD GPU.",
        fix="Install the fork on ROCm, and import the module only where it is installed.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="NVIDIA's Transformer Engine does not run on Gaudi; Intel has one of its own "
        "(habana_frameworks.torch.hpex.experimental.transformer_engine).",
        fix="Choose the module by platform.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example="import transformer_engine.pytorch as te",
    source="https://github.com/ROCm/TransformerEngine",
    fix=WHERE_INSTALLED,
    gaudi_fix=NOT_ON_GAUDI,
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for imports of transformer_engine."""
    yield from imports_of(document, *_PACKAGES)
