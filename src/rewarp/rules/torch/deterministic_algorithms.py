"""PY-BCK-012: deterministic algorithms are asked for."""

from collections.abc import Iterator

from rewarp.findings import Phase, Severity
from rewarp.lang.document import Document
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.env import ENV_KINDS
from rewarp.rules.shapes.torch_backends import is_true, settings
from rewarp.targets import Context

_CUDNN = "torch.backends.cudnn.deterministic"
_TORCH = "torch.use_deterministic_algorithms"
_VARIABLE = "CUBLAS_WORKSPACE_CONFIG"


@rule(
    id="PY-BCK-012",
    title="Deterministic algorithms are asked for",
    kinds=ENV_KINDS,
    anchors=["deterministic cudnn", "use_deterministic_algorithms", _VARIABLE],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.WORKS,
        why="The switches exist on ROCm, and CUBLAS_WORKSPACE_CONFIG is read there as a second name of "
        "HIPBLAS_WORKSPACE_CONFIG.",
    ),
    example='os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"',
    source="https://docs.pytorch.org/docs/main/notes/hip.html#hipblas-workspaces",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for cudnn.deterministic = True, use_deterministic_algorithms(True) and CUBLAS_WORKSPACE_CONFIG."""
    for env in document.env_sets:
        if env.name == _VARIABLE:
            yield Hit(env, f"{_VARIABLE} is set, and ROCm reads it too", _VARIABLE)
    if not isinstance(document, PythonFile):
        return
    for item in settings(document, _CUDNN):
        if is_true(document, item.value):
            yield Hit(item.where, f"{_CUDNN} is set to True", _CUDNN)
    for path, call in document.calls(_TORCH):
        argument = document.argument(call, 0, "mode")
        if argument is not None and is_true(document, argument):
            yield Hit(call, "deterministic algorithms are switched on", path)
