"""What code of strangers taught: mechanisms behind rows that were judged false, each with its near-misses."""

from __future__ import annotations

import pytest

from rewarp.parity.cpp import analyse
from rewarp.parity.kernels.sharing import shared
from rewarp.parity.python import analyse as analyse_python
from rewarp.parity.rust import analyse as analyse_rust
from rewarp.parity.units import Analysis, Status, Unit


def _analysed(files: dict[str, str], a: str = "cuda", b: str = "rocm") -> Analysis:
    return analyse({path: text.encode() for path, text in files.items()}, a, b)


def _units(files: dict[str, str], a: str = "cuda", b: str = "rocm") -> dict[str, Unit]:
    return {f"{unit.owner}::{unit.name}": unit for unit in _analysed(files, a, b).units}


DECLARED = "class Cross { public: void exec(int x); };\nclass Dot { public: void exec(int x); };"


def _rival(folder: str, more: str = "") -> Unit:
    files = {
        "dnn/src/ops.h": DECLARED,
        "dnn/src/cuda/cross.cpp": "void Cross::exec(int x) { launch(x); }\nvoid Dot::exec(int x) { launch(x); }",
        "dnn/src/hip/dot.cpp": f"{more}\nvoid Dot::exec(int x) {{ launch(x); }}",
        f"dnn/src/{folder}/cross_impl.cpp": "void Cross::exec(int x) { for (int i = 0; i < x; i++) work(i); }",
    }
    return _units(files)["Cross::exec"]


def test_what_only_another_folder_beside_the_back_ends_has_is_not_done() -> None:
    assert _rival("naive").b.status is Status.MISSING
    assert _rival("arm_common").b.status is Status.MISSING
    # Code that its folder's name says is for all may be what B takes; what B includes it does take.
    assert _rival("generic").b.status is Status.UNKNOWN
    assert _rival("naive", '#include "../naive/cross_impl.cpp"').b.status is Status.UNKNOWN


def test_a_class_of_another_back_end_is_no_unit_though_its_methods_are_called_alike() -> None:
    files = {
        "dnn/src/ops.h": DECLARED + "\nclass Neon { public: void exec(int x); };",
        "dnn/src/cuda/cross.cpp": "void Cross::exec(int x) { launch(x); }",
        "dnn/src/hip/cross.cpp": "void Cross::exec(int x) { launch(x); }",
        "dnn/src/arm/neon.cpp": "void Neon::exec(int x) { work(x); }",
        "dnn/src/common/dot.cpp": "void Dot::exec(int x) { work(x); }",
    }
    assert set(_units(files)) == {"Cross::exec", "Dot::exec"}


TWINS = {
    "include/cuda/reduce.h": """
        int init_value(int x);
        int reduce(int x);
        inline int reduce(int x) { return init_value(x) + launch(x); }
        inline int init_value(int x) { return x * launch(x); }
        int warp_size();
        inline int warp_size() { return ask(); }
        struct Arg { int run(int x) { return launch(x); } };
    """,
    "include/hip/reduce.h": '#include "../generic/reduce.h"\ninline int reduce(int x) { return launch(x); }',
    "include/generic/reduce.h": "struct Arg { int run(int x) { return launch(x); } };",
    "src/use.cpp": "int main() { return reduce(3); }",
}


def test_helpers_of_a_header_s_own_are_shown_and_not_scored() -> None:
    units = {unit.name: unit for unit in _analysed(TWINS).units}
    assert not units["init_value"].scored
    assert units["reduce"].scored
    assert units["reduce"].b.status is Status.IMPLEMENTED
    assert units["warp_size"].scored
    assert units["warp_size"].b.status is Status.MISSING


def test_what_a_twin_includes_it_has() -> None:
    assert {unit.name: unit.b.status for unit in _analysed(TWINS).units}["arg"] is Status.IMPLEMENTED
    alone = {**TWINS, "include/hip/reduce.h": "inline int reduce(int x) { return launch(x); }"}
    assert {unit.name: unit.b.status for unit in _analysed(alone).units}["arg"] is Status.MISSING


