"""The tables of CUDA names: sound in every row, right where it is well known, and the interface that reads them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from rewarp.tables import cuda

FOLDER = Path(cuda.__file__).parent / "names"
FILES = sorted(FOLDER.glob("*.tsv"))
NAME = re.compile(r"[A-Za-z_]\w*")
PATH = re.compile(r"[\w.+-]+(/[\w.+-]+)*(/\*)?")
VERSION = re.compile(r"(\d+\.\d+)?")
SOURCE = re.compile(r"rewarp|(cuda|hip|hipify|miopen|rccl|torch|roc\w+|hip\w+)-\d[\d.-]*\d|cuda-\d+")
SCOPED = ("include", "namespace", "member")


def twin(name: str) -> cuda.Twin:
    found = cuda.twin(name.encode())
    assert found, f"{name} is in no table"
    return found


def header(path: str) -> cuda.Twin:
    found = cuda.header(path.encode())
    assert found, f"{path} has no row"
    return found


def rows(file: Path) -> Iterator[dict[str, str]]:
    head, *lines = file.read_text("utf-8").split("\n")[:-1]
    for line in lines:
        yield dict(zip(head.split("\t"), line.split("\t"), strict=True))


# --- every row ---------------------------------------------------------------------------


def test_the_families_are_there() -> None:
    expected = (
        "runtime driver nvrtc device fp16 bf16 fp8 cooperative_groups cublas cublaslt cudnn cufft curand cusparse "
        "cusolver nccl cub thrust nvtx nvml cupti cutensor cufile wmma headers libcudacxx"
    ).split()
    assert set(expected) <= set(cuda.libraries())
    assert list(cuda.libraries()) == sorted(file.stem for file in FILES)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_file_is_well_formed(file: Path) -> None:
    data = file.read_bytes()
    assert data.endswith(b"\n")
    assert b"\r" not in data
    text = data.decode("utf-8")
    assert text.split("\n")[0].split("\t") == list(cuda.COLUMNS)
    keys = [(row["cuda"], row["kind"]) for row in rows(file)]
    assert keys == sorted(keys), "sorted by name"
    assert not [key for key, count in Counter(keys).items() if count > 1]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_rows_are_sound(file: Path) -> None:
    wrong = [f"{row['cuda']}: {problem}" for row in rows(file) for problem in problems(row)]
    assert not wrong


def problems(row: dict[str, str]) -> Iterator[str]:
    valid = PATH if row["kind"] == "include" else NAME
    if not valid.fullmatch(row["cuda"]):
        yield "no valid name"
    if row["kind"] not in cuda.KINDS or row["status"] not in cuda.STATUSES:
        yield "unknown kind or status"
    if not all(valid.fullmatch(part) for part in row["hip"].split(";") if row["hip"]):
        yield "hip is no valid name"
    if row["status"] == "unsupported" and row["hip"]:
        yield "unsupported, and yet a HIP name"
    if row["status"] != "unsupported" and not row["hip"] and row["kind"] != "include":
        yield "supported, and no HIP name"
    if row["status"] == "noted" and not row["note"]:
        yield "noted without a note"
    if row["roc"] and row["roc"] == row["hip"]:
        yield "roc says nothing new"
    if not VERSION.fullmatch(row["since"]) or not VERSION.fullmatch(row["removed"]):
        yield "no version"
    if row["since"] and not row["hip"]:
        yield "since when, without a twin"
    if not SOURCE.fullmatch(row["source"]):
        yield f"unknown source {row['source']}"
    if any(value != value.strip() for value in row.values()):
        yield "blanks around a value"


def test_a_name_stands_in_one_file() -> None:
    where: dict[str, list[str]] = {}
    for file in FILES:
        for row in rows(file):
            if row["kind"] not in SCOPED:
                where.setdefault(row["cuda"], []).append(file.stem)
    assert not {name: files for name, files in where.items() if len(files) > 1}


def test_includes_stand_in_their_own_file() -> None:
    kinds = {file.stem: {row["kind"] for row in rows(file)} for file in FILES}
    assert kinds["headers"] == {"include"}
    assert not [library for library, found in kinds.items() if "include" in found and library != "headers"]


def test_a_rename_is_never_renamed_again() -> None:
    """Translating twice must change nothing."""
    again = {name: new for name, new in cuda.renames().items() if new in cuda.renames()}
    assert not again


# Made by macros of the support header that paste their names together.
PASTED = re.compile(
    r"__v\w+|__reduce_\w+_sync|__\w*bfloat16\w*_r[dnuz]|__h\w+2_mask|__[df]\w+_r[duz]|atomic\w+_(block|system)"
)


def test_supplied_names_are_in_the_support_header() -> None:
    support = (Path(cuda.__file__).parents[1] / "translation/support/rewarp_hip.h").read_text("utf-8")
    words = set(NAME.findall(support))
    supplied = [row["hip"] for file in FILES for row in rows(file) if row["status"] == "supplied"]
    assert len(supplied) > 200
    assert not [hip for hip in supplied if hip not in words and not PASTED.fullmatch(hip) and hip != "rewarp_hip.h"]


# --- well-known pairs --------------------------------------------------------------------

PAIRS = """
cudaMalloc hipMalloc                                cudaMallocAsync hipMallocAsync
cudaMemcpyAsync hipMemcpyAsync                      cudaMemcpyHostToDevice hipMemcpyHostToDevice
cudaStream_t hipStream_t                            cudaEventElapsedTime hipEventElapsedTime
cudaError_t hipError_t                              cudaSuccess hipSuccess
cudaGetLastError hipGetLastError                    cudaDeviceProp hipDeviceProp_t
cudaThreadSynchronize hipDeviceSynchronize          cudaMallocHost hipHostMalloc
cudaGraphLaunch hipGraphLaunch                      cudaGraphExec_t hipGraphExec_t
cudaMemPool_t hipMemPool_t                          cudaIpcGetMemHandle hipIpcGetMemHandle
cudaTextureObject_t hipTextureObject_t              cudaCreateTextureObject hipCreateTextureObject
cudaFuncSetAttribute hipFuncSetAttribute            cudaLaunchCooperativeKernel hipLaunchCooperativeKernel
cudaDevAttrMaxBlocksPerMultiprocessor hipDeviceAttributeMaxBlocksPerMultiProcessor
CUdeviceptr hipDeviceptr_t                          cuModuleGetFunction hipModuleGetFunction
cuLaunchKernel hipModuleLaunchKernel                cuMemAlloc hipMalloc
cuMemAlloc_v2 hipMalloc                             cuCtxSynchronize hipCtxSynchronize
CUDA_SUCCESS hipSuccess                             cuInit hipInit
cuLaunchKernelEx hipDrvLaunchKernelEx               CUmodule hipModule_t
nvrtcCreateProgram hiprtcCreateProgram              nvrtcGetPTX hiprtcGetCode
cuComplex hipComplex                                cuCmulf hipCmulf
make_cuDoubleComplex make_hipDoubleComplex          CUDART_INF_F HIP_INF_F
__nv_bfloat16 __hip_bfloat16                        nv_bfloat162 __hip_bfloat162
cublasHandle_t hipblasHandle_t                      cublasSgemm hipblasSgemm
cublasSgemm_v2 hipblasSgemm                         cublasScnrm2 hipblasScnrm2
cublasGemmEx hipblasGemmEx                          CUBLAS_OP_T HIPBLAS_OP_T
CUBLAS_GEMM_DEFAULT_TENSOR_OP HIPBLAS_GEMM_DEFAULT  cublasGetStatusString hipblasStatusToString
cublasLtMatmul hipblasLtMatmul                      CUBLASLT_EPILOGUE_GELU HIPBLASLT_EPILOGUE_GELU
cufftExecC2C hipfftExecC2C                          CUFFT_FORWARD HIPFFT_FORWARD
curandGenerateUniform hiprandGenerateUniform        curand_uniform hiprand_uniform
curandStatePhilox4_32_10_t hiprandStatePhilox4_32_10_t
curandState hiprandState                            curand_init hiprand_init
cusparseSpMV hipsparseSpMV                          CUSPARSE_INDEX_32I HIPSPARSE_INDEX_32I
cusolverDnSgetrf hipsolverDnSgetrf                  cusolverDnHandle_t hipsolverHandle_t
cudnnCreate miopenCreate                            cudnnHandle_t miopenHandle_t
nvtxRangePushA roctxRangePushA                      nvtxRangeEnd roctxRangeStop
CUDA_R_16BF HIP_R_16BF                              cudaDataType_t hipDataType
__CUDACC__ __HIPCC__                                THRUST_DEVICE_SYSTEM_CUDA THRUST_DEVICE_SYSTEM_HIP
"""


@pytest.mark.parametrize(("name", "hip"), re.findall(r"(\w+) +(\w+)", PAIRS))
def test_well_known_pair(name: str, hip: str) -> None:
    assert twin(name).supported
    assert twin(name).hip == hip
    assert cuda.renames()[name.encode()] == hip.encode()


@pytest.mark.parametrize(
    "name",
    "__syncthreads __ldg atomicAdd float4 make_float2 threadIdx __global__ ncclAllReduce __half sinf tex2D".split(),
)
def test_same_name_in_hip(name: str) -> None:
    assert twin(name).supported
    assert twin(name).hip == name
    assert name.encode() not in cuda.renames()


@pytest.mark.parametrize(
    "name", "__vadd2 __vsubss4 __trap __nanosleep __dp4a __ldcs __stcs __shfl_down_sync __reduce_add_sync".split()
)
def test_supplied(name: str) -> None:
    assert (twin(name).status, twin(name).hip) == ("supplied", name)
    assert not twin(name).supported
    assert name.encode() not in cuda.renames()


@pytest.mark.parametrize(
    ("name", "hip"),
    [
        ("__nv_fp8_e4m3", "rewarp_fp8_e4m3"),
        ("__nv_cvt_float_to_fp8", "rewarp_cvt_float_to_fp8"),
        ("__NV_SATFINITE", "REWARP_SATFINITE"),
    ],
)
def test_supplied_under_another_name(name: str, hip: str) -> None:
    assert (twin(name).status, twin(name).hip) == ("supplied", hip)


@pytest.mark.parametrize(
    "name",
    "cuMulticastCreate cuTensorMapEncodeTiled cudaGraphConditionalHandleCreate cublasXtSgemm cufftXtSetJITCallback "
    "nvmlInit cuptiActivityEnable cutensorContract cuFileRead __cluster_dims__ nvtxRangePushEx cusolverMgGetrf".split(),
)
def test_no_twin(name: str) -> None:
    assert (twin(name).status, twin(name).hip) == ("unsupported", "")
    assert not twin(name).supported


@pytest.mark.parametrize(
    "name",
    "cudaMallocc cudamalloc CudaMalloc hipMalloc cuda std reduce cub cublas_v2.h main plus MAJOR_VERSION".split(),
)
def test_near_misses_are_no_tokens_of_cuda(name: str) -> None:
    assert cuda.twin(name.encode()) is None
    assert name.encode() not in cuda.names()
    assert name.encode() not in cuda.renames()


@pytest.mark.parametrize(
    "name", "CUDA_VERSION __CUDA_ARCH__ warpSize nvrtcCompileProgram cuModuleLoadData curand_init".split()
)
def test_what_means_something_else_is_noted(name: str) -> None:
    assert twin(name).status == "noted"
    assert twin(name).note


def test_versions() -> None:
    assert twin("cudaKernel_t").since.startswith("7.")
    assert twin("cudaMalloc").since == ""
    assert twin("cudaBindTexture").removed == "12.0"
    assert twin("cudaMalloc").removed == ""


# --- headers -----------------------------------------------------------------------------

HEADERS = """
cuda_runtime.h hip/hip_runtime.h              cuda.h hip/hip_runtime.h
cuda_fp16.h hip/hip_fp16.h                    cuda_bf16.h hip/hip_bf16.h
cuda_fp8.h rewarp_hip.h                       cublas_v2.h hipblas/hipblas.h
cublasLt.h hipblaslt/hipblaslt.h              cusparse.h hipsparse/hipsparse.h
cusolverDn.h hipsolver/hipsolver.h            cufft.h hipfft/hipfft.h
curand_kernel.h hiprand/hiprand_kernel.h      nccl.h rccl/rccl.h
nvToolsExt.h roctracer/roctx.h                nvtx3/nvToolsExt.h roctracer/roctx.h
cudnn.h miopen/miopen.h                       mma.h rewarp_hip.h
cooperative_groups.h hip/hip_cooperative_groups.h
cuComplex.h hip/hip_complex.h                 math_constants.h hip/hip_math_constants.h
nvrtc.h hip/hiprtc.h                          cub/cub.cuh hipcub/hipcub.hpp
cub/block/block_reduce.cuh hipcub/config.hpp;hipcub/block/block_reduce.hpp
cub/no/such.cuh hipcub/hipcub.hpp             thrust/device_vector.h thrust/device_vector.h
thrust/system/cuda/execution_policy.h thrust/system/hip/execution_policy.h
cooperative_groups/reduce.h rewarp_hip.h
"""


@pytest.mark.parametrize(("path", "hip"), re.findall(r"(\S+) (\S+)", HEADERS))
def test_well_known_header(path: str, hip: str) -> None:
    assert (header(path).cuda, header(path).hip) == (path, hip)


@pytest.mark.parametrize("path", "device_launch_parameters.h sm_61_intrinsics.h crt/host_defines.h".split())
def test_header_that_hip_needs_not(path: str) -> None:
    assert (header(path).status, header(path).hip) == ("mapped", "")


@pytest.mark.parametrize(
    "path", "cutlass/gemm/gemm.h cuda/std/atomic cuda/barrier npp.h optix.h nvml.h cupti.h cute/a.h".split()
)
def test_header_without_twin(path: str) -> None:
    assert (header(path).status, header(path).hip) == ("unsupported", "")
    assert header(path).note


@pytest.mark.parametrize("path", "helper_cuda.h vector stdio.h my/cuda.h thrust cudart.h".split())
def test_header_of_others(path: str) -> None:
    assert cuda.header(path.encode()) is None


# --- namespaces and members --------------------------------------------------------------


def test_namespaces() -> None:
    spaces = cuda.namespaces()
    assert spaces[b"cub"].hip == "hipcub"
    assert spaces[b"thrust"].hip == "thrust"
    assert spaces[b"wmma"].hip == "wmma"
    assert spaces[b"cuda"].status == "unsupported"
    assert b"BlockReduce" not in spaces


@pytest.mark.parametrize(
    ("library", "name", "hip", "status"),
    [
        ("cub", "BlockReduce", "BlockReduce", "mapped"),
        ("cub", "DeviceTransform", "", "unsupported"),
        ("cooperative_groups", "reduce", "reduce", "supplied"),
        ("cooperative_groups", "cluster_group", "", "unsupported"),
        ("thrust", "cuda", "hip", "noted"),
        ("wmma", "fragment", "fragment", "supplied"),
        ("libcudacxx", "atomic", "", "unsupported"),
    ],
)
def test_member(library: str, name: str, hip: str, status: str) -> None:
    found = cuda.member(library, name.encode())
    assert found
    assert (found.library, found.kind, found.hip, found.status) == (library, "member", hip, status)


def test_what_is_no_member() -> None:
    assert cuda.member("cub", b"cub") is None
    assert cuda.member("cub", b"CUB_VERSION") is None
    assert cuda.member("cub", b"NothingLikeIt") is None


# --- the script that compares with headers -----------------------------------------------

SCRIPT = Path(__file__).parents[2] / "scripts/check_cuda_names.py"


def compare(folder: Path, nvidia: str, amd: str = "") -> tuple[int, dict[str, dict[str, list[str]]]]:
    for path, text in {
        "cuda/cuda_runtime_api.h": nvidia,
        "rocm/hip_runtime_api.h": amd,
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    command = [sys.executable, str(SCRIPT), "--json", str(folder / "cuda"), str(folder / "rocm")]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not run.stderr
    return run.returncode, json.loads(run.stdout)["found"]


def test_script_finds_what_the_tables_lack(tmp_path: Path) -> None:
    code, found = compare(
        tmp_path,
        """
        extern __host__ cudaError_t CUDARTAPI cudaMalloc(void **devPtr, size_t size);
        extern __host__ cudaError_t CUDARTAPI cudaFrobnicate(int a); // cudaInComment(int a);
        enum cudaSparkle { cudaSparkleOn = 1, cudaSparkleOff };
        extern cudaError_t cudaMalloc_ptsz(void **devPtr, size_t size);
        """,
    )
    assert code == 1
    assert sorted(found["missing"]["runtime"]) == ["cudaFrobnicate", "cudaSparkle", "cudaSparkleOff", "cudaSparkleOn"]


def test_script_finds_twins_that_changed(tmp_path: Path) -> None:
    code, found = compare(
        tmp_path,
        "cudaError_t cudaMalloc(void **devPtr, size_t size);",
        "hipError_t hipMalloc(void** ptr, size_t size, int new_argument);\nhipError_t hipInitDevice(int device);",
    )
    assert code == 1
    assert found["arguments"] == {"runtime": ["cudaMalloc takes 2, hipMalloc takes 3"]}
    assert found["overlooked"] == {"runtime": ["cudaInitDevice: hipInitDevice is declared in hip_runtime_api.h"]}


def test_script_is_content_with_what_is_right(tmp_path: Path) -> None:
    assert compare(tmp_path, "cudaError_t cudaMalloc(void **devPtr, size_t size);") == (
        0,
        {"absent": {}, "since": {}, "arguments": {}, "missing": {}, "overlooked": {}},
    )
