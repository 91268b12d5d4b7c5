"""PY-BCK-001: the TF32 switches of matrix multiplication."""

from collections.abc import Iterator

from rewarp.findings import Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.torch_backends import settings
from rewarp.targets import Context

_MATMUL = "torch.backends.cuda.matmul."
_PRECISION = "torch.set_float32_matmul_precision"


@rule(
    id="PY-BCK-001",
    title="TF32 is switched for matrix multiplication",
    kinds=PYTHON_KINDS,
    anchors=["allow_tf32", "set_float32_matmul_precision", "fp32_precision"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.WORKS,
        why="The same switch exists on ROCm. On gfx94x and gfx95x it turns TF32 on in hipBLASLt (torch 2.6 to 2.9 "
        "also want HIPBLASLT_ALLOW_TF32=1), with other rounding than NVIDIA's; elsewhere it does nothing.",
        fix="Leave it as it is: a gate around it would throw a valid speed-up away.",
    ),
    gaudi=Impact(Severity.WORKS, why="The switch is accepted, and Gaudi ignores it."),
    example="torch.backends.cuda.matmul.allow_tf32 = True",
    versions="where it takes effect depends on the torch version and the GPU",
    source="https://docs.pytorch.org/docs/main/notes/hip.html#tensorfloat-32-tf32-on-rocm",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for assignments to matmul.allow_tf32, matmul.fp32_precision = "tf32" and
    set_float32_matmul_precision with "high" or "medium"."""
    effect = "is accepted"
    if context.target.name == "rocm" and context.versions.arch:
        effect = "takes effect" if context.versions.may_be("gfx94", "gfx95") else "does nothing"
        effect += f" on {context.versions.arch}"
    for item in settings(document, _MATMUL + "allow_tf32", _MATMUL + "fp32_precision"):
        if item.path.endswith("allow_tf32") or document.string(item.value) == "tf32":
            yield Hit(item.where, f"{item.path} {effect}", item.path)
    for path, call in document.calls(_PRECISION):
        argument = document.argument(call, 0, "precision")
        if document.string(argument) in ("high", "medium"):
            yield Hit(call, f"{path} {effect}", path)
