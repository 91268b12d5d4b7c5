"""ENV-012: Ray is told not to touch CUDA's device list, and only that."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.lang.document import Document
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.env._fixes import also_set
from rewarp.rules.shapes.env import ENV_KINDS, neutral, sets_of
from rewarp.targets import Context

_NAME = "RAY_EXPERIMENTAL_NOSET_CUDA_VISIBLE_DEVICES"
_TWINS = {
    "rocm": re.compile(rb"RAY_EXPERIMENTAL_NOSET_(HIP|ROCR)_VISIBLE_DEVICES"),
    "gaudi": re.compile(rb"RAY_EXPERIMENTAL_NOSET_HABANA_VISIBLE_\w+"),
}


@rule(
    id="ENV-012",
    title="Ray is told to leave CUDA_VISIBLE_DEVICES alone",
    kinds=ENV_KINDS,
    anchors=[_NAME],
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.WRONG,
        why="For AMD GPUs Ray asks another variable: RAY_EXPERIMENTAL_NOSET_HIP_VISIBLE_DEVICES from 2.45 on, the ROCR "
        "one before. Without it Ray goes on changing the device list.",
        fix="Set the HIP name beside it, and the ROCR name for Ray before 2.45.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.WRONG,
        why="For Gaudi Ray asks RAY_EXPERIMENTAL_NOSET_HABANA_VISIBLE_MODULES.",
        fix="Set that name beside it.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example='os.environ["RAY_EXPERIMENTAL_NOSET_CUDA_VISIBLE_DEVICES"] = "1"',
    versions="the HIP name from Ray 2.45, the ROCR name before",
    source="https://github.com/volcengine/verl/pull/1465",
    fix=PythonFix(
        also_set("RAY_EXPERIMENTAL_NOSET_HIP_VISIBLE_DEVICES", "RAY_EXPERIMENTAL_NOSET_ROCR_VISIBLE_DEVICES")
    ),
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for RAY_EXPERIMENTAL_NOSET_CUDA_VISIBLE_DEVICES being set in a file that never names the target's twin."""
    if _TWINS[context.target.name].search(document.source.view):
        return
    yield from neutral(
        document, (Hit(item, f"only the CUDA name is set: {_NAME}", _NAME) for item in sets_of(document, _NAME))
    )
