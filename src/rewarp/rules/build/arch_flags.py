"""BLD-002: nvcc's architecture options in a torch extension."""

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
    id="BLD-002",
    title="nvcc architecture options in a build script",
    kinds=Kind.PYTHON,
    anchors=BUILD_ANCHORS,
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.BUILD,
        why="torch passes the nvcc list on to hipcc unchanged, and clang does not know -gencode or -arch=sm_XX.",
        fix="Add these options only when torch.version.hip is None. On AMD torch adds --offload-arch itself, "
        "from PYTORCH_ROCM_ARCH or the GPUs it sees.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example='extra_compile_args={"nvcc": ["-O3", "-gencode=arch=compute_80,code=sm_80"]}',
    source="measured: clang 22 driver with -x hip (tables/nvcc_flags.csv)",
    fix=ScriptFix(Items.OPTIONS),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for -gencode, --generate-code, -arch, -code, --gpu-architecture and --gpu-code among the options of a
    build script."""
    if not is_build_file(document) or builds_at_run_time(document):
        return
    for option, flag in gpu_flags(document):
        if flag.architecture:
            yield Hit(option.node, f"{flag.option} names NVIDIA architectures: the HIP compiler stops", flag.option)
