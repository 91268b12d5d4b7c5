"""BLD-025: a build that ends with an error on ROCm."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import Kind
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.targets import Context


@rule(
    id="BLD-025",
    title="The build script stops on ROCm",
    kinds=Kind.PYTHON,
    anchors=["setup"],
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.BUILD,
        why="Followed as ROCm's Python would run it, the build script raises an error that it does not raise on NVIDIA.",
        fix="Give ROCm a way past it: `torch.version.hip is not None`.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example='if torch.version.cuda is None:\n    raise RuntimeError("an NVIDIA GPU is needed")',
    source="https://github.com/casper-hansen/AutoAWQ/pull/315",
    even_if_gated=True,
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for the place where, by the build model, the script ends on the target alone."""
    for path, line, message in sorted(context.project.refused):
        if path == document.source.path:
            yield Hit(document.source.line_span(line), f"on ROCm the build stops here: {message}", message)