@pytest.mark.parametrize(
    ("a", "b", "status"),
    [
        ("void f(Param<T> o, int d) { g(o); }", "void f(Param o, int d) { g(o); }", Status.IMPLEMENTED),
        ("int f(size_t a) { return g(a); }", "template<typename T> T f(T a) { return g(a); }", Status.IMPLEMENTED),
        (
            "int f(float *a) { return g(a); } int f(double *a) { return g(a); }",
            "int f(float *a) { return g(a); }",
            "part",
        ),
        ("int f(A a) { return g(a); } int f(A a, B b) { return g(a); }", "int f(A a) { return g(a); }", "part"),
        ("int f(A a, B b) { return g(a); }", "int f(A a) { return g(a); }", Status.IMPLEMENTED),
        ("int f(A a, B b) { return g(a); }", "int f(A a) { throw Unsupported(); }", Status.ERROR),
    ],
)
def test_overloads_that_back_ends_write_with_types_of_their_own(a: str, b: str, status: Status | str) -> None:
    files = {"src/cuda/fff.h": a.replace(" f(", " fff("), "src/hip/fff.h": b.replace(" f(", " fff(")}
    found = _units({**files, "src/use.cpp": "int main() { fff(1); }"})["src/cuda/fff.h::fff"].b.status
    assert found is (Status.PARTIAL if status == "part" else status)


def test_no_error_is_no_error() -> None:
    files = {
        "src/backend.h": "struct Backend { virtual int run(int x) = 0; };",
        "src/cuda/a.cu": "struct CudaBackend : Backend { int run(int x) override { k<<<1, 1>>>(x); return sync(); } };",
        "src/hip/a.cpp": "struct HipBackend : Backend { int run(int x) override { encode(x); return NO_ERROR; } };",
    }
    (unit,) = _analysed(files).units
    assert unit.b.status is Status.IMPLEMENTED
    files["src/hip/a.cpp"] = files["src/hip/a.cpp"].replace("encode(x); return NO_ERROR", "return KNOWN_ERROR")
    (unit,) = _analysed(files).units
    assert unit.b.status is Status.ERROR


def _blocking(files: dict[str, str]) -> list[str]:
    shared = {"src/backend.h": "struct Backend { virtual int run(int x) = 0; };"}
    shared["src/cuda/b.cpp"] = "struct CudaBackend : Backend { int run(int x) override { return launch(x); } };"
    shared["src/hip/b.cpp"] = "struct HipBackend : Backend { int run(int x) override { return launch(x); } };"
    return [problem.what for problem in _analysed({**shared, **files}).problems if problem.blocks_score]


def test_brackets_that_includes_and_macros_open() -> None:
    assert (
        _blocking({"src/cuda/begin.inl": "namespace a {\nint f();", "src/cuda/x.cu": '#include "begin.inl"\n}'}) == []
    )
    macro = "#define KERNEL(n) struct n {"
    assert _blocking({"src/cuda/x.h": f"{macro}\nKERNEL(A)\nint f();\n}};\nKERNEL(B)\n}};"}) == []
    # More than was opened, nothing that opens, a function that never ends.
    assert _blocking({"src/cuda/x.h": f"{macro}\nKERNEL(A)\n}};\n}};\nint g();"})
    assert _blocking({"src/cuda/x.cu": '#include "other.h"\n}\nint f();'})
    # Nothing follows that could be unsure.
    assert _blocking({"src/cuda/x.h": "int f();\n#ifdef __cplusplus\n}\n#endif"}) == []
    assert _blocking({"src/cuda/x.cu": "int f() {"})


