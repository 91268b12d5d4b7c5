"""BLD-006: the host compiler forced to GCC."""

import re
from collections.abc import Iterator

from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import Kind
from rewarp.lang.python import PythonFile
from rewarp.project.build_files import is_build_file
from rewarp.registry import Hit, Impact, rule
from rewarp.targets import Context

_GCC = re.compile(r"(\S*/)?(\w+-)*(gcc|g\+\+)(-\d+)?")


@rule(
    id="BLD-006",
    title="A build script forces GCC as the host compiler",
    kinds=Kind.PYTHON,
    anchors=["CC", "CXX"],
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.INFO,
        why="torch's build takes CXX for the host files of an extension, which GCC compiles on ROCm too; hipcc still compiles the "
        "device code. Options meant for clang do not fit there.",
        fix="Where an option for clang goes to host files, set CC and CXX only when torch.version.hip is None.",
        effort=Effort.MINUTES,
    ),
    example='os.environ["CC"] = "g++"',
    source="https://github.com/casper-hansen/AutoAWQ/pull/315",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for build scripts that set CC or CXX to gcc or g++."""
    if not is_build_file(document):
        return
    for item in document.env_sets:
        if item.name in ("CC", "CXX") and item.value and _GCC.fullmatch(item.value):
            yield Hit(item, f"{item.name} is set to {item.value}, which then compiles the host files", item.name)
