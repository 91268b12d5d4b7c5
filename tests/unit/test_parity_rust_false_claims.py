"""No false "implemented": code that looks like work and always ends in an error, on the CPU, or is never built."""

from __future__ import annotations

import pytest
from test_parity_rust_follow import side, statuses
from test_parity_rust_units import analysed, said, tree

from rewarp.parity.kernels import How, Inventory, Kernel
from rewarp.parity.units import Status

SIGNATURE = "fn op(&self) -> Result<Self>"


@pytest.mark.parametrize(
    ("body", "more"),
    [
        (
            "{ outer!(self) }",
            """macro_rules! inner { ($s:expr) => { bail!("no {}", $s.dtype) } }
               macro_rules! outer { ($s:expr) => { inner!($s) } }""",
        ),
        ("{ let x: Self = Err(Error::No)?; Ok(x) }", ""),
        ("{ Err(Error::No).map_err(|e| e.bt())? }", ""),
        (
            '{ unsupported("op")?; self.device.launch() }',
            "fn unsupported<T>(op: &str) -> Result<T> { Err(Error::msg(op)) }",
        ),
        ("{ let f = || todo!(); f() }", ""),
        ('{ let r = (|| -> Result<Self> { Err(Error::msg("no")) })()?; Ok(r) }', ""),
        ("{ let f: fn() -> Result<Self> = nope; f() }", 'fn nope() -> Result<RocmStorage> { bail!("no") }'),
        ("{ std::process::abort() }", ""),
        ("{ unsafe { std::hint::unreachable_unchecked() } }", ""),
        ("{ None.unwrap() }", ""),
        ('{ let x: Option<Self> = None; Ok(x.expect("no")) }', ""),
        ('{ None.ok_or(Error::msg("no"))? }', ""),
        ('{ let Some(x) = None::<u32> else { bail!("no") }; self.device.launch(x) }', ""),
        ('{ loop { bail!("no") } }', ""),
        ('{ for s in slices { bail!("no") } self.nothing() }', ""),
        ('{ if true { bail!("no") } self.device.launch() }', ""),
        ('{ let supported = false; if !supported { bail!("no") } self.device.launch() }', ""),
        ('{ if !ENABLED { bail!("no") } self.device.launch() }', "const ENABLED: bool = false;"),
        ('{ if !enabled() { bail!("no") } self.device.launch() }', "fn enabled() -> bool { false }"),
        ('{ if cfg!(feature = "cuda") { self.device.launch() } else { bail!("no") } }', ""),
        ('{ assert!(false, "not supported"); self.device.launch() }', ""),
        ("{ self.other() }", "impl RocmStorage { fn other(&self) -> Result<Self> { self.op() } }"),
        (
            "{ forward(self) }",
            """fn forward<T: Go>(x: &T) -> Result<T> { x.go() } trait Go { fn go(&self) -> Result<Self>; }
               impl Go for RocmStorage { fn go(&self) -> Result<Self> { bail!("no") } }""",
        ),
        (
            "{ self.go() }",
            "trait Go { fn go(&self) -> Result<RocmStorage> { Err(Error::No) } } impl Go for RocmStorage {}",
        ),
    ],
)
def test_every_way_ends_in_an_error(body: str, more: str) -> None:
    found = side(f"{SIGNATURE} {body}", more=more)
    # A call that leads nowhere in this tree may leave it unknown; it is never a way that works.
    assert found.status in (Status.ERROR, Status.STUB, Status.UNKNOWN), found.why
    if "nothing" not in body:
        assert found.status is not Status.UNKNOWN


