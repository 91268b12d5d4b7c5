"""PY-BCK-003: ``torch.backends.cudnn.enabled`` is assigned."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.torch import words
from rewarp.rules.shapes.torch_backends import is_false, settings, written_for_target
from rewarp.targets import Context

_ARCHITECTURE = re.compile(r"(?i)gfx|arch|rdna|cdna|navi|device_name|capability")
_PATH = "torch.backends.cudnn.enabled"


@rule(
    id="PY-BCK-003",
    title="cuDNN is switched on or off",
    kinds=PYTHON_KINDS,
    anchors=["cudnn"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.PERF,
        why="On ROCm this switch is MIOpen's. Which value is faster depends on the GPU: MIOpen pays off on Instinct "
        "and on RDNA 2 and older, while some programs run faster without it on newer RDNA.",
        fix="Measure both values on the GPU at hand and choose by architecture where torch.version.hip is set.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    gaudi=Impact(Severity.WORKS, why="The switch has no effect on Gaudi."),
    example="torch.backends.cudnn.enabled = False",
    source="https://github.com/comfyanonymous/ComfyUI/pull/10437",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for assignments to torch.backends.cudnn.enabled; in code written for the target, for False whatever the GPU."""
    for item in settings(document, _PATH):
        if written_for_target(document, item.where, context):
            if is_false(document, item.value) and not _by_architecture(document, item.where):
                message = (
                    f"{_PATH} is set to False for every AMD GPU alike: on Instinct MIOpen is what convolutions run on"
                )
                yield Hit(item.where, message, _PATH, severity=Severity.INFO)
            continue
        if context.target.name != "rocm":
            yield Hit(item.where, f"{_PATH} is set", _PATH)
        elif is_false(document, item.value):
            message = f"{_PATH} is set to False, which switches MIOpen off as it does cuDNN"
            yield Hit(item.where, message, _PATH, severity=Severity.INFO)
        else:
            yield Hit(item.where, f"{_PATH} is set: on ROCm that is MIOpen", _PATH, severity=Severity.INFO)


def _by_architecture(document: PythonFile, where: ast.AST) -> bool:
    """Whether a condition around a place asks which GPU it is."""
    return any(
        isinstance(ancestor, (ast.If, ast.IfExp)) and any(map(_ARCHITECTURE.search, words(ancestor.test)))
        for ancestor in document.ancestors(where)
    )
