"""PY-RT-004: the profiler is started and stopped from code."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.targets import Context

_PATHS = (
    "torch.cuda.cudart().cudaProfilerStart",
    "torch.cuda.cudart().cudaProfilerStop",
    "torch.cuda.profiler.start",
    "torch.cuda.profiler.stop",
    "torch.cuda.profiler.profile",
)


@rule(
    id="PY-RT-004",
    title="The profiler is started and stopped from code",
    kinds=PYTHON_KINDS,
    anchors=["cudaProfilerStart", "cudaProfilerStop", "profiler"],
    phase=Phase.VERIFICATION,
    rocm=Impact(
        Severity.INFO,
        why="On ROCm these calls report success and do nothing, so a profile limited to the range between them holds "
        "nothing of what was meant.",
        fix="Mark the range with roctxProfilerResume and roctxProfilerPause and record it with rocprofv3, "
        "or use torch.profiler.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example="torch.cuda.cudart().cudaProfilerStart()",
    source="https://github.com/pytorch/pytorch/blob/main/torch/csrc/cuda/shared/cudart.cpp",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for cudaProfilerStart/Stop through torch.cuda.cudart() and for torch.cuda.profiler."""
    for path, call in document.calls(*_PATHS):
        yield Hit(call, f"{path.removeprefix('torch.cuda.')} does nothing on ROCm", path)
