"""CU-007: the wmma matrix API."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import SourceFix
from rewarp.lang.cpp.file import CodeFile
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.rules.shapes.cuda import KINDS, reachable
from rewarp.source import Span
from rewarp.targets import Context

_USE = re.compile(
    rb"\bnvcuda\b|(?<!roc)\bwmma\s*::\s*(?:fragment|load_matrix_sync|store_matrix_sync|mma_sync|fill_fragment)\b"
)


@rule(
    id="CU-007",
    title="The wmma matrix API is used",
    kinds=KINDS,
    anchors=["nvcuda", "wmma", "mma"],
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.BUILD,
        why="mma.h and nvcuda::wmma come with CUDA only. rocWMMA offers the same calls, but a fragment is spread over 64 lanes "
        "on CDNA, where code that gives every warp of 32 a tile computes something else, and the set of tile shapes differs.",
        fix="rewarp translate brings fragments for warps of 32, in plain arithmetic: right on any wave. For speed, write the "
        "kernel with rocWMMA and whole waves, and check every tile shape and every place that touches elements directly.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example="using namespace nvcuda;",
    source="https://rocm.docs.amd.com/projects/rocWMMA/en/latest/",
    traits=[Trait.REWRITE],
    fix=SourceFix(),
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for <mma.h> and the nvcuda::wmma names; one finding for a file."""
    places = [i.where for i in document.includes if i.path in ("mma.h", "crt/mma.h") and i.system]
    if any(i.path.startswith("rocwmma/") for i in document.includes):
        places = [where for where in places if reachable(document, context, [where.start])]
    else:
        places += [Span(*found.span()) for found in _USE.finditer(document.code)]
    for where in sorted(places):
        if reachable(document, context, [where.start]):
            yield Hit(where, "nvcuda::wmma is used; its twin is rocWMMA", "wmma")
            return
