"""HPU-009: a configuration file names the device."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import Kind
from rewarp.lang.yaml import YamlFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules._files import by_side
from rewarp.targets import Context

_KEY = re.compile(r"(?i)(\w+[-_])?device([-_](type|name))?")
_BACKEND = re.compile(r"(?i)(\w+[-_])?(backend|communication)")
_DEVICE = re.compile(r"cuda(:\d+)?")


@rule(
    id="HPU-009",
    title="A configuration file names the device cuda, or NCCL",
    kinds=Kind.YAML,
    anchors=["cuda", "nccl"],
    phase=Phase.DETECTION,
    rocm=Impact(
        Severity.WORKS,
        why='"cuda" is the name of an AMD GPU too in PyTorch for ROCm, and "nccl" that of RCCL.',
    ),
    gaudi=Impact(
        Severity.CRASH,
        why='The Gaudi device of torch is called "hpu", and its backend for collectives "hccl".',
        fix="Write a second configuration for Gaudi, or let the code choose the device.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="device: cuda",
    source="https://docs.habana.ai/en/latest/PyTorch/PyTorch_Model_Porting/Porting_Simple_PyTorch_Model_to_Gaudi.html",
)
def match(document: YamlFile, context: Context) -> Iterator[Hit]:
    """Looks for device: cuda and backend: nccl in YAML files."""

    def found() -> Iterator[Hit]:
        for entry in document.entries:
            device = _KEY.fullmatch(entry.key) and _DEVICE.fullmatch(entry.value)
            if device or (_BACKEND.fullmatch(entry.key) and entry.value == "nccl"):
                word = "means an AMD GPU" if device else "means RCCL"
                says = f"{word} on ROCm" if context.target.name == "rocm" else "has no meaning on Gaudi"
                yield Hit(entry.span, f"{entry.key}: {entry.value} {says}", entry.value.partition(":")[0])

    yield from by_side(document, found())
