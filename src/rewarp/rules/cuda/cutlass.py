"""CU-006: CUTLASS and CuTe."""

import re
from collections.abc import Iterator

from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.cpp.file import CodeFile
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.rules.shapes.cuda import KINDS, counted, reachable
from rewarp.source import Span
from rewarp.targets import Context

_USE = re.compile(rb"\b(?:using\s+namespace\s+)?(cutlass|cute)\s*(?:::|;)")


@rule(
    id="CU-006",
    title="CUTLASS or CuTe is used",
    kinds=KINDS,
    anchors=["cutlass", "cute"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.BUILD,
        why="CUTLASS and CuTe are written for NVIDIA's tensor cores and copy engines; they have no AMD back end.",
        fix="Write the kernel anew for AMD (Composable Kernel and its ck_tile, rocWMMA, or Triton), or call hipBLASLt where "
        "it is a plain matrix product.",
        effort=Effort.REWRITE,
    ),
    example="#include <cutlass/gemm/device/gemm.h>",
    source="https://rocm.docs.amd.com/projects/composable_kernel/en/latest/",
    traits=[Trait.REWRITE],
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for cutlass/ and cute/ headers, or uses of their namespaces; one finding for a file. SYCL code takes Intel's."""
    if b"sycl" in document.words:
        return
    headers = [i for i in document.includes if i.path.startswith(("cutlass/", "cute/"))]
    headers = [i for i in headers if reachable(document, context, [i.where.start])]
    if headers:
        yield Hit(headers[0].where, f"{headers[0].path} is included", headers[0].path.partition("/")[0])
        return
    places = [found for found in _USE.finditer(document.code) if reachable(document, context, [found.start()])]
    if places:
        name = places[0][1].decode()
        # A file that only names a type of it follows the header it takes that from.
        few = len(places) < 5
        yield Hit(
            Span(*places[0].span()),
            f"{counted(len(places), 'use')} of the namespace {name}, which a header of the project brings in",
            name,
            severity=Severity.INFO if few else None,
            effort=Effort.MINUTES if few else None,
        )
