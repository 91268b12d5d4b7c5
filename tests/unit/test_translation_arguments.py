"""Calls whose arguments differ between CUDA and HIP."""

from __future__ import annotations

import pytest

from rewarp.source import SourceFile
from rewarp.tables import rows
from rewarp.translation.arguments import ACTIONS
from rewarp.translation.changes import Translation
from rewarp.translation.names import looks_cuda
from rewarp.translation.translator import translate


def translated(code: str) -> Translation:
    return translate(SourceFile("file.cpp", code.encode()))


@pytest.mark.parametrize(
    ("cuda", "hip"),
    [
        ("cudaMemcpyToSymbol(coef, h, n)", "hipMemcpyToSymbol(HIP_SYMBOL(coef), h, n)"),
        ("cudaMemcpyToSymbol( coef, h, n )", "hipMemcpyToSymbol( HIP_SYMBOL(coef), h, n )"),
        ("cudaMemcpyFromSymbol(h, coef, n)", "hipMemcpyFromSymbol(h, HIP_SYMBOL(coef), n)"),
        ("cudaFuncSetCacheConfig(f, c)", "hipFuncSetCacheConfig(reinterpret_cast<const void*>(f), c)"),
        ("cudaFuncGetAttributes(&a, &f)", "hipFuncGetAttributes(&a, reinterpret_cast<const void*>(&f))"),
        ("cudaFuncGetAttributes(&a, (const void*)f)", "hipFuncGetAttributes(&a, (const void*)f)"),
        (
            "cudaGraphAddMemcpyNodeToSymbol(&n, g, d, 1, s, p, 4, 0, k)",
            "hipGraphAddMemcpyNodeToSymbol(&n, g, d, 1, HIP_SYMBOL(s), p, 4, 0, k)",
        ),
        (
            "cudaGraphAddMemcpyNodeFromSymbol(&n, g, d, 1, p, s, 4, 0, k)",
            "hipGraphAddMemcpyNodeFromSymbol(&n, g, d, 1, p, HIP_SYMBOL(s), 4, 0, k)",
        ),
    ],
)
def test_arguments_are_wrapped(cuda: str, hip: str) -> None:
    assert translated(cuda).text == hip


@pytest.mark.parametrize(
    ("cuda", "hip"),
    [
        ("cudaMallocHost(&p, n)", "hipHostMalloc(&p, n, hipHostMallocDefault)"),
        ("cudaMallocHost(&p, n, flags)", "hipHostMalloc(&p, n, flags)"),
        ("cuMemcpy(d, s, n)", "hipMemcpy(d, s, n, hipMemcpyDefault)"),
        ("cuMemcpyAsync(d, s, n, stream)", "hipMemcpyAsync(d, s, n, hipMemcpyDefault, stream)"),
        ("cuGetProcAddress(name, &f, v, 0)", "hipGetProcAddress(name, &f, v, 0, nullptr)"),
        (
            "cudaLaunchCooperativeKernel((void*)k, g, b, args)",
            "hipLaunchCooperativeKernel((void*)k, g, b, args, 0, nullptr)",
        ),
        (
            "cudaGetDriverEntryPoint(name, &f, 0)",
            "hipGetProcAddress(name, &f, HIP_VERSION_MAJOR * 100 + HIP_VERSION_MINOR, 0, nullptr)",
        ),
        (
            "cusparseSpSM_solve(h, a, b, &x, A, B, C, t, g, d)",
            "hipsparseSpSM_solve(h, a, b, &x, A, B, C, t, g, d, nullptr)",
        ),
        ("cudaMalloc3DArray(&a, &d, e)", "hipMalloc3DArray(&a, &d, e, hipArrayDefault)"),
        ("cudaMalloc3DArray(&a, &d, e, flags)", "hipMalloc3DArray(&a, &d, e, flags)"),
    ],
)
def test_arguments_that_only_hip_has_are_added(cuda: str, hip: str) -> None:
    assert translated(cuda).text == hip


