"""PY-RT-010: processes forked by a program that uses the GPU."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.literals import instead, literal
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.torch_runtime import fork_calls, function_around
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
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example='ctx = torch.multiprocessing.get_context("fork")',
    source="https://github.com/huggingface/accelerate/pull/4025",
    fix=PythonFix(literal(instead({"fork": "spawn"}), "HIP does not survive a fork.")),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for the start method "fork" and os.fork() in files that use torch.cuda; a note where only torch is used."""
    if not any(document.imports_of("torch")):
        return
    for call in fork_calls(document, context.target):
        if _uses_gpu(document, call) and not _asks_first(document, call):
            yield Hit(call, "processes are forked in a file that also uses the device", "fork")
        else:
            message = "processes are forked in a file that uses torch: the GPU must not be touched before"
            yield Hit(call, message, "fork", severity=Severity.INFO)


def _uses_gpu(document: PythonFile, call: ast.Call) -> bool:
    """Whether the file uses the device; where a function starts the processes, whether it or a function it calls does,
    or what runs on import or in another method of its class."""
    uses = [node for _, node in document.refs("torch.cuda.*", "torch.hpu.*")]
    function = function_around(document, call)
    if function is document.tree or not uses:
        return bool(uses)
    called = {document.raw(node.func) for node in ast.walk(function) if isinstance(node, ast.Call)}
    cls = document.enclosing(call, ast.ClassDef)
    for node in uses:
        around = function_around(document, node)
        name = getattr(around, "name", None)
        if around in (function, document.tree) or name in called or name in ("main", "__init__"):
            return True
        if around in document.ancestors(function) or (cls is not None and cls in document.ancestors(node)):
            return True
    return False


def _asks_first(document: PythonFile, call: ast.Call) -> bool:
    """Whether the function around it asks if the GPU is in use already."""
    calls = [node for node in ast.walk(function_around(document, call)) if isinstance(node, ast.Call)]
    return any(document.raw(node.func).endswith("is_initialized") for node in calls)
