"""PY-DET-008: the GPU is taken only where torch was built for CUDA."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.project.gates import NVIDIA, Evaluator, platform_for
from rewarp.registry import Hit, Impact, rule
from rewarp.targets import Context


@rule(
    id="PY-DET-008",
    title="The device is chosen by a test that only NVIDIA's torch passes",
    kinds=PYTHON_KINDS,
    anchors=["cuda cpu version"],
    phase=Phase.DETECTION,
    rocm=Impact(
        Severity.ON_CPU,
        why="torch for ROCm calls its device cuda too. A test for NVIDIA's build, such as torch.version.cuda, sends the program to "
        "the CPU, without a word.",
        fix="Ask torch.cuda.is_available(), which is true on ROCm as well.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example='device = "cuda" if torch.version.cuda else "cpu"',
    source="https://docs.pytorch.org/docs/stable/notes/hip.html",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for conditions with "cuda" on one side and "cpu" on the other, or behind them, that come out for "cuda" on
    NVIDIA and for "cpu" on the target."""
    there, nvidia = (Evaluator(document, platform) for platform in (platform_for(context.target), NVIDIA))
    for node in (*document.nodes(ast.IfExp), *document.nodes(ast.If)):
        sides = _sides(document, node)
        if sides is None:
            continue
        truth, for_nvidia = there.truth(node.test), nvidia.truth(node.test)
        only_there = for_nvidia is False and truth is None and _names([node.test]) == "cuda"
        if (truth is None and not only_there) or for_nvidia is truth:
            continue
        taken = True if truth is None else truth
        if _names(sides[taken]) == "cpu" and (only_there or _names(sides[not taken]) == "cuda"):
            message = f"on {context.target.title} this decides for the CPU, on NVIDIA it does not"
            yield Hit(node.test, message, document.raw(node.test) or "device")


def _sides(document: PythonFile, node: ast.IfExp | ast.If) -> tuple[list[ast.AST], list[ast.AST]] | None:
    """What gives the device where the test fails, and where it holds."""
    if isinstance(node, ast.IfExp):
        return [node.orelse], [node.body]
    if node.orelse:
        return list(node.orelse), list(node.body)
    # Without an else the way goes on behind it, if the branch leaves.
    block = next((b for b in _blocks(document.parent(node)) if node in b), None)
    if block is None or not isinstance(node.body[-1], ast.Return):
        return None
    return list(block[block.index(node) + 1 :]), list(node.body)


def _blocks(parent: ast.AST | None) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(parent, name, None)
        if isinstance(block, list):
            yield block


def _names(side: list[ast.AST]) -> str | None:
    """The device that a side gives or sets first: cuda or cpu."""
    for part in side:
        values = (
            [part]
            if isinstance(part, ast.expr)
            else [n.value for n in ast.walk(part) if isinstance(n, (ast.Return, ast.Assign))]
        )
        for value in values:
            texts = (
                [n.value for n in ast.walk(value) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
                if value
                else []
            )
            named = next((text.partition(":")[0] for text in texts if text.partition(":")[0] in ("cuda", "cpu")), None)
            if named:
                return named
    return None
