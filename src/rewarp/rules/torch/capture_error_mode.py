"""PY-GRF-003: a capture that other threads can break."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.place import Mend, Outcome, Place
from rewarp.fixes.splices import after
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, When, rule
from rewarp.rules.shapes.torch_backends import captures
from rewarp.targets import Context


def _thread_local(place: Place) -> Outcome | None:
    call = place.node(ast.Call)
    if call is None or not (call.args or call.keywords) or any(k.arg == "capture_error_mode" for k in call.keywords):
        return None
    last = [*call.args, *(keyword.value for keyword in call.keywords)][-1]
    entry = f', **({{"capture_error_mode": "thread_local"}} if {place.gate.rocm} else {{}})'
    return Mend(after(place, last, entry), "HIP refuses other threads' work during a capture in global mode.")


@rule(
    id="PY-GRF-003",
    title="A graph is captured in global mode beside NCCL work",
    kinds=PYTHON_KINDS,
    anchors=["graph cuda distributed", "capture_begin distributed", "CUDAGraph distributed"],
    phase=Phase.GRAPHS,
    rocm=Impact(
        Severity.CRASH,
        why="In the default mode HIP forbids some calls in every thread while one captures. The watchdog thread of "
        "NCCL polls its events and gets 'operation not permitted when stream is capturing', where CUDA passes.",
        fix='Pass capture_error_mode="thread_local" where torch.version.hip is set.',
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
        when=When(rocm="<8", otherwise=Severity.INFO),
    ),
    example="with torch.cuda.graph(g):\n    torch.distributed.all_reduce(x)",
    versions="ROCm up to 7.x; a fix was submitted",
    source="https://github.com/ROCm/hip/issues/3876",
    fix=PythonFix(_thread_local),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for a capture in mode "global" (the default) in a file that uses torch.distributed."""
    if not _uses_collectives(document):
        return
    for call in captures(document):
        begins = isinstance(call.func, ast.Attribute) and call.func.attr == "capture_begin"
        mode = document.argument(call, 1 if begins else 3, "capture_error_mode")
        passed_on = any(keyword.arg is None for keyword in call.keywords)
        if (mode is None and not passed_on) or (mode is not None and document.string(mode) == "global"):
            yield Hit(call, "the capture is in global mode, and this file works with torch.distributed", "graph")


def _uses_collectives(document: PythonFile) -> bool:
    return any(document.imports_of("torch.distributed")) or any(document.refs("torch.distributed.*"))
