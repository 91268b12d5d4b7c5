"""BLD-011: CUTLASS as a part of the build."""

import ast
import re
from collections.abc import Iterator

from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.cmake import CMakeFile
from rewarp.lang.document import Document
from rewarp.lang.kinds import Kind
from rewarp.lang.python import PythonFile
from rewarp.project.build_files import is_build_file
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.rules.shapes.build import milder
from rewarp.targets import Context

_FOLDER = re.compile(r"(?i)(^|.*[/=])(nvidia[_-])?cutlass(/.*)?")
_JOINS = {"join", "joinpath", "Path", "append", "extend", "insert", "run", "check_call", "check_output", "call"}
_PACKAGES = {"cutlass", "nvidiacutlass", "nvidia_cutlass"}


@rule(
    id="BLD-011",
    title="The build needs CUTLASS",
    kinds=(Kind.PYTHON, Kind.CMAKE),
    anchors=["cutlass", "CUTLASS", "NvidiaCutlass"],
    python_anchors=[
        f"{name} {build}" for name in ("cutlass", "CUTLASS") for build in ("setuptools", "cpp_extension", "nvcc")
    ],
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.BUILD,
        why="CUTLASS is made of NVIDIA instructions and does not compile for AMD; Composable Kernel is its nearest kin.",
        fix="Leave the sources that use CUTLASS out on AMD, and offer their operations through Composable Kernel, "
        "hipBLASLt or Triton.",
        effort=Effort.REWRITE,
    ),
    example='include_dirs=["csrc/cutlass/include"]',
    source="https://github.com/Dao-AILab/flash-attention/pull/1446",
    traits=[Trait.BY_HAND],
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for a CUTLASS folder among the paths of a build script, and for CUTLASS fetched or found by CMake."""
    if isinstance(document, CMakeFile):
        for call in document.named("find_package", "fetchcontent_declare", "cpmaddpackage", "add_subdirectory"):
            first = call.texts[0].lower() if call.texts else ""
            if first in _PACKAGES or (call.name == "add_subdirectory" and _FOLDER.fullmatch(first)):
                yield Hit(call.where, f"{call.name} brings CUTLASS into the build", "cutlass", milder(document, call))
        return
    if isinstance(document, PythonFile) and is_build_file(document):
        for node in document.strings:
            text = node.value
            if not isinstance(text, str) or " " in text or "*" in text or not _FOLDER.fullmatch(text):
                continue
            if _is_a_path(document, node) and not document.kept_off(node, context.target):
                yield Hit(node, "a CUTLASS folder is part of the build", "cutlass")
                return  # one is enough: the other paths lead to the same place


def _is_a_path(document: PythonFile, node: ast.expr) -> bool:
    """Whether a string is used as a path: joined, put into a list, or given to a command."""
    parent = document.parent(node)
    text = document.string(node) or ""
    if isinstance(parent, ast.BinOp):
        return True
    if isinstance(parent, ast.Call):
        return document.raw(parent.func).rpartition(".")[2] in _JOINS
    return isinstance(parent, (ast.List, ast.Tuple)) and "/" in text
