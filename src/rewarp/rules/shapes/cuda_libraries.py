"""NVIDIA's libraries and their ROCm twins."""

from __future__ import annotations

import re
from typing import NamedTuple

from rewarp.tables.libraries import Library, twin


class Family(NamedTuple):
    name: str
    twin: str
    headers: str
    """Regular expression over include paths."""
    words: str
    """Regular expression over identifiers."""
    library: str = ""
    """Its name in the table of CUDA names, where it has rows there."""
    mechanical: bool = True
    note: str = ""


FAMILIES = (
    Family("cuBLASLt", "hipBLASLt", r"cublasLt\.h", r"cublasLt\w+|CUBLASLT_\w+"),
    Family("cuBLAS", "hipBLAS", r"cublas(_v2|_api|XT)?\.h", r"cublas[A-Z]\w*|CUBLAS_\w+", "cublas"),
    Family(
        *(
            "cuDNN",
            "MIOpen",
            r"cudnn(_v\d+|_(frontend|graph|ops|cnn|adv|backend|version)\w*)?\.h|cudnn_frontend/.*",
            r"cudnn[A-Z]\w*|CUDNN_\w+",
            "cudnn",
            False,
        ),
        note="its descriptors, algorithms and graph API differ; calls must be rewritten",
    ),
    Family("cuFFT", "hipFFT", r"cufft(Xt|w)?\.h", r"cufft[A-Z]\w*|CUFFT_\w+", "cufft"),
    Family("cuRAND", "hipRAND", r"curand\w*\.h", r"curand[A-Z_]\w*|CURAND_\w+", "curand"),
    Family("cuSPARSELt", "hipSPARSELt", r"cusparseLt\.h", r"cusparseLt\w+|CUSPARSELT_\w+"),
    Family("cuSPARSE", "hipSPARSE", r"cusparse(_v2)?\.h", r"cusparse[A-Z]\w*|CUSPARSE_\w+", "cusparse"),
    Family("cuSOLVER", "hipSOLVER", r"cusolver\w*\.h", r"cusolver[A-Z_]\w*|CUSOLVER_\w+", "cusolver"),
    Family(
        *("NCCL", "RCCL", r"nccl(_net|_device)?\.h", r"nccl[A-Z]\w*|NCCL_\w+"),
        note="the nccl* names stay, the header becomes rccl/rccl.h",
    ),
    Family(
        "CUB",
        "hipCUB",
        r"cub/.*",
        r"cub",
        "cub",
        note="cub:: becomes hipcub::, block and warp sizes stay template arguments",
    ),
    Family("Thrust", "rocThrust", r"thrust/.*", r"thrust", note="rocThrust has the same headers and names"),
    Family("NVTX", "roctx", r"(nvtx3/)?nvToolsExt\w*\.h|nvtx3/.*", r"nvtx[A-Z]\w*|nvtx3|NVTX_\w+"),
    Family(
        *("NVML", "amd-smi", r"nvml\.h", r"nvml[A-Z]\w*|NVML_\w+", "", False),
        note="another API with another model of sensors; there is no rename",
    ),
    Family(
        *("NVRTC", "hipRTC", r"nvrtc\.h", r"nvrtc[A-Z]\w*|NVRTC_\w+", "nvrtc"),
        note="the option strings change too: --offload-arch=gfx942 for --gpu-architecture=compute_80",
    ),
    Family(
        *("CUPTI", "rocprofiler-sdk", r"cupti\w*\.h", r"cupti[A-Z]\w*|CUPTI_\w+", "", False),
        note="callbacks, counters and activity records differ",
    ),
    Family("cuTENSOR", "hipTensor", r"cutensor\w*(\.h|/.*)", r"cutensor[A-Z]\w*|CUTENSOR_\w+"),
    Family("cuFile", "hipFile", r"cufile\.h", r"cuFile[A-Z]\w*|CU_FILE_\w+"),
    Family(
        *("NVSHMEM", "rocSHMEM", r"nvshmemx?(/.*|\w*\.h)", r"nvshmemx?_\w+", "", False),
        note="rocSHMEM covers a part of it under other names",
    ),
)
WORD = re.compile("|".join(f"(?P<f{i}>{family.words})" for i, family in enumerate(FAMILIES)).encode())
HEADER = [re.compile(family.headers) for family in FAMILIES]
HEADS = frozenset(b"cu CU nc NC nv NV th".split())
_FILE = re.compile(r"(?:.*/)?lib([\w-]+)\.so(?:\.[\d.]+)?")


def shared(file: str) -> Library | None:
    """The twin of a CUDA library that goes by the name of its file, ``libcudart.so.12``; None for other files."""
    found = _FILE.fullmatch(file)
    return twin(found[1]) if found else None
