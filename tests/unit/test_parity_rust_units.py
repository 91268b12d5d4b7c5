"""A small workspace of our own, compared as a whole; and near-misses, one at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp.parity.rust import analyse, workspace_of
from rewarp.parity.rust.graph import CallGraph
from rewarp.parity.units import Problem, Status, Unit

TREE = Path(__file__).parents[1] / "parity" / "rust" / "tensor"


def tree() -> dict[str, bytes]:
    return {file.relative_to(TREE).as_posix(): file.read_bytes() for file in sorted(TREE.rglob("*")) if file.is_file()}


def analysed(files: dict[str, bytes]) -> tuple[dict[str, Unit], list[Problem], list[str]]:
    units, problems, found_by, _ = analyse(files, "cuda", "rocm")
    return {unit.key: unit for unit in units}, problems, found_by


@pytest.fixture(scope="module")
def units() -> dict[str, Unit]:
    return analysed(tree())[0]


def said(unit: Unit) -> tuple[str, str]:
    return unit.a.status.value, unit.b.status.value


def test_every_method_of_the_shared_traits(units: dict[str, Unit]) -> None:
    found = {unit.name: said(unit) for unit in units.values() if unit.kind == "trait method"}
    assert found == {
        "scale": ("implemented", "partial"),
        "sum": ("implemented", "CPU only"),
        "sort": ("implemented", "always an error"),
        "gather": ("implemented", "missing"),
        "flush": ("implemented", "stub"),
        "upsample": ("always an error", "always an error"),
        "name": ("default", "default"),
        "synchronize": ("implemented", "missing"),
    }


def test_data_types_of_both_sides(units: dict[str, Unit]) -> None:
    unit = units["trait method:BackendStorage::scale"]
    assert {name: status.value for name, status in unit.a.dtypes.items()} == dict.fromkeys(
        ("u8", "f16", "f32"), "implemented"
    )
    assert {name: status.value for name, status in unit.b.dtypes.items()} == {
        "u8": "missing",
        "f16": "always an error",
        "f32": "implemented",
    }


def test_a_kernel_asked_for_in_vain(units: dict[str, Unit]) -> None:
    sort = units["trait method:BackendStorage::sort"].b
    assert sort.missing_kernels == ("bitonic_sort_f32",)
    assert any("bitonic_sort_f32" in place.text for place in sort.evidence)


def test_kernels_by_family(units: dict[str, Unit]) -> None:
    found = {unit.name: (unit.b.status.value, unit.scored) for unit in units.values() if unit.kind == "kernel"}
    assert found == {"scale": ("partial", True), "sort": ("implemented", True), "gather": ("missing", True)}
    lacking = {name for name, status in units["kernel:scale::scale"].b.dtypes.items() if status is Status.MISSING}
    assert lacking == {"u8", "f16"}


def test_a_trait_without_an_implementation_leaves_no_score() -> None:
    _, problems, _ = analysed(tree())
    assert [p.what for p in problems if p.blocks_score] == [
        "the trait BackendDevice, which CudaDevice implements, has no implementation for rocm"
    ]


def test_operations(units: dict[str, Unit]) -> None:
    found = {unit.owner: said(unit) for unit in units.values() if unit.kind == "operation"}
    assert found == {
        "CustomOp for Sigmoid": ("implemented", "implemented"),
        "CustomOp for Rope": ("implemented", "always an error"),
    }


def test_match_arms(units: dict[str, Unit]) -> None:
    found = {unit.owner.partition(" ")[0]: said(unit) for unit in units.values() if unit.kind == "match arm"}
    assert found == {
        "Device::synchronize": ("implemented", "implemented"),
        "Device::ordinal": ("implemented", "missing"),
        "Device::zeros": ("implemented", "always an error"),
        "Device::is_gpu": ("implemented", "implemented"),
        "Device::label": ("implemented", "default"),
        "Storage::add": ("implemented", "stub"),
        "Storage::scale": ("implemented", "implemented"),
    }


def test_variants_are_scored_and_fields_and_methods_only_shown(units: dict[str, Unit]) -> None:
    assert said(units["enum variant:CudaStorageSlice::U8"]) == ("implemented", "missing")
    assert units["enum variant:Device::Cuda"].scored
    blas = units["field:CudaDevice::blas"]
    assert (said(blas), blas.scored) == (("implemented", "missing"), False)
    stream = units["inherent method:CudaDevice::new_stream"]
    assert (said(stream), stream.scored) == (("implemented", "missing"), False)
    assert said(units["inherent method:Device::new_cuda"]) == ("implemented", "implemented")


def test_users_are_counted_outside_the_back_ends(units: dict[str, Unit]) -> None:
    assert units["trait method:BackendStorage::sort"].users == 2
    assert units["trait method:BackendStorage::gather"].users == 0


def test_how_the_pairs_were_found_is_said() -> None:
    _, _, found_by = analysed(tree())
    assert "trait BackendStorage: CudaStorage, RocmStorage (by name)" in found_by
    assert "methods of CustomOp: cuda_fwd, rocm_fwd (by name)" in found_by


def test_a_file_that_does_not_parse() -> None:
    files = tree()
    files["core/src/rocm_backend/mod.rs"] += b"\nfn broken( { let x = ; }"
    _, problems, _ = analysed(files)
    assert any(p.blocks_score and p.path.endswith("rocm_backend/mod.rs") and p.line > 50 for p in problems)
    files = tree()
    files["tools/src/other.rs"] = b"fn broken( {"
    _, problems, _ = analysed(files)
    own = [p for p in problems if p.path == "tools/src/other.rs"]
    assert own
    assert not any(p.blocks_score for p in own), "neither back end's code, nor what they share"


def test_a_dummy_is_no_implementation() -> None:
    files = tree()
    files["core/src/rocm_backend/mod.rs"] = b""
    files["core/src/no_rocm.rs"] = files["core/src/no_cuda.rs"].replace(b"Cuda", b"Rocm")
    files["core/src/lib.rs"] += b'#[cfg(not(feature = "rocm"))]\npub mod no_rocm;\n'
    units, problems, _ = analysed(files)
    assert units["trait method:BackendStorage::scale"].b.status is Status.MISSING
    assert any(p.blocks_score and "BackendStorage" in p.what for p in problems)


def test_a_tree_without_the_second_back_end() -> None:
    files = {path: data for path, data in tree().items() if "rocm" not in path}
    units, problems, _ = analysed(files)
    assert {u.b.status for u in units.values() if u.kind == "trait method"} == {Status.MISSING}
    assert any(p.blocks_score and "BackendStorage" in p.what for p in problems)


def test_a_device_has_no_data_type_of_its_own() -> None:
    files = tree()
    files["core/src/backend.rs"] = files["core/src/backend.rs"].replace(
        b"fn synchronize(&self) -> Result<()>;", b"fn synchronize(&self, dtype: DType) -> Result<()>;"
    )
    files["core/src/cuda_backend/mod.rs"] = files["core/src/cuda_backend/mod.rs"].replace(
        b"fn synchronize(&self) -> Result<()> {\n        self.stream.synchronize()",
        b"fn synchronize(&self, dtype: DType) -> Result<()> {\n        let s = match dtype { DType::F32 => "
        b'CudaStorageSlice::F32(self.stream.alloc()), _ => crate::bail!("no") }; Scale(1.0).map(&s, self)',
    )
    units, *_ = analysed(files)
    found = units["trait method:BackendDevice::synchronize"].a
    assert {name: status.value for name, status in found.dtypes.items()} == {"f32": "implemented"}


def test_two_back_ends_with_types_of_one_name() -> None:
    files = tree()
    files["core/src/rocm_backend/mod.rs"] += b"""
        struct Scale; impl Scale { fn map(&self, s: &S, d: &RocmDevice) -> Result<S> { todo!() } }"""
    units, *_ = analysed(files)
    assert units["trait method:BackendStorage::scale"].a.status is Status.IMPLEMENTED
    assert units["trait method:BackendStorage::scale"].a.kernels == ("scale_f16", "scale_f32", "scale_u8")


def test_one_operation_with_helpers_for_each_back_end() -> None:
    files = tree()
    files["ops/src/sort.rs"] = b"""
        pub struct Sort;
        #[cfg(feature = "cuda")] mod cuda { impl Map for Sort {
            fn f<T: WithDType>(&self, s: &CudaSlice<T>, d: &CudaDevice) -> Result<CudaSlice<T>> { d.stream.launch(s) } } }
        #[cfg(feature = "rocm")] mod rocm { impl Map for Sort {
            fn f<T: WithDType>(&self, s: &Mem<T>, d: &RocmDevice) -> Result<Mem<T>> { todo!() } } }
        impl CustomOp for Sort {
            #[cfg(feature = "cuda")] fn cuda_fwd(&self, s: &CudaStorage) -> Result<S> { self.map(&s.slice, &s.device) }
            #[cfg(feature = "rocm")] fn rocm_fwd(&self, s: &RocmStorage) -> Result<S> { self.map(&s.slice, &s.device) }
        }"""
    files["core/src/rocm_backend/mod.rs"] += b"""
        trait Map { fn f<T: WithDType>(&self, s: &Mem<T>, d: &RocmDevice) -> Result<Mem<T>>;
            fn map(&self, s: &S, d: &RocmDevice) -> Result<S> { match s { S::F32(s) => self.f(s, d), _ => bail!("no") } } }"""
    units, *_ = analysed(files)
    assert said(units["operation:CustomOp for Sort::fwd"]) == ("implemented", "always an error")


def test_a_trait_that_is_not_made_for_back_ends_blocks_nothing() -> None:
    files = tree()
    files["layers/src/lib.rs"] = (
        b"pub trait Layer { fn go(&self); } pub struct Linear; impl Layer for Linear { fn go(&self) { x() } }"
    )
    files["layers/src/cuda_layer.rs"] = b"pub struct Fused; impl Layer for Fused { fn go(&self) { x() } }"
    _, problems, _ = analysed(files)
    assert not any("Layer" in problem.what for problem in problems)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe\x00broken",
        b"fn",
        b"impl X for",
        b"macro_rules! m { ($($x:tt)*) => { $($x)* } } m!(m!(m!()));",
        b"{" * 2000,
    ],
)
def test_odd_files_have_an_outcome(data: bytes) -> None:
    files = tree()
    files["core/src/rocm_backend/odd.rs"] = data
    assert analysed(files)[0]


def test_what_is_nested_too_deep_is_unknown() -> None:
    files = tree()
    deep = b"{ if x " * 3000 + b"{}" + b"}" * 3000
    files["core/src/rocm_backend/mod.rs"] = files["core/src/rocm_backend/mod.rs"].replace(
        b"// TODO: flush the stream.", deep
    )
    units, *_ = analysed(files)
    assert units["trait method:BackendStorage::flush"].b.status is Status.UNKNOWN


def test_nothing_to_compare() -> None:
    assert analyse({"src/lib.rs": b"fn main() {}"}, "cuda", "rocm")[0] == []


def test_the_way_from_an_entry_to_a_kernel() -> None:
    graph = CallGraph(workspace_of(tree(), "cuda", "rocm"), "cuda")
    (entry,) = graph.entries("CudaStorage::scale")
    way = [entry]
    for name in ("Map::map", "Scale::f"):
        way.append(next(step for step in graph.callees(way[-1]) if step.what == name))
    assert [step.edge.value for step in way] == ["resolved"] * 3
    assert [name for name, _ in graph.kernels(way[-1])] == ["scale_*", "launch()"]
    assert any(step.edge.value == "external" for step in graph.callees(way[-1]))
    assert graph.entries("CudaStorage::nothing") == []


def test_kernels_that_torch_would_translate_are_unknown_beside_rust_too() -> None:
    files = tree()
    files["ext/setup.py"] = b"from torch.utils.cpp_extension import CUDAExtension\nCUDAExtension('x', ['e.cu'])\n"
    files["ext/e.cu"] = b"__global__ void extra(int *x) {}\n"
    assert analysed(files)[0]["kernel:e::extra"].b.status is Status.UNKNOWN
    files["ext/setup.py"] = b"print('e.cu')\n"
    assert analysed(files)[0]["kernel:e::extra"].b.status is Status.MISSING