@pytest.mark.parametrize(
    ("body", "more"),
    [
        ("{ let f = |x| todo!(); self.device.launch() }", ""),
        ('{ let mut ok = false; if self.big { ok = true } if !ok { bail!("no") } self.device.launch() }', ""),
        ("{ let g = Guard; self.device.launch() }", 'struct Guard; impl Drop for Guard { fn drop(&mut self) { panic!("x") } }'),
        ('{ for s in shapes { if s == 0 { bail!("no") } } self.device.launch() }', ""),
        ('{ if !ENABLED { bail!("no") } self.device.launch() }', "const ENABLED: bool = true;"),
        ('{ run(self, false) }', "fn run(s: &RocmStorage, mut ok: bool) -> Result<RocmStorage> {"
         " if s.big { ok = true } if !ok { bail!(\"no\") } s.device.launch() }"),
        ("{ self.again(3) }", "impl RocmStorage { fn again(&self, n: u32) -> Result<Self> {"
         " if n == 1 { return self.device.launch() } self.again(n) } }"),
        ('{ let x = self.find().unwrap(); self.device.launch(x) }', "impl RocmStorage { fn find(&self) -> Option<u32> { self.x } }"),
        ('{ self.slice.map_err(|e| panic!("x")); self.device.launch() }', ""),
    ],
)  # fmt: skip
def test_near_misses_stay_implemented(body: str, more: str) -> None:
    assert side(f"{SIGNATURE} {body}", more=more).status is Status.IMPLEMENTED


def test_an_error_in_a_closure_that_is_handed_on_is_a_part() -> None:
    found = side(f"{SIGNATURE} {{ let b = self.bias.map(|b| todo!()); self.device.launch(b) }}")
    assert found.status is Status.PARTIAL
    assert "map()" in found.why


def test_arguments_that_are_only_named_do_nothing() -> None:
    assert side("fn op(&mut self, a: u32) -> Result<()> { let _ = (a, b); Ok(()) }").status is Status.NO_OP
    assert side("fn op(&mut self, a: u32) -> Result<()> { let _ = a.run(); Ok(()) }").status is Status.IMPLEMENTED


def test_a_method_that_no_type_has_does_not_build() -> None:
    found = side(
        "fn op(&self, rhs: &RocmStorage) -> Result<Self> { let x = rhs.as_rocm_slice()?; self.device.launch(x) }"
    )
    assert found.status is Status.UNKNOWN
    assert "RocmStorage::as_rocm_slice is nowhere to be found" in found.why
    deref = "impl Deref for RocmStorage { type Target = Mem; }"
    body = "fn op(&self, rhs: &RocmStorage) -> Result<Self> { let x = rhs.as_rocm_slice()?; self.device.launch(x) }"
    assert side(body, more=deref).status is Status.IMPLEMENTED
    assert side(body.replace("&RocmStorage", "Option<RocmStorage>")).status is Status.IMPLEMENTED


AS_SLICE = """
pub trait RocmType { fn of_storage(s: &RocmStorage) -> Result<&Mem<Self>>; }
macro_rules! rocm_type { ($t:ty, $v:ident) => { impl RocmType for $t {
    fn of_storage(s: &RocmStorage) -> Result<&Mem<Self>> { match &s.slice { S::$v(m) => Ok(m), _ => bail!("other type") } }
} } }
rocm_type!(f32, F32); rocm_type!(f16, F16);
impl RocmStorage {
    pub fn as_rocm<T: RocmType>(&self) -> Result<&Mem<T>> { T::of_storage(self) }
    pub fn as_hip<T: 'static>(&self) -> Result<&Mem<T>> { match &self.slice {
        S::F32(m) if TypeId::of::<T>() == TypeId::of::<f32>() => Ok(cast(m)),
        S::F16(m) if TypeId::of::<T>() == TypeId::of::<f16>() => Ok(cast(m)),
        _ => bail!("other type"),
    } }
}
"""


@pytest.mark.parametrize("how", ["as_rocm", "as_hip"])
def test_a_type_written_by_the_caller_decides_the_data_type(how: str) -> None:
    found = side(f"{SIGNATURE} {{ let s = self.{how}::<f32>()?; self.device.launch(s) }}", more=AS_SLICE)
    assert statuses(found) == {"f32": "implemented"}


def test_a_condition_that_has_a_name() -> None:
    body = """{ let fast = matches!(self.dtype, DType::F32 | DType::F16);
                if fast { return self.device.launch() } let c = self.to_cpu_storage()?; self.device.upload(c) }"""
    found = side(f"{SIGNATURE} {body}")
    assert statuses(found) == {"f16": "implemented", "f32": "implemented"}
    assert found.status is Status.CONDITIONAL_CPU


