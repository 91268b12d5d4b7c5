"""Names: macros that only look declared, include guards, and names that the support header brings."""

from __future__ import annotations

import pytest

from rewarp.source import SourceFile
from rewarp.translation.translator import translate


def translated(code: str) -> str:
    return translate(SourceFile("x.h", code.encode())).text


SUPPORT = '#include "rewarp_hip.h"\n'


@pytest.mark.parametrize(
    "code",
    [
        "void CUDART_CB done(void* data);\n",
        "__global__ void k(__grid_constant__ const int n);\n",
        "bool f(int error) { return error == cudaErrorMisalignedAddress; }\n",
    ],
)
def test_what_hip_lacks_brings_the_support_header(code: str) -> None:
    assert translated(code) == SUPPORT + code


@pytest.mark.parametrize(
    "code",
    [
        "#define CUDART_CB\nvoid CUDART_CB done(void* data);\n",
        "unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }\nunsigned f() { return umin(1, 2); }\n",
    ],
)
def test_what_the_project_has_itself_does_not(code: str) -> None:
    assert translated(code) == code


@pytest.mark.parametrize(
    ("guard", "new"),
    [
        ("__CUDA_RUNTIME_H__", "HIP_INCLUDE_HIP_HIP_RUNTIME_H"),
        ("__DRIVER_TYPES_H__", "HIP_INCLUDE_HIP_DRIVER_TYPES_H"),
        ("CUBLAS_API_H_", "HIPBLAS_H"),
        ("_CUFFT_H_", "HIPFFT_H_"),
    ],
)
def test_a_question_whether_a_header_was_included_goes_on_to_its_twin(guard: str, new: str) -> None:
    assert translated(f"#ifdef {guard}\nint x;\n#endif\n") == f"#ifdef {new}\nint x;\n#endif\n"


def test_a_namespace_that_is_an_alias_of_hips_already_stays() -> None:
    code = "namespace cub = hipcub;\nusing Sum = cub::Sum;\n"
    assert translated(code) == "namespace cub = hipcub;\nusing Sum = hipcub::Sum;\n"
    assert translated("namespace c = cub;\n") == "namespace c = hipcub;\n"


def test_a_keyword_before_what_is_a_typedef_in_hip_goes() -> None:
    assert translated("struct cudaGraphicsResource *a, *b;\n") == "hipGraphicsResource *a, *b;\n"
    assert translated("f((enum cudaExternalMemoryHandleType)1);\n") == "f((hipExternalMemoryHandleType)1);\n"


def test_a_keyword_before_a_tag_of_hip_stays() -> None:
    assert translated("struct cudaExtent size;\n") == "struct hipExtent size;\n"
    assert translated("enum cudaMemcpyKind kind;\n") == "enum hipMemcpyKind kind;\n"


@pytest.mark.parametrize(
    ("code", "hip"),
    [
        ("cudaHostGetDevicePointer(&typed, host, 0);\n", "hipHostGetDevicePointer(&typed, host, 0);\n"),
        (
            "cudaMemLocation here;\ncudaMemPrefetchAsync(p, n, here, 0, s);\n",
            "hipMemLocation here;\nhipMemPrefetchAsync(p, n, here, 0, s);\n",
        ),
    ],
)
def test_a_form_of_a_call_that_hip_lacks_brings_the_support_header(code: str, hip: str) -> None:
    assert translated(code) == SUPPORT + hip


def test_the_form_that_hip_has_does_not() -> None:
    code = "cudaHostGetDevicePointer((void**)&typed, host, 0);\ncudaMemPrefetchAsync(p, n, 0, s);\n"
    assert translated(code) == code.replace("cuda", "hip")


def problems(code: str) -> list[str]:
    return [problem.symbol for problem in translate(SourceFile("x.cu", code.encode())).problems]