@pytest.mark.parametrize(
    ("cuda", "hip"),
    [
        ("cudaEventCreate(&e)", "hipEventCreate(&e)"),
        ("cudaEventCreate(&e, flags)", "hipEventCreateWithFlags(&e, flags)"),
        ("cudaGraphInstantiate(&e, g)", "hipGraphInstantiateWithFlags(&e, g, 0)"),
        ("cudaGraphInstantiate(&e, g, 0)", "hipGraphInstantiateWithFlags(&e, g, 0)"),
        ("cudaGraphInstantiate(&e, g, &n, log, 9)", "hipGraphInstantiate(&e, g, &n, log, 9)"),
        ("cudaMemPrefetchAsync(p, n, 0, s)", "hipMemPrefetchAsync(p, n, 0, s)"),
        ("cudaMemPrefetchAsync(p, n, place, 0, s)", "hipMemPrefetchAsync(p, n, place, 0, s)"),
        ("cudaStreamGetCaptureInfo(s, &t, &id)", "hipStreamGetCaptureInfo(s, &t, &id)"),
        ("cudaStreamGetCaptureInfo(s, &t, &id, &g, &d, 0, &n)", "hipStreamGetCaptureInfo_v2(s, &t, &id, &g, &d, &n)"),
    ],
)
def test_the_number_of_arguments_can_decide_the_name(cuda: str, hip: str) -> None:
    assert translated(cuda).text == hip


@pytest.mark.parametrize(
    ("cuda", "hip"),
    [
        ("cuCtxCreate(&c, 0, d)", "hipCtxCreate(&c, 0, d)"),
        ("cuCtxCreate(&c, NULL, 0, d)", "hipCtxCreate(&c, 0, d)"),
        ("cuCtxCreate_v3(&c, p, 1, 0, d)", "hipCtxCreate(&c, 0, d)"),
        ("cuCtxSynchronize_v2(c)", "hipCtxSynchronize()"),
        ("cudaGraphAddDependencies(g, a, b, e, n)", "hipGraphAddDependencies(g, a, b, n)"),
        ("cudaGraphAddDependencies(g, a, b, n)", "hipGraphAddDependencies(g, a, b, n)"),
    ],
)
def test_arguments_that_hip_lacks_are_left_out(cuda: str, hip: str) -> None:
    assert translated(cuda).text == hip


@pytest.mark.parametrize(("argument", "notes"), [("nullptr", 0), ("NULL", 0), ("edges", 1)])
def test_leaving_an_argument_out_is_reported_unless_it_was_null(argument: str, notes: int) -> None:
    findings = translated(f"cudaGraphRemoveDependencies_v2(g, a, b, {argument}, n)").findings
    assert [finding.message for finding in findings].count(
        "cudaGraphRemoveDependencies_v2: the edge data was left out; HIP has none"
    ) == notes


@pytest.mark.parametrize(
    ("cuda", "hip"),
    [
        (
            "cudnnSoftmaxForward(h, CUDNN_SOFTMAX_FAST, m, &a, xd, x, &b, yd, y)",
            "miopenSoftmaxForward_V2(h, &a, xd, x, &b, yd, y, MIOPEN_SOFTMAX_FAST, m)",
        ),
        (
            "cudnnConvolutionBackwardData(h, &a, wd, w, dyd, dy, cd, algo, ws, n, &b, dxd, dx)",
            "miopenConvolutionBackwardData(h, &a, dyd, dy, wd, w, cd, algo, &b, dxd, dx, ws, n)",
        ),
        (
            "cudnnGetConvolutionForwardWorkspaceSize(h, xd, wd, cd, yd, algo, &n)",
            "miopenConvolutionForwardGetWorkSpaceSize(h, wd, xd, cd, yd, &n)",
        ),
        ("cuGraphKernelNodeCopyAttributes(to, from)", "hipGraphKernelNodeCopyAttributes(from, to)"),
    ],
)
def test_arguments_move_and_their_names_are_translated(cuda: str, hip: str) -> None:
    assert translated(cuda).text == hip


