"""Check the tables of CUDA names against real headers.

usage: check_cuda_names.py [--json] [--list N] ROOT...

A ROOT is an include folder: of HIP (its version is read from hip/hip_version.h), of ROCm's libraries, of the CUDA
toolkit, or of one of NVIDIA's wheels. Reported for each library:

absent      the tables name a twin that no header of AMD declares
since       the tables say another first version than the HIP headers show
arguments   the two functions take different numbers of arguments, and no note says so
missing     a header of NVIDIA declares a public name that the tables lack
overlooked  the tables know no twin, and AMD's headers declare the obvious one

Exit code 1 when something was found. Libraries whose headers were not among those given are named as not checked.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from header_names import Names, read

from rewarp import tables
from rewarp.tables import cuda

# Which header of NVIDIA belongs to which library, by its path in the include folder.
HEADERS = {
    "nvrtc": r"nvrtc\.h",
    "device": r"(crt/)?(device_functions|math_functions|device_double_functions|sm_\d+_\w+|common_functions|host_defines)\.h"
    r"|(device_atomic_functions|vector_types|vector_functions|math_constants|cuComplex|device_launch_parameters)\.h"
    r"|(texture|surface)_indirect_functions\.h|cuda_(pipeline|awbarrier)_primitives\.h",
    "fp16": r"cuda_fp16\.h",
    "bf16": r"cuda_bf16\.h",
    "fp8": r"cuda_fp[468]\.h",
    "cublaslt": r"cublasLt\.h",
    "cublas": r"cublas(_api|_v2|Xt)?\.h",
    "cudnn": r"cudnn\w*\.h",
    "cufft": r"(cufft(Xt)?|cudalibxt)\.h",
    "curand": r"curand(_\w+)?\.h",
    "cusparse": r"cusparse\.h",
    "cusolver": r"cusolver\w*\.h",
    "nccl": r"nccl\.h",
    "nvtx": r"nvtx3/nvToolsExt(?!.*OpenCL)\w*\.h",
    "nvml": r"nvml\.h",
    "cupti": r"cupti(_(?!\w*cbid)\w+)?\.h",
    "cutensor": r"cutensor(Mg)?\.h|cutensor/types\.h",
    "cufile": r"cufile\.h",
    "driver": r"cuda(GL|EGL|VDPAU|Profiler)?\.h",
    "runtime": r"(cuda_runtime(_api)?|driver_types|texture_types|surface_types|channel_descriptor|library_types)\.h"
    r"|cuda_(device_runtime_api|profiler_api|\w+_interop|occupancy)\.h|driver_functions\.h",
}
# What a public name of a library looks like.
PUBLIC = {
    "runtime": r"(cuda|CUDA|make_cuda)\w+|CUuuid\w*|libraryPropertyType(_t)?",
    "driver": r"cu[A-Z]\w+|CU[a-zA-Z_]\w+|cuuint(32|64)_t",
    "device": r"__(?!CUDA|NV_|nv_|cuda|host|internal|block_scope|[a-z]*_?builtin|assert|isnan|isinf|isfinite|signbit)[a-z]\w*[a-z0-9]"
    r"|[a-z]+[1-4]|make_[a-z]+[1-4]|CUDART_\w+|cuC\w+|make_cu\w+|atomic[A-Z]\w+|(tex|surf)[123C]\w+",
    "fp16": r"__\w*h\w*_?(rn|rz|ru|rd|relu|sat|nan|mask)|__h\w+2?|__\w+half\w*|h2?[a-z]+[0-9]*|make_half2|(__)?(nv_)?half2?",
    "bf16": r"__\w+bfloat16\w*|(__)?nv_bfloat162?|make_bfloat162",
    "fp8": r"__nv_(fp|cvt|sat)\w+|__NV_(E|SAT|NOSAT)\w*",
    "cufft": r"(cufft|CUFFT|cudaXt|cudaLibXt)\w+",
    "curand": r"(curand|CURAND|skipahead)\w*",
    "cusparse": r"(cusparse|CUSPARSE)\w+|\w+Info(_t)?",
    "cusolver": r"(cusolver|CUSOLVER|cudaLibMg)\w+|\w+Info(Host)?(_t)?",
    "nccl": r"p?nccl\w+|NCCL\w+",
    "cupti": r"(cupti|CUPTI|CUpti|Cupti)\w+",
    "cufile": r"(cuFile|CUFILE|CUfile|CUFile|CU_FILE|cufile)\w+",
}
# Declared in public headers, and nobody's to use.
INTERNAL = re.compile(
    r"\w+_(ptsz|ptds)|_\w+_(DECL|H)_*|\w+_H_*|\w*(API|WINAPI|CDECL|_DEPRECATED\w*|_CB|QUALIFIERS\w*)|\w+_internal"
    r"|__(CUDA|CUDART|NV|nv_atomic|cuda)_\w+|CUDART_DEVICE|CUDACC_\w+|CU_BLAS_\w*|CUSOLVER_CPP_VERSION|curnand\w+"
    r"|CUDNN_(BEGIN|END|WARN)\w*|CUDNN_STATUS_(CATEGORY|FULL|SPEC)\w*|\w+_SIZE_FROM_FIELD|__(shfl|width)"
    r"|NVTX_(?!EVENT|COLOR|PAYLOAD|MESSAGE|RESOURCE|SUCCESS|FAIL|ERR|NO_PUSH|VERSION\b|CATEGORY)\w+"
    r"|__(annotate|export|import|location|no_return|thread|volatile|inline|inline_hint|tile\w*|device_builtin\w*)_*"
    r"|__(pow_helper|specialization_static|cmath_power|type|libcpp\w+|finitel|[fd]Atomic\w+|u?l*i?(l|u)?Atomic\w+|u128Atomic\w+|bool|warp\w*)"
    r"|d(add|mul|sub)|(double|float|u?int|u?ll)2(double|float|int|ll|uint|ull)|hypotf?2?|width"
)
# Tables know better than a regular expression over headers: declared only where a macro asks for them.
CONDITIONAL = re.compile(r"__[fd](add|sub|mul|div|rcp|sqrt|ma|maf)_r[zud]|__fmaf?_r[zud]")
# Compilers define them, the language or the C library does, or macros of HIP paste them together.
BUILT_IN = re.compile(
    r"__HIPCC(_RTC)?__|__HIP_NO_\w+|HIP_API_PER_THREAD_DEFAULT_STREAM|int|__CUDA\w+|__NVCC__|__(noinline|restrict)__"
    r"|__(isnan|isinf|signbit|finite)[dfl]?|make_(u?(char|short|int|long|longlong)|float|double)[1-4]"
)
TWINS = (
    *(("cublasLt", "hipblasLt"), ("cublas", "hipblas"), ("cufft", "hipfft"), ("curand", "hiprand")),
    *(("cusparse", "hipsparse"), ("cusolver", "hipsolver"), ("nvrtc", "hiprtc"), ("cuda", "hip"), ("nccl", "nccl")),
    *(("CUBLASLT_", "HIPBLASLT_"), ("CUBLAS_", "HIPBLAS_"), ("CUFFT_", "HIPFFT_"), ("CURAND_", "HIPRAND_")),
    *(("CUSPARSE_", "HIPSPARSE_"), ("CUSOLVER_", "HIPSOLVER_"), ("NVRTC_", "HIPRTC_"), ("cu", "hip"), ("__", "__")),
)
_NOT_AMD = r"nvidia_detail|_nvcc|backend/cub|hip_prof_str|hip_api_trace|/detail/nvcc"
_AMD_FOLDER = re.compile(r"(hip|roc)[\w-]*(\.h|\.hpp)?|miopen|rccl(\.h)?")
_CLANG = "__clang_hip_*.h"  # clang's own part of HIP, in its resource folder
_VERSION = re.compile(r"#define HIP_VERSION_(?:MAJOR|MINOR)\s+(\d+)")


@dataclass
class Headers:
    """What the given folders declare."""

    amd: Names = field(default_factory=dict)
    hip: dict[str, Names] = field(default_factory=dict)
    """By version of HIP."""
    nvidia: dict[str, Names] = field(default_factory=dict)
    """By library."""
    folders: list[Path] = field(default_factory=list)
    """AMD's include folders."""

    def add(self, root: Path) -> None:
        clang = list(root.glob(_CLANG))
        if clang or any(_AMD_FOLDER.fullmatch(entry.name) for entry in root.iterdir()):
            self.folders.append(root)
            names = read(clang or [root], skip=_NOT_AMD)
            for name, declared in names.items():
                known = self.amd.setdefault(name, declared)
                known.files |= declared.files
                known.arities |= declared.arities
            version = root / "hip/hip_version.h"
            if version.is_file():
                self.hip[".".join(_VERSION.findall(version.read_text("utf-8"))[:2])] = names
        for library, pattern in HEADERS.items():
            files = [file for file in root.rglob("*.h") if re.fullmatch(pattern, file.relative_to(root).as_posix())]
            if files:
                self.nvidia.setdefault(library, {}).update(read(files))


