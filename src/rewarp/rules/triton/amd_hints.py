"""TRI-009: AMD tuning hints that NVIDIA's backend refuses."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.triton import kernel_parameters, names_a_platform, options
from rewarp.targets import Context

_NAMES = ("waves_per_eu", "matrix_instr_nonkdim", "kpack")


@rule(
    id="TRI-009",
    title="AMD tuning hints stand in code NVIDIA runs too",
    kinds=PYTHON_KINDS,
    anchors=_NAMES,
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.CRASH,
        why="The hint is right on AMD, but Triton's NVIDIA backend does not know it and raises KeyError: the port would "
        "break the platform it came from.",
        fix="Add the hint only on ROCm: `{'waves_per_eu': 2} if torch.version.hip else {}`.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example='triton.Config({"BLOCK_M": 128, "waves_per_eu": 2}, num_warps=4)',
    source="https://github.com/triton-lang/triton/blob/main/third_party/amd/backend/compiler.py",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for waves_per_eu, matrix_instr_nonkdim or kpack in a launch or config that no platform test surrounds.
    On AMD nothing is wrong with it: outside of a port, whose NVIDIA users it would stop, it only informs."""
    for option in options(document, context, *_NAMES):
        if option.name in kernel_parameters(document, option.owner):
            continue
        if names_a_platform(document, option.owner) or names_a_platform(document, option.value):
            continue
        said = f"{option.name} is passed on every platform; NVIDIA's backend rejects it"
        yield Hit(option.where, said, option.name, severity=None if context.ported else Severity.INFO)
