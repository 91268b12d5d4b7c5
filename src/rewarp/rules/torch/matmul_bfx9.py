"""PY-BCK-002: the precision ``bfx9``."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.literals import instead, literal
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.torch_backends import settings
from rewarp.targets import Context


@rule(
    id="PY-BCK-002",
    title='The float32 precision "bfx9" is chosen',
    kinds=PYTHON_KINDS,
    anchors=["bfx9"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.CRASH,
        why='rocBLAS and hipBLASLt have no such compute mode, so setting "bfx9" raises on ROCm.',
        fix='Choose "ieee" where torch.version.hip is set.',
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example='torch.backends.cuda.matmul.fp32_precision = "bfx9"',
    versions="torch >= 2.9",
    source="https://docs.pytorch.org/docs/main/notes/hip.html",
    fix=PythonFix(literal(instead({"bfx9": "ieee"}), "The float32 precision bfx9 is NVIDIA's.")),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for the value "bfx9" given to an fp32_precision setting below torch.backends."""
    for item in settings(document, "torch.backends.*"):
        if item.path.endswith(".fp32_precision") and document.string(item.value) == "bfx9":
            yield Hit(item.where, f'{item.path} is set to "bfx9", which only NVIDIA has', item.path)
