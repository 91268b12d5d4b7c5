"""PY-RT-011: devices are counted before the process is forked or told its devices."""

import ast
from collections.abc import Iterator

from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.torch_runtime import fork_calls
from rewarp.targets import Context

_VISIBLE = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")


@rule(
    id="PY-RT-011",
    title="Devices are counted before a fork or before the visible devices are set",
    kinds=PYTHON_KINDS,
    anchors=["device_count cuda"],
    phase=Phase.DETECTION,
    rocm=Impact(
        Severity.CRASH,
        why="On NVIDIA device_count() asks NVML and leaves the run time alone. On ROCm it does so only when amdsmi can "
        "be imported; otherwise it starts HIP, and a later fork or list of visible devices comes too late.",
        fix="Install amdsmi from ROCm beside torch, or count the devices after the fork and after the variable is set.",
        effort=Effort.MINUTES,
    ),
    example='n = torch.cuda.device_count()\nos.environ["CUDA_VISIBLE_DEVICES"] = str(rank % n)',
    source="https://github.com/pytorch/pytorch/blob/main/torch/cuda/__init__.py",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for torch.cuda.device_count() followed, in the same scope, by a fork or a change of the visible devices."""
    later: list[tuple[ast.AST, str]] = [(call, "a fork") for call in fork_calls(document, context.target)]
    for item in document.env_sets:
        if item.name in _VISIBLE and isinstance(item.where, ast.AST) and _own_environment(document, item.where):
            later.append((item.where, f"setting {item.name}"))
    for path, call in document.calls("torch.cuda.device_count"):
        scope = document.scope(call)
        for node, what in later:
            if document.scope(node) is scope and _line(node) > call.lineno:
                yield Hit(call, f"{path}() runs before {what}", path)
                break


def _own_environment(document: PythonFile, node: ast.AST) -> bool:
    """Whether the variable is set in this very process, not in a copy made for a child."""
    if isinstance(node, ast.Assign):
        targets = [t.value for t in node.targets if isinstance(t, ast.Subscript)]
        return any(document.path(target) == "os.environ" for target in targets)
    call = node if isinstance(node, ast.Call) else document.enclosing(node, ast.Call)
    return call is not None and (document.path(call.func) or "").startswith(("os.environ.", "os.putenv"))


def _line(node: ast.AST) -> int:
    return int(getattr(node, "lineno", 0))
