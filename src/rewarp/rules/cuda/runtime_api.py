"""CU-001: the CUDA runtime API."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import SourceFix
from rewarp.lang.cpp.file import CodeFile
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.rules.shapes.cuda import KINDS, Uses, arch_guard, counted, known_names, listed, milder, reachable, uses
from rewarp.source import Span
from rewarp.tables import cuda
from rewarp.targets import Context

_ASKED = {"__CUDACC__", "__CUDACC_RTC__", "__NVCC__"}
"""Macros that tell the compiler: what they hide or show still compiles."""


@rule(
    id="CU-001",
    title="The CUDA runtime API is used",
    kinds=KINDS,
    anchors=[
        *("cuda*", "cuComplex", "cuFloatComplex", "cuDoubleComplex", "nv_bfloat16", "nv_bfloat162", "__nv_bfloat16"),
        *(
            "__nv_bfloat162",
            "__nv_fp8_e4m3",
            "__nv_fp8_e5m2",
            "__nv_fp8x2_e4m3",
            "__nv_fp8x4_e4m3",
            "__nv_fp8_storage_t",
        ),
    ],
    phase=Phase.TRANSLATION,
    rocm=Impact(
        Severity.BUILD,
        why="HIP's headers do not declare the cuda* names; each of these has a hip* twin with the same arguments.",
        fix="Rename them to their HIP twins, in a translated copy or through one header of aliases.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example="cudaMalloc(&buffer, bytes);",
    source="https://rocm.docs.amd.com/projects/HIPIFY/en/latest/tables/CUDA_Runtime_API_functions_supported_by_HIP.html",
    traits=[Trait.TORCH_TRANSLATES],
    fix=SourceFix(),
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for runtime functions, types and constants that have a HIP twin, one finding for a file, and for the first of
    the runtime's headers where it is not just above them."""
    found = uses(document, context, known_names(document, "runtime", "device", "fp16", "bf16", "fp8"))
    if found and set(found.names) <= _ASKED:
        message = f"{found.names[0]} is asked for, which HIP's compiler does not define"
        yield Hit(found.first, message, "CUDA runtime API", severity=Severity.INFO)
        return
    if found and arch_guard(document, context, found.first.start) is not None:
        # HIP comes to none of it, where even the uses that are no device functions stand behind that test.
        names = known_names(document, "runtime", "device", "fp16", "bf16", "fp8")
        places = [at for name in names for at in reachable(document, context, document.words[name])]
        if all(arch_guard(document, context, at) is not None for at in places):
            message = f"{listed(found.names)} stand behind tests of __CUDA_ARCH__, which HIP does not define"
            yield Hit(found.first, message, "CUDA runtime API", severity=Severity.INFO)
            return
    if found:
        severity, note = milder(document, context, found)
        yield Hit(
            found.first,
            f"{counted(found.total, 'use')} of {counted(len(found.names), 'CUDA runtime name')}"
            f" with a HIP twin: {listed(found.names)}{note}",
            "CUDA runtime API",
            severity=severity,
        )
    yield from _header(document, context, found)


_NEAR = 5
"""Lines within which the use of a name says what the include above it would say."""


def _header(document: CodeFile, context: Context, found: Uses | None) -> Iterator[Hit]:
    """The first of the runtime's headers: there the compiler stops first, however far below the names are used."""
    headers = [include for include in document.includes if _is_runtime(include.path)]
    at = reachable(document, context, [include.where.start for include in headers])
    for include in headers:
        if at[:1] == [include.where.start] and not (found and _is_near(document, include.where.start, found.first)):
            severity, note = milder(document, context, None)
            yield Hit(
                include.where,
                f"{include.path} is included, which HIP has under another name{note}",
                "CUDA runtime API",
                severity=severity,
            )


def _is_near(document: CodeFile, at: int, use: Span) -> bool:
    return abs(document.source.line_at(use.start) - document.source.line_at(at)) <= _NEAR


def _is_runtime(path: str) -> bool:
    """Whether a header is one of the CUDA runtime's with a twin among HIP's own."""
    twin = cuda.header(path.encode())
    return twin is not None and twin.hip.startswith("hip/")