@lru_cache(maxsize=1)
def rows() -> list[cuda.Twin]:
    """All rows that are tokens of a program."""
    found = (cuda.twin(name) for name in cuda.names())
    return [row for row in found if row]


def absent(headers: Headers) -> Iterable[tuple[str, str]]:
    """Twins that no header declares, where headers of that library were given."""
    given = looked_at(headers)
    for row in rows():
        if row.supported and row.library in given and row.hip not in headers.amd and not BUILT_IN.fullmatch(row.hip):
            yield row.library, f"{row.cuda} -> {row.hip}"
    for include in filter(None, map(cuda.header, cuda.includes())):
        for hip in include.hip.split(";"):
            roots = [root for root in headers.folders if (root / hip.partition("/")[0]).is_dir()]
            exempt = not include.supported or include.since or "/" not in hip or "*" in hip
            if roots and not exempt and not any((root / hip).is_file() for root in roots):
                yield "headers", f"{include.cuda} -> {hip}"


def looked_at(headers: Headers) -> set[str]:
    """The libraries whose twins the headers declare for a fair part, so that their headers were among those given."""
    twins = Counter(row.library for row in rows() if row.supported)
    declared = Counter(row.library for row in rows() if row.supported and row.hip in headers.amd)
    return {library for library, count in twins.items() if declared[library] * 4 > count}


