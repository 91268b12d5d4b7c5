"""What the units of C++ are is found out: shared declarations, registrations, specialisations, headers that are twins."""

from __future__ import annotations

import pytest

from rewarp.parity.cpp import analyse
from rewarp.parity.units import Analysis, Status, Unit


def _analysed(files: dict[str, str], a: str = "cuda", b: str = "rocm") -> Analysis:
    return analyse({path: text.encode() for path, text in files.items()}, a, b)


def _units(files: dict[str, str], a: str = "cuda", b: str = "rocm") -> dict[str, Unit]:
    return {f"{unit.owner}::{unit.name}": unit for unit in _analysed(files, a, b).units}


PRIMITIVES = {
    "core/primitives.h": """
        class Abs : public Primitive { public: void eval_gpu(const std::vector<array>& in, array& out) override; };
        class Add : public Primitive { public: void eval_gpu(const std::vector<array>& in, array& out) override; };
        class Inverse : public Primitive { public: void eval_gpu(const std::vector<array>& in, array& out) override; };
        class Copy : public Primitive { public: void eval_gpu(const std::vector<array>& in, array& out) override; };
        class Sort : public Primitive { public: void eval_gpu(const std::vector<array>& in, array& out) override; };
        void copy_gpu(const array& in, array& out);
        void sort_gpu(const array& in, array& out);
    """,
    "core/backend/cuda/unary.cu": """
        #define UNARY(func) void func::eval_gpu(const std::vector<array>& in, array& out) { launch(in, out, #func); }
        namespace core {
        UNARY(Abs)
        UNARY(Add)
        UNARY(Inverse)
        void copy_gpu(const array& in, array& out) { run(in, out); }
        void sort_gpu(const array& in, array& out) { run(in, out); }
        }
    """,
    "core/backend/metal/unary.cpp": """
        #define UNARY(func) void func::eval_gpu(const std::vector<array>& in, array& out) { encode(in, out); }
        #define NO_GPU(func) void func::eval_gpu(const std::vector<array>& in, array& out) \\
          { throw std::runtime_error(#func " has no GPU implementation."); }
        namespace core {
        UNARY(Abs)
        UNARY(Add)
        NO_GPU(Inverse)
        void copy_gpu(const array& in, array& out) { encode(in, out); }
        }
    """,
    "core/backend/gpu/copy.cpp": """
        namespace core {
        void Copy::eval_gpu(const std::vector<array>& in, array& out) { copy_gpu(in[0], out); }
        void Sort::eval_gpu(const std::vector<array>& in, array& out) { sort_gpu(in[0], out); }
        }
    """,
    "core/backend/none/none.cpp": """
        namespace core {
        void Abs::eval_gpu(const std::vector<array>& in, array& out) { throw 1; }
        void Copy::eval_gpu(const std::vector<array>& in, array& out) { throw 1; }
        }
    """,
}


def test_primitives_that_macros_define_for_each_back_end() -> None:
    found = {name: unit.b.status for name, unit in _units(PRIMITIVES, b="metal").items() if "eval_gpu" in name}
    assert found == {
        "Abs::eval_gpu": Status.IMPLEMENTED,
        "Add::eval_gpu": Status.IMPLEMENTED,
        "Inverse::eval_gpu": Status.ERROR,
        "Copy::eval_gpu": Status.IMPLEMENTED,
        "Sort::eval_gpu": Status.MISSING,
    }


def test_code_that_all_share_reaches_only_what_a_back_end_has() -> None:
    sort = _units(PRIMITIVES, b="metal")["Sort::eval_gpu"]
    assert "sort_gpu" in sort.b.why
    assert sort.a.status is Status.IMPLEMENTED


def test_what_builds_without_the_back_end_compile_is_not_its_own() -> None:
    assert all("none" not in place.path for unit in _units(PRIMITIVES, b="metal").values() for place in unit.b.evidence)


