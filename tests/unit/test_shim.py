"""The shim: headers that let HIP's compiler take CUDA sources as they are."""

from __future__ import annotations

from pathlib import Path

from rewarp import toolchain
from rewarp.files import write_together
from rewarp.translation.shim import make_shim
from rewarp.translation.tree import translate_tree

MAIN = """\
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include "own.cuh"
__global__ void k(half* x, unsigned* y) {
  x[0] = __float2half(2.0f);
  y[0] = __vadd2(y[1], y[2]);
#if __CUDA_ARCH__ >= 700
  y[1] = __shfl_sync(0xffffffff, y[2], 0);
#endif
}
int run(cudaStream_t stream) {
  void* p;
  cudaMalloc(&p, 16);
  k<<<1, 32, 0, stream>>>((half*)p, (unsigned*)p);
  CHECKED(cudaFree(p));
  return cudaGetLastError() != cudaSuccess;
}
"""
OWN = "#pragma once\n#define CHECKED(x) (x)\n#define cudaFreeHost myFree\n"


def shim(folder: Path, **files: str) -> tuple[dict[str, str], list[str]]:
    """The headers by name, and the messages of what they cannot do."""
    source = folder / "project"
    source.mkdir()
    for name, text in files.items():
        (source / name.replace("__", ".")).write_text(text)
    written, problems = make_shim(translate_tree(source), folder / "shim")
    headers = {str(new.file.relative_to(folder / "shim")): (new.data or b"").decode() for new in written}
    return headers, [f"{path}:{finding.line}: {problem.message}" for path, problem, finding in problems]


def test_only_the_names_in_use_after_the_headers_they_need(tmp_path: Path) -> None:
    headers, problems = shim(tmp_path, main__cu=MAIN, own__cuh=OWN)
    assert problems == []
    assert set(headers) == {"cuda_to_hip.h", "cuda_runtime.h", "cuda_fp16.h", "rewarp_hip.h"}
    text = headers["cuda_to_hip.h"]
    lines = text.splitlines()
    assert "#define cudaMalloc hipMalloc" in lines
    assert "#define cudaStream_t hipStream_t" in lines
    assert "cudaMemcpy" not in text, "names that nobody uses"
    assert text.index("#include <hip/hip_fp16.h>") < text.index("#define cudaMalloc")
    assert text.index('#include "rewarp_hip.h"') < text.index("#include <hip/hip_runtime.h>")
    assert "#define __CUDA_ARCH__ " in text
    assert '#include "cuda_to_hip.h"' in headers["cuda_fp16.h"]
    assert "#include <hip/hip_fp16.h>" in headers["cuda_fp16.h"]


def test_a_name_that_the_project_defines_is_left_alone(tmp_path: Path) -> None:
    headers, _ = shim(tmp_path, main__cu="int f() { return cudaFreeHost(0) + cudaFree(0); }\n", own__cuh=OWN)
    assert "cudaFreeHost" not in headers["cuda_to_hip.h"]
    assert "#define cudaFree hipFree" in headers["cuda_to_hip.h"]


def test_the_projects_own_header_gets_no_shadow(tmp_path: Path) -> None:
    headers, _ = shim(tmp_path, main__cu='#include "cuda_fp16.h"\ncudaStream_t s;\n', cuda_fp16__h="int own;\n")
    assert "cuda_fp16.h" not in headers


def test_names_that_the_preprocessor_puts_together(tmp_path: Path) -> None:
    headers, problems = shim(tmp_path, main__cu="#define GEMM(T) cublas##T##gemm\nauto f = GEMM(S);\n")
    assert "#define cublasSgemm hipblasSgemm" in headers["cuda_to_hip.h"]
    assert problems == []


def test_namespaces(tmp_path: Path) -> None:
    code = "#include <cub/cub.cuh>\n#include <mma.h>\nusing namespace nvcuda;\ncub::NullType n;\nwmma::layout_t l;\n"
    headers, _ = shim(tmp_path, main__cu=code)
    assert "#define cub hipcub" in headers["cuda_to_hip.h"]
    assert '#include "rewarp_hip.h"' in headers["cuda_to_hip.h"]
    assert "#define nvcuda" not in headers["cuda_to_hip.h"]
    assert '#include "../cuda_to_hip.h"' in headers["cub/cub.cuh"]
    assert "#define wmma" not in headers["cuda_to_hip.h"]


