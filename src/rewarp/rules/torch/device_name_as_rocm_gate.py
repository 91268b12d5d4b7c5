"""PY-DET-003: the device name decides whether this is ROCm."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.place import Mend, Outcome, Place
from rewarp.fixes.splices import amd_too
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.rules.shapes.torch import name_tests
from rewarp.targets import Context

_AMD = re.compile(r"(?i)(amd|radeon|advanced micro devices)\W*")


def _asked_of_torch(place: Place) -> Outcome | None:
    test = place.node(ast.expr)
    if test is None:
        return None
    why = "ROCm is told by the build of PyTorch, without starting the GPU to ask for its name."
    return Mend(amd_too(place, test), why)


@rule(
    id="PY-DET-003",
    title="Device name is used to tell ROCm",
    kinds=PYTHON_KINDS,
    anchors=["get_device_name", "get_device_properties"],
    phase=Phase.DETECTION,
    rocm=Impact(
        Severity.CRASH,
        why="Asking for the name starts the HIP runtime, after which forked workers fail, and the names of integrated or "
        'virtual GPUs need not hold "AMD". torch.version.hip needs no device at all.',
        fix="Test `torch.version.hip is not None`.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example='IS_ROCM = "AMD" in torch.cuda.get_device_name(0)',
    source="https://github.com/volcengine/verl/pull/1465",
    fix=PythonFix(_asked_of_torch),
    traits=[Trait.HINT],
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for tests whether the device name holds "AMD" or "Radeon" with no model number."""
    for node, texts in name_tests(document):
        gate = next((text for text in texts if _AMD.fullmatch(text)), None)
        if gate is not None:
            at_import = document.scope(node) is document.tree
            yield Hit(
                node,
                f"{gate!r} in the device name decides whether this is ROCm"
                + ("; the GPU is started when this module is imported" if at_import else ""),
                "torch.cuda.get_device_name",
                severity=None if at_import else Severity.WRONG,
            )
