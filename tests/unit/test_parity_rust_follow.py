"""Bodies followed: what a method does for which data types, over all that it calls."""

from __future__ import annotations

import pytest

from rewarp.parity.kernels import How, Inventory, Kernel
from rewarp.parity.rust.comparing.verdict import sides
from rewarp.parity.rust.comparing.workspace import Workspace, missing
from rewarp.parity.rust.reading.index import Index
from rewarp.parity.rust.reading.reader import read_file
from rewarp.parity.units import Side, Status

COMMON = """
pub enum DType { U8, U32, F16, BF16, F32, F64 }
impl DType { pub fn as_str(&self) -> &'static str { match self {
    Self::U8 => "u8", Self::U32 => "u32", Self::F16 => "f16", Self::BF16 => "bf16", Self::F32 => "f32", Self::F64 => "f64",
} } }
pub enum ReduceOp { Sum, ArgMin }
pub trait Backend { fn op(&self) -> Result<Self>; fn to_cpu_storage(&self) -> Result<CpuStorage>; }
pub struct CpuStorage;
impl Backend for CpuStorage { fn op(&self) -> Result<Self> { Ok(CpuStorage) } }
macro_rules! bail { ($($t:tt)*) => { return Err(Error::msg(format!($($t)*))) } }
"""
ROCM = """
pub enum S { U8(Mem<u8>), U32(Mem<u32>), F16(Mem<f16>), BF16(Mem<bf16>), F32(Mem<f32>) }
pub struct RocmStorage { slice: S, device: RocmDevice, dtype: DType }
pub struct RocmDevice { stream: Stream }
impl RocmDevice { pub fn get_or_load_func(&self, name: &str) -> Result<Func> { self.stream.load_function(name) } }
pub trait Map1 {
    fn f<T: WithDType>(&self, s: &Mem<T>, d: &RocmDevice) -> Result<Mem<T>>;
    fn map(&self, s: &S, d: &RocmDevice) -> Result<S> {
        Ok(match s {
            S::F16(s) => S::F16(self.f(s, d)?),
            S::F32(s) => S::F32(self.f(s, d)?),
            S::U8(_) | S::U32(_) | S::BF16(_) => bail!("no"),
        })
    }
}
pub fn kernel_name<T: WithDType>(root: &str) -> String { let dtype = T::DTYPE.as_str(); format!("{root}_{dtype}") }
struct Affine(f64);
impl Map1 for Affine {
    fn f<T: WithDType>(&self, s: &Mem<T>, d: &RocmDevice) -> Result<Mem<T>> {
        let func = d.get_or_load_func(&kernel_name::<T>("affine"))?;
        func.launch(s)
    }
}
struct Gather<'a>(&'a RocmStorage);
impl Map1 for Gather<'_> {
    fn f<T: WithDType>(&self, s: &Mem<T>, d: &RocmDevice) -> Result<Mem<T>> {
        let name = match &self.0.slice { S::U32(_) => "u32", S::U8(_) => "u8", _ => bail!("ids must be integers") };
        func.launch(s, name)
    }
}
"""


def side(method: str, *, more: str = "", kernels: tuple[str, ...] = (), name: str = "op") -> Side:
    """What is said of one method of the ROCm storage."""
    files = {
        "core/src/lib.rs": COMMON.encode(),
        "core/src/rocm_backend/mod.rs": f"{ROCM}{more}\nimpl Backend for RocmStorage {{ {method} }}".encode(),
    }
    index = Index({path: read_file(path, data) for path, data in files.items()}, files)
    known = {kernel: Kernel(kernel, "k.cu", 1, How.PLAIN) for kernel in kernels}
    workspace = Workspace(index, "cuda", "rocm", {"rocm": Inventory("rocm", known)})
    own = [f for impl in index.impls if impl.type == "RocmStorage" and impl.trait for f in impl.functions]
    chosen = [f for f in own if f.name == name]
    found, _ = sides(index, workspace.account("rocm", chosen, frozenset({"op"})), missing(""))
    return found