def _methods(rocm: str, more: str = "") -> dict[str, Unit]:
    return _units(
        {
            "src/log.h": '#define TI_ERROR(...) { LOG_LINE("e"); TI_UNREACHABLE; }\n'
            '#define TI_NOT_IMPLEMENTED TI_ERROR("Not supported.");\n'
            "#define TI_UNREACHABLE __builtin_unreachable();\n"
            "#define CHECKED(x) if (!(x)) { throw 1; }\n" + more,
            "src/device.h": "struct Device { virtual void unmap(DevicePtr p) = 0; virtual void unmap(DeviceAlloc p) = 0; };",
            "src/cuda/device.h": "struct CudaDevice : Device { void unmap(DevicePtr p) override { go(p); }"
            " void unmap(DeviceAlloc p) override { go(p); } };",
            "src/amdgpu/device.h": f"struct AmdgpuDevice : Device {{ void unmap(DevicePtr p) override {{ {rocm} }}"
            " void unmap(DeviceAlloc p) override { go(p); } };",
        }
    )


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("TI_NOT_IMPLEMENTED", Status.STUB),
        ("TI_NOT_IMPLEMENTED; return;", Status.STUB),
        ('TI_ERROR("no");', Status.ERROR),
        ("CHECKED(p) go(p);", Status.IMPLEMENTED),
        ("if (p) { TI_NOT_IMPLEMENTED } go(p);", Status.IMPLEMENTED),
    ],
)
def test_error_macros_of_the_tree_are_expanded(body: str, status: Status) -> None:
    found = _methods(body)
    assert found["Device::unmap(DevicePtr)"].b.status is status


def test_overloads_are_units_of_their_own() -> None:
    found = _methods("TI_NOT_IMPLEMENTED")
    assert found["Device::unmap(DeviceAlloc)"].b.status is Status.IMPLEMENTED
    assert len(found) == 2


def test_a_default_that_does_work_is_no_gap_and_one_that_fails_is() -> None:
    found = _units(
        {
            "src/gen.h": "struct Gen { virtual void print(int x) { emit(x); } virtual void load(int x) { throw 1; }"
            " virtual int width() { return 1; } };",
            "src/cuda/gen.h": "struct CudaGen : Gen { void print(int x) override { go(x); } void load(int x) override { go(x); }"
            " int width() override { return ask(); } };",
            "src/hip/gen.h": "struct HipGen : Gen { void other(int x) { go(x); } };",
        }
    )
    assert found["Gen::print"].b.status is Status.IMPLEMENTED
    assert found["Gen::load"].b.status is Status.ERROR
    assert found["Gen::width"].b.status is Status.DEFAULT


def test_registrations() -> None:
    found = _units(
        {
            "ops/cuda/abs.cu": "REG_KERNEL_EX(Abs, kOnnxDomain, 6, kCudaExecutionProvider, builder, Abs);\n"
            "#define TYPED(T) REG_KERNEL_EX(Add, kOnnxDomain, 7, kCudaExecutionProvider, T, Add<T>);\n"
            "TYPED(float)\nTYPED(double)\nREG_KERNEL_EX(Mul, kOnnxDomain, 1, kCudaExecutionProvider, b, Mul);\n",
            "ops/hip/abs.cpp": "REG_KERNEL_EX(Abs, kOnnxDomain, 6, kHipExecutionProvider, builder, Abs);\n"
            "REG_KERNEL_EX(Mul, kOnnxDomain, 6, kHipExecutionProvider, builder, mul);\nvoid mul(int x) { throw 1; }\n",
        }
    )
    found = {name.partition("::")[2]: unit for name, unit in found.items() if unit.kind == "registered operation"}
    assert {name: unit.b.status for name, unit in found.items()} == {
        "Abs": Status.IMPLEMENTED,
        "Add": Status.MISSING,
        "Mul": Status.ERROR,
    }


def test_registrations_that_say_whose_they_are_in_their_arguments() -> None:
    found = _units(
        {
            "phi/kernels/gpu/abs.cu": "\n".join(
                f"PD_REGISTER_KERNEL({n}, GPU, ALL, phi::K, float) {{}}" for n in "xyz"
            ),
            "phi/kernels/xpu/abs.cc": "PD_REGISTER_KERNEL(x, XPU, ALL, phi::K, float) {}",
            "phi/cuda/c.cu": "int f() { return 1; }",
            "lib/cuda/lib.cpp": 'TORCH_LIBRARY_IMPL(my, CUDA, m) { m.impl("a", &fa); m.impl("b", &fb); m.impl("c", &fc); }',
            "lib/xpu/lib.cpp": 'TORCH_LIBRARY_IMPL(my, XPU, m) { m.impl("my::a", &fa); m.impl("b", fb); }',
        },
        b="xpu",
    )
    level = {name for name, unit in found.items() if unit.b.status is Status.IMPLEMENTED}
    assert level == {"PD_REGISTER_KERNEL::x", "TORCH_LIBRARY_IMPL::my::a", "TORCH_LIBRARY_IMPL::my::b"}
    gaps = {name for name, unit in found.items() if unit.b.status is Status.MISSING}
    assert gaps == {"PD_REGISTER_KERNEL::y", "PD_REGISTER_KERNEL::z", "TORCH_LIBRARY_IMPL::my::c"}


