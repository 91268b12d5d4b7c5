"""PY-MEM-003: ``max_split_size_mb`` together with ``expandable_segments:True``."""

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
    id="PY-MEM-003",
    title="max_split_size_mb and expandable_segments are combined",
    kinds=ENV_KINDS,
    anchors=["expandable_segments"],
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.WRONG,
        why="Together the two options let reserved memory grow without bound, and on gfx1201 with ROCm 7.14 a tensor "
        "in use was reported to read back as zeros. Before torch 2.12 expandable_segments is ignored.",
        fix="Keep one of the two options in the settings used on ROCm.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
        when=When(torch=">=2.12", otherwise=Severity.INFO),
    ),
    example="export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True,max_split_size_mb:256",
    versions="torch 2.12 and later",
    source="https://github.com/ROCm/legacy-rocm-build/issues/6603",
    fix=PythonFix(literal(not_expandable, "The two allocator options together lose memory on ROCm.")),
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for allocator settings that hold both max_split_size_mb and expandable_segments:True."""
    for conf in allocator_confs(document):
        if expandable(conf) and "max_split_size_mb" in conf.options:
            yield Hit(conf.where, "max_split_size_mb is combined with expandable_segments:True", "expandable_segments")
