"""CU-015: device intrinsics HIP does not have."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import SourceFix
from rewarp.lang.cpp.file import CodeFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.cuda import KINDS, counted, declares, known_names, listed, own_names, uses
from rewarp.tables import cuda
from rewarp.targets import Context

_GROUPS = (
    (r"__v\w+", "SIMD in a word", Effort.HOURS, "supply them: plain C++ on the bytes or halves of the word"),
    (
        r"__dp[24]a\w*",
        "integer dot product",
        Effort.HOURS,
        "use __builtin_amdgcn_sdot4 where the GPU has it, plain C++ else",
    ),
    (r"__ldc[sga]", "cache-hinted load", Effort.MINUTES, "HIP has it for half only; take a plain load for other types"),
    (r"__ld\w+", "cache-hinted load", Effort.MINUTES, "take a plain load or __builtin_nontemporal_load"),
    (r"__st\w+", "cache-hinted store", Effort.MINUTES, "take a plain store or __builtin_nontemporal_store"),
    (
        r"__[fd]\w+_r[zud]",
        "directed rounding",
        Effort.HOURS,
        "HIP has these only with OCML_BASIC_ROUNDED_OPERATIONS defined",
    ),
    (r"__nanosleep", "sleeping in a kernel", Effort.MINUTES, "use __builtin_amdgcn_s_sleep, which counts clocks"),
    (r"__trap|__brkpt", "stopping a kernel", Effort.MINUTES, "use __builtin_trap() or abort()"),
    (r"__pipeline_\w+", "pipelined copy", Effort.HOURS, "copy with plain loads and synchronise the block"),
    (r"__grid_constant__", "kernel argument in place", Effort.MINUTES, "define it as nothing on ROCm"),
    (
        r"__cvta_\w+|__is[A-Z]\w+",
        "address spaces",
        Effort.HOURS,
        "cast to a pointer with clang's address space instead",
    ),
    (r"__prof_trigger", "profiling trigger", Effort.MINUTES, "leave it out"),
)
_ROUNDED = [
    f"__{kind}{name}_r{mode}"
    for kind in "fd"
    for name in ("add", "sub", "mul", "div", "rcp", "sqrt", "maf", "ma")
    for mode in "zud"
]
_HALF = (b"half", b"__half", b"half2", b"__half2")


@rule(
    id="CU-015",
    title="A device intrinsic HIP does not have",
    kinds=KINDS,
    anchors=[
        *(
            "__v*",
            "__dp4a",
            "__dp2a_lo",
            "__dp2a_hi",
            "__ldcs",
            "__ldcg",
            "__ldca",
            "__ldlu",
        ),
        *("__ldcv", "__stcs", "__stcg", "__stwb", "__stwt", "__nanosleep", "__trap", "__brkpt", "__prof_trigger"),
        *("__pipeline_memcpy_async", "__pipeline_commit", "__pipeline_wait_prior", "__grid_constant__", "__isShared"),
        *("__isGlobal", "__isLocal", "__isConstant", "__cvta_generic_to_shared", "__cvta_generic_to_global"),
        *("__cvta_shared_to_generic", "__cvta_global_to_generic", *_ROUNDED),
    ],
    phase=Phase.TRANSLATION,
    rocm=Impact(
        Severity.BUILD,
        why="HIP's device headers do not declare it.",
        fix="Supply it in one header that only ROCm includes.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example="unsigned sum = __vadd2(a, b);",
    versions="checked against the headers of HIP 6.2 and 7.1",
    source="https://rocm.docs.amd.com/projects/HIPIFY/en/latest/tables/CUDA_Device_API_supported_by_HIP.html",
    fix=SourceFix(),
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for CUDA device functions that HIP lacks; one finding for a file and group."""
    if b"OCML_BASIC_ROUNDED_OPERATIONS" in own_names(document):
        return
    names = [
        n
        for n in known_names(document, "device", supported=False)
        if n == b"__grid_constant__" or not declares(document, n)
    ]
    for pattern, what, effort, advice in _GROUPS:
        group = [name for name in names if re.fullmatch(pattern, name.decode())]
        names = [name for name in names if name not in group]
        used = uses(document, context, group, device=True)
        if used:
            # Loads of half compile; which type a call loads cannot be seen from here.
            unsure = "half only" in advice and any(word in document.words for word in _HALF)
            message = f"{listed(used.names)} ({what}, {counted(used.total, 'use')}): {used.note or advice}"
            severity = Severity.INFO if unsure or used.header else None
            safety = Safety.SAFE if all(map(_is_supplied, used.names)) else None
            yield Hit(used.first, message, used.names[0], severity=severity, effort=effort, safety=safety)


def _is_supplied(name: str) -> bool:
    """Whether a translation brings it along."""
    twin = cuda.twin(name.encode())
    return twin is not None and twin.status == "supplied"
