"""PKG-002: triton as a package of its own."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.document import Document, Requirement
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.packaging._shapes import PACKAGE_KINDS, PYTHON_ANCHORS, REQUIREMENTS_FOR_AMD, packages
from rewarp.targets import Context


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
        Severity.CRASH,
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
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example="triton==3.1.0",
    source="https://github.com/linkedin/Liger-Kernel/pull/460",
    fix=REQUIREMENTS_FOR_AMD,
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for triton among the packages a file asks for, outside extras and files for other platforms."""
    yield from packages(document, _triton, real=False, any_extra=False)
