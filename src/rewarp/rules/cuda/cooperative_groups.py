"""CU-012: cooperative groups features and libcu++ that HIP lacks."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.cpp.file import CodeFile
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.rules.shapes.cuda import KINDS, reachable
from rewarp.source import Span
from rewarp.targets import Context

_COPY = "asynchronous copies into shared memory"
_REDUCE = "group-wide reductions and scans"
_PIPELINE = "libcu++ barriers and pipelines"
_PATHS = (
    (re.compile(r"cooperative_groups/memcpy_async\.h"), _COPY, Effort.REWRITE),
    (re.compile(r"cooperative_groups/(reduce|scan)\.h"), _REDUCE, Effort.HOURS),
    (re.compile(r"cuda/(std/)?(barrier|pipeline)|cuda/ptx"), _PIPELINE, Effort.REWRITE),
    (re.compile(r"cuda/[\w/]+|nv/target"), "libcu++", Effort.HOURS),
    (re.compile(r"cuda_(pipeline|awbarrier)(_primitives|_helpers)?\.h"), "pipeline primitives", Effort.REWRITE),
)
_NAMES = (
    (
        re.compile(rb"(?:cg|cooperative_groups)::(?:this_cluster|cluster_group)"),
        "thread block clusters",
        Effort.REWRITE,
    ),
    (re.compile(rb"(?:cg|cooperative_groups|cuda)::(?:memcpy_async|wait_prior)"), _COPY, Effort.REWRITE),
    (re.compile(rb"(?:cg|cooperative_groups)::(?:reduce|inclusive_scan|exclusive_scan)"), _REDUCE, Effort.HOURS),
    (re.compile(rb"(?:cg|cooperative_groups)::(?:labeled|binary)_partition"), "partitions by value", Effort.HOURS),
    (re.compile(rb"(?:cg|cooperative_groups)::invoke_one(?:_broadcast)?"), "invoke_one", Effort.HOURS),
    (re.compile(rb"cuda::(?:std::)?(?:barrier|pipeline\w*|make_pipeline)"), _PIPELINE, Effort.REWRITE),
)
_WORDS = {
    _COPY: {b"memcpy_async", b"wait_prior", b"wait"},
    _REDUCE: {b"reduce", b"inclusive_scan", b"exclusive_scan", b"reduce_update_async", b"reduce_store_async"},
}
"""The names that a header of cooperative groups declares."""
_QUALIFIED = re.compile(rb"\b(?:cg|cooperative_groups|cuda)\s*::\s*(?:(?:experimental|std)\s*::\s*)?[a-z_]+\b")


@rule(
    id="CU-012",
    title="A cooperative groups or libcu++ feature without a HIP twin",
    kinds=KINDS,
    anchors=[
        *("cooperative_groups", "cg", "cuda", "cuda_pipeline", "cuda_pipeline_primitives", "cuda_pipeline_helpers"),
        *("cuda_awbarrier", "cuda_awbarrier_primitives", "nv target"),
    ],
    phase=Phase.TRANSLATION,
    rocm=Impact(
        Severity.BUILD,
        why="HIP's cooperative groups have thread blocks, tiles, coalesced and grid groups with sync and shuffles; clusters, "
        "memcpy_async, group-wide reduce and scan, and libcu++ headers are not part of it.",
        fix="Write reductions with tile shuffles, copies with plain loads and a block sync; for <cuda/std/...> and atomics "
        "AMD's libhipcxx may serve.",
        safety=Safety.NONE,
        effort=Effort.HOURS,
    ),
    example="#include <cooperative_groups/reduce.h>",
    source="https://rocm.docs.amd.com/projects/HIP/en/latest/how-to/hip_runtime_api/cooperative_groups.html",
    traits=[Trait.REWRITE],
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for headers and names of features HIP lacks; one finding for a file and feature."""
    found: dict[str, tuple[Span, str, Effort]] = {}
    for include in document.includes:
        for pattern, feature, effort in _PATHS:
            if pattern.fullmatch(include.path):
                if feature in _WORDS and _is_unused(document, feature):
                    feature, effort = f"{include.path}, of which nothing is used here", Effort.MINUTES
                if reachable(document, context, [include.where.start]):
                    found.setdefault(feature, (include.where, include.path, effort))
                break
    for use in _QUALIFIED.finditer(document.code):
        text = re.sub(rb"\s+|experimental::", b"", use[0])
        for name, feature, effort in _NAMES:
            if name.fullmatch(text) and reachable(document, context, [use.start()]):
                found.setdefault(feature, (Span(*use.span()), text.decode(), effort))
    for feature, (where, symbol, effort) in found.items():
        # An include that nothing needs is left out behind a macro.
        safety = Safety.SAFE if effort is Effort.MINUTES else None
        yield Hit(where, f"{symbol}: HIP has no {feature}", symbol, effort=effort, safety=safety)


def _is_unused(document: CodeFile, feature: str) -> bool:
    """Whether a source (a header may include for others) says nothing that a header declares."""
    is_source = document.source.path.endswith((".cu", ".cpp", ".cc", ".cxx"))
    return is_source and not _WORDS[feature] & document.words.keys()
