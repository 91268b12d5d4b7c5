"""PY-MEM-004: the allocator's cache is emptied in code that runs every step."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.torch_runtime import ends_a_request, runs_every_step
from rewarp.targets import Context

_PATHS = ("torch.cuda.empty_cache", "torch.cuda.memory.empty_cache", "torch.cuda.ipc_collect")


@rule(
    id="PY-MEM-004",
    title="The cache is emptied in every step",
    kinds=PYTHON_KINDS,
    anchors=["empty_cache", "ipc_collect"],
    phase=Phase.VERIFICATION,
    rocm=Impact(
        Severity.INFO,
        why="Giving memory back and asking for it again costs more under HIP than under CUDA; ComfyUI keeps these calls "
        "to NVIDIA for that reason. That was in 2023: measure on your versions.",
        fix="Call it between phases instead of in every step, or only where torch.version.cuda is set.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="def training_step(self, batch):\n    torch.cuda.empty_cache()",
    versions="reported in 2023",
    source="https://github.com/comfyanonymous/ComfyUI/commit/5f0f97634",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for empty_cache() and ipc_collect() in functions and loops that run for each step, batch or request;
    a note where a function that is given one prompt, request or batch ends with it."""
    for path, call in document.calls(*_PATHS):
        if runs_every_step(document, call):
            yield Hit(call, f"{path}() runs in every step here", path)
        elif ends_a_request(document, call):
            yield Hit(call, f"{path}() runs at the end of every request here", path, severity=Severity.INFO)