GPU_CMAKE = """
if(API STREQUAL "CUDA")
  file(GLOB SRC ${LIB}/gpu/*.cu)
  list(REMOVE_ITEM SRC ${LIB}/gpu/both.cu)
  file(GLOB MORE ${LIB}/gpu/mini/*.cu)
elseif(API STREQUAL "HIP")
  enable_language(HIP)
  file(GLOB SRC ${LIB}/gpu/*.cu)
  list(REMOVE_ITEM SRC ${LIB}/gpu/both.cu)
  list(REMOVE_ITEM SRC ${LIB}/gpu/only_cuda.cu)
endif()
"""


def test_a_build_that_compares_a_setting_with_names_of_back_ends() -> None:
    files = {"CMakeLists.txt": GPU_CMAKE.encode()}
    files |= {f"lib/gpu/{name}.cu": b"__global__ void k() {}" for name in ("a", "both", "only_cuda", "mini/sort")}
    assert sorted(shared(files, "rocm").files) == ["lib/gpu/a.cu", "lib/gpu/both.cu"]


def test_the_guard_of_a_header_that_names_a_back_end() -> None:
    kernel = (
        "#ifndef CORE_{0}_LAUNCH_HPP\n#define CORE_{0}_LAUNCH_HPP\n__global__ void {1}_launch(int x) {{}}\n#endif\n"
    )
    files = {"core/Cuda/launch.hpp": kernel.format("CUDA", "cuda"), "core/HIP/launch.hpp": kernel.format("HIP", "hip")}
    (unit,) = [unit for unit in _analysed(files).units if unit.kind == "kernel"]
    assert unit.b.status is Status.IMPLEMENTED


TRAITS = "".join(f"pub trait Op{n} {{ fn run(&self); }}\n" for n in range(11))


def _rust(constant: str, lacking: int = 0) -> Analysis:
    of_a = "".join(f"impl Op{n} for Cuda {{ fn run(&self) {{ go() }} }}\n" for n in range(11))
    of_b = "".join(f"impl Op{n} for Webgpu {{ fn run(&self) {{ go() }} }}\n" for n in range(lacking, 11))
    unary = "pub trait Unary<K> { fn forward(&self, k: K); }\npub trait Shader { const SOURCE: &'static [u8]; }\n"
    generic = "impl<K: Shader> Unary<K> for {} {{ fn forward(&self, k: K) {{ self.start(K::SOURCE) }} }}\n"
    start = "impl {} {{ fn start(&self, s: &[u8]) {{ go() }} }}\n"
    files = {
        "Cargo.toml": '[package]\nname = "x"\n',
        "src/lib.rs": f"mod cuda;\nmod webgpu;\npub fn go() {{}}\n{TRAITS}{unary}",
        "src/cuda.rs": "use crate::*;\npub struct Cuda;\n" + of_a + start.format("Cuda") + generic.format("Cuda"),
        "src/webgpu.rs": f"use crate::*;\npub struct Webgpu;\nconst WGSL: &[u8] = {constant};\n"
        + of_b
        + start.format("Webgpu")
        + generic.format("Webgpu"),
    }
    return analyse_rust({path: text.encode() for path, text in files.items()}, "cuda", "webgpu")


def test_a_shader_that_is_still_to_be_written() -> None:
    def forward(constant: str) -> Status:
        return next(unit for unit in _rust(constant).units if unit.name == "forward").b.status

    assert forward('b"TODO"') is Status.PARTIAL
    assert forward('include_bytes!("abs.spv")') is Status.IMPLEMENTED
    assert forward('b"// TODO: faster"') is Status.IMPLEMENTED


def test_among_many_traits_one_that_is_lacking_is_a_gap_and_no_obstacle() -> None:
    few = _rust('b""', lacking=1)
    assert [problem for problem in few.problems if problem.blocks_score] == []
    assert next(unit for unit in few.units if unit.owner == "Op0").b.status is Status.MISSING
    most = _rust('b""', lacking=9)
    assert len([problem for problem in most.problems if problem.blocks_score]) == 9