def test_specialisations() -> None:
    body = "{ public: void execute() const { go(); } };"
    found = _units(
        {
            "core/Policy.hpp": "class RangePolicy { int begin; };\nclass TeamPolicy { int size; };",
            "core/Cuda/For.hpp": f"template <class F> class ParallelFor<F, Kokkos::RangePolicy<T...>, Kokkos::Cuda> {body}\n"
            f"template <class F> class ParallelFor<F, Kokkos::TeamPolicy<T...>, Kokkos::Cuda> {body}\n"
            f"template <class F> class Task<F, Kokkos::Cuda> {body}\ntemplate <class F> class Scan<F, CudaUVM> {body}\n",
            "core/HIP/For.hpp": f"template <class F> class ParallelFor<F, Kokkos::RangePolicy<T...>, HIP> {body}\n"
            f"template <class F> class Scan<F, HIPManaged> {body}\n",
        }
    )
    assert {name: unit.b.status for name, unit in found.items() if unit.kind == "specialisation"} == {
        "ParallelFor::<F, RangePolicy T, ·>": Status.IMPLEMENTED,
        "ParallelFor::<F, TeamPolicy T, ·>": Status.MISSING,
        "Scan::<F, uvm>": Status.UNKNOWN,
    }


def test_headers_that_are_twins() -> None:
    found = _units(
        {
            "gpu/nvidia/cudnn_sum.hpp": "struct cudnn_sum_t { int run(int x) { return go(x); } };\nint cuda_count();",
            "gpu/amd/miopen_sum.hpp": "struct miopen_sum_t { int run(int x) { throw 1; } };\n",
            "gpu/nvidia/count.cpp": "int cuda_count() { return ask(); }",
            "gpu/nvidia/cudnn_only.hpp": "struct cudnn_only_t { int run(int x) { return go(x); } };",
        }
    )
    assert {unit.name: unit.b.status for unit in found.values()} == {"sum_t": Status.ERROR, "count": Status.MISSING}


def test_coverage_tells_what_no_unit_stands_for() -> None:
    kernels = "\n".join(f"__global__ void k{n}(int *x) {{ x[0] = {n}; }}" for n in range(8))
    found = _analysed(
        {
            "src/alloc.h": "struct Allocator { virtual void *get(int n) = 0; };",
            "src/cuda/alloc.cu": "struct CudaAllocator : Allocator { void *get(int n) override { return cuda_get(n); } };\n"
            "void *cuda_get(int n) { k0<<<1, 1>>>(n); return 0; }\n" + kernels,
            "src/metal/alloc.cpp": "struct MetalAllocator : Allocator { void *get(int n) override { return make(n); } };",
        },
        b="metal",
    )
    (seen,) = [one for one in found.coverage if one.what == "kernels"]
    assert (seen.total, seen.seen) == (8, 1)
    assert "k3" in seen.unseen


ONE_SOURCE = """
#if defined(USE_CUDA)
#include <cuda_runtime.h>
#elif defined(USE_HIP)
#include <hip/hip_runtime.h>
#endif
void copy(void *to, void *from, int size) {
#if defined(USE_CUDA)
  cudaMemcpy(to, from, size, cudaMemcpyDefault);
#elif defined(USE_HIP)
  %s
#else
  memcpy(to, from, size);
#endif
}
void shared(int x) { work(x); }
void host(int x) {
#ifdef USE_HIP
  first(x);
#else
  second(x);
#endif
}
#ifdef USE_CUDA
void graph(int x) { cudaGraphLaunch(x); }
void cuda_only(int x) { cudaGraphLaunch(x); }
#endif
"""


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("hipMemcpy(to, from, size, hipMemcpyDefault);", Status.IMPLEMENTED),
        ("rocblas_copy(to, from, size);", Status.IMPLEMENTED),
        ("memcpy(to, from, size);", Status.UNKNOWN),
        ("", Status.UNKNOWN),
        ("abort();", Status.ERROR),
    ],
)
def test_functions_whose_body_the_preprocessor_chooses(body: str, status: Status) -> None:
    files = {"src/offload.cpp": (ONE_SOURCE % body).encode(), "src/main.cpp": b"void f() { copy(a, b, 3); }"}
    found = {unit.name: unit for unit in analyse(files, "cuda", "rocm").units}
    # What is the same for both, or names nothing of A's, is no choice between back ends.
    assert set(found) == {"copy", "graph"}
    assert (found["copy"].a.status, found["copy"].b.status, found["copy"].users) == (Status.IMPLEMENTED, status, 1)
    assert found["graph"].b.status is Status.UNKNOWN
    assert all(unit.scored for unit in found.values())


