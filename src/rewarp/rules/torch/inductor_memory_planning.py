"""PY-CMP-003: Inductor's memory planning is switched on."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.literals import instead, literal
from rewarp.lang.document import Document
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.env import ENV_KINDS
from rewarp.rules.shapes.torch_backends import inductor_settings, is_true
from rewarp.targets import Context

_SETTING = "memory_planning"
_VARIABLE = "TORCHINDUCTOR_MEMORY_PLANNING"


@rule(
    id="PY-CMP-003",
    title="Inductor's memory planning is switched on",
    kinds=ENV_KINDS,
    anchors=[_SETTING, _VARIABLE],
    phase=Phase.COMPILE,
    rocm=Impact(
        Severity.CRASH,
        why="Memory planning is off by default, and PyTorch has its own test of it (with the C++ wrapper) disabled on "
        "ROCm because it fails there.",
        fix="Switch it on only where torch.version.hip is None.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example="torch._inductor.config.memory_planning = True",
    source="https://github.com/pytorch/pytorch/issues/180122",
    fix=PythonFix(literal(instead({True: False, "1": "0"}), "Inductor's memory planning is not sound on ROCm.")),
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for Inductor's memory_planning being set to True, and TORCHINDUCTOR_MEMORY_PLANNING=1."""
    for env in document.env_sets:
        if env.name == _VARIABLE and env.value == "1":
            yield Hit(env, f"{_VARIABLE} is switched on", _VARIABLE)
    for item in inductor_settings(document, _SETTING):
        if isinstance(document, PythonFile) and is_true(document, item.value):
            yield Hit(item.where, "Inductor's memory_planning is switched on", _SETTING)
