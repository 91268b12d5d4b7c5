"""PKG-002: triton as a package of its own."""

import re
from collections.abc import Iterator
from dataclasses import replace

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.document import Document, Requirement
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.packaging import (
    PACKAGE_KINDS,
    PYTHON_ANCHORS,
    REQUIREMENTS_FOR_AMD,
    asked_for,
    is_asked_of_amd,
    packages,
)
from rewarp.targets import ROCM, Context

_PINNED = re.compile(r"triton\s*(?:==|~=|<=|<)\s*[012]\.[\d.*]+")
"""The Tritons on PyPI whose wheels hold no back end for AMD."""


def _triton(item: Requirement) -> str | None:
    if item.name in ("triton", "pytorch-triton", "triton-nightly"):
        return f"{item.text} is asked for next to torch, which brings its own Triton"
    return None


@rule(
    id="PKG-002",
    title="triton is asked for as a package",
    kinds=PACKAGE_KINDS,
    anchors=["triton"],
    python_anchors=PYTHON_ANCHORS,
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.INFO,
        why="A ROCm build of torch comes with the Triton it was built for, under its own package name and version. "
        "Asking for triton installs another one over it.",
        fix="Leave triton to torch. A requirement marker cannot see ROCm, so where the name is needed choose it in "
        "setup.py after looking for torch.version.hip.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.INFO,
        why="The Triton from PyPI has no Gaudi backend.",
        fix="Leave triton out of what is installed on Gaudi.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="triton==3.1.0",
    source="https://github.com/linkedin/Liger-Kernel/pull/460",
    fix=replace(REQUIREMENTS_FOR_AMD, even_if_mild=True),
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for triton among the packages a file asks for, outside extras and files for other platforms; in a list for AMD, for one that is
    older than Triton 3."""
    yield from packages(document, context, _triton, real=False, any_extra=False)
    for item in asked_for(document):
        pin = _PINNED.fullmatch(item.text.partition(";")[0].strip())
        if pin and is_asked_of_amd(document, item.group) and context.target.name == ROCM.name:
            message = f"{item.text} is asked for in a list for AMD; that Triton knows NVIDIA's GPUs alone"
            yield Hit(item, message, item.name, Severity.CRASH)