def test_a_source_that_tells_only_one_back_end_apart_is_no_unit() -> None:
    text = ONE_SOURCE % "hipMemcpy(to, from, size);"
    assert not analyse({"src/offload.cpp": text.replace("USE_HIP", "USE_TBB").encode()}, "cuda", "rocm").units
    assert not analyse({"src/hip/offload.cpp": text.encode()}, "cuda", "rocm").units


def test_a_source_with_arms_for_hip_that_hip_s_build_compiles_is_hip_s() -> None:
    text = """
__global__ void add(int *x) { x[0] = 1; }
#if defined(USE_HIP)
int warp() { return 64; }
#endif
bool supports_op_cuda(const Op *op) {
  switch (op->kind) { case OP_ADD: return true; case OP_MUL: return true; case OP_SUB: return true; default: return false; }
}
"""
    build = "enable_language(HIP)\nset_source_files_properties(src/cuda/ops.cu PROPERTIES LANGUAGE HIP)\n"
    files = {"src/cuda/ops.cu": text.encode(), "CMakeLists.txt": build.encode()}
    found = {unit.name: unit.b.status for unit in analyse(files, "cuda", "rocm").units if unit.kind == "operation"}
    assert found == dict.fromkeys(("ADD", "MUL", "SUB"), Status.IMPLEMENTED)


OWN_CLASSES = {
    "src/core/timer.h": """
        class CudaTimer : public Timer { public: void wait(CUstream_st* s); void stop(int n); void drop(int n); };
        class HipTimer : public Timer { public: void wait(ihipStream_t* s); void stop(int n); };
        class CublasError { public: static int code(int n); };
        class HipblasError { public: static int code(int n); };
        class CudaError { public: static int code(int n); };
        class HipError { public: static int code(int n); };
        class CudaGraph { public: void replay(int n); };
    """,
    "src/cuda/timer.cpp": """
        void CudaTimer::wait(CUstream_st* s) { cudaStreamSynchronize(s); }
        void CudaTimer::stop(int n) { cudaEventRecord(n); }
        void CudaTimer::drop(int n) { cudaEventDestroy(n); }
        int CublasError::code(int n) { return cublas_code(n); }
        int CudaError::code(int n) { return cuda_code(n); }
        void CudaGraph::replay(int n) { cudaGraphLaunch(n); }
    """,
    "src/hip/timer.cpp": """
        void HipTimer::wait(ihipStream_t* s) { hipStreamSynchronize(s); }
        void HipTimer::stop(int n) { throw Refused(); }
        int HipError::code(int n) { return hip_code(n); }
    """,
    "src/hooks/hip_hooks.cpp": 'int HipblasError::code(int n) { throw NotCompiled("hip"); }',
}


def test_methods_of_a_class_that_is_each_back_end_s_own() -> None:
    units = _units(OWN_CLASSES)
    found = {name: (unit.b.status, unit.scored) for name, unit in units.items()}
    assert found["CudaTimer::wait"] == (Status.IMPLEMENTED, True)
    assert found["CudaTimer::stop"][0] is Status.ERROR
    assert found["CudaError::code"] == (Status.IMPLEMENTED, True)
    assert not found["CublasError::code"][0].does_something  # HipError's would not do


@pytest.mark.parametrize("name", ["CudaTimer::drop", "CudaGraph::replay"])
def test_what_only_a_class_of_a_s_own_has_is_no_gap(name: str) -> None:
    unit = _units(OWN_CLASSES)[name]
    assert not unit.scored
    assert not unit.b.status.does_something


def _hooked(*files: tuple[str, str]) -> Status:
    more = {"core/executor.h": "struct Executor { virtual void free(int p) = 0; virtual void copy(int p) = 0; };"}
    more["cuda/executor.h"] = "struct CudaExecutor : Executor { void free(int p) override { cudaFree(p); } };"
    more["hip/executor.h"] = "struct HipExecutor : Executor { void free(int p) override; };"
    return _units({**more, **dict(files)})["Executor::free"].b.status


def test_one_of_several_bodies_of_a_method_is_compiled() -> None:
    real, none = "void HipExecutor::free(int p) { hipFree(p); }", "void HipExecutor::free(int p) {}"
    assert _hooked(("hip/executor.cpp", real), ("hooks/hip_hooks.cpp", none)) is Status.IMPLEMENTED
    assert _hooked(("hooks/hip_hooks.cpp", none), ("hip/none.cpp", none)) is Status.NO_OP
    again = f"namespace old {{ struct HipExecutor : Executor {{ void free(int p) override; }}; {none} }}"
    assert _hooked(("hip/executor.cpp", real), ("hip/old.cpp", again)) is not Status.IMPLEMENTED