def test_none_for_some_data_types_is_no_way() -> None:
    more = """impl RocmStorage { fn try_fast(&self) -> Result<Option<Self>> {
        if !matches!(self.dtype, DType::F32) { return Ok(None) } Ok(Some(self.device.launch()?)) } }"""
    body = '{ if let Some(x) = self.try_fast()? { return Ok(x) } bail!("no") }'
    assert statuses(side(f"{SIGNATURE} {body}", more=more)) == {"f32": "implemented"}


def test_errors_that_are_caught_are_none() -> None:
    more = """fn name(d: DType) -> Result<&'static str> { match d { DType::F32 => Ok("a"), _ => bail!("none") } }
              fn has(d: DType) -> bool { name(d).is_ok() }"""
    body = "{ if has(self.dtype) { return self.device.launch() } self.device.dispatch() }"
    assert side(f"{SIGNATURE} {body}", more=more).status is Status.IMPLEMENTED
    body = '{ if !has(self.dtype) { bail!("no") } self.device.launch() }'
    assert statuses(side(f"{SIGNATURE} {body}", more=more)) == {"f32": "implemented"}


def test_an_assertion_on_the_data_type() -> None:
    found = side(f"{SIGNATURE} {{ assert_eq!(self.dtype, DType::F32); self.device.launch() }}")
    assert statuses(found) == {"f32": "implemented"}


def test_parameters_that_must_be_alike() -> None:
    method = """fn op(&self, q: &RocmStorage, k: &RocmStorage) -> Result<Self> {
        for t in [k.dtype] { if q.dtype != t { bail!("must match") } }
        match q.dtype { DType::F32 | DType::F16 => {}, _ => bail!("no") }
        match k.dtype { DType::F32 | DType::F16 | DType::U8 => self.device.launch(), _ => bail!("no") } }"""
    assert statuses(side(method)) == {"f16": "implemented", "f32": "implemented"}


def test_one_arm_for_each_data_type_of_another_parameter() -> None:
    method = """fn op(&self, q: &RocmStorage, k: &RocmStorage) -> Result<Self> { match q.dtype {
        DType::F32 => run::<f32>(q, k), DType::F16 => run::<f16>(q, k), _ => bail!("no") } }"""
    more = (
        AS_SLICE + "fn run<T: RocmType>(q: &RocmStorage, k: &RocmStorage) -> Result<RocmStorage> {"
        " let a = q.as_rocm::<T>()?; let b = k.as_rocm::<T>()?; launch(a, b) }"
    )
    found = side(method, more=more)
    assert found.status is Status.IMPLEMENTED
    assert set(statuses(found).values()) == {"implemented"}


def test_only_an_empty_tensor_is_nothing_to_do() -> None:
    body = '{ if n == 1 { return self.device.launch() } bail!("no") }'
    assert side(f"{SIGNATURE} {body}").status is Status.IMPLEMENTED
    assert side(f"{SIGNATURE} {body.replace('== 1', '== 0')}").status is Status.ERROR


def test_what_an_empty_tensor_gets_ready_is_no_way() -> None:
    body = '{ if n == 0 { let out = self.device.launch()?; return Ok(out) } bail!("no") }'
    assert side(f"{SIGNATURE} {body}").status is Status.ERROR
    assert side(f"{SIGNATURE} {body.replace('== 0', '== 1')}").status is Status.IMPLEMENTED


def test_an_encoder_is_not_a_launch() -> None:
    fetched = "let c = self.device.memcpy_dtov(&self.slice)?; let r = work(c); self.device.memcpy_htod(r)"
    body = f"{{ let e = queue.computeCommandEncoderWithDispatchType(1); {fetched} }}"
    assert side(f"{SIGNATURE} {body}").status is Status.CPU_ONLY


