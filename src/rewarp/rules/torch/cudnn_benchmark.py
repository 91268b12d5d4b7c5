"""PY-BCK-004: ``torch.backends.cudnn.benchmark = True``."""

from collections.abc import Iterator

from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.torch_backends import is_true, settings
from rewarp.targets import Context

_PATH = "torch.backends.cudnn.benchmark"


@rule(
    id="PY-BCK-004",
    title="cuDNN benchmarking is switched on",
    kinds=PYTHON_KINDS,
    anchors=["cudnn"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.INFO,
        why="It works and starts MIOpen's search: the first steps are slow, because kernels are looked for and "
        "compiled, and the result is kept in a database on disk.",
        fix="Keep it. Set MIOPEN_FIND_MODE and MIOPEN_USER_DB_PATH in the ROCm environment so that the search "
        "is short and its result survives the container.",
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(Severity.WORKS, why="The switch has no effect on Gaudi."),
    example="torch.backends.cudnn.benchmark = True",
    source="https://github.com/pytorch/pytorch/blob/main/torch/backends/cudnn/__init__.py",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for torch.backends.cudnn.benchmark being set to True."""
    for item in settings(document, _PATH):
        if is_true(document, item.value):
            yield Hit(item.where, f"{_PATH} is set to True", _PATH)
