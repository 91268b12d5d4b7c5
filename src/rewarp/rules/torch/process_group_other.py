"""PY-RT-014: a process group with a back end that ROCm builds lack."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.torch_runtime import process_groups
from rewarp.targets import Context


@rule(
    id="PY-RT-014",
    title='A process group uses the back end "ucc" or "mpi"',
    kinds=PYTHON_KINDS,
    anchors=["init_process_group", "new_group", "init_distributed"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.CRASH,
        why='torch supports "nccl" (RCCL) and "gloo" on ROCm, and no other back end.',
        fix='Use "nccl" for GPU tensors and "gloo" for CPU tensors on ROCm.',
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why='Collectives on Gaudi tensors go through the back end "hccl" alone.',
        fix='Use "hccl" on Gaudi.',
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example='dist.init_process_group("ucc")',
    source="https://docs.pytorch.org/docs/main/notes/hip.html",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for process groups created with the back end "ucc" or "mpi"."""
    for name, backends, where in process_groups(document):
        for backend in sorted(backends & {"ucc", "mpi"}):
            yield Hit(where, f'the back end "{backend}" is not supported on {context.target.title}', name)
