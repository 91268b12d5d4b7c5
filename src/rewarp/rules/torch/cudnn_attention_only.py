"""PY-BCK-009: cuDNN is the only attention back end allowed."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.place import Mend, Outcome, Place
from rewarp.fixes.splices import picked
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.torch_backends import is_false, is_true
from rewarp.targets import Context

_CUDA = "torch.backends.cuda."
_OTHERS = ("enable_flash", "enable_mem_efficient", "enable_math")


def _the_three_others(place: Place) -> Outcome | None:
    call = place.node(ast.Call)
    given = place.document.argument(call, 0, "backends") if call is not None else None
    if given is None or not (place.document.path(call.func) or "").endswith("sdpa_kernel"):  # type: ignore[union-attr]
        return None
    items = given.elts if isinstance(given, (ast.List, ast.Tuple)) else [given]
    owner = place.view.text(items[0]).rpartition(".")[0] if len(items) == 1 else ""
    if not owner.isidentifier() and "." not in owner:
        return None
    names = ", ".join(f"{owner}.{name}" for name in ("FLASH_ATTENTION", "EFFICIENT_ATTENTION", "MATH"))
    return Mend(picked(place, given, f"[{names}]"), "ROCm has no cuDNN attention, but the three others.")


@rule(
    id="PY-BCK-009",
    title="cuDNN attention is the only back end allowed",
    kinds=PYTHON_KINDS,
    anchors=["CUDNN_ATTENTION", "enable_cudnn_sdp", "enable_cudnn"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.CRASH,
        why="There is no cuDNN on ROCm, so with nothing else allowed PyTorch finds no attention kernel. The flash and "
        "memory-efficient back ends are there, built on AOTriton or CK.",
        fix="Allow FLASH_ATTENTION, EFFICIENT_ATTENTION and MATH where torch.version.hip is set.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="There is no cuDNN on Gaudi; its fused attention is FusedSDPA of habana_frameworks.",
        fix="Call FusedSDPA on Gaudi.",
        effort=Effort.HOURS,
    ),
    example="with sdpa_kernel(SDPBackend.CUDNN_ATTENTION): ...",
    versions="torch >= 2.5",
    source="https://docs.pytorch.org/docs/main/notes/hip.html#enabling-disabling-rocm-composable-kernel",
    fix=PythonFix(_the_three_others),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for sdpa_kernel with no back end but CUDNN_ATTENTION, and for cuDNN attention switched on where
    the flash, memory-efficient and math back ends are switched off."""
    message = f"only cuDNN attention is allowed here, and {context.target.title} has none"
    for path, call in document.calls("torch.nn.attention.sdpa_kernel"):
        argument = document.argument(call, 0, "backends")
        if argument is not None and _only_cudnn(document, argument):
            yield Hit(call, message, path)
    for path, call in document.calls(_CUDA + "sdp_kernel"):
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        off = all(name in given and is_false(document, given[name]) for name in _OTHERS)
        if off and not ("enable_cudnn" in given and is_false(document, given["enable_cudnn"])):
            yield Hit(call, message, path)
    for path, call in document.calls(_CUDA + "enable_cudnn_sdp"):
        if _switched(document, call, True) and _others_off(document, call):
            yield Hit(call, message, path)


def _only_cudnn(document: PythonFile, argument: ast.expr) -> bool:
    value = document.value_of(argument)
    items = value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value]
    return bool(items) and all((document.path(item) or "").endswith("SDPBackend.CUDNN_ATTENTION") for item in items)


def _switched(document: PythonFile, call: ast.Call, on: bool) -> bool:
    argument = document.argument(call, 0, "enabled")
    return argument is not None and (is_true if on else is_false)(document, argument)


def _others_off(document: PythonFile, call: ast.Call) -> bool:
    scope = document.scope(call)
    return all(
        any(
            document.scope(other) is scope and _switched(document, other, False)
            for _, other in document.calls(f"{_CUDA}{name}_sdp")
        )
        for name in _OTHERS
    )
