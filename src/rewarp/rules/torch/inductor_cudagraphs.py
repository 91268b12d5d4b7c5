"""PY-CMP-004: Inductor's graphs are switched on by setting."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.literals import instead, literal
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.torch_backends import HIP_GRAPHS_YOUNG, inductor_settings, is_true, written_for_target
from rewarp.targets import Context

_GRAPHS = "triton.cudagraphs"
_TREES = "triton.cudagraph_trees"


@rule(
    id="PY-CMP-004",
    title="Inductor's CUDA graphs are switched on",
    kinds=PYTHON_KINDS,
    anchors=["cudagraphs _inductor", "cudagraphs compile", "cudagraphs inductor", "cudagraph_trees"],
    phase=Phase.COMPILE,
    rocm=Impact(
        Severity.PERF,
        why="The setting records HIP graphs and is off by default; the reports against HIP graphs in Inductor are of "
        "torch before 2.11 and ROCm before 7.2. cudagraph_trees does nothing unless graphs are on.",
        fix="On those versions leave it off where torch.version.hip is set; on newer ones measure and keep it.",
        safety=Safety.UNSAFE,
        effort=Effort.MINUTES,
        when=HIP_GRAPHS_YOUNG,
    ),
    example="torch._inductor.config.triton.cudagraphs = True",
    versions="torch < 2.11 or ROCm < 7.2; newer ones are only informed of",
    source="https://github.com/pytorch/pytorch/blob/main/torch/_inductor/config.py",
    safety_note="Without graphs the launch overhead comes back.",
    fix=PythonFix(literal(instead({True: False}), "Graphs under torch.compile are not sound on this version of ROCm.")),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for Inductor's triton.cudagraphs or triton.cudagraph_trees being set to True, outside code written
    for the target."""
    for item in inductor_settings(document, _GRAPHS, _TREES):
        if is_true(document, item.value) and not written_for_target(document, item.where, context):
            inert = Severity.INFO if item.path == _TREES else None
            yield Hit(item.where, f"Inductor's {item.path} is switched on", item.path, severity=inert)
