"""PY-CMP-001: ``mode="reduce-overhead"``."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.literals import instead, literal
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.torch_backends import HIP_GRAPHS_YOUNG, compile_modes, written_for_target
from rewarp.targets import Context


@rule(
    id="PY-CMP-001",
    title='torch.compile runs with mode="reduce-overhead"',
    kinds=PYTHON_KINDS,
    anchors=["reduce overhead"],
    phase=Phase.COMPILE,
    rocm=Impact(
        Severity.PERF,
        why="This mode records HIP graphs. Bad training was reported with torch 2.10 and ROCm 7.0 and could not be "
        "repeated with torch 2.14 and ROCm 7.14; no general slowdown is known.",
        fix='On torch before 2.11 or ROCm before 7.2 take mode="default" where torch.version.hip is set; '
        "on newer ones measure and keep it.",
        safety=Safety.UNSAFE,
        effort=Effort.MINUTES,
        when=HIP_GRAPHS_YOUNG,
    ),
    gaudi=Impact(
        Severity.INFO,
        why='The mode is about CUDA graphs. Gaudi compiles with backend="hpu_backend" and has no such mode.',
        fix='Compile with backend="hpu_backend" and no mode on Gaudi.',
        effort=Effort.MINUTES,
    ),
    example='model = torch.compile(model, mode="reduce-overhead")',
    versions="torch < 2.11 or ROCm < 7.2; newer ones are only informed of",
    source="https://github.com/pytorch/pytorch/issues/187715",
    safety_note="Another mode changes how the model is compiled and so how fast it runs.",
    fix=PythonFix(
        literal(
            instead({"reduce-overhead": "default"}), "Graphs under torch.compile are not sound on this version of ROCm."
        )
    ),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for mode="reduce-overhead" given to torch.compile, as call, decorator or table of keyword arguments,
    outside code written for the target."""
    for mode, where in compile_modes(document):
        if mode == "reduce-overhead" and not written_for_target(document, where, context):
            yield Hit(where, f'torch.compile is given mode="{mode}"', mode)
