"""PY-RT-003: sensors of the device."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.place import Mend, Outcome, Place
from rewarp.fixes.splices import picked
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, When, rule
from rewarp.targets import Context

_POWER = "torch.cuda.power_draw"
_SENSORS = {
    "torch.cuda.utilization": "is read through amdsmi, which must be installed",
    "torch.cuda.temperature": "is read through amdsmi, which must be installed, and is that of the junction sensor",
    "torch.cuda.clock_rate": "is read through amdsmi, which must be installed",
    "torch.cuda.memory_usage": "is read through amdsmi, which must be installed",
    "torch.cuda.device_memory_used": "is read through amdsmi, which must be installed",
}


def _in_milliwatts(place: Place) -> Outcome | None:
    call = place.node(ast.Call)
    if call is None:
        return None
    return Mend(
        picked(place, call, f"{place.view.text(call)} * 1000"), "power_draw() gives watts on ROCm, not milliwatts."
    )


@rule(
    id="PY-RT-003",
    title="Power, temperature, clock or load of the device is read",
    kinds=PYTHON_KINDS,
    anchors=[
        "cuda utilization",
        "cuda temperature",
        "power_draw",
        "clock_rate",
        "cuda memory_usage",
        "device_memory_used",
    ],
    phase=Phase.DETECTION,
    rocm=Impact(
        Severity.WRONG,
        why="torch reads these through amdsmi on ROCm. power_draw hands on amdsmi's watts although it promises "
        "milliwatts: 1000 times too little.",
        fix="Install amdsmi beside torch, and multiply power_draw by 1000 where torch.version.hip is set.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
        when=When(torch="<2.14", otherwise=Severity.INFO),
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="torch.hpu has utilization and memory_usage (bytes, not percent) but no power, temperature or clock.",
        fix="Read the sensors through pyhlml on Gaudi.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="watts = torch.cuda.power_draw() / 1000",
    versions="the unit of power_draw: torch up to 2.13",
    source="https://github.com/pytorch/pytorch/blob/main/torch/cuda/__init__.py",
    fix=PythonFix(_in_milliwatts),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for calls of torch.cuda.power_draw, temperature, clock_rate, utilization and the memory sensors."""
    rocm = context.target.name == "rocm"
    for path, call in document.calls(_POWER, *_SENSORS):
        if not rocm:
            yield Hit(call, f"{path} has no NVIDIA device to read", path)
        elif path == _POWER and _is_scaled(document, call):
            continue
        elif path == _POWER:
            yield Hit(call, f"{path} gives watts on ROCm, not milliwatts", path)
        else:
            yield Hit(call, f"{path} {_SENSORS[path]}", path, severity=Severity.INFO)


def _is_scaled(document: PythonFile, call: ast.Call) -> bool:
    """``power_draw() * 1000`` as one of two answers: the other platform has the other."""
    product = document.parent(call)
    return (
        isinstance(product, ast.BinOp)
        and isinstance(product.op, ast.Mult)
        and isinstance(product.right, ast.Constant)
        and product.right.value == 1000
        and isinstance(document.parent(product), ast.IfExp)
    )
