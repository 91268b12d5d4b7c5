"""CU-100: what HIP compiles as it is."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.cpp.file import CodeFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.cuda._shapes import KINDS, counted, reachable
from rewarp.source import Span
from rewarp.targets import Context

_LAUNCH = re.compile(rb"<<<")
_TORCH = ("ATen/cuda/", "c10/cuda/", "torch/")


@rule(
    id="CU-100",
    title="CUDA kernel language and torch headers",
    kinds=KINDS,
    anchors=["__global__", "__device__", "__shared__", "dim3", "blockIdx", "ATen", "c10", "~<<<"],
    phase=Phase.TRANSLATION,
    rocm=Impact(
        Severity.WORKS,
        why="HIP compiles kernels, their qualifiers and <<<...>>> launches as they are; torch's extension build maps its own "
        "CUDA headers to the HIP ones.",
    ),
    gaudi=Impact(
        Severity.BUILD,
        why="Gaudi does not run CUDA C++: its kernels are written in TPC-C, and no compiler carries these over.",
        fix="Express the operation in PyTorch on Gaudi, or write a TPC kernel.",
        safety=Safety.NONE,
        effort=Effort.REWRITE,
    ),
    example="scale<<<blocks, threads>>>(data, n);",
    source="https://rocm.docs.amd.com/projects/HIP/en/latest/how-to/hip_cpp_language_extensions.html",
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for kernels, launches and torch's CUDA headers; one finding for a file."""
    kernels = reachable(document, context, document.words.get(b"__global__", []))
    device = reachable(document, context, document.words.get(b"__device__", []))
    launches = reachable(document, context, [found.start() for found in _LAUNCH.finditer(document.code)])
    headers = [i.where.start for i in document.includes if i.path.startswith(_TORCH[:2])]
    headers = reachable(document, context, headers)
    parts = [
        counted(len(places), noun)
        for places, noun in (
            (kernels, "kernel"),
            (device, "device function or variable"),
            (launches, "launch"),
            (headers, "torch CUDA header"),
        )
        if places
    ]
    if parts:
        at = min([*kernels, *device, *launches, *headers])
        message = (
            ", ".join(parts).replace("launchs", "launches").replace("function or variables", "functions or variables")
        )
        yield Hit(Span(at, document.source.line_span(document.source.line_at(at)).end), message, "CUDA kernel language")