def test_what_a_header_cannot_do_is_said(tmp_path: Path) -> None:
    code = '__global__ void k(int* x) {\n  asm("mov.u32 %0, %%laneid;" : "=r"(x[0]));\n}\n'
    _, problems = shim(tmp_path, main__cu=code)
    assert problems == ["main.cu:2: needs an edit that no header can make"]


def test_one_answer_for_all_conditions_and_those_it_does_not_suit_are_named(tmp_path: Path) -> None:
    ptx = '#if __CUDA_ARCH__ >= 800\nasm("wgmma.fence.sync.aligned;");\n#else\nint old;\n#endif\n'
    new = "#if __CUDA_ARCH__ >= 800\n__global__ void a() {}\n__global__ void b() {}\n#endif\n"
    headers, problems = shim(tmp_path, ptx__cuh="__device__ void f() {\n" + ptx + "}\n", new__cu=new)
    assert "#define __CUDA_ARCH__ 899" in headers["cuda_to_hip.h"], "no kernel is lost"
    assert [problem.split(" ")[0] for problem in problems] == ["ptx.cuh:2:"]


def test_it_compiles(tmp_path: Path) -> None:
    compiler = toolchain.find()
    (tmp_path / "main.cu").write_text(MAIN)
    (tmp_path / "own.cuh").write_text(OWN)
    files, problems = make_shim(translate_tree(tmp_path), tmp_path / "shim")
    assert problems == []
    write_together(files)
    options = ["-I", str(tmp_path / "shim"), "-include", "cuda_to_hip.h"]
    done = compiler.compile_device(tmp_path / "main.cu", "gfx942", options=options)
    assert done.errors == ()
    assert done.undefined == ()
    assert len(done.kernels) == 1
    assert compiler.check(tmp_path / "main.cu", "gfx942").errors, "without the shim it does not compile"


def test_calls_that_take_other_arguments(tmp_path: Path) -> None:
    code = """\
#include <cuda_runtime.h>
__constant__ float taps[4];
template <typename T> __global__ void k(T* x) { x[0] = taps[0]; }
#define OK(x) (x)
int f(float* h) {
  float* p;
  cudaFuncSetCacheConfig(k<float>, cudaFuncCachePreferL1);
  cudaMemcpyToSymbol(taps, h, 16, 0, cudaMemcpyHostToDevice);
  return OK(cudaMallocHost((void**)&p, 16)) + cudaMemcpyToSymbol(taps, h, 16);
}
"""
    headers, problems = shim(tmp_path, main__cu=code)
    assert problems == []
    lines = headers["cuda_to_hip.h"].splitlines()
    assert "#define cudaMallocHost(a, b) hipHostMalloc(a, b, hipHostMallocDefault)" in lines
    assert "#define cudaMemcpyToSymbol(a, ...) hipMemcpyToSymbol(HIP_SYMBOL(a), __VA_ARGS__)" in lines
    assert not any(line.startswith("#define cudaMemcpyToSymbol ") for line in lines)
    written, _ = make_shim(translate_tree(tmp_path / "project"), tmp_path / "shim")
    write_together(written)
    options = ["-I", str(tmp_path / "shim"), "-include", "cuda_to_hip.h"]
    assert toolchain.find().check(tmp_path / "project" / "main.cu", "gfx942", options=options).errors == ()


def test_no_macro_where_not_every_use_is_such_a_call(tmp_path: Path) -> None:
    _, problems = shim(
        tmp_path,
        main__cu="#include <cuda_runtime.h>\nauto call = &cudaMallocHost;\nint f(void** p) { return cudaMallocHost(p, 4); }\n",
    )
    assert problems == ["main.cu:3: needs an edit that no header can make"]


def test_no_macro_for_arguments_with_bare_commas(tmp_path: Path) -> None:
    code = "#include <cuda_runtime.h>\ntemplate <int A, int B> __global__ void k() {}\n"
    code += "void f() { cudaFuncSetCacheConfig(k<1, 2>, cudaFuncCachePreferL1); }\n"
    _, problems = shim(tmp_path, main__cu=code)
    assert problems == ["main.cu:3: needs an edit that no header can make"]
