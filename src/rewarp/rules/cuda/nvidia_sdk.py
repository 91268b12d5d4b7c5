"""CU-016: headers of NVIDIA's SDKs, which AMD has nothing under the same interface for."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache

from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.cpp.file import CodeFile
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.rules.shapes.cuda import KINDS, reachable
from rewarp.tables import rows
from rewarp.targets import Context


@rule(
    id="CU-016",
    title="An NVIDIA SDK is used that AMD has no counterpart of under the same interface",
    kinds=KINDS,
    anchors=sorted(
        {"*" + row["header"].partition("*")[0].partition(".")[0].rstrip("/") + "*" for row in rows("nvidia_sdks.csv")}
    ),
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.BUILD,
        why="The header and the library behind it come from NVIDIA alone; what does the same on AMD has another interface.",
        fix="Leave the part out of the build for AMD, or write it anew on AMD's library.",
        effort=Effort.REWRITE,
    ),
    example="#include <NvInfer.h>",
    source="https://rocm.docs.amd.com/en/latest/reference/api-libraries.html",
    traits=[Trait.REWRITE],
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for includes of headers of TensorRT, OptiX, DeepStream and their like; one finding for an SDK in a file."""
    told: set[str] = set()
    for include in document.includes:
        found = _sdk(include.path)
        if found is None or found["sdk"] in told or not reachable(document, context, [include.where.start]):
            continue
        told.add(found["sdk"])
        yield Hit(include.where, f"{include.path} belongs to {found['sdk']}; {found['instead']}", found["sdk"])


@cache
def _sdk(header: str) -> dict[str, str] | None:
    name = header.rpartition("/")[2]
    return next(
        (r for r in rows("nvidia_sdks.csv") if fnmatchcase(header if "/" in r["header"] else name, r["header"])), None
    )
