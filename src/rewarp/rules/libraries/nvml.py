"""PY-LIB-001: NVML bindings."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.place import Place, Refused
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.lang.python_names import bound_names
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.libraries._fixes import NOT_ON_GAUDI, Import, gated, nothing
from rewarp.rules.libraries._shapes import imports_of
from rewarp.runtime import members
from rewarp.targets import Context


def _amd_sensors(place: Place, statement: Import) -> list[str] | Refused:
    """The helper has what monitoring code asks of pynvml, with amdsmi behind it; where more is asked, ROCm gets nothing."""
    whole = isinstance(statement, ast.Import) and [alias.name for alias in statement.names] == ["pynvml"]
    parts = isinstance(statement, ast.ImportFrom) and statement.module == "pynvml" and not statement.level
    if place.helper is None or not (whole or parts):
        return nothing(place, statement)
    name = bound_names(statement)[0]
    used = _attributes_of(place, name) if whole else {alias.name for alias in statement.names}
    if used is None or not members("nvml").issuperset(used):
        return nothing(place, statement)
    if whole:
        return [f"from {place.helper} import nvml" + (f" as {name}" if name != "nvml" else "")]
    listed = [f"{alias.asname or alias.name} = nvml.{alias.name}" for alias in statement.names]
    return [f"from {place.helper} import nvml", "", *listed]


def _attributes_of(place: Place, name: str) -> set[str] | None:
    """What is asked of a module by this name; None where the module itself goes elsewhere."""
    uses = [node for node in place.document.nodes(ast.Name) if node.id == name]
    asked = [node for node in place.document.nodes(ast.Attribute) if node.value in uses]
    return {node.attr for node in asked} if len(asked) == len(uses) else None


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
    fix=PythonFix(
        gated(_amd_sensors, "NVML is NVIDIA's: ROCm asks amdsmi, or no longer imports it."), needs_helper=True
    ),
    gaudi_fix=NOT_ON_GAUDI,
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for imports of pynvml, nvidia_smi, py3nvml, nvitop and GPUtil."""
    yield from imports_of(document, "pynvml", "nvidia_smi", "py3nvml", "nvitop", "GPUtil")