def test_a_script_that_lies_apart_and_does_not_parse() -> None:
    platform = "class Platform:\n    def run(self): raise NotImplementedError\n"
    files = {
        "p/base.py": platform,
        "p/cuda/x.py": "from p.base import Platform\nclass CudaPlatform(Platform):\n    def run(self): return go()\n",
        "p/rocm/x.py": "from p.base import Platform\nclass RocmPlatform(Platform):\n    def run(self): return go()\n",
    }

    def blocks(path: str) -> bool:
        data = {name: text.encode() for name, text in {**files, path: "print 'hello'\n"}.items()}
        return any(problem.blocks_score for problem in analyse_python(data, "cuda", "rocm").problems)

    assert blocks("p/cuda/y.py")
    assert not blocks("kernels/cuda/generate.py")


def test_functions_of_a_prelude_that_the_other_back_end_has_none_of() -> None:
    files = {
        "core/api.h": "float f32_abs(float x);\nclass Device { public: void init(int x); };",
        "core/cuda/prelude.h": '#include "../api.h"\nfloat f32_abs(float x) { return fabsf(x); }',
        "core/cuda/device.cpp": "void Device::init(int x) { launch(x); }",
        "core/vulkan/device.cpp": "void Device::init(int x) { launch(x); }",
    }
    assert set(_units(files, b="vulkan")) == {"Device::init"}
    files["core/vulkan/more.cpp"] = "void other(int x) { launch(x); }"
    files["core/api.h"] += "\nvoid other(int x);"
    files["core/run.cpp"] = "void run() { f32_abs(1); }"
    files["core/cuda/more.cpp"] = files["core/vulkan/more.cpp"]
    assert _units(files, b="vulkan")["::f32_abs"].b.status is Status.MISSING


def test_a_tool_in_rust_does_not_ask_for_the_kernels_of_cpp() -> None:
    files = {
        "src/cuda/fill.cu": b"__global__ void fill_affine(int x) {}",
        "src/hip/fill.hip": b"__global__ void fill_affine(int x) {}",
        "tools/prof/src/main.rs": b"fn main() {}",
    }
    assert [unit.kind for unit in analyse(files, "cuda", "rocm").units] == ["kernel"]
    assert analyse_rust(files, "cuda", "rocm").units == []
    files["tools/prof/src/main.rs"] = b'fn main() { start("fill_affine") }'
    assert analyse(files, "cuda", "rocm").units == []
    assert [unit.kind for unit in analyse_rust(files, "cuda", "rocm").units] == ["kernel"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ('return make_status(IREE_STATUS_UNAVAILABLE, "no");', Status.STUB),
        ("/* TODO not easily done */ return {};", Status.STUB),
        ("return nullptr; // TODO: later\n", Status.STUB),
        # An answer, and a note about something else.
        ("return {};", Status.IMPLEMENTED),
        ("return 128; // TODO: ask the device\n", Status.IMPLEMENTED),
        ("/* TODO faster */ launch(x); return {};", Status.IMPLEMENTED),
        ('if (!x) return make_status(IREE_STATUS_UNAVAILABLE, "no"); return launch(x);', Status.IMPLEMENTED),
    ],
)
def test_answers_that_stand_for_nothing(body: str, status: Status) -> None:
    files = {
        "src/backend.h": "struct Backend { virtual int run(int x) = 0; };",
        "src/cuda/a.cu": "struct CudaBackend : Backend { int run(int x) override { k<<<1, 1>>>(x); return sync(); } };",
        "src/hip/a.cpp": f"struct HipBackend : Backend {{ int run(int x) override {{ {body} }} }};",
    }
    (unit,) = _analysed(files).units
    assert unit.b.status in ((Status.STUB, Status.ERROR) if status is Status.STUB else (status,))