def statuses(found: Side) -> dict[str, str]:
    return {name: status.value for name, status in found.dtypes.items()}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('{ bail!("no") }', Status.ERROR),
        ("{ Err(Error::Unsupported.bt())? }", Status.ERROR),
        ("{ let x = self.device.size(); Err(Error::Unsupported { x }.into()) }", Status.ERROR),
        ("{ unimplemented!() }", Status.STUB),
        ('{ todo!("later") }', Status.STUB),
        ("{ // TODO: do it\n Ok(()) }", Status.STUB),
        ("{ Ok(()) }", Status.NO_OP),
        ('{ log::warn!("nothing here"); Ok(()) }', Status.NO_OP),
        ("{ self.device.stream.sync() }", Status.IMPLEMENTED),
        ("{ if self.device.is_odd() { bail!() } self.device.go() }", Status.IMPLEMENTED),
        ("{ if self.device.is_odd() { bail!() } else { bail!() } }", Status.ERROR),
        ("{ match self.helper() { Ok(x) => Ok(x), Err(_) => self.device.go() } }", Status.IMPLEMENTED),
        ("{ self.helper() }", Status.ERROR),
        ("{ self.helper().unwrap_or_default(); self.device.go() }", Status.IMPLEMENTED),
        ("{ self.op() }", Status.ERROR),
        ("{ self.nobody_has_this() }", Status.UNKNOWN),
        ("{ self.device.go().map_err(|e| Err(e))?; Ok(()) }", Status.IMPLEMENTED),
    ],
)
def test_a_body_is_judged_by_what_it_is(body: str, expected: Status) -> None:
    helper = "impl RocmStorage { fn helper(&self) -> Result<()> { Err(Error::No) } }"
    assert side(f"fn op(&self) -> Result<()> {body}", more=helper).status is expected


def test_a_constant_is_an_answer_and_no_stub() -> None:
    assert side("fn op(&self) -> bool { true }").status is Status.IMPLEMENTED
    assert side("fn op(&self) -> DType { self.dtype }").status is Status.IMPLEMENTED


def test_an_empty_arm_is_no_stub() -> None:
    found = side(
        "fn op(&mut self) -> Result<()> { match self.device.kind() { Kind::A => {} Kind::B => self.device.go()? } Ok(()) }"
    )
    assert found.status is Status.IMPLEMENTED


def test_an_error_three_calls_deep_is_told_by_data_type() -> None:
    found = side("fn op(&self) -> Result<Self> { let s = Affine(1.).map(&self.slice, &self.device)?; Ok(Self { s }) }")
    assert statuses(found) == {"f16": "implemented", "f32": "implemented"}
    assert found.status is Status.IMPLEMENTED, "what neither side does is not counted against it"
    assert found.kernels == ("affine_f16", "affine_f32")


def test_the_same_data_types_count_where_the_other_side_does_them() -> None:
    files = {"core/src/lib.rs": COMMON.encode(), "core/src/rocm_backend/mod.rs": ROCM.encode()}
    more = "fn op(&self) -> Result<S> { Affine(1.).map(&self.slice, &self.device) }"
    files["core/src/rocm_backend/mod.rs"] += f"impl Backend for RocmStorage {{ {more} }}".encode()
    files["core/src/cuda_backend.rs"] = b"""pub struct CudaStorage { slice: S }
        impl Backend for CudaStorage { fn op(&self) -> Result<S> { match self.slice {
            S::F32(s) => go(s), S::BF16(s) => go(s), S::F16(_) => bail!("f16"), _ => bail!("others") } } }"""
    index = Index({path: read_file(path, data) for path, data in files.items()}, files)
    workspace = Workspace(index, "cuda", "rocm", {})
    a, b = (
        workspace.account(backend, [f for i in index.impls_of(name) if i.trait for f in i.functions])
        for backend, name in (("cuda", "CudaStorage"), ("rocm", "RocmStorage"))
    )
    first, second = sides(index, a, b)
    assert statuses(first) == {"f16": "always an error", "bf16": "implemented", "f32": "implemented"}
    assert statuses(second) == {"f16": "implemented", "bf16": "always an error", "f32": "implemented"}
    assert first.status is second.status is Status.PARTIAL
    assert any("utils" in p.path or "rocm" in p.path for p in second.evidence)
    assert len(second.evidence) > 1, "the chain to the error"


