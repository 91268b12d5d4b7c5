"""PY-MEM-002: ``expandable_segments:True`` in the allocator settings."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.literals import literal
from rewarp.lang.document import Document
from rewarp.registry import Hit, Impact, When, rule
from rewarp.rules.shapes.env import ENV_KINDS
from rewarp.rules.shapes.torch_runtime import allocator_confs, expandable
from rewarp.rules.torch._allocator_fixes import not_expandable
from rewarp.targets import Context


@rule(
    id="PY-MEM-002",
    title="The caching allocator is told expandable_segments:True",
    kinds=ENV_KINDS,
    anchors=["expandable_segments"],
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.CRASH,
        why="From torch 2.12 with ROCm 7.0 the option is live, and a hang while mapping device memory is open against "
        "it. Before that it only prints a warning and changes nothing.",
        fix="Leave the option out of the settings used on ROCm unless you have tested it there.",
        safety=Safety.UNSAFE,
        effort=Effort.MINUTES,
        when=When(torch=">=2.12", rocm=">=7.0", otherwise=Severity.INFO),
    ),
    example='os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"',
    versions="live from torch 2.12 with ROCm 7.0; ignored with a warning before",
    source="https://github.com/pytorch/pytorch/issues/192259",
    fix=PythonFix(literal(not_expandable, "Expandable segments can hang on this version of ROCm.")),
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for allocator settings, in the environment or a call, that switch expandable segments on."""
    for conf in allocator_confs(document):
        if expandable(conf) and "max_split_size_mb" not in conf.options:
            yield Hit(conf.where, "expandable_segments is switched on for ROCm too", "expandable_segments")
