"""PY-RT-013: a process group with the NCCL back end."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.gaudi._shapes import judged_for_gaudi
from rewarp.rules.torch._runtime_shapes import process_groups
from rewarp.targets import Context


@rule(
    id="PY-RT-013",
    title='A process group uses the back end "nccl"',
    kinds=PYTHON_KINDS,
    anchors=["init_process_group", "new_group", "init_distributed"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.WORKS,
        why='"nccl" is the right name on ROCm as well: it means RCCL there.',
    ),
    gaudi=Impact(
        Severity.CRASH,
        why='Gaudi has no NCCL; its back end is called "hccl" and is registered by importing '
        "habana_frameworks.torch.distributed.hccl.",
        fix='Choose "hccl" on Gaudi and keep "nccl" elsewhere.',
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example='dist.init_process_group("nccl")',
    source="https://docs.pytorch.org/docs/main/notes/hip.html#torch-distributed-backends",
)
@judged_for_gaudi
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for process groups created with the back end "nccl", alone or beside one for the CPU."""
    means = "RCCL" if context.target.name == "rocm" else "nothing"
    for name, backends, where in process_groups(document):
        if "nccl" in backends:
            yield Hit(where, f'"nccl" means {means} on {context.target.title}', name)