def test_names_of_the_standard_library_mean_no_namesake() -> None:
    more = 'impl View { fn load(&self, o: Ordering) -> Result<u32> { bail!("no") } }'
    found = side(f"{SIGNATURE} {{ let n = COUNT.load(Relaxed); self.device.launch(n) }}", more=more)
    assert found.status is Status.IMPLEMENTED
    assert found.edges.guessed == 0


def test_a_name_that_leads_back_to_where_it_came_from_was_guessed_wrong() -> None:
    more = "pub fn run(x: u32) -> Result<RocmStorage> { unsafe { ffi::run(x) }; Ok(made) }"
    assert side(f"{SIGNATURE} {{ run(3) }}", more=more).status is Status.IMPLEMENTED


# --- what is never built --------------------------------------------------------------------


def test_code_under_a_feature_that_no_crate_has() -> None:
    files = tree()
    name = "core/src/rocm_backend/mod.rs"
    files[name] = files[name].replace(
        b"impl BackendStorage for", b'#[cfg(feature = "rocm-next")]\nimpl BackendStorage for'
    )
    files["core/Cargo.toml"] = b'[package]\nname = "core"\n[features]\ncuda = []\nrocm = ["dep:hip"]\nrocm-next = []\n'
    assert said(analysed(files)[0]["trait method:BackendStorage::scale"])[1] == "partial"
    files["core/Cargo.toml"] = files["core/Cargo.toml"].replace(b"rocm-next = []", b"")
    units, problems, _ = analysed(files)
    assert said(units["trait method:BackendStorage::scale"])[1] == "missing"
    assert any("no feature 'rocm-next'" in problem.what for problem in problems)


def test_a_file_that_no_module_names() -> None:
    files = tree()
    old = {"core/src/rocm_backend/mod.rs": "core/src/rocm_backend_old/mod.rs"}
    moved = {old.get(path, path): data for path, data in files.items()}
    units, problems, _ = analysed(moved)
    assert said(units["trait method:BackendStorage::scale"])[1] == "missing"
    assert any("no `mod` of its crate names it" in problem.what for problem in problems)
    moved["core/build.rs"] = b'#[path = "src/rocm_backend_old/mod.rs"] mod rocm_backend_old;'
    assert said(analysed(moved)[0]["trait method:BackendStorage::scale"])[1] == "partial"


@pytest.mark.parametrize("system", ["unix", 'target_family = "unix"', 'target_os = "linux"'])
def test_a_build_without_the_back_end_or_its_system_is_not_its_build(system: str) -> None:
    body = f'{{ #[cfg(not(all(feature = "rocm", {system})))] return bail!("no"); self.device.launch() }}'
    assert side(f"{SIGNATURE} {body}").status is Status.IMPLEMENTED
    assert side(f"{SIGNATURE} {body.replace('rocm', 'cuda')}").status is Status.ERROR


def test_a_condition_that_never_holds() -> None:
    files = tree()
    name = "core/src/rocm_backend/mod.rs"
    for never in (b"any()", b"FALSE"):
        gated = files | {
            name: files[name].replace(b"impl BackendStorage for", b"#[cfg(%s)] impl BackendStorage for" % never)
        }
        assert said(analysed(gated)[0]["trait method:BackendStorage::scale"])[1] == "missing"


def test_the_cpu_two_crates_away() -> None:
    files = tree()
    name = "core/src/rocm_backend/mod.rs"
    files[name] = files[name].replace(
        b'S::F32(s) => self.device.get_or_load_func("scale_f32")?.launch(s, by)', b"S::F32(_) => near::on_host(self)"
    )
    files["near/src/lib.rs"] = b"pub fn on_host(s: &RocmStorage) -> Result<RocmStorage> { far::really(s) }"
    files["far/src/lib.rs"] = b"""pub fn really<B: BackendStorage>(s: &B) -> Result<B> {
        let c = s.to_cpu_storage()?; B::from_cpu(c.scale(2.0)?) }"""
    assert analysed(files)[0]["trait method:BackendStorage::scale"].b.status is Status.CPU_ONLY


# --- kernels that hang on a macro of CUDA's ---------------------------------------------------


