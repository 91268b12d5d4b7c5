"""PY-CMP-006: TensorRT is the back end of torch.compile."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.literals import instead, literal
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.torch_backends import compile_settings
from rewarp.targets import Context


@rule(
    id="PY-CMP-006",
    title="torch.compile runs with TensorRT",
    kinds=PYTHON_KINDS,
    anchors=["tensorrt", "torch_tensorrt"],
    phase=Phase.COMPILE,
    rocm=Impact(
        Severity.CRASH,
        why="TensorRT is NVIDIA's; on ROCm no back end of that name is registered and torch.compile raises.",
        fix='Take backend="inductor" where torch.version.hip is set.',
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example='model = torch.compile(model, backend="torch_tensorrt")',
    source="https://pytorch.org/TensorRT/",
    fix=PythonFix(
        literal(instead({"tensorrt": "inductor", "torch_tensorrt": "inductor"}), "There is no TensorRT on ROCm.")
    ),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for backend="tensorrt" or "torch_tensorrt" given to torch.compile."""
    for _, item in compile_settings(document, "backend"):
        name = document.string(item.value)
        if name in ("tensorrt", "torch_tensorrt"):
            yield Hit(item.where, f'torch.compile is given backend="{name}"', name)
