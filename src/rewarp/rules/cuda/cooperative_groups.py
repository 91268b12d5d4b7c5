"""CU-012: cooperative groups features and libcu++ that HIP lacks."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.cfamily import CodeFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.cuda._shapes import KINDS, reachable
from rewarp.source import Span
from rewarp.targets import Context

_PATHS = (
    (re.compile(r"cooperative_groups/memcpy_async\.h"), "asynchronous copies into shared memory", Effort.REWRITE),
    (re.compile(r"cooperative_groups/(reduce|scan)\.h"), "group reductions and scans", Effort.HOURS),
    (
        re.compile(r"cuda/(std/)?(barrier|pipeline|latch|semaphore)|cuda/ptx"),
        "libcu++ barriers and pipelines",
        Effort.REWRITE,
    ),
    (re.compile(r"cuda/[\w/]+|nv/target"), "libcu++", Effort.HOURS),
    (re.compile(r"cuda_(pipeline|awbarrier)(_primitives|_helpers)?\.h"), "the pipeline primitives", Effort.REWRITE),
)
_CODE = re.compile(
    rb"\b(?:cg|cooperative_groups)\s*::\s*(?:experimental\s*::\s*)?"
    rb"(this_cluster|cluster_group|memcpy_async|wait_prior|reduce|inclusive_scan|exclusive_scan|labeled_partition|binary_partition"
    rb"|invoke_one|invoke_one_broadcast)\b"
    rb"|\bcuda\s*::\s*(?:std\s*::\s*)?(barrier|pipeline\w*|make_pipeline|memcpy_async|aligned_size_t)\b"
)
_HOURS = frozenset({"reduce", "inclusive_scan", "exclusive_scan", "labeled_partition", "binary_partition"})
_HOURS |= {"invoke_one", "invoke_one_broadcast"}


@rule(
    id="CU-012",
    title="a cooperative groups or libcu++ feature without a HIP twin",
    kinds=KINDS,
    anchors=["cooperative_groups", "cg", "cuda", "cuda_pipeline*", "cuda_awbarrier*", "nv"],
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
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for headers and names of features HIP lacks; one finding for a file and feature."""
    seen: set[str] = set()
    for include in document.includes:
        for pattern, what, effort in _PATHS:
            if pattern.fullmatch(include.path):
                if what not in seen and reachable(document, context, [include.where.start]):
                    seen.add(what)
                    yield Hit(include.where, f"{include.path} ({what}) has no HIP twin", include.path, effort=effort)
                break
    for found in _CODE.finditer(document.code):
        name = (found[1] or found[2]).decode()
        if name not in seen and reachable(document, context, [found.start()]):
            seen.add(name)
            text = re.sub(r"\s+", "", found[0].decode())
            effort = Effort.HOURS if name in _HOURS else Effort.REWRITE
            yield Hit(Span(*found.span()), f"{text} has no HIP twin", text, effort=effort)
