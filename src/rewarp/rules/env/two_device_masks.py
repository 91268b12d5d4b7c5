"""ENV-002: two device lists at once."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.document import Document
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.env._shapes import ENV_KINDS, exclusive, sets_of
from rewarp.targets import Context

_ROCR = "ROCR_VISIBLE_DEVICES"
_INNER = ("HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES")


def _is_removed(document: Document) -> bool:
    """Whether the file takes ROCR_VISIBLE_DEVICES away somewhere."""
    if any(command.name == "unset" and _ROCR in command.texts for command in document.commands):
        return True
    if not isinstance(document, PythonFile):
        return False
    for call in document.nodes(ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("pop", "delenv", "unsetenv"):
            if call.args and document.string(call.args[0]) == _ROCR:
                return True
    return any(
        isinstance(target, ast.Subscript) and document.string(target.slice) == _ROCR
        for statement in document.nodes(ast.Delete)
        for target in statement.targets
    )


@rule(
    id="ENV-002",
    title="ROCR_VISIBLE_DEVICES is set beside another device list",
    kinds=ENV_KINDS,
    anchors=[_ROCR],
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.CRASH,
        why="HIP counts its devices inside what ROCR lets through. Two lists mask twice: the second may name devices "
        "that are no longer there, and torch raises when the HIP list is the longer one.",
        fix="Set one of them: HIP_VISIBLE_DEVICES.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example="export ROCR_VISIBLE_DEVICES=2,3\nexport HIP_VISIBLE_DEVICES=2,3",
    source="https://github.com/vllm-project/vllm/pull/6352",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for ROCR_VISIBLE_DEVICES being set where HIP_VISIBLE_DEVICES or CUDA_VISIBLE_DEVICES is set as well, in code
    that can run together, and never taken away."""
    masks = sets_of(document, _ROCR)
    if not masks or _is_removed(document):
        return
    for item in masks:
        beside = next((other for other in sets_of(document, *_INNER) if not exclusive(document, item, other)), None)
        if beside:
            yield Hit(item, f"{_ROCR} and {beside.name} are both set: the devices are masked twice", _ROCR)