def since(headers: Headers) -> Iterable[tuple[str, str]]:
    """Versions that the headers of HIP contradict."""
    versions = sorted(headers.hip, key=_number)
    for row in rows():
        if row.library not in ("runtime", "driver") or not row.supported or BUILT_IN.fullmatch(row.hip):
            continue
        have = [version for version in versions if row.hip in headers.hip[version]]
        if have and row.since and _number(have[0]) < _number(row.since):
            yield row.library, f"{row.cuda} -> {row.hip}: since {row.since}, but {have[0]} has it"
        elif have and have[0] != versions[0] and not row.since:
            yield row.library, f"{row.cuda} -> {row.hip}: not in {versions[0]}, first seen in {have[0]}"


def arguments(headers: Headers) -> Iterable[tuple[str, str]]:
    """Functions that a rename alone does not carry over."""
    edited = {row["function"] for row in tables.rows("arguments.csv")}
    for row in rows():
        if row.cuda in edited or row.cuda in FITTING:
            continue
        declared = headers.nvidia.get(row.library, {})
        # cublasSgemm of the old header has no handle; the new one's is spelled with _v2.
        ours = declared.get(row.cuda + "_v2") or declared.get(row.cuda)
        theirs = headers.amd.get(row.hip)
        if row.status == "mapped" and ours and theirs and ours.arities and theirs.arities:
            if ours.arities.isdisjoint(theirs.arities):
                yield row.library, f"{row.cuda} takes {max(ours.arities)}, {row.hip} takes {max(theirs.arities)}"


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def missing(headers: Headers) -> Iterable[tuple[str, str]]:
    """Public names of NVIDIA's headers that no table lists."""
    for library, declared in headers.nvidia.items():
        public = re.compile(PUBLIC.get(library, rf"(?i:{library})\w+"))
        for name, declaration in declared.items():
            if declaration.kind in ("generated", "guard"):
                continue
            if public.fullmatch(name) and not INTERNAL.fullmatch(name) and name.encode() not in cuda.names():
                yield library, name


def overlooked(headers: Headers) -> Iterable[tuple[str, str]]:
    """Names without a twin in the tables, and with one by their spelling in the headers."""
    for row in rows():
        if row.supported or row.status == "supplied" or row.roc or CONDITIONAL.fullmatch(row.cuda):
            continue
        for ours, theirs in TWINS:
            if row.cuda.startswith(ours):
                twin = theirs + row.cuda[len(ours) :]
                if twin in headers.amd and headers.amd[twin].kind not in ("macro", "guard"):
                    yield row.library, f"{row.cuda}: {twin} is declared in {min(headers.amd[twin].files)}"
                break


# Other numbers of parameters that fit all the same: HIP's last one has a default in C++; norm has overloads; the support
# header has the form with a location.
FITTING = frozenset(
    "cuStreamWaitValue32 cuStreamWaitValue32_v2 cuStreamWaitValue64 cuStreamWaitValue64_v2 norm".split()
)
CHECKS = {"absent": absent, "since": since, "arguments": arguments, "missing": missing, "overlooked": overlooked}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("roots", metavar="ROOT", nargs="+", type=Path, help="include folder")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.add_argument("--list", type=int, default=20, metavar="N", help="names to print of each check and library")
    options = parser.parse_args()
    headers = Headers()
    for root in options.roots:
        if not root.is_dir():
            parser.error(f"{root} is not a folder")
        headers.add(root)
    found: dict[str, dict[str, list[str]]] = {}
    for name, check in CHECKS.items():
        found[name] = defaultdict(list)
        for library, text in check(headers):
            found[name][library].append(text)
    report = {
        "hip": sorted(headers.hip),
        "nvidia": sorted(headers.nvidia),
        "not_checked": sorted({row.library for row in rows() if row.supported} - looked_at(headers)),
        "found": found,
    }
    print(json.dumps(report, indent=1) if options.json else as_text(report, found, options.list))
    return int(any(found.values()))


def as_text(report: Mapping[str, object], found: Mapping[str, Mapping[str, list[str]]], limit: int) -> str:
    lines = [f"{key}: {report[key]}" for key in ("hip", "nvidia", "not_checked")]
    for check, libraries in found.items():
        lines.append(f"{check}: {sum(map(len, libraries.values()))}")
        for library, texts in sorted(libraries.items()):
            lines += [f"  {library}: {len(texts)}", *(f"    {text}" for text in texts[:limit])]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
