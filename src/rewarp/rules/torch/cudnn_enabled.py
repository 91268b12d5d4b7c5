"""PY-BCK-003: ``torch.backends.cudnn.enabled`` is assigned."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.torch._backend_shapes import is_false, settings, written_for_target
from rewarp.targets import Context

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
    """Looks for assignments to torch.backends.cudnn.enabled outside code written for the target."""
    for item in settings(document, _PATH):
        if written_for_target(document, item.where, context):
            continue
        if context.target.name != "rocm":
            yield Hit(item.where, f"{_PATH} is set", _PATH)
        elif is_false(document, item.value):
            yield Hit(item.where, f"{_PATH} is set to False, which switches MIOpen off", _PATH)
        else:
            yield Hit(item.where, f"{_PATH} is set: on ROCm that is MIOpen", _PATH, severity=Severity.INFO)
