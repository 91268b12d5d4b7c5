"""LIB-020: Caffe and MXNet on a GPU."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.targets import Context

_ASKED = {
    "caffe.set_mode_gpu": "Caffe",
    "mxnet.gpu": "MXNet",
    "mxnet.context.gpu": "MXNet",
    "mxnet.npx.gpu": "MXNet",
    "mxnet.util.gpu": "MXNet",
}
_COUNTED = {
    "mxnet.context.num_gpus": "MXNet",
    "mxnet.npx.num_gpus": "MXNet",
    "mxnet.util.get_gpu_count": "MXNet",
}
_WHY = "Neither Caffe nor MXNet is developed any longer, and no build of them for this hardware is published: what there is runs on the CPU."
_FIX = "Run it on the CPU, or move the model to a framework that has a build for the target, such as PyTorch."


@rule(
    id="LIB-020",
    title="Caffe or MXNet is told to use a GPU",
    kinds=PYTHON_KINDS,
    anchors=["mxnet", "caffe"],
    phase=Phase.LIBRARIES,
    rocm=Impact(Severity.CRASH, why=_WHY, fix=_FIX, safety=Safety.NONE, effort=Effort.HOURS),
    gaudi=Impact(Severity.CRASH, why=_WHY, fix=_FIX, safety=Safety.NONE, effort=Effort.HOURS),
    example="import caffe\ncaffe.set_mode_gpu()",
    source="https://attic.apache.org/projects/mxnet.html",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for calls that put Caffe or MXNet on a GPU, and for the question how many there are; a GPU behind that question is not
    asked for."""
    counted = [(call, path) for path, call in document.calls(*_COUNTED)]
    for path, call in document.calls(*_ASKED):
        if not counted:
            yield Hit(call, f"{path} asks for a GPU, and {_ASKED[path]} has no build for {context.target.title}", path)
    for call, path in counted[:1]:
        message = f"{path} answers 0: {_COUNTED[path]} has no build for {context.target.title}"
        yield Hit(call, message, path, severity=Severity.ON_CPU)