def test_a_type_inside_the_method_is_followed_too() -> None:
    body = """struct S { by: f64 }
        impl Map1 for S { fn f<T: WithDType>(&self, s: &Mem<T>, d: &RocmDevice) -> Result<Mem<T>> {
            d.get_or_load_func(&kernel_name::<T>("inner"))?.launch(s) } }
        S { by: 1. }.map(&self.slice, &self.device)"""
    other = "impl RocmStorage { fn other(&self) { struct S; impl Map1 for S { fn f() { todo!() } } } }"
    found = side(f"fn op(&self) -> Result<Self> {{ {body} }}", more=other)
    assert (found.status, found.kernels) == (Status.IMPLEMENTED, ("inner_f16", "inner_f32"))


def test_another_parameter_has_its_own_data_types() -> None:
    found = side("fn op(&self, ids: &Self) -> Result<S> { Gather(ids).map(&self.slice, &self.device) }")
    assert statuses(found) == {
        "f16": "implemented",
        "f32": "implemented",
        "ids: u8": "implemented",
        "ids: u32": "implemented",
    }


def test_operands_of_one_type_are_one_column() -> None:
    found = side(
        """fn op(&self, rhs: &Self) -> Result<S> { match (&self.slice, &rhs.slice) {
            (S::F32(a), S::F32(b)) => gemm(a, b), (S::F16(a), S::F16(b)) => gemm(a, b), _ => bail!("mismatch") } }"""
    )
    assert statuses(found) == {"f16": "implemented", "f32": "implemented"}


@pytest.mark.parametrize(
    "body",
    [
        'if self.dtype != DType::F32 { bail!("only f32") } self.device.go()',
        'if !(self.dtype == DType::F32) { bail!("only f32") } self.device.go()',
        'if !matches!(self.dtype, DType::F32) { bail!("only f32") } self.device.go()',
        'let S::F32(s) = &self.slice else { bail!("only f32") }; self.device.go(s)',
        'if let S::F32(s) = &self.slice { self.device.go(s) } else { bail!("only f32") }',
        'let dtype = self.dtype; match dtype { DType::F32 => self.device.go(), d => bail!("{d:?}") }',
        'fn inner(s: &S) -> Result<()> { match s { S::F32(_) => go(), _ => bail!("no") } } inner(&self.slice)',
        "check!(self.dtype); self.device.go()",
        'local_only!(); macro_rules! f32_only { ($e:expr) => { match $e { DType::F32 => {}, _ => bail!("no") } } } f32_only!(self.dtype); self.device.go()',
        'if self.len() == 0 { return Ok(()); } match self.dtype { DType::F32 => self.device.go(), _ => bail!("no") }',
    ],
)
def test_one_data_type_however_it_is_written(body: str) -> None:
    macro = 'macro_rules! check { ($d:expr) => { if $d != DType::F32 { bail!("no") } }; }'
    lengths = "impl RocmStorage { fn len(&self) -> usize { 1 } }"
    found = side(f"fn op(&self) -> Result<()> {{ {body} }}", more=macro + lengths)
    assert statuses(found) == {"f32": "implemented"}


def test_a_named_case_that_fails_is_a_part_that_is_missing() -> None:
    found = side(
        "fn op(&self, op: ReduceOp) -> Result<()> { match op { ReduceOp::Sum => self.device.go(), ReduceOp::ArgMin => bail!() } }"
    )
    assert found.status is Status.PARTIAL
    assert "ReduceOp::ArgMin" in found.why
    found = side(
        "fn op(&self, op: ReduceOp) -> Result<()> { match op { ReduceOp::Sum => self.device.go(), _ => bail!() } }"
    )
    assert "ReduceOp::ArgMin" in found.why


