"""PY-GRF-001: graphs are captured through torch.cuda."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, When, rule
from rewarp.rules.shapes.gaudi import judged_for_gaudi
from rewarp.targets import Context

_NAMES = ("CUDAGraph", "graph", "make_graphed_callables")


@rule(
    id="PY-GRF-001",
    title="CUDA graphs are captured through torch",
    kinds=PYTHON_KINDS,
    anchors=[f"{name} cuda" for name in _NAMES],
    phase=Phase.GRAPHS,
    rocm=Impact(
        Severity.WORKS,
        why="torch.cuda's graphs are HIP graphs on ROCm 5.3 and newer. Very large ones could overflow the stack "
        "before ROCm 7.14.",
        when=When(rocm=">=5.3", otherwise=Severity.CRASH),
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="Gaudi has graphs of its own, torch.hpu.HPUGraph, with another interface.",
        fix="Capture with torch.hpu.HPUGraph on Gaudi, or wrap the module in HPU graphs.",
        safety=Safety.NONE,
        effort=Effort.HOURS,
    ),
    example="with torch.cuda.graph(torch.cuda.CUDAGraph()): ...",
    versions="ROCm >= 5.3",
    source="https://github.com/pytorch/pytorch/pull/88202",
)
@judged_for_gaudi
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for calls of torch.cuda.CUDAGraph, torch.cuda.graph and torch.cuda.make_graphed_callables."""
    for path, call in document.calls(*(f"torch.cuda.{sub}{name}" for sub in ("", "graphs.") for name in _NAMES)):
        yield Hit(call, f"{path} is used", path)
