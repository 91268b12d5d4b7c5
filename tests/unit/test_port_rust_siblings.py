"""Siblings for AMD in shared Rust files: what each construct gets, what gets nothing, and the way back."""

from __future__ import annotations

from pathlib import Path

import pytest
from port_parts import write

from rewarp.port import rust
from rewarp.port.changes import PortContext
from rewarp.port.rust.renaming import Renaming
from rewarp.port.rust.siblings import Twinless, with_siblings
from rewarp.port.rust.twins import collisions, gated_names, twin_of
from rewarp.port.tree import Tree
from rewarp.targets import ROCM
from rewarp.verify.isolation.rust.comparison import _plain, _residue, _tokens
from rewarp.verify.isolation.rust.siblings import without_rocm

ABSENT = Twinless(frozenset({"cudnn"}), frozenset({"fast"}))


def _made(code: str) -> str:
    return with_siblings(code.encode(), Renaming(), ABSENT).data.decode()


CASES = {
    "a variant": ("enum D { Cpu, Cuda(X) }", "Cuda(X),\nRocm(X) }"),
    "a variant with a comma": ("enum D {\n    Cuda(CudaDevice),\n    Metal,\n}", "Cuda(CudaDevice),\n    Rocm(RocmDevice),\n"),
    "a method": ("impl D {\n    fn is_cuda(&self) -> bool { matches!(self, D::Cuda(_)) }\n}", "fn is_rocm(&self) -> bool { matches!(self, D::Rocm(_)) }"),
    "an arm": ("fn f(d: D) { match d { D::Cuda(c) => g(c), _ => {} } }", "D::Rocm(c) => g(c),"),
    "an alternative": ("fn f(d: D) { match d { D::Metal(_) | D::Cuda(_) => 1, _ => 2 }; }", "D::Cuda(_) | D::Rocm(_) =>"),
    "an arm for text": ('fn f(s: &str) { match s { "cuda" => D::Cuda, _ => D::Cpu }; }', '"rocm" => D::Rocm,'),
    "an arm for text alone": ('fn f(s: &str) { match s { "cuda" => 1, _ => 2 }; }', '"cuda" | "rocm" => 1,'),
    "an arm without a comma": ("fn f(d: D) { match d { D::Cpu => 1, D::Cuda => cuda() }; }", "D::Cuda => cuda(),\nD::Rocm => rocm()"),
    "an arm that says nothing of CUDA": ("fn f(d: D) { match d { D::Cpu => 1, D::Cuda(_) => 2 }; }", "D::Cuda(_) | D::Rocm(_) => 2"),
    "an arm that binds a value": ("fn f(d: D) { match d { D::Cpu => 1, D::Cuda(x) => x.n() }; }", "D::Cuda(x) => x.n(),\nD::Rocm(x) => x.n()"),
    "an arm behind a feature": (
        'fn f(d: D) { match d { D::Cpu => 1,\n#[cfg(feature = "cuda")]\nD::Cuda(_) => 2 }; }',
        'D::Cuda(_) => 2,\n#[cfg(feature = "rocm")]\nD::Rocm(_) => 2',
    ),
    "one more arm where every variant is named": (
        'impl D { fn as_cuda(&self) -> R {\n match self {\n  Self::Cuda(d) => Ok(d),\n  Self::Metal(_) => bail!("got metal"),\n } } }',
        'Self::Rocm { .. } => bail!("got rocm"),',
    ),
    "an import in a list": ("use crate::{CpuStorage, CudaStorage};", "CudaStorage, RocmStorage}"),
    "an import": ("use crate::CudaStorage;", "use crate::RocmStorage;"),
    "a condition": ("fn f(d: D) { if d.is_cuda() { g() } }", "if d.is_cuda() || d.is_rocm() {"),
    "a condition that is negated": ("fn f(d: D) { if !d.is_cuda() { g() } }", "if !d.is_cuda() && !d.is_rocm() {"),
    "a condition of two": ("fn f(d: D) { if (d.is_cuda() || d.is_metal()) && x { g() } }", "(d.is_cuda() || d.is_rocm() || d.is_metal())"),
    "a branch of its own": ("fn f() { if cuda_there() { D::new_cuda(0) } else { D::Cpu } }", "else if rocm_there() { D::new_rocm(0) } else"),
    "a branch of a pattern": ("fn f(d: D) { if let D::Cuda(c) = d { g(c) } }", "else if let D::Rocm(c) = d { g(c) }"),
    "a module behind a feature": ('#[cfg(feature = "cuda")]\npub mod cuda_backend;', '#[cfg(feature = "rocm")]\npub mod rocm_backend;'),
    "a statement behind a feature": ('fn f() {\n    #[cfg(feature = "cuda")]\n    cuda::set();\n}', '#[cfg(feature = "rocm")]\n    rocm::set();'),
    "what is offered to Python": (
        "fn m(m: &M) -> R {\n    m.add_function(wrap_pyfunction!(cuda_there, m)?)?;\n    Ok(())\n}",
        "m.add_function(wrap_pyfunction!(cuda_there, m)?)?;\n    m.add_function(wrap_pyfunction!(rocm_there, m)?)?;\n",
    ),
    "a class that is offered to Python": ("fn m(m: &M) -> R { m.add_class::<CudaX>()?; Ok(()) }", "m.add_class::<RocmX>()?;"),
    "a test that a macro names": (
        'macro_rules! t { ($f: ident, $t_cuda: ident) => {\n    #[cfg(feature = "cuda")]\n    #[test]\n    fn $t_cuda() { $f(&D::new_cuda(0)) }\n}; }',
        "mod $f {\n        use super::*;\n        #[test]\n        fn rocm() { $f(&D::new_rocm(0)) }",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_a_construct_gets(case: str) -> None:
    before, sibling = CASES[case]
    made = _made(before)
    assert sibling in made, made


@pytest.mark.parametrize("case", CASES)
def test_without_what_names_rocm_it_is_what_it_was(case: str) -> None:
    before = CASES[case][0].encode()
    after = with_siblings(before, Renaming(), ABSENT).data
    assert after != before
    left = _residue(_tokens(without_rocm(after)[0]))[0]
    assert _plain(left) == _plain(_residue(_tokens(before))[0])


MISSES = {
    "nothing of CUDA": "fn f(d: D) { match d { D::Cpu => 1, _ => 2 }; }",
    "another statement": "fn m(m: &M) { m.add(cuda_there()); }",
    "another function offered to Python": "fn m(m: &M) -> R { m.add_function(wrap_pyfunction!(there, m)?)?; Ok(()) }",
    "only a comment": "// runs on CUDA\nfn f() {}",
    "a feature without a twin": '#[cfg(feature = "cudnn")]\npub mod cuda_extra;',
    "a function that is chosen": '#[cfg(feature = "cuda")]\nfn f() { cuda::g() }\n#[cfg(not(feature = "cuda"))]\nfn f() {}',
    "a module without a twin": '#[cfg(feature = "cuda")]\npub mod fast_kernels;',
    "what rests on it": "fn cuda_go() { fast::go() }",
    "a part of cudarc that AMD lacks": "fn cuda_go(c: cudarc::nccl::Comm) {}",
    "what a build chooses": 'fn f() { if cfg!(feature = "cuda") { fused() } else { plain() } }',
    "names from CUDA's own place beside others": "use cudarc::driver::{CudaSlice, sys};",
}


@pytest.mark.parametrize("case", MISSES)
def test_what_gets_no_sibling(case: str) -> None:
    assert _made(MISSES[case]) == MISSES[case]


def test_what_rustfmt_does_where_a_line_grew_is_no_change() -> None:
    before = b'fn f(s: S) { match s { S::Metal(_) | S::Cuda(_) => crate::bail!("no"), _ => g() } }'
    after = b'fn f(s: S) { match s { S::Metal(_) | S::Cuda(_) => {\n crate::bail!("no")\n }\n _ => g(), } }'
    assert _plain(_tokens(before)) == _plain(_tokens(after))


@pytest.mark.parametrize(
    "body", ['crate::bail!("no");', "let x = 1; x", "return f(x)", "f(x) + 1", "{ f(x) }", "unsafe { f(x) }"]
)
def test_braces_that_may_mean_something_count(body: str) -> None:
    before = f"fn f(s: S) {{ match s {{ S::A => {body.rstrip(';')}, _ => g() }} }}".encode()
    after = f"fn f(s: S) {{ match s {{ S::A => {{ {body} }} _ => g() }} }}".encode()
    assert _plain(_tokens(before)) != _plain(_tokens(after))


def test_an_attribute_for_amd_alone_is_left_out() -> None:
    code = b"// Licence\n\nmod a;\nfn f() {}\n"
    amds = b'// Licence\n\n#![cfg_attr(feature = "rocm", allow(dead_code, unused_imports))]\n\nmod a;\n'
    amds += b'#[cfg_attr(feature = "rocm", inline)]\nfn f() {}\n'
    assert _residue(_tokens(amds)) == (_tokens(code), {"rocm"})
    for other in (b'#![cfg_attr(feature = "fast", inline)]', b'#![cfg_attr(any(feature = "rocm", unix), inline)]'):
        assert _residue(_tokens(other + code))[0] != _tokens(code), other


REAL_CHANGES = {
    "another value": ("fn f(d: D) { match d { D::Cuda => 1, _ => 2 }; }", "fn f(d: D) { match d { D::Cuda => 3, _ => 2 }; }"),
    "an arm that takes everything": ("fn f(d: D) { match d { D::Cuda => 1, _ => 2 }; }", "fn f(d: D) { match d { rocm => 3, D::Cuda => 1, _ => 2 }; }"),
    "a condition that asks something else": ("fn f(d: D) { if d.is_cuda() { g() } }", "fn f(d: D) { if d.is_cuda() || d.len() > 3 { g() } }"),
    "less than before": ("fn f(d: D) { if d.is_cuda() { g() } }", "fn f(d: D) { if d.is_cuda() && d.is_rocm() { g() } }"),
    "a function of another name": ("fn f() {}", "fn f() {}\nfn g() {}"),
    "a method on another type": ("struct A;", "struct A;\nimpl A { fn drop(&self) {} }"),
}  # fmt: skip


@pytest.mark.parametrize("case", REAL_CHANGES)
def test_a_change_that_nvidia_sees_is_no_sibling(case: str) -> None:
    before, after = (code.encode() for code in REAL_CHANGES[case])
    left = _residue(_tokens(without_rocm(after)[0]))[0]
    assert _plain(left) != _plain(_residue(_tokens(before))[0])


def test_names_that_a_crate_has_once_get_another() -> None:
    own = b"pub struct CudaX;\nimpl CudaX { fn go(&self) {} }\nimpl crate::Scalar { fn as_arg(&self) {} }\n"
    own += b"#[macro_export]\nmacro_rules! give { () => {} }\nmacro_rules! inner { () => {} }"
    assert collisions([own]) == {b"as_arg", b"give"}
    shared = b'impl T {\n #[cfg(feature = "cuda")]\n fn guard(&self, s: &CudaStream) {}\n fn new() {}\n}'
    assert gated_names([shared]) == {b"guard"}


def test_a_file_of_cudas_is_renamed_without_what_has_no_twin() -> None:
    code = b"""// see https://docs.nvidia.com/cuda/x
use cudarc::driver::CudaSlice;
#[cfg(feature = "cudnn")]
fn conv() { cudnn() }
#[cfg(not(feature = "cudnn"))]
fn conv() { plain("no cuda here", "mul_cuda1") }
fn go(x: CudaSlice<f32>) -> Result<()> {
    if let Some(done) = fast::try_it(x)? {
        return Ok(done);
    }
    slow(x)
}
"""
    twin = twin_of("a.rs", "b.rs", code, Renaming(kernels=frozenset({b"mul_cuda1"})), ABSENT)
    assert (
        twin.data
        == b"""// see https://docs.nvidia.com/cuda/x
use hiparc::driver::HipSlice;
fn conv() { plain("no rocm here", "mul_cuda1") }
fn go(x: HipSlice<f32>) -> Result<()> {
    slow(x)
}
"""
    )
    assert [left.why for left in twin.left] == [
        "the feature cudnn has no twin",
        "fast has no twin: the path without it is taken",
    ]


def test_a_twin_has_no_empty_branch_and_of_two_alike_one() -> None:
    code = b"""impl Q {
    fn go(&self) -> R {
        if !FORCE.load(Relaxed) {
            if let Some(done) = fast::try_it(self)? {
                return Ok(done);
            }
        }
        slow(self)
    }

    /// Product.
    pub fn gemm(&self) -> T {
        if reduced() { T::CUBLAS_COMPUTE_32F_FAST_TF32 } else { T::CUBLAS_COMPUTE_32F }
    }

    pub fn gemm_after(&self) -> R<T> {
        if next()? { T::CUBLAS_COMPUTE_32F_FAST_TF32 } else { T::CUBLAS_COMPUTE_32F }
    }
}
"""
    twin = twin_of("a.rs", "b.rs", code, Renaming(), ABSENT).data
    assert b"fn go(&self) -> R {\n        slow(self)" in twin
    assert b"    /// Product.\n    pub fn gemm(&self) -> T {\n        T::rocblas_datatype_f32_r\n    }" in twin
    said = b"    #[allow(clippy::if_same_then_else)] // AMD has one way for both\n    pub fn gemm_after"
    assert said in twin, "its condition does something"


@pytest.mark.parametrize(
    "code",
    [
        "fn f() { if a { g() } else { h() } }",
        "fn f() {\n    if take()? {\n    }\n}\n",
        "fn f() {\n    if a {\n        // nothing yet\n    }\n}\n",
        "fn f() { if a { g() } else if b { g() } }",
    ],
)
def test_other_branches_stay(code: str) -> None:
    assert twin_of("a.rs", "b.rs", code.encode(), Renaming(), ABSENT).data == code.encode()


@pytest.mark.parametrize(
    ("code", "ported"),
    [
        ("use candle_core::CudaStorage;\n", False),
        ("use candle_core as candle;\nuse candle::{CpuStorage, CudaStorage};\n", False),
        ("use candle_core::cuda_backend::WrapErr;\n", False),
        ("use candle_core::Tensor;\n", True),
    ],
)
def test_a_side_that_is_written_in_types_from_elsewhere_gets_no_twin(code: str, ported: bool, tmp_path: Path) -> None:
    manifest = '[package]\nname = "a"\n[features]\ncuda = ["dep:cudarc", "candle-core/cuda"]\n'
    manifest += '[dependencies]\ncudarc = { version = "0.19", optional = true }\ncandle-core = "0.9"\n'
    code += "use cudarc::driver::CudaSlice;\npub fn cuda_sum(x: &CudaSlice<f32>) {}\n"
    write(tmp_path, {"Cargo.toml": manifest, "src/lib.rs": code})
    result = rust.run(Tree(tmp_path), PortContext(ROCM))
    assert (b"rocm_sum" in b"".join(change.after or b"" for change in result.changes)) == ported
    assert any("types of candle-core" in manual.what for manual in result.manual) != ported


@pytest.mark.parametrize(
    ("code", "widened"),
    [
        ("pub enum D { Cpu, Cuda(X) }", [(1, "D")]),
        ("/// D.\n#[derive(Debug)]\npub enum D {\n    Cuda,\n}", [(3, "D")]),
        ("#[non_exhaustive]\n#[derive(Debug)]\npub enum D { Cuda }", []),
        ("enum D { Cuda }", []),
        ("pub(crate) enum D { Cuda }", []),
        ("pub struct D { pub cuda: X }", []),
    ],
)
def test_public_enums_with_one_more_variant_are_told(code: str, widened: list[tuple[int, str]]) -> None:
    assert with_siblings(code.encode(), Renaming(), ABSENT).widened == widened
