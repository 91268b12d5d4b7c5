"""BLD-003: options only nvcc knows, in a torch extension."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import Items, ScriptFix
from rewarp.lang.kinds import Kind
from rewarp.lang.python import PythonFile
from rewarp.project.build_files import builds_at_run_time, is_build_file
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.build import BUILD_ANCHORS, gpu_flags
from rewarp.targets import Context


@rule(
    id="BLD-003",
    title="Options only nvcc knows in a build script",
    kinds=Kind.PYTHON,
    anchors=BUILD_ANCHORS,
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.BUILD,
        why="torch passes the nvcc list on to hipcc unchanged; clang stops at an option it does not know.",
        fix="Keep these options in a list of their own that is added only when torch.version.hip is None, and give "
        "the twins where there are any (-ffast-math, -fgpu-rdc, -gline-tables-only) on AMD.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example='nvcc_flags = ["-O3", "--use_fast_math", "--expt-relaxed-constexpr"]',
    source="measured: clang 22 driver with -x hip (tables/nvcc_flags.csv)",
    fix=ScriptFix(Items.OPTIONS),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for options among those of a build script that nvcc understands and the HIP compiler refuses or ignores."""
    if not is_build_file(document) or builds_at_run_time(document):
        return
    for option, flag in gpu_flags(document):
        if not flag.architecture:
            yield Hit(option.node, flag.says, flag.option, severity=flag.severity)