def test_a_kernel_that_only_cuda_s_compiler_sees_is_in_doubt() -> None:
    def kernel(condition: str) -> Inventory:
        return Inventory("rocm", {"add_bf16": Kernel("add_bf16", "k.cu", 1, How.MACRO, condition)})

    assert kernel("__CUDA_ARCH__ >= 800").doubt("add_bf16") == "__CUDA_ARCH__ >= 800"
    for sure in ("", "__CUDA_ARCH__ < 530", "!(__CUDA_ARCH__ >= 800)", "defined(USE_FAST)"):
        assert kernel(sure).doubt("add_bf16") == ""
    assert kernel("__CUDA_ARCH__ >= 800").doubt("add_f32") == ""


def test_data_types_whose_kernel_is_in_doubt_are_unknown() -> None:
    files = tree()
    build = b'fn main() { if std::env::var("CARGO_FEATURE_ROCM").is_ok() { rocm_build::all() } }'
    kernels = {path: data for path, data in files.items() if path.endswith((".cu", ".hip"))}
    for path in kernels:
        del files[path]
    files["kernels/build.rs"] = build
    name = "core/src/rocm_backend/mod.rs"
    files[name] = files[name].replace(
        b'S::F16(_) => unsupported("scale of f16")',
        b'S::F16(s) => self.device.get_or_load_func("scale_f16")?.launch(s, by)',
    )
    files["kernels/src/scale.cu"] = b"""#define OP(T, N) extern "C" __global__ void N(T *x) {}
OP(float, scale_f32)
#if __CUDA_ARCH__ >= 530
OP(__half, scale_f16)
#endif
OP(unsigned char, scale_u8)
"""
    unit = analysed(files)[0]["trait method:BackendStorage::scale"]
    assert (unit.a.dtypes["f16"], unit.b.dtypes["f16"]) == (Status.IMPLEMENTED, Status.UNKNOWN)
    assert unit.b.dtypes["f32"] is Status.IMPLEMENTED
    assert "scale_f16 exists only where __CUDA_ARCH__ >= 530" in unit.b.why
    family = analysed(files)[0]["kernel:scale::scale"]
    assert (family.a.dtypes["f16"], family.b.dtypes["f16"]) == (Status.IMPLEMENTED, Status.UNKNOWN)
    assert family.b.status is Status.PARTIAL


# --- choices by device that are no `match` ------------------------------------------------------

DEVICE = """pub enum Device { Cpu, Cuda(CudaDevice), Rocm(RocmDevice), Metal(MetalDevice) }
impl Device { pub fn go(&self) -> Result<u32> { BODY } }"""


@pytest.mark.parametrize(
    ("body", "how", "status", "scored"),
    [
        ('if let Device::Cuda(d) = self { d.x() } else if let Self::Rocm(d) = self { d.x() } else { bail!("no") }',
         "if let", "implemented", True),
        ('if let Device::Cuda(d) = self { d.x() } else { bail!("no") }', "if let", "always an error", True),
        ("if let Device::Cuda(d) = self { d.x() } else { todo!() }", "if let", "stub", True),
        ('if let Self::Cuda(d) = self { return d.x() } if let Self::Metal(d) = self { return d.x() } bail!("no")',
         "if let", "always an error", True),
        ("if let Device::Cuda(d) = self { d.sync()?; } Ok(1)", "if let", "default", False),
        ('let Device::Cuda(d) = self else { bail!("no") }; d.x()', "let else", "always an error", True),
        ("Ok(matches!(self, Device::Cuda(_) | Device::Metal(_)) as u32)", "matches!", "missing", True),
        ("Ok(matches!(self, Device::Cuda(_) | Device::Rocm(_)) as u32)", "matches!", "implemented", True),
        ("if matches!(self, Self::Cuda(_)) { Ok(1) } else { Ok(2) }", "matches!", "missing", False),
    ],
)  # fmt: skip
def test_choices_by_device(body: str, how: str, status: str, scored: bool) -> None:
    units, *_ = analysed({"core/src/device.rs": DEVICE.replace("BODY", body).encode()})
    unit = units[f"match arm:Device::go (core/src/device.rs)::Device::cuda ({how})"]
    assert (*said(unit), unit.scored) == ("implemented", status, scored)