def test_classes_that_differ_by_a_suffix_and_parameters_with_attributes() -> None:
    files = {
        "core/api.h": """
            class EncoderImpl { public: void copy(int x); void fill(int x); };
            bool verify(int a, [[maybe_unused]] int b);
        """,
        "core/cuda/e.cpp": """
            void EncoderImpl::copy(int x) { launch(x); }
            void EncoderImpl::fill(int x) { launch(x); }
            bool verify(int a, int b) { return ask(a); }
        """,
        "core/hip/e.cpp": """
            class Encoder { public: void copy(int x); };
            void Encoder::copy(int x) { launch(x); }
            bool verify([[maybe_unused]] int a, int b) { return ask(a); }
        """,
    }
    units = _units(files)
    assert units["::verify"].b.status is Status.IMPLEMENTED
    files["core/hip/e.cpp"] += "void EncoderImpl::fill(int x) { launch(x); }"
    units = _units(files)
    assert units["EncoderImpl::copy"].b.status is Status.UNKNOWN
    assert units["EncoderImpl::fill"].b.status is Status.IMPLEMENTED


def test_an_error_for_one_back_end_is_no_gap() -> None:
    text = b"pub enum DeviceError { CudaFailed, NoOpencl }\npub enum Device { Cpu, Cuda, Vulkan }\n"
    units = analyse_rust({"Cargo.toml": b'[package]\nname = "x"\n', "src/lib.rs": text}, "cuda", "webgpu").units
    assert {unit.owner: unit.scored for unit in units if unit.kind == "enum variant"} == {
        "DeviceError": False,
        "Device": True,
    }


def test_what_no_shared_code_calls_may_be_a_helper_of_one_back_end() -> None:
    files = {
        "core/api.h": "void launch_all(int x);\nvoid warm_up(int x);\nvoid stop(int x);",
        "core/run.cpp": '#include "api.h"\nvoid run() { launch_all(1); stop(1); }',
        "core/cuda/a.cpp": '#include "../api.h"\nvoid launch_all(int x) { go(x); }\nvoid warm_up(int x) { go(x); }\nvoid stop(int x) { go(x); }',
        "core/hip/a.cpp": '#include "../api.h"\nvoid launch_all(int x) { go(x); }',
    }
    found = _units(files)
    assert found["::stop"].b.status is Status.MISSING
    assert found["::warm_up"].b.status is Status.UNKNOWN


def test_a_header_of_another_back_end_asks_for_nothing() -> None:
    files = {
        "gfx/api.h": "class Queue { public: void submit(int x); };",
        "gfx/run.cpp": "void run(Queue q) { q.submit(1); q.bind(2); }",
        "gfx/d3d12/table.h": "class Table { public: void bind(int x); };",
        "gfx/cuda/a.cpp": '#include "../api.h"\n#include "table-cuda.h"\nvoid Queue::submit(int x) { go(x); }\nvoid Table::bind(int x) { go(x); }',
        "gfx/hip/a.cpp": '#include "../api.h"\nvoid Queue::submit(int x) { go(x); }',
    }
    found = _units(files)
    assert found["Queue::submit"].b.status is Status.IMPLEMENTED
    assert found["Table::bind"].b.status is Status.UNKNOWN


def test_specialisations_for_a_type_that_only_one_vendor_has() -> None:
    body = "{ public: void execute() const { go(); } };"
    files = {
        "core/cuda/for.hpp": f"template <> class Ger<View<float, Kokkos::Cuda>> {body}\n"
        f"template <> class Ger<View<float, CudaUVMSpace>> {body}\ntemplate <> class Ger<View<float, CUBLAS_TYPE>> {body}\n",
        "core/hip/for.hpp": f"template <> class Ger<View<float, Kokkos::HIP>> {body}\n",
    }
    found = [unit for unit in _units(files).values() if unit.kind == "specialisation"]
    assert {(unit.b.status, unit.scored) for unit in found} == {
        (Status.IMPLEMENTED, True),
        (Status.UNKNOWN, False),
    }


