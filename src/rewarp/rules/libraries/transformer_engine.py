"""LIB-007: Transformer Engine."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.import_fixes import NOT_ON_GAUDI
from rewarp.rules.shapes.libraries import imports_of, noted
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
    gaudi_fix=NOT_ON_GAUDI,
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for imports of transformer_engine."""
    build = "ROCm/TransformerEngine builds it for AMD"
    yield from noted(imports_of(document, *_PACKAGES), context, build)
