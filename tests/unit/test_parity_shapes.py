"""How projects organise their back ends, as draws showed it: each mechanism with its near-misses."""

from __future__ import annotations

import pytest
from parity_parts import MemoryTree

from rewarp.parity import deadline
from rewarp.parity.comparing.compare import compare
from rewarp.parity.cpp import analyse
from rewarp.parity.rust import analyse as analyse_rust
from rewarp.parity.rust import workspace_of
from rewarp.parity.rust.comparing.traits import shared_traits
from rewarp.parity.rust.following import follower
from rewarp.parity.units import Analysis, Status, Unit


def _analysed(files: dict[str, str], a: str = "cuda", b: str = "rocm") -> Analysis:
    return analyse({path: text.encode() for path, text in files.items()}, a, b)


def _units(files: dict[str, str], a: str = "cuda", b: str = "rocm") -> dict[str, Unit]:
    return {f"{unit.owner}::{unit.name}": unit for unit in _analysed(files, a, b).units}


def _of_rust(files: dict[str, str], a: str = "cuda", b: str = "metal") -> dict[str, Unit]:
    found = analyse_rust({path: text.encode() for path, text in files.items()}, a, b)
    return {f"{unit.owner}::{unit.name}": unit for unit in found.units}


# --- names of kernels that are put together when the program runs ---------------------------------

SUMS = """
    #define SUM(N) extern "C" __global__ void sum_f32_##N(float* x) { x[0] = N; }
    SUM(32) SUM(64) SUM(128) SUM(256) SUM(512) SUM(1024)
"""


def _kernels_seen(form: str) -> int:
    files = {
        "src/api.h": "struct Stream { virtual void sum(int n) = 0; };",
        "src/cuda/stream.cpp": f"struct CudaStream : Stream {{ void sum(int n) override {{ ask({form}, n); }} }};",
        "src/cuda/sums.cu": SUMS,
        "src/metal/stream.cpp": 'struct MetalStream : Stream { void sum(int n) override { ask("sum", n); } };',
    }
    found = _analysed(files, "cuda", "metal")
    return next(one.seen for one in found.coverage if one.what == "kernels")


@pytest.mark.parametrize(
    ("form", "seen"),
    [
        ('"sum_f32_%u"', 6),
        ('"sum_%s_%d"', 6),
        ('"sum_f32_{}"', 6),
        ('"mul_f32_%u"', 0),
        ('"%s_%u"', 0),  # says nothing
        ('"sum_f32_%u failed"', 0),  # a message
    ],
)
def test_a_unit_stands_for_kernels_whose_names_it_puts_together(form: str, seen: int) -> None:
    assert _kernels_seen(form) == seen


# --- enumerations ---------------------------------------------------------------------------------


def _chooses(name: str, enumeration: str) -> str:
    cases = "".join(
        f"case {enumeration}::{label}: launch_{label}(v); break;" for label in ("Add", "Mul", "Min", "Max", "And")
    )
    return f"void {name}(Node* v) {{ switch (v->literal) {{ {cases} default: throw 1; }} }}"


def test_two_enumerations_that_one_field_holds_are_not_one_family() -> None:
    files = {"src/cuda/scatter.cpp": _chooses("scatter", "ReduceOp"), "src/hip/vector.cpp": _chooses("render", "JitOp")}
    assert "ReduceOp::Add" not in _units(files)
    files["src/hip/vector.cpp"] = _chooses("render", "ReduceOp")
    assert _units(files)["ReduceOp::Add"].b.status is Status.IMPLEMENTED


# --- tables of functions --------------------------------------------------------------------------


def _filters(backend: str, names: tuple[str, ...]) -> str:
    text = "struct Filter { const char* name; const Pad* inputs; int (*init)(int); int (*run)(int); };\n"
    for name in names:
        text += f"""
            static const Pad {name}_{backend}_inputs[] = {{ 1 }};
            static int {name}_{backend}_init(int x) {{ return open_device(x); }}
            static int {name}_{backend}_run(int x) {{ {"return -1;" if name == "blur" else "return launch(x);"} }}
            const Filter {name}_{backend} = {{
                .name = "{name}", .inputs = {name}_{backend}_inputs, .init = {name}_{backend}_init,
                .run = {name}_{backend}_run }};
        """
    return text


