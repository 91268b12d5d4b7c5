"""PY-BCK-005: the TF32 switches of convolutions."""

from collections.abc import Iterator

from rewarp.findings import Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.torch_backends import settings
from rewarp.targets import Context

_CUDNN = "torch.backends.cudnn."


@rule(
    id="PY-BCK-005",
    title="TF32 is switched for convolutions",
    kinds=PYTHON_KINDS,
    anchors=["cudnn"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.WORKS,
        why="The setting can be made on ROCm and has no effect: MIOpen has no TF32 convolution.",
    ),
    gaudi=Impact(Severity.WORKS, why="The setting has no effect on Gaudi."),
    example="torch.backends.cudnn.allow_tf32 = True",
    source="https://github.com/pytorch/pytorch/blob/main/torch/backends/cudnn/__init__.py",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for assignments to torch.backends.cudnn.allow_tf32 and to the fp32_precision of cudnn, conv and rnn."""
    names = ("allow_tf32", "fp32_precision", "conv.fp32_precision", "rnn.fp32_precision")
    for item in settings(document, *(_CUDNN + name for name in names)):
        if document.string(item.value) != "bfx9":
            yield Hit(item.where, f"{item.path} is accepted and changes nothing", item.path)
