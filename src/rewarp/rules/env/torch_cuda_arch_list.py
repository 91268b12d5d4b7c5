"""ENV-005: ``TORCH_CUDA_ARCH_LIST`` chooses what to build for."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.document import Document
from rewarp.lang.kinds import Kind
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.env import ENV_KINDS, neutral, only_named, set_text
from rewarp.targets import Context

_NAME = "TORCH_CUDA_ARCH_LIST"
_PASSED_ON = re.compile(r"(.*[=\s:\"'])?\$[({]*\s*(?:((inputs|matrix|env)\.)?[\w-]+\s*)?[)}]*[\"']?", re.S)


def _passed_on(document: Document, text: str) -> bool:
    """Whether the value is only handed through, as in ``ENV X=${X}``."""
    return document.kind is not Kind.PYTHON and bool(_PASSED_ON.fullmatch(text)) and _NAME in text.partition("$")[2]


@rule(
    id="ENV-005",
    title="TORCH_CUDA_ARCH_LIST says what to build for",
    kinds=ENV_KINDS,
    anchors=[_NAME],
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.INFO,
        why="A ROCm build of torch does not look at TORCH_CUDA_ARCH_LIST; what extensions are built for comes from "
        "PYTORCH_ROCM_ARCH, a list like gfx942;gfx1100.",
        fix="Set PYTORCH_ROCM_ARCH beside it.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example='export TORCH_CUDA_ARCH_LIST="8.0;9.0"',
    source="https://github.com/pytorch/pytorch/blob/main/torch/utils/cpp_extension.py",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for TORCH_CUDA_ARCH_LIST being set in a file that does not set PYTORCH_ROCM_ARCH."""
    yield from neutral(
        document,
        (
            Hit(item, f"{_NAME} is set and PYTORCH_ROCM_ARCH is not", _NAME)
            for item in only_named(document, _NAME, "PYTORCH_ROCM_ARCH")
            if not _passed_on(document, set_text(document, item))
        ),
    )
