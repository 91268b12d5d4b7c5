"""ENV-011: paths to a CUDA installation in the environment."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Phase, Severity
from rewarp.lang.document import Document
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.env import ENV_KINDS, set_text, sets_of
from rewarp.targets import Context

_HOMES = ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDA_TOOLKIT_ROOT_DIR")
_SEARCHED = ("LD_LIBRARY_PATH", "LIBRARY_PATH", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "PATH")
_CUDA_PATH = re.compile(r"/cuda(-\d[\d.]*)?(?![\w])|\$\{?CUDA_(HOME|PATH|ROOT)")


@rule(
    id="ENV-011",
    title="The environment points at a CUDA installation",
    kinds=ENV_KINDS,
    anchors=[*_HOMES, "cuda ~/cuda"],
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.WORKS,
        why="Where there is no CUDA the path leads nowhere and does no harm; where there is, NVIDIA's libraries can be "
        "picked up. ROCm is found through ROCM_HOME and ROCM_PATH.",
        fix="Set it only where there is no /opt/rocm, and ROCM_HOME otherwise.",
        safety=Safety.DISPLAY_ONLY,
    ),
    example="export CUDA_HOME=/usr/local/cuda",
    source="https://github.com/pytorch/pytorch/blob/main/torch/utils/cpp_extension.py",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for CUDA_HOME and the like being set, and for search paths that get a CUDA directory, in a file that sets
    neither ROCM_HOME nor ROCM_PATH."""
    if sets_of(document, "ROCM_HOME", "ROCM_PATH"):
        return
    for item in sets_of(document, *_HOMES):
        if item.value != "":
            yield Hit(item, f"{item.name} points at a CUDA installation", item.name)
    for item in sets_of(document, *_SEARCHED):
        if _CUDA_PATH.search(set_text(document, item)):
            yield Hit(item, f"{item.name} gets a directory of CUDA", item.name)