def test_commas_in_template_arguments_do_not_split_arguments() -> None:
    assert translated("cudaFuncSetAttribute(kernel<float, 4>, cudaFuncAttributeMax, n < 4 ? a : b)").text.startswith(
        "hipFuncSetAttribute(reinterpret_cast<const void*>(kernel<float, 4>), "
    )


def test_comparisons_are_no_template_arguments() -> None:
    assert translated("cudaEventCreate(a < b, c > d)").text == "hipEventCreateWithFlags(a < b, c > d)"


def test_calls_in_macros_are_changed() -> None:
    code = "#define UP(x) \\\n  cudaMemcpyToSymbol( \\\n    x, h, n)\n"
    assert translated(code).text == "#define UP(x) \\\n  hipMemcpyToSymbol( \\\n    HIP_SYMBOL(x), h, n)\n"


@pytest.mark.parametrize(
    ("cuda", "hip"),
    [
        ("cudaError_t cudaMemcpyToSymbol(const void* s);", "hipError_t hipMemcpyToSymbol(const void* s);"),
        ("auto f = cudaMemcpyToSymbol;", "auto f = hipMemcpyToSymbol;"),
        ("cudaMemcpyToSymbol(coef, h", "hipMemcpyToSymbol(coef, h"),
    ],
)
def test_what_is_no_call_keeps_its_arguments(cuda: str, hip: str) -> None:
    assert translated(cuda).text == hip


def test_members_of_other_things_keep_their_arguments() -> None:
    assert "HIP_SYMBOL" not in translated("api->cudaMemcpyToSymbol(coef, h, n);").text


def test_a_call_inside_an_argument_that_goes_is_no_conflict() -> None:
    code = "cuOccupancyMaxPotentialBlockSize(&g, &b, f, [](int n) { cudaMemcpyToSymbol(c, h, n); return n; }, s, l)"
    assert translated(code).text == "hipModuleOccupancyMaxPotentialBlockSize(&g, &b, f, s, l)"


def test_a_call_inside_a_wrapped_argument_is_changed_too() -> None:
    assert translated("cudaFuncGetAttributes(&a, pick(cudaEventCreate(&e, 1)))").text == (
        "hipFuncGetAttributes(&a, reinterpret_cast<const void*>(pick(hipEventCreateWithFlags(&e, 1))))"
    )


def test_the_result_is_not_changed_again() -> None:
    once = translated("cudaMemcpyToSymbol(c, h, n); cudaMallocHost(&p, n); cudaFuncGetAttributes(&a, f);").text
    assert translated(once).text == once


def test_every_row_can_be_carried_out() -> None:
    table = rows("arguments.csv")
    assert [row["function"] for row in table] == sorted(row["function"] for row in table)
    for row in table:
        assert row["action"] in ACTIONS, row
        assert looks_cuda(row["function"].encode()), row
        assert bool(row["argument"]) == (row["action"] not in ("name", "note")), row
        assert bool(row["text"]) == (
            row["action"] in ("cast", "const_cast", "insert", "replace", "value", "move", "name")
        ), row
        assert row["action"] != "move" or row["text"].isdigit(), row
        assert row["action"] != "note" or row["note"], row


@pytest.mark.parametrize(
    ("compute", "hip"),
    [
        ("CUDA_R_32F", "HIPBLAS_COMPUTE_32F"),
        ("CUDA_R_32I", "HIPBLAS_COMPUTE_32I"),
        ("CUBLAS_COMPUTE_32F", "HIPBLAS_COMPUTE_32F"),
        ("compute", "compute"),
    ],
)
def test_a_data_type_given_as_compute_type_becomes_one(compute: str, hip: str) -> None:
    call = "{}GemmEx(h, a, b, m, n, k, &x, A, {}, i, B, {}, j, &y, C, {}, l, {}, algo)"
    cuda = call.format("cublas", *["CUDA_R_32F"] * 3, compute)
    assert translated(cuda).text == call.format("hipblas", *["HIP_R_32F"] * 3, hip)