def test_tables_of_one_type_stand_beside_their_namesakes() -> None:
    files = {
        "filters/vf_cuda.c": _filters("cuda", ("scale", "overlay", "thumbnail")),
        "filters/vf_opencl.c": _filters("opencl", ("blur", "overlay", "scale")),
    }
    units = _units(files, "cuda", "opencl")
    # Each filter by itself; what the other has no namesake of is not held against a stranger.
    assert {"Filter (scale)::run", "Filter (overlay)::run"} <= set(units)
    assert not any("thumbnail" in name or "blur" in name for name in units)
    assert units["Filter (scale)::run"].b.status is Status.IMPLEMENTED
    # A field that holds data is no function that could be lacking.
    assert not any(name.endswith("::inputs") for name in units)


# --- headers that are twins -----------------------------------------------------------------------


def test_what_a_back_end_s_header_only_declares_is_not_its_own() -> None:
    header = "int lookup_symbol(int x);\nint open_device(int x);"
    files = {
        "src/cuda.h": header,
        "src/metal.h": "int open_device(int x);",
        "src/cuda_core.cpp": "int open_device(int x) { return launch(x); }",
        "src/metal_core.cpp": "int open_device(int x) { return launch(x); }",
        "src/loader.cpp": "int lookup_symbol(int x) { return x + load(x); }",
        "src/use.cpp": "int main() { return lookup_symbol(1) + open_device(2); }",
    }
    names = {unit.name for unit in _analysed(files, "cuda", "metal").units}
    assert "open_device" in names
    assert "lookup_symbol" not in names
    # What A's own source defines is.
    files["src/cuda_core.cpp"] += "\nint lookup_symbol(int x) { return launch(x); }"
    assert "lookup_symbol" in {unit.name for unit in _analysed(files, "cuda", "metal").units}


# --- Rust -----------------------------------------------------------------------------------------

HAL = {
    "wgpu-hal/Cargo.toml": '[package]\nname = "hal"\n',
    "wgpu-hal/src/lib.rs": """
        pub mod metal;
        pub mod vulkan;
        pub trait Device { fn create(&self, size: usize) -> Result<u64, Error>; fn wait(&self) -> Result<(), Error>; }
    """,
    "wgpu-hal/src/vulkan/mod.rs": """
        pub struct Device { raw: Raw }
        impl crate::Device for Device {
            fn create(&self, size: usize) -> Result<u64, Error> { self.raw.allocate(size) }
            fn wait(&self) -> Result<(), Error> { self.raw.wait() }
        }
    """,
    "wgpu-hal/src/metal/mod.rs": """
        pub struct Device { raw: Raw }
        impl crate::Device for Device {
            fn create(&self, size: usize) -> Result<u64, Error> { self.raw.new_buffer(size) }
            fn wait(&self) -> Result<(), Error> { todo!() }
        }
    """,
}


def test_a_trait_in_a_folder_that_is_called_like_a_third_back_end() -> None:
    units = _of_rust(HAL, "vulkan", "metal")
    assert units["Device::create"].b.status is Status.IMPLEMENTED
    assert not units["Device::wait"].b.status.does_something
    # One of A's own is nothing that B could stand behind.
    own = {path.replace("wgpu-hal", "vulkan-hal"): text for path, text in HAL.items()}
    assert _of_rust(own, "vulkan", "metal") == {}


def test_what_takes_too_many_calls_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    files = dict(HAL)
    files["wgpu-hal/src/vulkan/mod.rs"] += "".join(
        f"fn step{n}(x: usize) -> Result<u64, Error> {{ step{n + 1}(x) }}\n" for n in range(5)
    )
    files["wgpu-hal/src/vulkan/mod.rs"] = files["wgpu-hal/src/vulkan/mod.rs"].replace(
        "self.raw.allocate(size)", "step0(size)"
    )
    monkeypatch.setattr(follower, "_MOST_CALLS", 3)
    units = _of_rust(files, "vulkan", "metal")
    assert units["Device::create"].a.status is Status.UNKNOWN
    assert units["Device::wait"].a.status is Status.IMPLEMENTED  # each method has its own


