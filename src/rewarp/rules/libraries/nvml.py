"""PY-LIB-001: NVML bindings."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.libraries._shapes import imports_of
from rewarp.targets import Context


@rule(
    id="PY-LIB-001",
    title="NVML bindings are imported",
    kinds=PYTHON_KINDS,
    anchors=["pynvml", "nvidia_smi", "py3nvml", "nvitop", "GPUtil"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.CRASH,
        why="NVML talks to NVIDIA's driver: on an AMD machine the import or nvmlInit fails. The twin is amdsmi.",
        fix="Import it only when torch.version.hip is None and read the same figures through amdsmi otherwise. "
        "A bare try/except would also hide real errors on NVIDIA.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="NVML talks to NVIDIA's driver; Gaudi has hl-smi and pyhlml.",
        fix="Import it only on NVIDIA and use pyhlml otherwise.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example="import pynvml",
    source="https://github.com/huggingface/accelerate/pull/4025",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for imports of pynvml, nvidia_smi, py3nvml, nvitop and GPUtil."""
    yield from imports_of(document, "pynvml", "nvidia_smi", "py3nvml", "nvitop", "GPUtil")