@pytest.mark.parametrize(
    ("body", "how", "status", "scored"),
    [
        ('if self.is_cuda() { self.x() } else if self.is_rocm() { self.y() } else { bail!("no") }', "if",
         "implemented", True),
        ('if self.is_cuda() { self.x() } else if self.is_rocm() { bail!("no") } else { self.y() }', "if",
         "always an error", True),
        ('if self.is_cuda() { self.x() } else { bail!("no") }', "if", "always an error", True),
        ('if !self.is_cuda() { bail!("no") } self.x()', "if", "always an error", True),
        ('if !self.is_cuda() && !self.is_metal() { bail!("no") } self.x()', "if", "always an error", True),
        ('if !(self.is_cuda() || self.is_rocm()) { bail!("no") } self.x()', "if", "implemented", True),
        ('if self.is_cuda() { return self.x() } if self.is_metal() { return self.y() } bail!("no")', "if",
         "always an error", True),
        ("if self.is_cuda() { self.sync()?; } self.x()", "if", "default", False),
        ("let t = if self.is_cuda() || self.is_metal() { 1 } else { 2 }; Ok(t)", "if", "default", True),
        ("Ok((self.is_cuda() || self.is_metal()) as u32)", "asked", "missing", True),
        ("Ok((self.is_cuda() || self.is_rocm()) as u32)", "asked", "implemented", True),
        ("Ok(self.is_cuda() as u32)", "asked", "missing", False),
        ("if self.is_cuda() && n > 1 { self.x() } else { self.y() }", "asked", "missing", False),
    ],
)  # fmt: skip
def test_tests_of_a_device(body: str, how: str, status: str, scored: bool) -> None:
    units, *_ = analysed({"core/src/device.rs": DEVICE.replace("BODY", body).encode()})
    unit = units[f"match arm:Device::go (core/src/device.rs)::is_cuda() ({how})"]
    assert (*said(unit), unit.scored) == ("implemented", status, scored)


@pytest.mark.parametrize(
    "body", ["Ok(self.is_cuda_ready() as u32)", "Ok(self.is_cuda(1) as u32)", "Ok(is_cuda as u32)"]
)
def test_what_is_no_test_of_a_device(body: str) -> None:
    units, *_ = analysed({"core/src/device.rs": DEVICE.replace("BODY", body).encode()})
    assert not [unit for unit in units.values() if unit.kind == "match arm"]


def test_an_enum_without_the_back_end_lacks_it_once() -> None:
    body = 'match self { Device::Cpu => bail!("no"), Device::Cuda(d) => d.x(), Device::Metal(d) => d.x() }'
    without = DEVICE.replace("Rocm(RocmDevice), ", "").replace("BODY", body) + "fn f(d: &Device) { d.go(); }"
    units, *_ = analysed({"core/src/device.rs": without.encode()})
    variant, arm = units["enum variant:Device::Cuda"], units["match arm:Device::go (core/src/device.rs)::Device::cuda"]
    assert (variant.b.status, variant.scored, arm.b.status, arm.scored) == (Status.MISSING, True, Status.MISSING, False)
    assert variant.users == arm.users > 0, "what the arms are asked for, the variant is asked for"


def test_a_common_name_counts_with_its_owner_only() -> None:
    files = tree()
    calls = "".join(f"fn f{n}() {{ Vec::new(); v.load(x); }}\n" for n in range(120))
    files["core/src/lib.rs"] += f"{calls} fn g() {{ CudaDevice::new(0); RocmDevice::new(0); }}".encode()
    files["core/src/cuda_backend/mod.rs"] += b"impl CudaDevice { pub fn new(n: u32) -> Self { open(n) } }"
    files["core/src/rocm_backend/mod.rs"] += b"impl RocmDevice { pub fn new(n: u32) -> Self { open(n) } }"
    units, *_ = analysed(files)
    assert units["inherent method:CudaDevice::new"].users == 4, "two of the tree, two of these"