def test_dispatch_by_name_with_an_error_at_the_end() -> None:
    found = side(
        'fn op(&self, n: &str) -> Result<()> { if n.contains("Add") { self.device.go() } else { bail!("no") } }'
    )
    assert found.status is Status.PARTIAL


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("{ let c = self.to_cpu_storage()?; self.device.storage_from_cpu_storage(&c.op()?) }", Status.CPU_ONLY),
        ("{ let c = self.fetch()?; Ok(self.wrap(c)) }", Status.CPU_ONLY),
        ("{ let t = self.to_device(&Device::Cpu)?; t.other() }", Status.CPU_ONLY),
        ("{ if self.small() { return self.to_cpu_storage()?.op() } self.device.launch() }", Status.CONDITIONAL_CPU),
        ("{ let n = self.device.memcpy_dtov(&self.count)?; self.device.launch(n) }", Status.IMPLEMENTED),
        (
            "{ let v = self.device.memcpy_dtov(&self.slice)?; let r = work(v); self.device.memcpy_htod(r) }",
            Status.CPU_ONLY,
        ),
        ("{ CpuStorage.op(); self.device.storage_from_cpu_storage(x) }", Status.CPU_ONLY),
    ],
)
def test_the_work_of_the_cpu_is_none_of_the_device(body: str, expected: Status) -> None:
    more = """impl RocmStorage {
        fn fetch(&self) -> Result<CpuStorage> { self.deeper() } fn deeper(&self) -> Result<CpuStorage> { self.to_cpu_storage() }
        fn wrap(&self, c: CpuStorage) -> Self { c } fn small(&self) -> bool { self.count < 3 }
        fn to_device(&self, d: &Device) -> Result<CpuStorage> { go() } }"""
    found = side(f"fn op(&self) -> Result<Self> {body}", more=more)
    assert found.status is expected
    if expected is not Status.IMPLEMENTED:
        assert len(found.evidence) > 1


def test_fetching_is_the_work_of_a_method_that_fetches() -> None:
    more = "impl RocmStorage { fn to_cpu_impl(&self) -> Result<CpuStorage> { self.device.memcpy_dtov(&self.slice) } }"
    found = side(
        "fn to_cpu_storage(&self) -> Result<CpuStorage> { self.to_cpu_impl() }", more=more, name="to_cpu_storage"
    )
    assert found.status is Status.IMPLEMENTED


def test_a_kernel_that_exists_nowhere() -> None:
    method = "fn op(&self) -> Result<S> { Affine(1.).map(&self.slice, &self.device) }"
    found = side(method, kernels=("affine_f32", "other"))
    assert statuses(found) == {"f32": "implemented"}
    assert found.missing_kernels == (), "f16 is what neither side does"
    found = side(method, kernels=("other",))
    assert found.status is Status.ERROR
    assert found.missing_kernels == ("affine_*",)
    assert side(method, kernels=("affine_f16", "affine_f32")).missing_kernels == ()


def test_every_case_needs_its_kernel() -> None:
    body = """let name = match op { ReduceOp::Sum => "sum_f32", ReduceOp::ArgMin => "argmin_f32" };
              self.device.get_or_load_func(name)?.launch()"""
    found = side(f"fn op(&self, op: ReduceOp) -> Result<()> {{ {body} }}", kernels=("sum_f32",))
    assert (found.status, found.missing_kernels) == (Status.PARTIAL, ("argmin_f32",))


def test_one_of_several_names_is_enough_where_an_unknown_type_decides() -> None:
    body = """let name = match other.slice { S::F32(_) => "f32", S::F16(_) => "f16", _ => bail!("no") };
              self.device.get_or_load_func(&format!("sum_{name}"))?.launch()"""
    more = f"fn deep(other: &X, d: &RocmDevice) -> Result<()> {{ {body.replace('self.device', 'd')} }}"
    found = side("fn op(&self) -> Result<()> { deep(&make(), &self.device) }", more=more, kernels=("sum_f16",))
    assert (found.status, found.missing_kernels) == (Status.IMPLEMENTED, ())


def test_a_case_that_is_known_is_the_only_one() -> None:
    more = """struct Reduce { op: ReduceOp }
        impl Reduce { fn go(&self, d: &RocmDevice) -> Result<()> {
            let name = match self.op { ReduceOp::Sum => "sum_f32", ReduceOp::ArgMin => "argmin_f32" };
            d.get_or_load_func(name)?.launch() } }"""
    found = side(
        "fn op(&self) -> Result<()> { Reduce { op: ReduceOp::Sum }.go(&self.device) }", more=more, kernels=("sum_f32",)
    )
    assert (found.status, found.kernels) == (Status.IMPLEMENTED, ("sum_f32",))


