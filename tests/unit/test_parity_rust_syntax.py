"""Rust text read: declarations, macros written out, conditions; and text that is no Rust."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewarp.lang.rust_tree import base_type
from rewarp.parity.rust.following.values import Value, readings
from rewarp.parity.rust.reading.cfg import folder_backend, gate_of, is_built, is_implementation, lacks
from rewarp.parity.rust.reading.dtypes import spellings
from rewarp.parity.rust.reading.facts import Macro
from rewarp.parity.rust.reading.lowering import block_of, body_of, expressions_of
from rewarp.parity.rust.reading.macros import expand
from rewarp.parity.rust.reading.reader import read_file


def macro(*rules: tuple[str, str]) -> Macro:
    return Macro("a.rs", 1, "m", rules)


def squeezed(text: str | None) -> str | None:
    return None if text is None else "".join(text.split())


@pytest.mark.parametrize(
    "source",
    [
        "fn f(x: Box<dyn 'static + Fn(u8) -> u8>) {}",
        'fn f(#[cfg(feature = "a")] x: u8, y: u8) {}',
        'fn f(c: C) { let C { #[cfg_attr(not(feature = "a"), allow(unused))] x, y } = c; }',
    ],
)
def test_good_rust_that_the_grammar_does_not_know_is_no_fault(source: str) -> None:
    found = read_file("a.rs", source.encode())
    assert found.faults == ()
    assert [function.name for function in found.functions] == ["f"]


def test_a_fault_is_said_with_its_line() -> None:
    found = read_file("a.rs", b"fn good() {}\n\nfn bad<T>\n    &self,\n) -> u8 { 1 }\n")
    assert found.faults
    assert {fault.line for fault in found.faults} <= {3, 4, 5}
    assert "good" in {function.name for function in found.functions}


def test_what_a_file_declares() -> None:
    source = b"""
        #[cfg(feature = "cuda")]
        impl<'a, U: Op> crate::Map<u8> for Wrapper<'a, U> {
            type Out = crate::Thing<u8>;
            const NAME: &'static str = "x";
            pub fn f<T: Clone>(&self, (a, b): (u8, u8), mut c: &T) -> Result<Self> { todo!() }
        }
        #[cfg(test)] mod tests { fn not_this() {} }
        mod inner { pub fn deep() {} }
        use a::b::Long as Short;
        pub enum E { A, #[cfg(feature = "rocm")] B(u8) }
    """
    found = read_file("src/a.rs", source)
    (impl,) = found.impls
    (function,) = impl.functions
    assert (impl.type, impl.trait, impl.associated) == ("Wrapper", "Map", (("Out", "crate::Thing<u8>"),))
    assert (function.name, function.arity, function.takes_self, function.generics) == ("f", 2, True, ("U", "T"))
    assert function.cfg == ('feature = "cuda"',)
    assert [(f.name, f.module) for f in found.functions] == [("deep", ("inner",))]
    assert found.aliases == (("Short", "Long"),)
    assert [(m.name, m.cfg) for m in found.types[0].members] == [("A", ()), ("B", ('feature = "rocm"',))]
    assert pickle.loads(pickle.dumps(found)) == found


def test_a_macro_is_written_out() -> None:
    simple = macro(("$t:ty, $d:ident", "impl X for $t { fn f() { S::$d } }"))
    assert squeezed(expand(simple, "float8::F8, F8")) == "implXforfloat8::F8{fnf(){S::F8}}"
    repeated = macro(("$($n:ident),+ $(,)?", "$( mod $n { const A: &str = stringify!($n); } )+"))
    assert squeezed(expand(repeated, "a, b,")) == "moda{constA:&str=stringify!(a);}modb{constA:&str=stringify!(b);}"
    nested = macro(("$s:expr, $(($v:ident $(, $x:expr)?)),*", "match $s { $( S::$v => f($($x)?), )* }"))
    assert squeezed(expand(nested, "self.s, (A, 1), (B)")) == "matchself.s{S::A=>f(1),S::B=>f(),}"
    closure = macro(("$a:ident, $e:expr", "$a($e)"))
    assert squeezed(expand(closure, "go, |x, y| x + y")) == "go(|x,y|x+y)"
    assert squeezed(expand(macro(("$e:expr", "i += $e; a << 2")), "1 >= 2")) == "i+=1>=2;a<<2"


def test_the_first_rule_that_fits_counts() -> None:
    two = macro(("", "nothing()"), ("$a:ident => $b:expr", "$a = $b"))
    assert squeezed(expand(two, "")) == "nothing()"
    assert squeezed(expand(two, "x => 1 + 2")) == "x=1+2"
    assert expand(two, "1, 2, 3") is None


@pytest.mark.parametrize(
    ("cfg", "backend", "expected"),
    [
        ('feature = "cuda"', "cuda", True),
        ('feature = "cuda"', "rocm", False),
        ('not(feature = "cuda")', "rocm", True),
        ('any(feature = "cuda", feature = "hip")', "rocm", True),
        ('all(feature = "rocm", not(feature = "miopen"))', "rocm", True),
        ('all(feature = "rocm", feature = "cuda")', "rocm", False),
        ('feature = "cudnn"', "cuda", True),
        ('not(feature = "cudnn")', "cuda", True),
        ('target_os = "macos"', "metal", True),
    ],
)
def test_what_is_in_a_build(cfg: str, backend: str, expected: bool) -> None:
    assert is_built((cfg,), backend) is expected


def test_whose_code_it_is() -> None:
    assert gate_of(('feature = "rocm"',)) == "rocm"
    assert gate_of(('not(feature = "rocm")',)) is None
    assert lacks(('not(feature = "cuda")',), "cuda")
    assert not lacks(('not(feature = "cuda")',), "rocm")
    assert folder_backend("core/src/cuda_backend/mod.rs") == "cuda"
    assert folder_backend("core/src/storage.rs") is None
    assert not is_implementation("core/tests/all.rs")
    assert not is_implementation("core/src/rocm_backend/tests_gemm.rs")
    assert is_implementation("core/src/testing_tools.rs")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("Result<&'a mut crate::CudaStorage>", "CudaStorage"),
        ("candle::Result<(CudaStorage, Shape)>", "(CudaStorage, Shape)"),
        ("Option<Arc<Foo<u8>>>", "Foo"),
        ("&Self::Device", "Self::Device"),
        ("*const u8", "u8"),
    ],
)
def test_what_a_type_is_about(written: str, expected: str) -> None:
    assert base_type(written) == expected


def test_strings_that_one_of_several_things_decides() -> None:
    one = Value(strings=(("f32", 1), ("f16", 2))).told_by_nobody(3)
    assert readings(f"sum_{one.strings[0][0]}") == ("sum_f32", "sum_f16")
    assert spellings("f8e4m3") == ("f8e4m3", "f8_e4m3", "fp8e4m3", "fp8_e4m3")
    assert spellings("bf16") == ("bf16",)


@settings(max_examples=150)
@given(st.binary(max_size=200) | st.text(alphabet="fn{}()<>[]=;:|&!#$'\"ab1, \n", max_size=200).map(str.encode))
def test_no_text_is_too_odd(data: bytes) -> None:
    read_file("a.rs", data)
    body_of(data, 1)
    text = data.decode("utf-8", "replace")
    expressions_of(text, 1)
    block_of(text, 1)
    expand(macro((text, text)), text)


@pytest.mark.parametrize(
    "code",
    [
        "fn f<D>(d: D) where D:, { d.go() }",
        "fn f() { seq!(N in 0..8 { let sum~N = 1; }); g() }",
    ],
)
def test_good_rust_that_the_grammar_does_not_know(code: str) -> None:
    found = read_file("a.rs", code.encode())
    assert found.faults == ()
    assert not found.functions[0].is_broken
    assert read_file("a.rs", code.replace("go()", "go(").replace("g()", "g(").encode()).faults
