"""BLD-024: an extension that is built with CUDA for NVIDIA, and without it on the target."""

import ast
from collections.abc import Container, Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import ScriptFix
from rewarp.fixes.script import Replacement, ScriptPlace
from rewarp.lang.kinds import Kind
from rewarp.lang.python import PythonFile
from rewarp.project.build_files import EXTENSION
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.targets import Context

_TOOLKIT = (f"{EXTENSION}.CUDA_HOME", "torch.version.cuda")
_AVAILABLE = "torch.cuda.is_available"


def _with_rocm(place: ScriptPlace) -> list[Replacement]:
    """The test holds on ROCm too. Other conditions that it is joined to, an option of the user's say, stay as they are."""
    if not isinstance(place.node, ast.expr):
        return []
    edits: list[Replacement] = []
    view = place.document.source.view
    for part in _asking(place.document, place.node):
        start, end = place.document.span(part)
        outside = part is place.node or view[start - 1 : start] + view[end : end + 1] == b"()"
        inside = isinstance(part, ast.BoolOp)
        before, after = "" if outside else "(", "" if outside else ")"
        edits.append((start, start, f"{before}{place.gate.rocm} or {'(' * inside}"))
        edits += [(end, end, ")" * inside + after)] if inside or after else []
    return edits


def _asking(document: PythonFile, test: ast.expr) -> Iterator[ast.expr]:
    """The outermost parts of a test that ask for CUDA and for nothing else."""
    if _asks_alone(document, test):
        yield test
    elif isinstance(test, ast.BoolOp):
        for value in test.values:
            yield from _asking(document, value)


def _asks_alone(document: PythonFile, test: ast.expr) -> bool:
    if isinstance(test, ast.BoolOp):
        return isinstance(test.op, ast.And) and all(_asks_alone(document, value) for value in test.values)
    if isinstance(test, ast.Call):
        return document.path(test.func) == _AVAILABLE
    if isinstance(test, ast.Compare):
        if not isinstance(test.ops[0], ast.IsNot) or len(test.ops) > 1 or not _is_none(test.comparators[0]):
            return False
        test = test.left
    return document.path(test) in _TOOLKIT


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


@rule(
    id="BLD-024",
    title="An extension loses its GPU code on the target",
    kinds=Kind.PYTHON,
    anchors=["setup"],
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.CRASH,
        why="Followed as ROCm's Python would run it, the build script leaves the CUDA sources out: a test such as "
        "`CUDA_HOME is not None` is false there. The build succeeds, and what it installs has no GPU code.",
        fix="Let the test be true on ROCm too: `torch.version.hip is not None or CUDA_HOME is not None`.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="Where there is no CUDA, the build script leaves the CUDA sources out. The build succeeds, and what it installs has "
        "no operations for tensors on Gaudi: a call raises, or asks for a tensor on the CPU.",
        fix="Express these operations in PyTorch on Gaudi, or leave out what needs them.",
        safety=Safety.NONE,
        effort=Effort.HOURS,
    ),
    example='ext = [CUDAExtension("a", ["a.cu"])] if CUDA_HOME else [CppExtension("a", ["a.cpp"])]',
    source="https://github.com/facebookresearch/pytorch3d/pull/2039",
    fix=ScriptFix(value=_with_rocm),
    traits=[Trait.TORCH_EXTENSION],
    even_if_gated=True,
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for extensions that the build model has CUDA sources of for NVIDIA, and none of for the target; the place is the
    test that leaves them out, where there is one."""
    where = "ROCm" if context.target.name == "rocm" else context.target.title
    for path, line, target in sorted(context.project.left_out):
        if path == document.source.path:
            switches = _switches(document)
            yield Hit(
                switches[0] if len(switches) == 1 else document.source.line_span(line),
                f"{target or 'the extension'} is built without its CUDA sources on {where}, or not at all",
                target,
            )


def _switches(document: PythonFile) -> list[ast.expr]:
    """The conditions that ask whether there is a CUDA toolkit, or a torch with CUDA."""
    found: dict[ast.expr, None] = {}
    for _, node in document.refs(*_TOOLKIT):
        child: ast.AST = node
        for ancestor in document.ancestors(node):
            if isinstance(ancestor, (ast.If, ast.IfExp)) and ancestor.test is child:
                found[ancestor.test] = None
            if isinstance(ancestor, ast.stmt):
                break
            child = ancestor
    return [
        test for test in found if not any(_is_condition(around, found) for around in list(document.ancestors(test))[1:])
    ]


def _is_condition(node: ast.AST, tests: Container[ast.expr]) -> bool:
    return isinstance(node, (ast.If, ast.IfExp)) and node.test in tests