def test_a_type_that_is_written_and_a_name_through_foreign_code() -> None:
    more = """fn suffix<T>() -> Option<&'static str> {
        let n = std::any::type_name::<T>();
        if n.contains("bf16") { Some("bf16") } else if n.contains("f16") { Some("f16") } else { None } }
        fn named<T>(root: &str) -> Result<String> { match suffix::<T>() { Some(s) => Ok(format!("{root}_{s}")), None => bail!("no") } }"""
    body = """let a: &'static str = Box::leak(kernel_name::<half::f16>("a").into_boxed_str());
              self.device.get_or_load_func(a)?; self.device.get_or_load_func(&named::<f16>("b")?)?.launch()"""
    found = side(f"fn op(&self) -> Result<()> {{ {body} }}", more=more)
    assert found.kernels == ("a_f16", "b_f16")


def test_a_constant_of_whatever_a_type_parameter_can_be() -> None:
    more = """pub trait UnaryOp { const KERNEL: &'static str; }
        macro_rules! unary { ($t:ident, $n:literal) => { struct $t; impl UnaryOp for $t { const KERNEL: &'static str = concat!("u", $n); } } }
        unary!(Exp, "exp"); unary!(Log, "log");"""
    method = "fn op<B: UnaryOp>(&self) -> Result<()> { self.device.get_or_load_func(B::KERNEL)?.launch() }"
    assert side(method, more=more, kernels=("uexp", "ulog")).status is Status.IMPLEMENTED
    assert side(method, more=more, kernels=("uexp",)).missing_kernels == ("ulog",)


def test_names_that_nobody_can_tell_are_not_missing() -> None:
    found = side(
        "fn op(&self, n: &str) -> Result<()> { self.device.get_or_load_func(n)?.launch() }", kernels=("other",)
    )
    assert found.status is Status.IMPLEMENTED
    assert found.missing_kernels == ()


def test_names_by_pattern() -> None:
    method = (
        'fn op<U: Op>(&self) -> Result<()> {{ self.device.get_or_load_func(&format!("{}_{{}}", U::NAME))?.launch() }}'
    )
    assert side(method.format("scan"), kernels=("scan_sum",)).missing_kernels == ()
    assert side(method.format("scan"), kernels=("sort_sum",)).missing_kernels == ("scan_*",)


def test_what_does_not_parse_is_unknown() -> None:
    assert side("fn op(&self) -> Result<()> { let x = ; self.device.go( }").status is Status.UNKNOWN


def test_cfg_defines_a_method_twice() -> None:
    twice = """#[cfg(not(feature = "miopen"))] fn op(&self) -> Result<()> { bail!("needs miopen") }
               #[cfg(feature = "miopen")] fn op(&self) -> Result<()> { self.device.convolution() }"""
    found = side(twice)
    assert found.status is Status.PARTIAL
    assert 'not(feature = "miopen")' in found.why


def test_statements_of_another_build_are_not_there() -> None:
    body = """#[cfg(feature = "rocm")] { return self.device.go(); }
              #[cfg(not(feature = "rocm"))] { bail!("no rocm") }"""
    assert side(f"fn op(&self) -> Result<()> {{ {body} }}").status is Status.IMPLEMENTED
    body = body.replace('cfg(feature = "rocm")', 'cfg(feature = "cuda")').replace(
        'not(feature = "rocm")', 'not(feature = "cuda")'
    )
    assert side(f"fn op(&self) -> Result<()> {{ {body} }}").status is Status.ERROR


def test_a_macro_that_cannot_be_seen_through_is_said() -> None:
    more = 'macro_rules! odd { ($a:ident => $b:ident) => { bail!("x") }; }'
    found = side("fn op(&self) -> Result<()> { odd!(1, 2, 3); self.device.go() }", more=more)
    assert found.status is Status.UNKNOWN
    assert "odd!" in found.why
