"""PY-GRF-004: ``topk`` in a compiled region that uses graphs."""

import ast
from collections.abc import Iterator

from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, When, rule
from rewarp.rules.shapes.torch_backends import compile_settings
from rewarp.targets import Context


@rule(
    id="PY-GRF-004",
    title="topk runs in a region compiled with graphs",
    kinds=PYTHON_KINDS,
    anchors=["topk compile"],
    phase=Phase.GRAPHS,
    rocm=Impact(
        Severity.PERF,
        why="On HIP Inductor keeps topk out of graphs, so the region is cut in parts there and gains less.",
        fix="Take topk out of the compiled region if its speed matters.",
        effort=Effort.HOURS,
        when=When(torch=">=2.13"),
    ),
    example='@torch.compile(mode="reduce-overhead")\ndef route(x):\n    return x.topk(2)',
    versions="torch >= 2.13",
    source="https://github.com/pytorch/pytorch/pull/184265",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for topk in a function or module that this file compiles with mode="reduce-overhead"."""
    for region in _regions(document):
        for node in ast.walk(region):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
                if name == "topk":
                    yield Hit(node, "topk is compiled with reduce-overhead, and HIP graphs leave it out", "topk")


def _regions(document: PythonFile) -> Iterator[ast.AST]:
    """The functions and classes compiled with mode="reduce-overhead"."""
    for call, item in compile_settings(document, "mode"):
        if document.string(item.value) != "reduce-overhead":
            continue
        owner = document.parent(call)
        if isinstance(owner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and call in owner.decorator_list:
            yield owner
        elif call.args:
            yield from _defined(document, call.args[0])


def _defined(document: PythonFile, node: ast.expr) -> Iterator[ast.AST]:
    node = document.value_of(node)
    if isinstance(node, ast.Call):  # an instance of a class: its methods are compiled
        node = node.func
    if isinstance(node, ast.Name):
        named = [d for d in document.nodes(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef) if d.name == node.id]
        if len(named) == 1:
            yield named[0]
