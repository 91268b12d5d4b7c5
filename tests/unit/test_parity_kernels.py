"""Kernels that exist: counted after preprocessing, by back end, and unknown where nothing can be seen."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewarp.lang.cpp import macros
from rewarp.parity.cpp.comparing.kernels import inventories, kernel_units
from rewarp.parity.kernels import How, Inventory, inventory, is_wanted
from rewarp.parity.units import Status


def of(backend: str, **files: str) -> Inventory:
    """The inventory of files whose names are written with `__` for `/` and a final `_ext` for `.ext`."""
    return inventory(
        {path.replace("__", "/")[::-1].replace("_", ".", 1)[::-1]: text.encode() for path, text in files.items()},
        backend,
    )


def cuda(text: str) -> Inventory:
    return inventory({"kernels/a.cu": text.encode()}, "cuda")


def names(found: Inventory) -> set[str]:
    return set(found.kernels)


# --- macros -----------------------------------------------------------------------------


def test_a_macro_that_defines_kernels_counts_each_use() -> None:
    found = cuda(
        """
        #define BINARY_OP_OUT(TYPENAME, OUT, FN_NAME, FUNC) \\
        extern "C" __global__ void FN_NAME(const size_t n, const TYPENAME *x, OUT *out) { \\
            if (n) { out[0] = FUNC; } \\
        }
        #define BINARY_OP(TYPENAME, FN_NAME, FUNC) BINARY_OP_OUT(TYPENAME, TYPENAME, FN_NAME, FUNC)
        BINARY_OP(float, badd_f32, x + y)
        BINARY_OP(double, badd_f64, x + y);
        BINARY_OP_OUT(float, uint8_t, eq_f32, x == y)
        """
    )
    assert names(found) == {"badd_f32", "badd_f64", "eq_f32"}
    assert found.kernels["badd_f32"].line == 7
    assert found.kernels["badd_f32"].how is How.MACRO
    assert all(kernel.is_symbol for kernel in found.kernels.values())


def test_a_macro_that_nobody_uses_defines_nothing() -> None:
    assert names(cuda('#define OP(F) extern "C" __global__ void F() {}\n')) == set()


def test_pasted_and_nested_names() -> None:
    found = cuda(
        """
        #define CAT_(a, b) a##_##b
        #define CAT(a, b) CAT_(a, b)
        #define T f16
        #define K(op) extern "C" __global__ void CAT(op, T)() {}
        #define ALL(M) M(uexp) M(ulog)
        ALL(K)
        #undef T
        #define T bf16
        K(uexp)
        #define EMPTY
        extern "C" __global__ void CAT_(EMPTY, x)() {}
        """
    )
    # The operands of ## are not expanded first, so the last one is `EMPTY_x`.
    assert names(found) == {"uexp_f16", "ulog_f16", "uexp_bf16", "EMPTY_x"}


def test_variadic_macros_and_strings() -> None:
    found = inventory(
        {
            "k.metal": b"""
            #define HOST(name, fn, ...) template [[host_name(name)]] [[kernel]] void fn<__VA_ARGS__>(device int* x);
            #define BOTH(op, tname, t) HOST("op_" #op "_" #tname, run, t, op) HOST(#op "_" #tname "_strided", run_strided, t)
            template <typename T, typename O> [[kernel]] void run(device int* x) { x[0] = 1; }
            template <typename T> [[kernel]] void run_strided(device int* x) {}
            BOTH(exp, f32, float)
            kernel void plain(device int* x [[buffer(0)]]) { int kernel = 3; }
            void helper(int kernel) {}
            """
        },
        "metal",
    )
    assert names(found) == {"op_exp_f32", "exp_f32_strided", "plain"}
    assert not found.problems


def test_optional_arguments() -> None:
    found = cuda(
        """
        #define K(name, ...) extern "C" __global__ void name(int a __VA_OPT__(,) __VA_ARGS__) {}
        #define L(name, args...) extern "C" __global__ void name(int a, ##args) {}
        K(one) K(two, int b) L(three) L(four, int c)
        """
    )
    assert names(found) == {"one", "two", "three", "four"}


def test_a_macro_that_calls_itself_ends() -> None:
    found = cuda('#define f(x) f(x)\n#define A B\n#define B A\nextern "C" __global__ void A(int f) {}\n')
    assert names(found) == {"A"}


def test_a_macro_that_explodes_is_said_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(macros, "_LARGEST", 20_000)
    lines = ['#define X0(n) extern "C" __global__ void k##n() {}']
    lines += [f"#define X{i}(n) X{i - 1}(n##0) X{i - 1}(n##1) X{i - 1}(n##2) X{i - 1}(n##3)" for i in range(1, 14)]
    found = cuda("\n".join([*lines, "X13(a)"]))
    assert any("too large" in problem.what for problem in found.problems)
    assert found.is_unknown("any_name"), "what was not expanded may define it"


# --- definitions ------------------------------------------------------------------------


def test_a_declaration_is_no_definition() -> None:
    assert names(cuda('extern "C" __global__ void declared(int a);\nextern "C" __global__ void there(int a) {}')) == {
        "there"
    }


def test_attributes_linkage_and_scopes() -> None:
    found = cuda(
        """
        extern "C" {
        __global__ void __launch_bounds__(256, 2) bounded(int *x) { x[0] = 1; }
        __global__ __attribute__((amdgpu_flat_work_group_size(1, 64))) void attributed() {}
        }
        namespace ns { namespace { __global__ void mangled() {} } }
        static __global__ void after(int (*f)(int)) {}
        struct S { void operator()() const {} };
        __attribute__((global)) extern "C" void spelled_out() {}
        """
    )
    assert names(found) == {"bounded", "attributed", "mangled", "after", "spelled_out"}
    assert {name for name, kernel in found.kernels.items() if kernel.is_symbol} == {
        "bounded",
        "attributed",
        "spelled_out",
    }
    assert found.has("mangled")
    assert not found.has_symbol("mangled")


def test_templates_and_their_instances() -> None:
    found = cuda(
        """
        template <typename T, int N = (4 > 2)> __global__ void scale(T *x) {}
        template __global__ void scale<float, 4>(float *x);
        template <> __global__ void scale<double, 2>(double *x) {}
        """
    )
    assert names(found) == {"scale", "scale<float, 4>", "scale<double, 2>"}
    assert found.kernels["scale"].how is How.TEMPLATE
    assert found.kernels["scale<float, 4>"].arguments == "float, 4"
    assert not found.has_symbol("scale")
    assert found.matching("scale*") == []


def test_comments_strings_and_bodies_hold_no_kernels() -> None:
    found = cuda(
        """
        // __global__ void in_comment() {}
        /* extern "C" __global__ void in_block() {} */
        const char *text = "__global__ void in_text() {}";
        void host() { launch("__global__ void inner() {}"); }
        extern "C" __global__ void real() { const char c = '{'; }
        extern "C" __global__ void second() {}
        """
    )
    assert {"real", "second"} <= names(found)
    assert not names(found) & {"in_comment", "in_block"}


def test_a_name_that_a_missing_macro_builds_is_unknown_not_missing() -> None:
    found = cuda('#include "not_here.h"\nextern "C" __global__ void KERNEL_NAME(softmax)(float *x) {}\nMAKE_OP(uexp)\n')
    assert names(found) == set()
    assert found.is_unknown("softmax_f32")
    assert found.is_unknown("uexp_f32")
    assert not found.is_unknown("badd_f32")
    assert {problem.line for problem in found.problems} == {2, 3}


def test_macros_of_other_libraries_are_no_riddle() -> None:
    found = cuda('#include "dmlc/registry.h"\n#include <tvm/ffi.h>\nDMLC_REGISTRY_FILE_TAG(metric_gpu);\n')
    assert not found.problems
    assert not found.is_unknown("metric_gpu")


# --- conditions -------------------------------------------------------------------------

_ARCH = """
#if __CUDA_ARCH__ >= 800
extern "C" __global__ void bf16() {}
#elif __CUDA_ARCH__ >= 530
extern "C" __global__ void f16() {}
#else
extern "C" __global__ void old() {}
#endif
extern "C" __global__ void always() {}
"""


def test_what_the_architecture_decides_exists_with_its_condition() -> None:
    found = cuda(_ARCH)
    assert {name: kernel.condition for name, kernel in found.kernels.items()} == {
        "always": "",
        "bf16": "__CUDA_ARCH__ >= 800",
        "f16": "!(__CUDA_ARCH__ >= 800) && __CUDA_ARCH__ >= 530",
        "old": "!(__CUDA_ARCH__ >= 800) && !(__CUDA_ARCH__ >= 530)",
    }


def test_hip_has_no_cuda_architecture_unless_the_build_sets_one() -> None:
    build = b"project(x LANGUAGES HIP)\nadd_library(k ../cuda/a.cu)\n"
    files = {"cuda/a.cu": _ARCH.encode(), "hip/CMakeLists.txt": build}
    assert names(inventory(files, "rocm")) == {"old", "always"}
    files["hip/CMakeLists.txt"] = build + b"add_compile_definitions(__CUDA_ARCH__=890)\n"
    found = inventory(files, "rocm")
    assert names(found) == {"bf16", "always"}
    assert found.kernels["bf16"].condition == ""


def test_a_header_that_blanks_global_unless_hip_compiles_it() -> None:
    header = "#ifndef __HIPCC__\n#define __global__\n#endif\n"
    text = f'{header}extern "C" __global__ void k() {{}}\n'
    assert names(inventory({"rocm/k.hip": text.encode()}, "rocm")) == {"k"}
    assert names(inventory({"cuda/k.cu": text.encode()}, "cuda")) == set()


def test_platform_branches_are_decided() -> None:
    text = """
    #if defined(USE_ROCM) || defined(__HIP_PLATFORM_AMD__)
    extern "C" __global__ void amd() {}
    #else
    extern "C" __global__ void nvidia() {}
    #endif
    """
    assert names(cuda(text)) == {"nvidia"}
    assert names(inventory({"hip/a.hip": text.encode()}, "rocm")) == {"amd"}


def test_a_macro_defined_in_two_ways_is_tried_in_both() -> None:
    found = cuda(
        """
        #ifdef FAST
        #define NAME(x) fast_##x
        #else
        #define NAME(x) slow_##x
        #endif
        extern "C" __global__ void NAME(exp)() {}
        extern "C" __global__ void next() {}
        """
    )
    assert names(found) == {"fast_exp", "slow_exp", "next"}


def test_a_signature_split_by_a_condition_is_one_kernel() -> None:
    found = cuda(
        """
        extern "C" __global__ void
        #if defined(BOUNDS)
        __launch_bounds__(128)
        #else
        __launch_bounds__(64)
        #endif
        split(int *x) {
        #ifdef A
            if (x) {
        #else
            {
        #endif
            x[0] = 1; }
        }
        extern "C" __global__ void next() {}
        """
    )
    assert names(found) == {"split", "next"}


# --- files ------------------------------------------------------------------------------


def test_includes_inside_the_tree_and_guards() -> None:
    files = {
        "src/ops.cuh": b'#ifndef OPS\n#define OPS\n#include "deep/types.cuh"\n#define K(n) K2(n, TYPE)\n#define K2(n, t) K3(n, t)\n#define K3(n, t) extern "C" __global__ void n##_##t() {}\n#endif\n',
        "src/deep/types.cuh": b"#pragma once\n#define TYPE f32\n",
        "src/list.def": b"K(one)\nK(two)\n",
        "src/a.cu": b'#include "ops.cuh"\n#include "ops.cuh"\n#include "list.def"\n#undef TYPE\n#define TYPE f64\n#include "list.def"\n',
    }
    found = inventory(files, "cuda")
    assert names(found) == {"one_f32", "two_f32", "one_f64", "two_f64"}
    assert found.kernels["one_f32"].path == "src/list.def"


def test_files_that_include_each_other_end() -> None:
    files = {"a.cu": b'#include "b.cuh"\nextern "C" __global__ void k() {}', "b.cuh": b'#include "a.cu"\n'}
    assert names(inventory(files, "cuda")) == {"k"}


def test_a_header_with_kernels_that_nothing_includes_counts() -> None:
    assert names(of("cuda", lone_cuh='extern "C" __global__ void k() {}')) == {"k"}


def test_kernels_of_tests_are_not_the_back_ends() -> None:
    files = {"hip_shim/shim_test.hip": b"__global__ void t() {}", "tests/rocm/a.hip": b"__global__ void u() {}"}
    assert names(inventory(files, "rocm")) == set()


def test_back_ends_do_not_see_each_others_files() -> None:
    files = {
        "cuda/a.cu": b"__global__ void c() {}",
        "rocm/a.hip": b"__global__ void r() {}",
        "hip/b.cu": b"__global__ void h() {}",
    }
    assert names(inventory(files, "cuda")) == {"c"}
    assert names(inventory(files, "rocm")) == {"r", "h"}
    assert inventory(files, "rocm").shared_with is None


# --- sharing ----------------------------------------------------------------------------


def test_a_build_that_compiles_the_shared_sources_has_their_kernels() -> None:
    files = {
        "ggml/ggml-cuda/a.cu": b"__global__ void a() {}",
        "ggml/ggml-cuda/sub/b.cu": b"__global__ void b() {}",
        "ggml/ggml-hip/CMakeLists.txt": b'find_package(hip)\n# file(GLOB S "../ggml-cuda/sub/*.cu")\nfile(GLOB S "../ggml-cuda/*.cu")\n',
    }
    found = inventory(files, "rocm")
    assert names(found) == {"a"}
    assert found.shared_with == "cuda"
    assert [(place.path, place.line) for place in found.shared_by] == [("ggml/ggml-hip/CMakeLists.txt", 3)]


def test_a_crate_that_embeds_shared_sources_shares_just_those() -> None:
    files = {
        "kernels/src/affine.cu": b'extern "C" __global__ void affine_f32() {}',
        "kernels/src/moe.cu": b'extern "C" __global__ void moe_f32() {}',
        "rocm-kernels/src/lib.rs": b'// "moe.cu" is not built\nmdl!(AFFINE, "affine.cu");\nbail!("moe.cu does not compile here");\nlet f = format!("{name}.cu");\n',
    }
    found = inventory(files, "rocm")
    assert names(found) == {"affine_f32"}
    assert found.shared_with == "cuda"


def test_a_build_script_that_names_no_source_is_said() -> None:
    files = {
        "kernels/src/a.cu": _ARCH.encode(),
        "kernels/build.rs": b'fn main() { if cfg!(feature = "rocm") { build_rocm_kernels(); } }',
    }
    found = inventory(files, "rocm")
    # Nobody here can see which architecture the tool outside the tree sets.
    assert found.kernels["bf16"].condition
    assert [problem.path for problem in found.problems] == ["kernels/build.rs"]
    assert names(inventory({"kernels/src/a.cu": _ARCH.encode(), "kernels/build.rs": b"fn main() {}"}, "rocm")) == set()


_CRATE = {
    "kernels/src/a.cu": b"#include <cuda_fp16.h>\n" + _ARCH.encode(),
    "kernels/src/moe.cu": b"__global__ void moe() {}",
    "kernels/build.rs": b'fn main() { #[cfg(feature = "rocm")] { build_rocm::build(); } nvcc(&["src/a.cu", "src/moe.cu"]); }',
    "kernels/build_rocm.rs": b'const MODULES: &[&str] = &["src/a.cu"];\nfn c() { hipcc(["-include", "aliases.h"]); }',
    "kernels/hip/aliases.h": b"#define __CUDA_ARCH__ 899\n",
    "kernels/hip/cuda_fp16.h": b"#include_next <cuda_fp16.h>\n",
}
"""A crate whose kernels are compiled for both, as a port leaves it."""


def test_a_crate_s_own_build_for_a_back_end_says_what_it_compiles() -> None:
    assert names(inventory(_CRATE, "rocm")) == {"bf16", "always"}
    assert names(inventory(_CRATE, "cuda")) == {"bf16", "f16", "old", "always", "moe"}
    without = {path: data for path, data in _CRATE.items() if path != "kernels/build_rocm.rs"}
    assert "moe" in names(inventory(without, "rocm"))


def test_a_header_that_is_read_first_says_which_architecture_it_is() -> None:
    assert inventory(_CRATE, "rocm").kernels["bf16"].condition == ""
    other = _CRATE | {"kernels/hip/aliases.h": b"#define __CUDA_ARCH__ 500\n"}
    assert names(inventory(other, "rocm")) == {"old", "always"}


def test_headers_in_place_of_the_toolkit_s_are_not_the_toolkit_s() -> None:
    found = inventory(_CRATE, "cuda")
    assert (found.opaque, found.problems) == (frozenset(), ())


def test_sources_that_cmake_keeps_from_hip_are_not_shared() -> None:
    build = b"""
    enable_language(HIP)
    set(SRC "csrc/both.cu")
    if(GPU_LANG STREQUAL "CUDA")
      list(APPEND SRC "csrc/only_cuda.cu")
    elseif(GPU_LANG STREQUAL "HIP")
      list(APPEND SRC "csrc/only_hip.cu")
    endif()
    """
    files = {f"csrc/{name}.cu": f"__global__ void {name}() {{}}".encode() for name in ("both", "only_cuda", "only_hip")}
    assert names(inventory({**files, "CMakeLists.txt": build}, "rocm")) == {"both", "only_hip"}


@pytest.mark.parametrize(
    ("cmake", "is_shared"),
    [
        ("if(CMAKE_HIP_COMPILER)\n  set_source_files_properties(a.cu PROPERTIES LANGUAGE HIP)\nendif()\n", True),
        ("set(SRC a.cu)\nset_source_files_properties(${SRC} PROPERTIES LANGUAGE HIP)\n", True),
        ("add_library(x a.cu)\nset_source_files_properties(a.cu PROPERTIES LANGUAGE CUDA)\n", False),
        ("add_library(x a.cu)\n", False),
    ],
)
def test_a_folder_s_build_that_says_that_its_sources_are_hip(cmake: str, is_shared: bool) -> None:
    files = {"src/CMakeLists.txt": cmake.encode(), "src/a.cu": b"__global__ void k(int *x) {}"}
    assert bool(names(inventory(files, "rocm"))) is is_shared


def test_torch_extensions_are_shared() -> None:
    setup = b'from torch.utils.cpp_extension import CUDAExtension\nCUDAExtension("x", ["csrc/a.cpp", "csrc/a.cu"])\n'
    setup += b"flags = [] if torch.version.hip else ['-O3']\n"
    files = {"csrc/a.cu": b"__global__ void a() {}", "csrc/b.cu": b"__global__ void b() {}", "setup.py": setup}
    assert names(inventory(files, "rocm")) == {"a"}


def test_extensions_that_python_files_list_are_shared_below_their_builder() -> None:
    files = {
        "csrc/adam.cu": b"__global__ void adam() {}",
        "csrc/other.cu": b"__global__ void other() {}",
        "op_builder/builder.py": b"from torch.utils.cpp_extension import CUDAExtension\ndef is_rocm(): ...\n",
        "op_builder/adam.py": b"def sources():\n    return ['csrc/adam.cu']\n",
        "scripts/notes.py": b"X = ['csrc/other.cu']\n",
    }
    assert names(inventory(files, "rocm")) == {"adam"}


def test_metal_compiles_no_cuda() -> None:
    build = b'fn main() { if cuda() { b.kernel("src/a.cu"); } else { metal(); } }'
    files = {"src/a.cu": b"__global__ void a() {}", "build.rs": build}
    assert inventory(files, "metal").shared_with is None


def test_a_build_script_shares_what_its_rocm_part_names() -> None:
    build = b"""
    fn build_cuda() { nvcc("src/a.cu"); }
    #[cfg(feature = "rocm")]
    fn other() { hipcc("src/b.cu"); }
    """
    files = {"src/a.cu": b"__global__ void a() {}", "src/b.cu": b"__global__ void b() {}", "build.rs": build}
    assert names(inventory(files, "rocm")) == {"b"}


def test_a_folder_of_both_is_each_ones() -> None:
    files = {"common/cuda_hip/k.hpp": b"__global__ void both() {}", "hip/x.hip.cpp": b"__global__ void one() {}"}
    assert names(inventory(files, "cuda")) == {"both"}
    assert names(inventory(files, "rocm")) == {"both", "one"}


def test_a_hip_file_that_includes_the_cuda_source() -> None:
    files = {"cuda/a.cu": b"__global__ void a() {}", "hip/a.hip": b'#include "../cuda/a.cu"\n'}
    found = inventory(files, "rocm")
    assert names(found) == {"a"}
    assert found.shared_with == "cuda"


# --- other languages --------------------------------------------------------------------


def test_code_in_strings() -> None:
    rust = b'const SRC: &str = r#"\nextern "C" __global__ void one(int *x) {}\n"#;\n// "__global__ void no() {}"\n'
    found = inventory({"src/rocm_backend/kernels.rs": rust}, "rocm")
    assert {(k.name, k.line, k.how) for k in found.kernels.values()} == {("one", 2, How.STRING)}
    assert names(inventory({"src/rocm_backend/kernels.rs": rust}, "cuda")) == set()
    python = b'k = cp.RawKernel(r"""\nextern "C" __global__ void two() {}\n""", "two")\n'
    assert names(inventory({"ops.py": python}, "cuda")) == {"two"}


def test_a_name_that_a_format_string_builds_is_unknown() -> None:
    rust = b'let s = format!("extern \\"C\\" __global__ void {name}_f32(int *x) {{ }}");\n'
    found = inventory({"src/cuda/gen.rs": rust}, "cuda")
    assert names(found) == set()
    assert found.problems
    assert found.is_unknown("anything_f32")


def test_webgpu_vulkan_opencl_and_ptx() -> None:
    wgsl = b"// @compute fn no() {}\n@compute @workgroup_size(64, 1, 1)\nfn add_f32() {}\nfn helper() {}\n"
    assert names(inventory({"a.wgsl": wgsl}, "webgpu")) == {"add_f32"}
    assert names(inventory({"shaders/mul_mm.comp": b"#version 450\nvoid main() {}\n"}, "vulkan")) == {"mul_mm"}
    opencl = b"#define K(n) __kernel void n(__global float *x) {}\nK(a)\nkernel void b(global float *x) {}\nvoid c(int kernel) {}\n"
    assert names(inventory({"k.cl": opencl}, "opencl")) == {"a", "b"}
    found = inventory({"k.ptx": b".version 8\n.visible .entry uexp_f32(\n.func helper\n"}, "cuda")
    assert {(k.name, k.line, k.how) for k in found.kernels.values()} == {("uexp_f32", 2, How.BINARY)}


def test_compiled_kernels_leave_every_name_unknown() -> None:
    found = inventory({"rocm/k.hsaco": b"\x7fELF"}, "rocm")
    assert found.is_unknown("anything")
    assert found.problems
    assert not inventory({"rocm/k.hsaco": b"\x7fELF"}, "cuda").problems


def test_sycl_kernels_have_no_names() -> None:
    assert inventory({"sycl/a.cpp": b"q.parallel_for(r, [=](auto i) {});"}, "xpu").is_unknown("anything")


# --- asking -----------------------------------------------------------------------------


def test_patterns_of_host_code() -> None:
    found = cuda(
        "".join(f'extern "C" __global__ void {name}() {{}}\n' for name in ("badd_f32", "badd_f64", "bsub_f32", "badd"))
    )
    assert [kernel.name for kernel in found.matching("badd_{}")] == ["badd_f32", "badd_f64"]
    assert [kernel.name for kernel in found.matching("{root}_{dtype}")] == ["badd_f32", "badd_f64", "bsub_f32"]
    assert [kernel.name for kernel in found.matching("b*_f32")] == ["badd_f32", "bsub_f32"]
    assert found.matching("badd.f32") == []


@pytest.mark.parametrize("path", ["a/b.cu", "k.metal", "build.rs", "CMakeLists.txt", "x.hsaco", "m.mk", "Makefile"])
def test_wanted(path: str) -> None:
    assert is_wanted(path)


@pytest.mark.parametrize("path", ["README.md", "a.json", "Cargo.toml"])
def test_not_wanted(path: str) -> None:
    assert not is_wanted(path)


# --- anything ---------------------------------------------------------------------------

_PIECES = [
    *("#define K(a) ", "#if X\n", "#else\n", "#endif\n", '#include "a.cu"\n', "##", "#", "K(", ")", "(", "{", "}", ";"),
    *(
        'extern "C" ',
        "__global__ ",
        "void f",
        "template <",
        ">",
        "\\\n",
        "\n",
        '"',
        "'",
        "/*",
        "*/",
        "//",
        "[[",
        'R"(',
        "__VA_ARGS__",
    ),
]


@given(st.lists(st.sampled_from(_PIECES), max_size=40))
def test_no_text_breaks_it(pieces: list[str]) -> None:
    text = "".join(pieces).encode()
    for backend, path in (("cuda", "a.cu"), ("metal", "a.metal"), ("opencl", "a.cl")):
        inventory({path: text}, backend)


@given(st.binary(max_size=200))
def test_no_bytes_break_it(data: bytes) -> None:
    for path in ("a.cu", "setup.py", "CMakeLists.txt", "rocm/lib.rs", "a.wgsl"):
        inventory({path: data, "k.cu": b"__global__ void k() {}"}, "rocm")


@given(
    st.lists(st.sampled_from(["exp", "log", "sin"]), unique=True),
    st.lists(st.sampled_from(["f32", "f16", "u8"]), unique=True),
    st.randoms(),
)
def test_a_table_of_operations_and_types_gives_their_product(
    ops: list[str], types: list[str], order: random.Random
) -> None:
    uses = [f"OP({op}, {dtype})" for op, dtype in itertools.product(ops, types)]
    order.shuffle(uses)
    definition = '#define OP(op, dtype) extern "C" __global__ void u##op##_##dtype(int n) { if (n) { n--; } }\n'
    assert names(cuda(definition + "\n".join(uses))) == {
        f"u{op}_{dtype}" for op, dtype in itertools.product(ops, types)
    }


def _cpp_kernels(files: dict[str, str], b: str = "rocm") -> dict[str, Status]:
    units, _ = kernel_units(*inventories({path: text.encode() for path, text in files.items()}, "cuda", b))
    return {unit.name: unit.b.status for unit in units}


K = "__global__ void {}(int *x) {{}}\n"


def test_a_source_of_nobody_that_asks_for_both() -> None:
    both = f"#if defined(P_CUDA) || defined(P_HIP)\n{K.format('both')}#endif\n"
    one = f"#if defined(P_CUDA)\n{K.format('one')}#endif\n#if defined(P_HIP)\n{K.format('two')}#endif\n"
    found = _cpp_kernels({"src/a.cpp": both, "src/b.cpp": one})
    assert found["both"] is Status.IMPLEMENTED
    assert found["one"] is Status.MISSING


def test_kernels_of_examples_are_not_the_back_end_s() -> None:
    files = {"src/cuda/a.cu": K.format("a"), "src/hip/a.hip": K.format("a"), "examples/b.cu": K.format("b")}
    assert _cpp_kernels(files) == {"a": Status.IMPLEMENTED}


def test_a_kernel_behind_a_macro_of_the_project_may_be_anybody_s() -> None:
    files = {
        "src/cuda/a.cu": K.format("a") + K.format("solve") + K.format("gone"),
        "src/hip/a.hip": K.format("a"),
        "src/common/solve.cc": "KERNEL void solve(GLOBAL int* x) { }\n// KERNEL_CALL gone(x)\n",
    }
    assert _cpp_kernels(files) == {"a": Status.IMPLEMENTED, "solve": Status.UNKNOWN, "gone": Status.MISSING}


def test_in_another_language_a_kernel_may_go_by_another_name() -> None:
    files = {"src/cuda/a.cu": K.format("a") + K.format("b"), "src/opencl/a.cl": "__kernel void a(global int *x) {}\n"}
    assert _cpp_kernels(files, "opencl") == {"a": Status.IMPLEMENTED, "b": Status.UNKNOWN}


SHARED = """enable_language(HIP)
set(SOURCES src/cuda/a.cu src/cuda/b.cu)
{}
set_source_files_properties(${{SOURCES}} PROPERTIES LANGUAGE HIP)
"""


@pytest.mark.parametrize(
    ("lines", "b"),
    [
        ("", Status.IMPLEMENTED),
        ("if(WITH_HIP)\nlist(REMOVE_ITEM SOURCES src/cuda/b.cu)\nendif()", Status.MISSING),
        ("list(REMOVE_ITEM SOURCES src/cuda/b.cu)", Status.MISSING),
        ("if(WITH_HIP)\nlist(REMOVE_ITEM SOURCES src/cuda/b.cu)\nadd_one(src/cuda/b.cu)\nendif()", Status.IMPLEMENTED),
        ("if(WITH_CUDA)\nlist(REMOVE_ITEM SOURCES src/cuda/b.cu)\nendif()", Status.IMPLEMENTED),
        ("if(NOT WITH_EXTRAS)\nlist(REMOVE_ITEM SOURCES src/cuda/b.cu)\nendif()", Status.IMPLEMENTED),
        ("list(APPEND SOURCES src/cuda/b.cu)", Status.IMPLEMENTED),
    ],
)
def test_sources_that_the_build_takes_off_its_list(lines: str, b: Status) -> None:
    files = {"src/cuda/a.cu": K.format("a"), "src/cuda/b.cu": K.format("b"), "CMakeLists.txt": SHARED.format(lines)}
    assert _cpp_kernels(files) == {"a": Status.IMPLEMENTED, "b": b}


def test_globs_with_sets_of_characters() -> None:
    files = {
        "lib/gpu/a.cu": K.format("a"),
        "lib/gpu/.b.cu": K.format("b"),
        "cmake/gpu.cmake": "find_package(hip)\nfile(GLOB CU CONFIGURE_DEPENDS ${LIB}/gpu/[^.]*.cu)\n",
    }
    assert _cpp_kernels(files) == {"a": Status.IMPLEMENTED, "b": Status.MISSING}


def test_a_condition_that_names_the_back_end_leaves_it_open() -> None:
    one = f"#if defined(P_CUDA) || defined(P_HIP)\n{K.format('one')}#endif\n{K.format('two')}{K.format('three')}"
    files = {"src/cuda/a.cu": one, "src/hip/a.hip": K.format("three")}
    assert _cpp_kernels(files) == {"one": Status.UNKNOWN, "two": Status.MISSING, "three": Status.IMPLEMENTED}


def test_beside_shared_sources_a_back_end_may_have_kernels_of_its_own() -> None:
    files = {
        "src/cuda/a.cu": K.format("a"),
        "core/Cuda/launch.hpp": K.format("cuda_launch") + K.format("cuda_only"),
        "core/HIP/launch.hpp": K.format("hip_launch"),
        "CMakeLists.txt": "enable_language(HIP)\nset_source_files_properties(src/cuda/a.cu PROPERTIES LANGUAGE HIP)\n",
    }
    assert _cpp_kernels(files) == {
        "a": Status.IMPLEMENTED,
        "cuda_launch": Status.IMPLEMENTED,
        "cuda_only": Status.MISSING,
    }


@pytest.mark.parametrize(
    ("lines", "b"),
    [
        ("import torch.utils.cpp_extension as jit\njit.load(name='x', sources=['k.cu'])", Status.IMPLEMENTED),
        ("from torch.utils.cpp_extension import CUDA_HOME, load\nload(name='x', sources=['k.cu'])", Status.IMPLEMENTED),
        ("import torch.utils.cpp_extension as jit\nprint(jit.CUDA_HOME, ['k.cu'])", Status.UNKNOWN),
        ("import json\njson.load(['k.cu'])", Status.UNKNOWN),
    ],
)
def test_extensions_that_torch_builds_under_any_name(lines: str, b: Status) -> None:
    files = {
        "ext/cuda/k.cu": K.format("k"),
        "ext/cuda/build.py": f"{lines}\nif torch.version.hip: pass",
        "x/cuda/a.cu": K.format("a"),
        "x/hip/a.hip": K.format("a"),
    }
    assert _cpp_kernels(files) == {"k": b, "a": Status.IMPLEMENTED}


@pytest.mark.parametrize(
    ("beside", "b"),
    [
        ("", Status.UNKNOWN),
        ("flags = ['--use_fast_math']", Status.UNKNOWN),
        ("if torch.version.hip: flags = []", Status.IMPLEMENTED),
        ("IS_ROCM = True", Status.IMPLEMENTED),
    ],
)
def test_what_torch_would_translate_is_told_only_by_a_build_that_names_the_back_end(beside: str, b: Status) -> None:
    build = "from torch.utils.cpp_extension import CUDAExtension\nCUDAExtension('x', sources=['k.cu'])\n"
    files = {
        "ext/k.cu": f'#include "k.cuh"\n{K.format("k")}',
        "ext/k.cuh": K.format("inner"),
        "ext/setup.py": build + beside,
        "x/cuda/a.cu": K.format("a"),
        "x/hip/a.hip": K.format("a"),
    }
    assert _cpp_kernels(files) == {"k": b, "inner": b, "a": Status.IMPLEMENTED}
