"""CU-100: what HIP compiles as it is."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.cpp.file import CodeFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.cuda import KINDS, counted, known_names, reachable
from rewarp.source import Span
from rewarp.targets import Context

_DEFINE = re.compile(rb"[ \t]*#[ \t]*define\b")
"""``#define FUNC __device__`` is no device code."""
_LAUNCH = re.compile(rb"<<<")
_API = re.compile(
    r"cuda(_runtime(_api)?)?\.h|cu(blas|blasLt|blas_v2|dnn|fft|rand|sparse|solver\w*|pti)\.h|nvrtc\.h|nccl\.h"
)
"""What declares CUDA's functions: a program that includes it cannot be built without CUDA."""
_CALL = re.compile(rb"cuda[A-Z]\w*\s*\(")
_BODY_OR_END = re.compile(rb"[{;]")
_TORCH = ("ATen/cuda/", "c10/cuda/", "torch/")


@rule(
    id="CU-100",
    title="CUDA kernel language and torch headers",
    kinds=KINDS,
    anchors=[
        *("__global__", "__device__", "__shared__", "dim3", "blockIdx", "ATen", "c10", "~<<<"),
        *(
            "cuda_runtime",
            "cuda_runtime_api",
            "cuda",
            "cublas*",
            "cudnn",
            "cufft",
            "curand",
            "cusparse",
            "cusolver*",
            "cupti",
            "nvrtc",
            "nccl",
            "cuda*",
        ),
    ],
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
    """Looks for kernels, launches and torch's CUDA headers, one finding for a file. For Gaudi also for CUDA's own headers and calls
    of its runtime, and each kernel is a finding: each has to be written anew."""
    on_gaudi = context.target.name == "gaudi"
    kernels = reachable(document, context, document.words.get(b"__global__", []))
    device = reachable(document, context, document.words.get(b"__device__", []))
    device = [at for at in device if not _DEFINE.match(document.source.view, _line_start(document.source.view, at))]
    launches = reachable(document, context, [found.start() for found in _LAUNCH.finditer(document.code)])
    headers = [i.where.start for i in document.includes if i.path.startswith(_TORCH[:2])]
    headers = reachable(document, context, headers)
    api = [i.where.start for i in document.includes if on_gaudi and _API.fullmatch(i.path)]
    api = reachable(document, context, api)
    calls = _calls(document, context) if on_gaudi else []
    parts = [
        counted(len(places), noun)
        for places, noun in (
            (kernels, "kernel"),
            (device, "device function or variable"),
            (launches, "launch"),
            (headers, "torch CUDA header"),
            (api, "CUDA header"),
            (calls, "call of the CUDA runtime"),
        )
        if places
    ]
    if not parts:
        return
    at = min([*kernels, *device, *launches, *headers, *api, *calls])
    yield _hit(document, at, ", ".join(map(_plural, parts)))
    for kernel in kernels if on_gaudi else ():
        if document.source.line_at(kernel) != document.source.line_at(at) and _is_defined(document, kernel):
            yield _hit(document, kernel, "a kernel")


def _plural(part: str) -> str:
    part = part.replace("launchs", "launches").replace("function or variables", "functions or variables")
    return part.replace("call of the CUDA runtimes", "calls of the CUDA runtime")


def _hit(document: CodeFile, at: int, message: str) -> Hit:
    return Hit(Span(at, document.source.line_span(document.source.line_at(at)).end), message, "CUDA kernel language")


def _calls(document: CodeFile, context: Context) -> list[int]:
    """Where functions of CUDA's runtime are called. What the project's own headers supply in their place is its own."""
    names = known_names(document, "runtime")
    places = [at for name in names for at in document.words[name] if _CALL.match(document.code, at)]
    return reachable(document, context, places)


def _is_defined(document: CodeFile, kernel: int) -> bool:
    """Whether a body follows: what is only declared is written elsewhere."""
    end = _BODY_OR_END.search(document.code, kernel)
    return end is not None and end[0] == b"{"


def _line_start(view: bytes, at: int) -> int:
    """Where the line of a place begins, with the lines that a backslash joins to it."""
    start = view.rfind(b"\n", 0, at) + 1
    while start and view[max(start - 3, 0) : start].rstrip(b"\r\n").endswith(b"\\"):
        start = view.rfind(b"\n", 0, start - 1) + 1
    return start
