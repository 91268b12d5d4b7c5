"""Build src/rewarp/tables/cuda_names.tsv from HIPIFY's name tables.

usage: make_cuda_names.py FOLDER    (cuda2hip.csv and the two lists of what headers really have)

Rows of the result: CUDA name, HIP name, library, status. Left out: names that are the same
on both sides, and old frameworks' headers. Corrected by what HIP's own headers declare.
"""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path

TARGET = Path(__file__).parent.parent / "src/rewarp/tables/cuda_names.tsv"
LEFT_OUT = {"CAFFE2"}
# Device functions of which HIP 6.2 and 7.1 headers were seen to have none.
MISSING = re.compile(
    r"__v(?!ote)\w+[24]|__[fd](add|sub|mul|div|rcp|sqrt|maf|ma)_r[zud]|__fma(f)?_r[zud]"
    r"|__trap|__brkpt|__prof_trigger|__pm[0-3]|__ld(lu|cv)|__st(wb|cg|cs|wt)"
)
# The same, for names the tables do not list at all.
ALSO_MISSING = (
    "__nanosleep __dp4a __dp2a_lo __dp2a_hi __grid_constant__ __isShared __isGlobal __isLocal __isConstant "
    "__cvta_generic_to_shared __cvta_generic_to_global __cvta_shared_to_generic __cvta_global_to_generic "
    "__pipeline_memcpy_async __pipeline_commit __pipeline_wait_prior "
    "__viaddmax_s32 __viaddmin_s32 __vimax_s32_relu __vimin_s32_relu __vimax3_s32 __vimin3_s32 "
    "__viaddmax_s16x2 __viaddmin_s16x2 __vibmax_s32 __vibmin_s32"
).split()
# Renamed since the tables were made, or better known under another name.
CORRECTED = {
    "__nv_bfloat16": "__hip_bfloat16",
    "nv_bfloat16": "__hip_bfloat16",
    "nv_bfloat162": "__hip_bfloat162",
    "cudaLaunchConfig_t": "hipLaunchConfig_t",
    "cudaLaunchConfig_st": "hipLaunchConfig_st",
    "cudaLaunchKernelEx": "hipLaunchKernelEx",
    "cudaKernel_t": "hipKernel_t",
    "cudaMemcpyArrayToArray": "hipMemcpyArrayToArray",
    "cudaMemcpyFromArrayAsync": "hipMemcpyFromArrayAsync",
    "cudaMemcpyToArrayAsync": "hipMemcpyToArrayAsync",
    "CUBLAS_GEMM_DEFAULT_TENSOR_OP": "HIPBLAS_GEMM_DEFAULT",
    "cublasGetStatusString": "hipblasStatusToString",
    "cuda_bf16.h": "hip/hip_bf16.h",
    "cuda_fp8.h": "hip/hip_fp8.h",
    "cublas.h": "hipblas/hipblas.h",
    "cublas_v2.h": "hipblas/hipblas.h",
    "cublas_api.h": "hipblas/hipblas.h",
    "cublasLt.h": "hipblaslt/hipblaslt.h",
    "cusparse.h": "hipsparse/hipsparse.h",
    "cusparse_v2.h": "hipsparse/hipsparse.h",
    "cudnn.h": "miopen/miopen.h",
    "nvrtc.h": "hip/hiprtc.h",
    "cuLaunchKernelEx": "hipDrvLaunchKernelEx",
    "CUlaunchConfig": "HIP_LAUNCH_CONFIG",
    "CUlaunchConfig_st": "HIP_LAUNCH_CONFIG_st",
    "CUlibrary": "hipLibrary_t",
    "CUkernel": "hipKernel_t",
}
# Supported for half only: a plain `__ldcs(const float4*)` does not compile.
HALF_ONLY = ["__ldcs", "__ldcg", "__ldca"]


def rows(folder: Path) -> list[tuple[str, str, str, str]]:
    def read(name: str) -> list[dict[str, str]]:
        with open(folder / name, newline="", encoding="utf-8") as stream:
            return list(csv.DictReader(stream))

    newer = {row["cuda"]: row["hip"] for row in read("cuda2hip_newer_headers_have.csv")}
    absent = {row["cuda"]: row["library"] for row in read("cuda2hip_listed_but_absent_from_headers.csv")}
    found: dict[str, tuple[str, str, str, str]] = {}
    for row in read("cuda2hip.csv"):
        cuda, hip, library = row["cuda"], row["hip"], row["library"]
        if library in LEFT_OUT or row["kind"] == "namespace":
            continue
        status = "unsupported" if row["unsupported"] == "1" else "experimental" if row["experimental"] == "1" else "ok"
        if cuda in newer:
            hip, status = newer[cuda], "ok"
        elif library == "device" and row["kind"].endswith("function"):
            if status != "unsupported" or not MISSING.fullmatch(cuda):
                continue
        elif cuda in absent and library == "BLAS":
            hip = hip.replace("_v2", "")  # current hipBLAS has these without the suffix
        elif cuda in absent:
            status = "unsupported"
        if status == "unsupported" or not hip:
            hip = ""
            status = status if row["kind"] != "include" else "unsupported"
        if hip != cuda:
            found[cuda] = (cuda, hip, library, status)
    for cuda in (*ALSO_MISSING, *HALF_ONLY):
        found[cuda] = (cuda, "", "device", "unsupported")
    for cuda, hip in CORRECTED.items():
        library = found[cuda][2] if cuda in found else "device" if "nv_" in cuda else "runtime"
        found[cuda] = (cuda, hip, library, "ok")
    for cuda, (_, _, library, status) in list(found.items()):
        if cuda.startswith("cusolver") and cuda.endswith(".h"):
            found[cuda] = (cuda, "hipsolver/hipsolver.h", library, status)
    return sorted(found.values())


def main() -> None:
    table = rows(Path(sys.argv[1]))
    text = "".join("\t".join(row) + "\n" for row in table)
    TARGET.write_text("cuda\thip\tlibrary\tstatus\n" + text, encoding="utf-8")
    print(f"{len(table)} names, {len(text)} bytes")


if __name__ == "__main__":
    main()