@pytest.mark.parametrize(
    "code",
    [
        "void f() { cudaArray *cuPixels; use(cuPixels); }\n",
        "void f(Buffer &cudaBuffer,\n       Vertex      *cudaVertices) { use(cudaBuffer, cudaVertices); }\n",
        "void f() { Handle first, cudaSecond; use(cudaSecond); }\n",
        "GLuint texture; void f() { bind(texture); mesh.texture = 1; }\n",
    ],
)
def test_variables_that_look_like_names_of_nvidias_are_not_reported(code: str) -> None:
    assert not problems(code)


@pytest.mark.parametrize(
    "code",
    [
        "int f() { return *cuUnheardOf; }\n",
        "int f(int a) { return a * cuUnheardOf(a); }\n",
        "void f() { use(1, cuUnheardOf); }\n",
        "void f() { a = b, cuUnheardOf(c); }\n",
    ],
)
def test_what_is_not_declared_is_reported(code: str) -> None:
    assert problems(code) == ["cuUnheardOf"]


def test_a_library_without_a_twin_is_named_as_such() -> None:
    found = translate(SourceFile("x.cpp", b"void f() { nppiFree(p); }\n"))
    assert (found.counts.unsupported, found.counts.unknown) == (1, 0)
    assert "RPP" in found.findings[0].fix


def test_code_that_torch_keeps_from_rocm_raises_no_alarm() -> None:
    code = "#ifndef USE_ROCM\n#include <cutlass/cutlass.h>\ncudaStream_t a; cuMulticastCreate(a);\n#else\n{}\n#endif\n"
    assert translated(code.format("cudaStream_t s;")) == code.replace("cudaS", "hipS").format("hipStream_t s;")
    assert not problems(code.format("cudaStream_t s;"))
    assert problems(code.replace("USE_ROCM", "USE_OTHER").format(""))


def test_what_a_namespace_holds_and_its_twin_lacks_is_reported() -> None:
    code = "namespace cg = cooperative_groups;\n__global__ void k() {{ {} }}\n"
    assert problems(code.format("cg::block_tile_memory<8> memory;")) == ["block_tile_memory"]
    assert problems(code.format("auto block = cg::this_thread_block();")) == []
    assert problems(code.format("auto x = other::block_tile_memory();")) == []


def test_what_libcudacxx_has_comes_from_the_support_header_or_is_reported() -> None:
    assert translated("int f(int n) { return ::cuda::ceil_div(n, 4); }\n").endswith("::rewarp::ceil_div(n, 4); }\n")
    assert problems("void f(int* p) { cuda::atomic_ref<int> a(*p); }\n") == ["cuda"]
    assert problems("void f() { project::cuda::atomic_ref(); }\n") == []


def test_a_name_that_the_project_gives_a_type_of_hips_keeps_meaning_it() -> None:
    code = "typedef __hip_fp8_e4m3_fnuz __nv_fp8_e4m3;\nusing Small = __nv_fp8_e4m3;\n"
    assert translated(code) == code
    code = "typedef hip_bfloat16 nv_bfloat16;\nnv_bfloat16 x;\n"
    assert translated(code) == code
    same = "namespace own {{ typedef __hip_bfloat16 {0}; }}\nown::{0} x;\n"
    assert translated(same.format("nv_bfloat16")) == same.format("__hip_bfloat16")
    assert translated("typedef cudaError_t Error;\n") == "typedef hipError_t Error;\n"


def test_the_smaller_of_a_number_and_a_dimension_brings_the_support_header() -> None:
    code = "__device__ int f(int n) {{ return {}; }}\n"
    assert translated(code.format("min(n - 1, blockDim.x)")) == SUPPORT + code.format("min(n - 1, blockDim.x)")
    for other in ("std::min(n, int(blockDim.x))", "min(n, 3) + blockDim.x * 2", "own.min(n, blockDim.x)"):
        assert translated(code.format(other)) in (
            code.format(other),
            "#include <hip/hip_runtime.h>\n" + code.format(other),
        )
