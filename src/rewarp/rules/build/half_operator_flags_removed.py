"""BLD-010: torch's list of nvcc options edited in place."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import ScriptFix
from rewarp.fixes.script import Replacement, ScriptPlace
from rewarp.fixes.text import indent_at, newline_of
from rewarp.lang.kinds import Kind
from rewarp.lang.python import PythonFile
from rewarp.project.build_files import EXTENSION
from rewarp.registry import Hit, Impact, rule
from rewarp.targets import Context

_LIST = f"{EXTENSION}.COMMON_NVCC_FLAGS"


def _of_hipcc_too(place: ScriptPlace) -> list[Replacement]:
    """The same for the list that a ROCm build reads."""
    document, node = place.document, place.node
    statement = document.statement(node)
    attributes = [
        part for part in ast.walk(node) if isinstance(part, ast.Attribute) and part.attr == "COMMON_NVCC_FLAGS"
    ]
    if not isinstance(statement, ast.Expr) or not attributes:
        return []
    name = document.raw(attributes[0]).replace("COMMON_NVCC_FLAGS", "COMMON_HIPCC_FLAGS")
    start, end = document.span(statement)
    indent, newline = indent_at(document.source, start), newline_of(document.source)
    body = f'{name}[:] = [flag for flag in {name} if not flag.startswith("-D__HIP_NO_HALF_")]'
    return [(end, end, f"{newline}{indent}if {place.gate.rocm}:{newline}{indent}    {body}")]


@rule(
    id="BLD-010",
    title="COMMON_NVCC_FLAGS is edited and COMMON_HIPCC_FLAGS is not",
    kinds=Kind.PYTHON,
    anchors=["COMMON_NVCC_FLAGS"],
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.BUILD,
        why="A ROCm build takes its options from COMMON_HIPCC_FLAGS, where the half-precision operators are switched "
        "off by __HIP_NO_HALF_OPERATORS__ and __HIP_NO_HALF_CONVERSIONS__: the edit has no effect there.",
        fix="When torch.version.hip is set, remove the two __HIP_NO_HALF_* options from COMMON_HIPCC_FLAGS as well.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example='cpp_extension.COMMON_NVCC_FLAGS.remove("-D__CUDA_NO_HALF_OPERATORS__")',
    source="https://github.com/jeffdaily/moat",
    fix=ScriptFix(value=_of_hipcc_too, once=True),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for changes to torch's COMMON_NVCC_FLAGS in a file that leaves COMMON_HIPCC_FLAGS alone."""
    if any(document.refs(f"{EXTENSION}.COMMON_HIPCC_FLAGS", f"{EXTENSION}.COMMON_HIPCC_FLAGS.*")):
        return
    for path, call in document.calls(f"{_LIST}.*"):
        method = path.rpartition(".")[2]
        if method in ("remove", "clear", "pop"):
            yield Hit(call, f"COMMON_NVCC_FLAGS.{method} changes a list that a ROCm build does not read", _LIST)
    for assign in document.nodes(ast.Assign):
        for target in assign.targets:
            node = target.value if isinstance(target, ast.Subscript) else target
            if isinstance(node, ast.Attribute) and document.path(node) == _LIST:
                yield Hit(assign, "COMMON_NVCC_FLAGS is replaced, but a ROCm build does not read it", _LIST)
