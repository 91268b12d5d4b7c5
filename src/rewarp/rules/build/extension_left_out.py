"""BLD-024: an extension that is built with CUDA for NVIDIA, and without it on ROCm."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import Kind
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.targets import Context


@rule(
    id="BLD-024",
    title="An extension loses its GPU code on ROCm",
    kinds=Kind.PYTHON,
    anchors=["setup"],
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.BUILD,
        why="Followed as ROCm's Python would run it, the build script leaves the CUDA sources out: a test such as "
        "`CUDA_HOME is not None` is false there. The build succeeds, and what it installs has no GPU code.",
        fix="Let the test be true on ROCm too: `torch.version.hip is not None or CUDA_HOME is not None`.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example='ext = [CUDAExtension("a", ["a.cu"])] if CUDA_HOME else [CppExtension("a", ["a.cpp"])]',
    source="https://github.com/facebookresearch/pytorch3d/pull/2039",
    even_if_gated=True,
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for extensions that the build model has CUDA sources of for NVIDIA, and none of for the target."""
    for path, line, target in sorted(context.project.left_out):
        if path == document.source.path:
            yield Hit(
                document.source.line_span(line),
                f"{target or 'the extension'} is built without its CUDA sources on ROCm, or not at all",
                target,
            )
