"""PY-LIB-009: NCCL loaded by its file name."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.literals import literal
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.targets import Context

_FILE = re.compile(r"(?:.*/)?libnccl\.so(?:\.\d+)*")
_NO_RCCL = re.compile(r"(?:.*/)?librccl\.so\.(?!1(?:\.|$))\d+(?:\.\d+)*")
_TWIN = re.compile(r"(?:.*/)?lib[rh]ccl\.so(?:\.\d+)*")


def _rccl(value: object) -> object | None:
    if not isinstance(value, str):
        return None
    if value == "nccl":
        return "rccl"
    return "librccl.so.1" if re.fullmatch(r"libnccl\.so[\d.]*", value) else None


@rule(
    id="PY-LIB-009",
    title="NCCL is loaded by its file name",
    kinds=PYTHON_KINDS,
    anchors=["libnccl", "find_library nccl"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.CRASH,
        why="There is no libnccl on a ROCm machine; RCCL has the same functions in librccl.so.1.",
        fix='Load "librccl.so.1" when torch.version.hip is set and libnccl otherwise.',
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="There is no libnccl on a Gaudi machine; collectives are in libhccl.",
        fix="Use torch.distributed with the hccl backend.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example='nccl = ctypes.CDLL("libnccl.so.2")',
    source="https://github.com/vllm-project/vllm/pull/3699",
    fix=PythonFix(literal(_rccl, "ROCm's NCCL is RCCL.")),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for the file name libnccl.so used as a value, and find_library("nccl"), where librccl is not known;
    and for RCCL under a version that it does not have."""
    for string in document.strings:
        name = str(string.value)
        if context.target.name == "rocm" and _NO_RCCL.fullmatch(name):
            yield Hit(string, f"{name} is not RCCL's file: that is librccl.so.1", name)
    if any(_TWIN.fullmatch(str(string.value)) for string in document.strings):
        return
    for string in document.strings:
        name = str(string.value)
        if _FILE.fullmatch(name) and not isinstance(document.parent(string), ast.Compare):
            yield Hit(string, f"{name} is loaded by name", name)
    for path, call in document.calls("ctypes.util.find_library"):
        if call.args and document.string(call.args[0]) == "nccl":
            yield Hit(call, f"{path} looks for NCCL", path)
