"""CU-004: CUDA names without a HIP twin, and CUDA-looking names nobody knows."""

import re
from collections.abc import Iterator
from functools import lru_cache

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.cpp.device_code import launches_on_device
from rewarp.lang.cpp.file import CodeFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.cuda import (
    HOPPER_NAMES,
    KINDS,
    TEXTURE_NAMES,
    arch_guarded,
    counted,
    declares,
    known_names,
    own_names,
    reachable,
    supplied,
)
from rewarp.source import Span
from rewarp.tables import cuda
from rewarp.targets import Context

_LIBRARIES = ("runtime", "driver", "cublas", "cublaslt", "cufft", "curand", "cusparse", "cusolver", "nvrtc")
_API = re.compile(rb"(cuda|cublas|cublasLt|cufft|curand|cusparse|cusolver|nvrtc|cu)[A-Z]\w*")
_OTHER_FAMILY = re.compile(rb"cu(Tensor|File|DNN|BLAS|[CF][a-z]+f?\Z)\w*|cusparseLt\w+|cuda(Std|Aware)\w*|\w+_t")
_GROUP = re.compile(rb"[a-z]+(?:Lt|Dn|Sp)?[A-Z][a-z]+")
_CALL = re.compile(rb"\s*(?:<[^;{}()]{0,400}>\s*)?\(")
_QUALIFIED = re.compile(rb"(?:\.|->|\w\s*::)\s*\Z")
_IGNORED = re.compile(rb"__CUDACC__|GL\w+|cl_\w+|texture|surface|\w*[Rr]eference|libraryPropertyType\w*|memoryBarrier")


@rule(
    id="CU-004",
    title="A CUDA API without a known HIP twin is used",
    kinds=KINDS,
    anchors=["cuda*", "cublas*", "cufft*", "curand*", "cusparse*", "cusolver*", "nvrtc*", "CU_*", "__global__"],
    phase=Phase.TRANSLATION,
    rocm=Impact(
        Severity.BUILD,
        why="HIP's headers have no such name, so a rename cannot carry it over.",
        fix="Find another way on ROCm (leave the feature out, or write it with what HIP has) behind a platform macro.",
        safety=Safety.NONE,
        effort=Effort.HOURS,
    ),
    example="cuMulticastCreate(&handle, &properties);",
    source="https://rocm.docs.amd.com/projects/HIPIFY/en/latest/supported_apis.html",
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for names HIP lacks, calls of CUDA-looking functions that no table lists, one finding for a name, and kernels that
    kernels launch."""
    for name in known_names(document, *_LIBRARIES, supported=False):
        if _covered_elsewhere(name) or _IGNORED.fullmatch(name) or declares(document, name):
            continue
        places = _compiled(document, context, name)
        if places:
            text = name.decode()
            severity, note = _milder(document, context, text)
            message = f"{text} has no HIP twin ({counted(len(places), 'use')}){note}"
            yield Hit(_span(places[0], name), message, text, severity=severity)
    yield from _unknown(document, context)
    if b"__global__" in document.words and b"<<<" in document.code:
        found = [launch.start for launch in launches_on_device(document.code)]
        found = [at for at in reachable(document, context, found) if not arch_guarded(document, context, at)]
        if found:
            message = (
                f"a kernel is launched from device code ({counted(len(found), 'use')}): HIP has no dynamic parallelism"
            )
            yield Hit(Span(found[0], found[0] + 3), message, "<<<")


def _unknown(document: CodeFile, context: Context) -> Iterator[Hit]:
    own = own_names(document)
    project = context.project.own_macros | context.project.own_functions
    for name in document.words:
        if not _API.fullmatch(name) or name in cuda.names() or name in own or _covered_elsewhere(name):
            continue
        if _OTHER_FAMILY.fullmatch(name) or name.decode() in project or declares(document, name):
            continue
        places = [at for at in _compiled(document, context, name) if _is_call(document.code, at, name)]
        if places:
            text = name.decode()
            group = _GROUP.match(name)
            known = bool(group and group[0] in _groups())
            severity, note = _milder(document, context, text)
            yield Hit(
                _span(places[0], name),
                f"{text} looks like a CUDA function, and the tables of CUDA names do not list it"
                + (note or ("" if known else "; it may be the project's own")),
                text,
                severity=severity if known else Severity.INFO,
            )


def _compiled(document: CodeFile, context: Context, name: bytes) -> list[int]:
    """Where HIP's compiler meets a name: not behind a test of ``__CUDA_ARCH__`` that has an #else."""
    places = reachable(document, context, document.words[name])
    return [at for at in places if not arch_guarded(document, context, at)]


def _milder(document: CodeFile, context: Context, name: str) -> tuple[Severity | None, str]:
    header = supplied(document, context).get(name)
    return (Severity.INFO, f"; {header} supplies it for HIP") if header else (None, "")


def _covered_elsewhere(name: bytes) -> bool:
    return bool(TEXTURE_NAMES.fullmatch(name) or HOPPER_NAMES.fullmatch(name))


def _is_call(code: bytes, at: int, name: bytes) -> bool:
    return bool(_CALL.match(code, at + len(name))) and not _QUALIFIED.search(code, max(0, at - 80), at)


@lru_cache(maxsize=1)
def _groups() -> frozenset[bytes]:
    """Beginnings such as ``cudaGraph`` that many real functions share."""
    counts: dict[bytes, int] = {}
    for name in cuda.names():
        if _API.fullmatch(name) and (group := _GROUP.match(name)):
            counts[group[0]] = counts.get(group[0], 0) + 1
    return frozenset(group for group, count in counts.items() if count > 3)


def _span(at: int, name: bytes) -> Span:
    return Span(at, at + len(name))