def test_overloads_of_a_source_are_compared_with_their_own() -> None:
    def source(*lines: str) -> str:
        return "\n".join(lines)

    none, real = "void pick(List<> l, int n) { throw 1; }", "void pick(List<int> l, int n) { launch(n); }"
    found = _analysed(
        {
            "src/run.cpp": "void run() { pick(List<int>(), 1); }",
            "src/cuda/jacobi.cu": source(real, none),
            "src/hip/jacobi.hip.cpp": source(none, real),
        }
    )
    states = sorted((unit.a.status.value, unit.b.status.value) for unit in found.units)
    assert states == [("always an error", "always an error"), ("implemented", "implemented")]
    lacking = _analysed(
        {
            "src/run.cpp": "void run() { pick(List<int>(), 1); }",
            "src/cuda/jacobi.cu": source(real, none),
            "src/hip/jacobi.hip.cpp": source(none, real.replace("launch(n);", "throw 2;")),
        }
    )
    assert not any(unit.b.status.does_something for unit in lacking.units)


def test_a_class_of_a_third_back_end_is_nobody_s_unit() -> None:
    shared = (
        "void CpuTimer::wait(int n) { spin(n); } void DpcppTimer::wait(int n) {} void AnyTimer::wait(int n) { go(n); }"
    )
    declared = "".join(f" struct {one}Timer {{ void wait(int n); }};" for one in ("Cuda", "Hip", "Cpu", "Dpcpp", "Any"))
    found = _units(
        {
            "src/core/timer.h": declared,
            "src/core/timer.cpp": shared,
            "src/cuda/timer.cpp": "void CudaTimer::wait(int n) { cudaStreamSynchronize(n); }",
            "src/hip/timer.cpp": "void HipTimer::wait(int n) { hipStreamSynchronize(n); }",
        }
    )
    assert set(found) == {"CudaTimer::wait", "AnyTimer::wait"}


@pytest.mark.parametrize(
    ("guard", "defines", "status"),
    [
        ("#ifdef HAS_BF16", "#define HAS_BF16", Status.UNKNOWN),
        ("#if defined(HAS_BF16)", "#define HAS_BF16", Status.UNKNOWN),
        ("#ifndef HAS_BF16", "#define HAS_BF16", Status.MISSING),
        ("#ifdef HAS_BF16\n#else", "#define HAS_BF16", Status.MISSING),
        ("#ifdef BUILT", "#define HAS_BF16", Status.MISSING),
        ("#if 1", "#define HAS_BF16", Status.MISSING),
    ],
)
def test_what_only_a_macro_of_a_s_own_declares_is_not_asked_of_b(guard: str, defines: str, status: Status) -> None:
    found = _units(
        {
            "src/core/cast.h": f"void fill(int n);\n{guard}\nvoid cast(int n);\n#endif\n",
            "src/core/run.cpp": "void run() { cast(1); cast(2); fill(1); }",
            "src/cuda/types.h": f"{defines}\n",
            "src/cuda/cast.cpp": '#include "cast.h"\nvoid fill(int n) { go(n); }\nvoid cast(int n) { go(n); }',
            "src/hip/cast.cpp": '#include "cast.h"\nvoid fill(int n) { go(n); }',
        }
    )
    assert found["::cast"].b.status is status


@pytest.mark.parametrize(
    ("fallback", "status"),
    [
        ("inline void cast(float n) { plain(n); }", Status.UNKNOWN),
        ("inline void cast(float n, int m) { plain(n); }", Status.MISSING),
        ("struct Other { void cast(float n) { plain(n); } };", Status.MISSING),
    ],
)
def test_an_overload_that_all_share_may_do_instead(fallback: str, status: Status) -> None:
    found = _units(
        {
            "src/core/cast.h": f"void fill(int n);\nvoid cast(bf16 n);\n{fallback}\n",
            "src/core/run.cpp": "void run() { cast(a); cast(b); fill(1); }",
            "src/cuda/cast.cpp": '#include "cast.h"\nvoid fill(int n) { go(n); }\nvoid cast(bf16 n) { go(n); }',
            "src/hip/cast.cpp": '#include "cast.h"\nvoid fill(int n) { go(n); }',
        }
    )
    assert found["::cast"].b.status is status