def test_rust_ends_with_the_time_and_says_so() -> None:
    files = {path: text.encode() for path, text in HAL.items()}
    workspace = workspace_of(files, "vulkan", "metal")
    with deadline.limited(0):
        units, problems, _ = shared_traits(workspace)
    assert units == []
    assert problems[0].is_time
    assert problems[0].blocks_score


def test_a_function_of_a_module_that_has_no_namesake_may_not_be_needed() -> None:
    files = {
        "core/Cargo.toml": '[package]\nname = "core"\n',
        "core/src/lib.rs": "pub mod cuda;\npub mod metal;\npub fn run() { cuda::gdn::decode(1); cuda::gdn::fused(2); metal::gdn::decode(1); }",
        "core/src/cuda/mod.rs": "pub mod gdn;",
        "core/src/metal/mod.rs": "pub mod gdn;",
        "core/src/cuda/gdn.rs": "pub fn decode(x: u32) -> Result<u32, Error> { launch(x) }\npub fn fused(x: u32) -> Result<u32, Error> { launch(x) }",
        "core/src/metal/gdn.rs": "pub fn decode(x: u32) -> Result<u32, Error> { launch(x) }",
    }
    tree = MemoryTree({path: text.encode() for path, text in files.items()})
    found = {unit.name: unit for unit in compare(tree, "cuda", "metal", use_cache=False, jobs=1).units}
    assert found["fused"].b.status is Status.UNKNOWN
    assert found["decode"].b.status is Status.IMPLEMENTED


# --- registrations that are calls -----------------------------------------------------------------


def _registers(device: str, names: tuple[str, ...], call: str = "RegisterOp") -> str:
    bodies = "".join(f"void run_{name}(int x) {{ launch(x); }}\n" for name in names)
    calls = "".join(
        f"{call}(OpId::k{name}, DeviceType::k{device}, reinterpret_cast<void*>(&run_{name}));" for name in names
    )
    return f"{bodies} namespace {{ struct Registrar {{ Registrar() {{ {calls} }} }} registrar; }}"


def test_operations_that_calls_register() -> None:
    files = {
        "src/cuda/ops.cu": _registers("CUDA", ("Add", "Mul", "Softmax", "Norm")),
        "src/vulkan/ops.cpp": _registers("VULKAN", ("Add", "Mul", "Norm")).replace(
            "void run_Mul(int x) { launch(x); }", 'void run_Mul(int x) { throw std::runtime_error("no Mul"); }'
        ),
    }
    units = _units(files, "cuda", "vulkan")
    assert units["RegisterOp::kAdd"].b.status is Status.IMPLEMENTED
    assert units["RegisterOp::kMul"].b.status is Status.ERROR
    assert units["RegisterOp::kSoftmax"].b.status is Status.MISSING
    # A call that hands on what it was given registers nothing, nor does one that names no device.
    for text in (
        "void RegisterOp(OpId op, DeviceType device, void* fn) { table(op, device, fn); }",
        "void all() { RegisterOp(OpId::kAdd, 1, f); RegisterOp(OpId::kMul, 2, f); RegisterOp(OpId::kSub, 3, f); }",
    ):
        found = _units({"src/cuda/ops.cu": text, "src/vulkan/ops.cpp": text}, "cuda", "vulkan")
        assert not any(name.startswith("RegisterOp") for name in found)


# --- classes and sources that are twins -----------------------------------------------------------

DEVICES = {
    "device/device_cuda.hpp": """
        class Device { public:
            void multiply(int n) { launch(n); }
            void transform(int n) { launch(n); }
            void forget(int n) { launch(n); }
            void inner(int n) { launch(n); }
        };
    """,
    "device/device_hip.hpp": """
        class Device { public:
            void multiply(int n) { launch(n); }
            void transform(int n) { throw std::runtime_error("not here"); }
        };
    """,
    "device/device.cpp": "static Device device; void run(int n) { device.multiply(n); device.transform(n); device.forget(n); }",
}


