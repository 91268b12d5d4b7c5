"""PY-CMP-005: Inductor is told to use NVIDIA's kernel generators."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.literals import literal
from rewarp.lang.document import Document
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.env import ENV_KINDS
from rewarp.rules.shapes.torch_backends import inductor_settings
from rewarp.targets import Context

_SETTINGS = ("max_autotune_gemm_backends", "max_autotune_conv_backends")
_VARIABLES = tuple(f"TORCHINDUCTOR_{name.upper()}" for name in _SETTINGS)
_NVIDIA = {"CUTLASS", "CUTEDSL", "NVGEMM"}


_NVIDIA_GEMMS = {"CUTLASS", "CUTEDSL", "NVGEMM"}


def _others(value: object) -> object | None:
    if not isinstance(value, str):
        return None
    names = [name for name in re.split(r"[,\s]+", value) if name]
    if not _NVIDIA_GEMMS & {name.upper() for name in names}:
        return None
    return ",".join(name for name in names if name.upper() not in _NVIDIA_GEMMS) or "ATEN,TRITON"


@rule(
    id="PY-CMP-005",
    title="Inductor is told to use NVIDIA's kernel generators",
    kinds=ENV_KINDS,
    anchors=["_inductor", "cutlass_dir", "cutlass_max_profiling_configs", *_SETTINGS, *_VARIABLES],
    phase=Phase.COMPILE,
    rocm=Impact(
        Severity.CRASH,
        why="CUTLASS, CUTEDSL and NVGEMM exist for NVIDIA only and Inductor drops them on ROCm: a list of nothing else "
        "leaves no kernel to choose. AMD's own generators are CK and CKTILE; ATEN and TRITON are on both.",
        fix="Leave NVIDIA's names out where torch.version.hip is set, and name ATEN and TRITON.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example='torch._inductor.config.max_autotune_gemm_backends = "CUTLASS"',
    source="https://github.com/pytorch/pytorch/blob/main/torch/_inductor/config.py",
    fix=PythonFix(literal(_others, "These GEMM back ends are NVIDIA's.")),
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for CUTLASS, CUTEDSL or NVGEMM in Inductor's list of GEMM back ends (milder when others are listed
    too), and (milder) for settings below its cuda and cutlass sections."""
    for env in document.env_sets:
        if env.name in _VARIABLES:
            yield from _listed(env, env.name, env.value)
    if not isinstance(document, PythonFile):
        return
    for item in inductor_settings(document, *_SETTINGS):
        yield from _listed(item.where, item.path, document.string(item.value))
    for item in inductor_settings(document, "cuda.*", "cutlass.*"):
        yield Hit(item.where, f"Inductor's {item.path} has no effect on ROCm", item.path, severity=Severity.INFO)


def _listed(where: object, name: str, value: str | None) -> Iterator[Hit]:
    names = {part.upper() for part in re.split(r"[,\s]+", value or "") if part}
    foreign = sorted(names & _NVIDIA)
    if not foreign:
        return
    if names - _NVIDIA:
        yield Hit(where, f"{name} lists {', '.join(foreign)}, which ROCm skips", name, severity=Severity.INFO)
    else:
        yield Hit(where, f"{name} lists nothing but {', '.join(foreign)}", name)
