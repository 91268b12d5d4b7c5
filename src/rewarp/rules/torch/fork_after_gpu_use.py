"""PY-RT-010: processes forked by a program that uses the GPU."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.torch._runtime_shapes import PYTHON_KINDS, fork_calls, function_around
from rewarp.targets import Context


@rule(
    id="PY-RT-010",
    title="Processes are forked beside GPU work",
    kinds=PYTHON_KINDS,
    anchors=["fork"],
    phase=Phase.DETECTION,
    rocm=Impact(
        Severity.CRASH,
        why="HIP does not survive a fork, and more calls start HIP than start CUDA: without amdsmi even device_count() "
        "does. The child then fails at its first GPU call.",
        fix='Use "spawn" where torch.version.hip is set.',
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="The state of the Gaudi bridge does not survive a fork.",
        fix='Use "spawn" on Gaudi.',
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example='ctx = torch.multiprocessing.get_context("fork")',
    source="https://github.com/huggingface/accelerate/pull/4025",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for the start method "fork" and os.fork() in files that use torch.cuda; a note where only torch is used."""
    if not any(document.imports_of("torch")):
        return
    uses_gpu = any(document.refs("torch.cuda.*", "torch.hpu.*"))
    for call in fork_calls(document):
        if uses_gpu and not _asks_first(document, call):
            yield Hit(call, "processes are forked in a file that also uses the device", "fork")
        else:
            message = "processes are forked in a file that uses torch: the GPU must not be touched before"
            yield Hit(call, message, "fork", severity=Severity.INFO)


def _asks_first(document: PythonFile, call: ast.Call) -> bool:
    """Whether the function around it asks if the GPU is in use already."""
    calls = [node for node in ast.walk(function_around(document, call)) if isinstance(node, ast.Call)]
    return any(document.raw(node.func).endswith("is_initialized") for node in calls)