def _compared(files: dict[str, str], a: str = "cuda", b: str = "rocm") -> dict[str, Unit]:
    tree = MemoryTree({path: text.encode() for path, text in files.items()})
    return {unit.name: unit for unit in compare(tree, a, b, use_cache=False, jobs=1).units if unit.scored}


def test_methods_of_classes_that_bear_one_name() -> None:
    found = _compared(DEVICES)
    assert found["multiply"].b.status is Status.IMPLEMENTED
    assert found["transform"].b.status is Status.ERROR
    assert found["forget"].b.status is Status.UNKNOWN
    assert "inner" not in found  # nobody calls it
    # Classes of two names are not what one piece of code means.
    renamed = {path: text.replace("Device", "HipThing") if "hip" in path else text for path, text in DEVICES.items()}
    assert "multiply" not in _compared(renamed)


def test_functions_of_sources_that_are_twins() -> None:
    files = {
        "src/math/cuda/math.cu": """
            __global__ void add_kernel(float* x) { x[0] += 1; }
            void cuda_add(float* x) { add_kernel<<<1, 1>>>(x); }
            void cuda_scale(float* x) { add_kernel<<<1, 1>>>(x); }
            static void helper(float* x) { cuda_add(x); }
        """,
        "src/math/hip/math.hip": """
            __global__ void add_kernel(float* x) { x[0] += 1; }
            void hip_add(float* x) { add_kernel<<<1, 1>>>(x); }
        """,
        "src/math/math.cpp": "void add(float* x) { cuda_add(x); hip_add(x); cuda_scale(x); }",
    }
    found = _compared(files)
    assert found["add"].b.status is Status.IMPLEMENTED
    assert found["scale"].b.status is Status.UNKNOWN  # by its name alone
    assert "helper" not in found


# --- one source for both --------------------------------------------------------------------------


def test_a_source_that_is_called_after_one_and_has_code_for_the_other() -> None:
    files = {
        "core/ops.h": "void mask(int x);\nvoid copy(int x);",
        "core/CudaOps.cc": """
            #if USING_CUDA
            void mask(int x) { launch(x); }
            #elif USING_ROCM
            void mask(int x) { launch(x); }
            #endif
            void copy(int x) { launch(x); }
        """,
        "core/RocmOther.cc": "void other(int x) { launch(x); }",
        "core/use.cc": "void run(int x) { mask(x); copy(x); }",
    }
    assert {unit.b.status for unit in _units(files).values()} == {Status.IMPLEMENTED}
    # One that only keeps the other out has nothing for it.
    files["core/CudaOps.cc"] = (
        "#if !defined(USING_ROCM)\nvoid mask(int x) { launch(x); }\nvoid copy(int x) { launch(x); }\n#endif"
    )
    assert Status.IMPLEMENTED not in {unit.b.status for unit in _units(files).values()}


def test_what_b_compiles_from_the_same_file_counts_as_seen() -> None:
    helpers = "".join(f"int helper{n}(int x) {{ return work(x); }}\n" for n in range(8))
    files = {
        "core/stream.h": "struct Stream { virtual void sum(int n) = 0; };",
        "core/cuda_stream.cpp": "struct CudaStream : Stream { void sum(int n) override { launch(n); } };",
        "core/hip_stream.cpp": "struct HipStream : Stream { void sum(int n) override { launch(n); } };",
        "core/cuda_tools.cpp": f"#if defined(USE_CUDA) || defined(USE_HIP)\n{helpers}#endif",
    }
    seen = next(one for one in _analysed(files).coverage if one.what == "host functions")
    assert seen.seen == seen.total
    files["core/cuda_tools.cpp"] = helpers
    seen = next(one for one in _analysed(files).coverage if one.what == "host functions")
    assert seen.total - seen.seen == 8