def test_a_kernel_in_a_header_of_nobody_may_be_compiled_by_both_when_they_run() -> None:
    files = {
        "jit/interp.h": "__global__ void interp(float *x) { *x = 1; }",
        "src/cuda/a.cu": "__global__ void a(float *x) { *x = 1; }\n__global__ void only(float *x) { *x = 1; }",
        "src/hip/a.hip": "__global__ void a(float *x) { *x = 1; }",
    }
    statuses = {unit.name: unit.b.status for unit in _units(files).values() if unit.kind == "kernel"}
    assert statuses == {"a": Status.IMPLEMENTED, "interp": Status.UNKNOWN, "only": Status.MISSING}


def test_a_body_that_only_answers_an_error_or_success_does_nothing() -> None:
    own = "int copy(int x) { return MPL_ERR_GPU_INTERNAL; }\nint close(int x) { return MPL_SUCCESS; }\nint run(int x) { go(x); return MPL_SUCCESS; }"
    files = {
        "core/api.h": "int copy(int x);\nint close(int x);\nint run(int x);",
        "core/main.c": "int main() { copy(1); close(1); run(1); }",
        "core/cuda/gpu_cuda.c": f'#include "../api.h"\n{own}',
        "core/hip/gpu_hip.c": f'#include "../api.h"\n{own}',
    }
    statuses = {unit.name: unit.a.status for unit in _units(files).values()}
    assert statuses == {"copy": Status.ERROR, "close": Status.NO_OP, "run": Status.IMPLEMENTED}


ENGINE = """
class Engine {
public:
    virtual void add(int x) = 0;
    virtual void fft(int x) = 0;
};
"""


def test_a_kernel_that_b_does_by_other_means_is_told_with_whoever_launches_it() -> None:
    kernel = "__global__ void {}(int x) {{ out[x] = x; }}\n"
    own = """#include "engine.h"
class {}Engine : public Engine {{
public:
    void add(int x) override {{ add_many<<<1, 1>>>(x); }}
    void fft(int x) override {{ {}; }}
}};
"""
    files = {
        "src/engine.h": ENGINE,
        "src/cuda/engine.cu": kernel.format("add_many") + own.format("Cuda", "fft_forward<<<1, 1>>>(x)"),
        "src/cuda/fft.cu": kernel.format("fft_forward"),
        "src/cuda/old.cu": kernel.format("fft_of_old"),
        "src/hip/engine.hip": kernel.format("add_many") + own.format("Hip", "rocfft_execute(x)"),
    }
    kernels = {unit.name: unit for unit in _analysed(files).units if unit.kind == "kernel"}
    assert {name: (unit.b.status, unit.scored) for name, unit in kernels.items()} == {
        "add_many": (Status.IMPLEMENTED, True),
        "fft_forward": (Status.UNKNOWN, False),
        "fft_of_old": (Status.UNKNOWN, True),
    }


@pytest.mark.parametrize(
    ("ours", "theirs", "found"),
    [
        ("CuMemAlloc", "HipMemAlloc", True),
        ("cuMemAlloc", "hipMemAlloc", True),
        ("CudaMemAlloc", "HipMemAlloc", True),
        ("CumulAlloc", "HipMulAlloc", False),
    ],
)
def test_the_short_prefix_of_cuda(ours: str, theirs: str, found: bool) -> None:
    files = {
        "general/cuda.hpp": f"void {ours}(int x);\n",
        "general/cuda.cpp": f'#include "cuda.hpp"\nvoid {ours}(int x) {{ launch(x); }}\n',
        "general/hip.hpp": f"void {theirs}(int x);\n",
        "general/hip.cpp": f'#include "hip.hpp"\nvoid {theirs}(int x) {{ launch(x); }}\n',
        "general/mem.cpp": f"void get(int x) {{ {ours}(x); }}\n",
    }
    (unit,) = _analysed(files).units
    assert (unit.b.status is Status.IMPLEMENTED) is found
