"""BLD-024: an extension that is built with CUDA for NVIDIA, and without it on the target."""

import ast
from collections.abc import Container, Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import Kind
from rewarp.lang.python import PythonFile
from rewarp.project.build_files import EXTENSION
from rewarp.registry import Hit, Impact, rule
from rewarp.targets import Context


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
    for _, node in document.refs(f"{EXTENSION}.CUDA_HOME", "torch.version.cuda"):
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
