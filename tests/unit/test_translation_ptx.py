"""Inline assembly: what has a form becomes C++, what is AMD's own is left alone, the rest is reported."""

from __future__ import annotations

import ctypes
import math
import random
import re
import struct
import subprocess
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from rewarp import toolchain
from rewarp.findings import Effort
from rewarp.source import SourceFile
from rewarp.tables import rows
from rewarp.translation.ptx import hip_form, settled, understood
from rewarp.translation.ptx_reader import Unreadable, read, statement_end
from rewarp.translation.translator import translate
from support import ptx_cases
from support.compiled import CXX, HEADER_FOLDER
from support.references import NEAREST, TOWARD_ZERO, bf16_of, rounded, saturated, signed

M32 = 0xFFFFFFFF


def translated(statement: str) -> tuple[str, list[str]]:
    found = translate(SourceFile("x.cuh", f"__device__ void f(float x, float y) {{ {statement} }}\n".encode()))
    body = found.text[found.text.index("{") + 2 : found.text.rindex("}") - 1]
    return body, [problem.rule for problem in found.problems]


# ---------------------------------------------------------------- forms


@pytest.mark.parametrize(
    ("ptx", "hip"),
    [
        ('asm("tanh.approx.f32 %0, %1;" : "=f"(x) : "f"(y));', "x = tanhf(y);"),
        ('asm volatile("griddepcontrol.wait;" ::: "memory");', "static_cast<void>(0);"),
        ('asm volatile("membar.gl;\\n");', "__threadfence();"),
        ('asm("mov.u32 %0, %%laneid;" : "=r"(i));', "i = rewarp_lane_id();"),
        ('asm("mov.u32 %0, %laneid;" : "=r"(i));', "i = rewarp_lane_id();"),
        # Types: a register holds bits, and the instruction says what they are.
        ('asm("mov.b32 %0, %1;" : "=r"(i) : "f"(y));', "i = rewarp_ptx::as<unsigned>(y);"),
        ('asm("neg.f32 %0, %1;" : "=r"(i) : "r"(j));', "i = rewarp_ptx::as<unsigned>(-rewarp_ptx::as<float>(j));"),
        ('asm("rem.s32 %0, %1, 3;" : "=r"(i) : "r"(j));', "i = static_cast<int>(j) % 3;"),
        ('asm("div.rn.f32 %0, %1, %2;" : "=f"(x) : "f"(y + 1), "f"(x));', "x = (y + 1) / (x);"),
        ('asm("cvt.u32.u8 %0, %1;" : "=r"(i) : "r"(j));', "i = static_cast<unsigned>(static_cast<unsigned char>(j));"),
        (
            'asm("{.reg .pred p; setp.lt.s32 p, %1, 0xffffffff; selp.u32 %0, 1, 0, p;}" : "=r"(i) : "r"(j));',
            "do { bool ptx_p; ptx_p = static_cast<int>(j) < static_cast<int>(0xffffffff); i = ptx_p ? 1u : 0u; } while (0);",
        ),
        # Order of modifiers, hints and vectors.
        (
            'asm("ld.L1::no_allocate.global.nc.L2::256B.v2.b32 {%0, %1}, [%2+-8];" : "=r"(i), "=f"(x) : "l"(p));',
            "rewarp_ptx::load_into<unsigned, rewarp_ptx::Plain>(rewarp_ptx::generic(p, -8), i, x);",
        ),
        (
            'asm("mov.b32 %0, {%1, 0};" : "=r"(i) : "h"(s));',
            "i = rewarp_ptx::joined<unsigned>(static_cast<unsigned short>(s), 0);",
        ),
        # An input that stands twice is computed once.
        (
            'asm("add.u32 %0, %1, %1;" : "=r"(i) : "r"(*p++));',
            "do { const auto ptx_1 = *p++; i = rewarp_ptx::add<unsigned>(ptx_1, ptx_1); } while (0);",
        ),
        # A predicate's name may be one of the program's.
        (
            'asm("{.reg .pred p; setp.lt.s32 p, %1, 0; @!p mov.u32 %0, 7;}" : "+r"(i) : "r"(p));',
            "do { bool ptx_p; ptx_p = static_cast<int>(p) < 0; if (!ptx_p) i = 7u; } while (0);",
        ),
        ('asm("add.u32 %0, %1, 1;" : "=r"(i) : "0"(j));', "do { i = j; i = rewarp_ptx::add<unsigned>(i, 1u); } while (0);"),
        ('asm(R"(trap;)");', "abort();"),
        ('asm("{ // why\\n /* trap; */ bar.sync 0; }");', "__syncthreads();"),
    ],
)  # fmt: skip
def test_an_instruction_with_a_form_becomes_it(ptx: str, hip: str) -> None:
    assert translated(ptx) == (hip, [])
    assert hip_form(ptx) == hip.removesuffix(";")


@pytest.mark.parametrize(
    "code",
    [
        'asm volatile("s_waitcnt vmcnt(0)");',
        'int load(int) __asm("llvm.amdgcn.raw.buffer.load.i32");',
        '__asm__ __volatile__("cpuid" : "=a"(i) : "a"(j));',
        '__asm__ __volatile__("rep; nop");',
    ],
)
def test_what_is_no_ptx_is_left_alone(code: str) -> None:
    assert translated(code) == (code, [])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('"frobnicate.f32 %0, %1;" : "=f"(x) : "f"(y)', "frobnicate.f32"),
        ('"add.rz.f32 %0, %1, %1;" : "=f"(x) : "f"(y)', "add.rz.f32"),
        ('"add.u32 %0, %1, %2, %3;" : "=r"(i) : "r"(i)', "add.u32"),
        ('"add.u32 %0, %1, %7;" : "=r"(i) : "r"(i)', "%7"),
        ('"add.u32 %0, %1, q;" : "=r"(i) : "r"(i)', "q"),
        ('"add.cc.u32 %0, %1, %1;" : "=r"(i) : "r"(i)', "carry"),
        ('"addc.u32 %0, %1, %1;" : "=r"(i) : "r"(i)', "carry"),
        ('"mov.u32 %1, %0;" : "=r"(i) : "r"(i)', "%1"),
        ('"mov.u32 %0, %%no_such;" : "=r"(i)', "no_such"),
        ('"mov.u32 %0, " VALUE ";" : "=r"(i)', "macro"),
        ('"lop3.b32 %0, %1, %1, %1, ptx;" : "=r"(i) : "r"(i)', "constant"),
        ('".visible .entry x;"', ".visible"),
        ('"add.u32 %0, %1, 1;" : "=r"(i) : "7"(i)', "shares a register"),
        ('"mov.u32 %0, 1;" : "0"(i)', "shares a register"),
    ],
)
def test_the_rest_is_reported(text: str, why: str) -> None:
    found = translate(SourceFile("x.cuh", f"__device__ void f(float x, float y) {{ asm({text}); }}\n".encode()))
    assert f"asm({text});" in found.text
    (problem,) = found.problems
    assert (problem.rule, problem.kind, problem.effort) == ("CU-005", "unsupported", None)
    assert why in problem.message


def test_a_text_that_depends_on_if_is_reported() -> None:
    code = 'asm("mov.u32 %0, "\n#if A\n"1;"\n#else\n"2;"\n#endif\n : "=r"(i));'
    with pytest.raises(Unreadable, match="#if"):
        read(code.encode()[:-1])


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a\n#if CUDA_VERSION >= 8000\nb\n#else\nc\n#endif\nd", "a\nb\nd"),
        ("a\n#if 0\nb\n#elif CUDA_VERSION >= 8000 // new\nc\n# endif // old\nd", "a\nc\nd"),
        ("a\n#if 0\n#if OWN\nb\n#endif\n#endif\nd", "a\nd"),  # what is not compiled is not asked
        ("a\n#if OWN\nb\n#endif\nd", None),
        ("a\n#if 1\n#if OWN\nb\n#endif\n#endif\nd", None),
        ("a\n#if 0\nb", None),  # its branch ends outside of the statement
        ("a\n#endif\nb", None),
        ("a\n#if 1\n#define X\n#endif\nb", None),
    ],
)
def test_a_condition_on_the_toolkit_is_settled(text: str, left: str | None) -> None:
    assert settled(text.encode()).decode() == (text if left is None else left)


@pytest.mark.parametrize(
    ("ptx", "way"),
    [
        ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0}, {%1}, {%1}, {%0};", "MFMA"),
        ("wgmma.fence.sync.aligned;", "MFMA"),
        ("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0}, [%1];", "LDS"),
        ("cp.async.bulk.commit_group;", "LDS"),
        ("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1];", "LDS"),
        ("tcgen05.wait::st.sync.aligned;", "AGPR"),
        ("mbarrier.init.shared::cta.b64 [%0], %1;", "__syncthreads"),
        ("{.reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @p bra D; bra W; D: }", "__syncthreads"),
        ("fence.proxy.async;", "__syncthreads"),
        ("barrier.cluster.arrive.aligned;", "clusters"),
        ("mov.u32 %0, %%cluster_ctarank;", "clusters"),
        ("{.reg .pred p; W_%=: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra W_%=;}", "__syncthreads"),
        ("multimem.st.relaxed.sys.global.u32 [%0], %1;", "RCCL"),
        ("setmaxnreg.inc.sync.aligned.u32 232;", "launch_bounds"),
        ("bar.sync 1, 128;", "one barrier"),
        ("bar.arrive %0, %1;", "one barrier"),
        ("exit;", "Return"),
    ],
)  # fmt: skip
def test_what_amd_does_in_another_way_is_named(ptx: str, way: str) -> None:
    code = f'__device__ void f() {{ asm volatile("{ptx}" :: "r"(a), "r"(b)); }}\n'
    found = translate(SourceFile("x.cuh", code.encode()))
    assert ptx in found.text
    (problem,), (finding,) = found.problems, found.findings
    assert way in problem.fix
    assert (problem.kind, finding.effort) == ("unsupported", Effort.REWRITE)


def test_what_differs_is_said() -> None:
    found = translate(SourceFile("x.cuh", b'__device__ void f() { asm("mov.u32 %0, %%smid;" : "=r"(i)); }\n'))
    (problem,) = found.problems
    assert (problem.kind, problem.symbol) == ("noted", "%smid")


def test_lines_of_a_macro_stay_one_line() -> None:
    code = b'#define A(x) \\\n  asm("trap; " \\\n "trap;" \\\n )\n__device__ void f() { A(1); }\n'
    assert b"#define A(x) \\\n  do { abort(); abort(); } while (0)\n" in translate(SourceFile("x.cu", code)).data


@pytest.mark.parametrize(
    "text", [b"asm", b"asm(", b'asm("mov', b'asm("" : "=r"(', b"asm(((((", b"int asm_;", b'asm("a"b)']
)
def test_half_written_statements(text: bytes) -> None:
    assert not understood(text, 0)
    end = statement_end(text, 0)
    assert end is None or end <= len(text)
    assert hip_form(text.decode()) is None


# ---------------------------------------------------------------- the table


def test_every_row_has_a_case_that_it_turns_into_a_form() -> None:
    lacking = [case.name for case in ptx_cases.cases() if case.hip is None]
    assert not lacking
    texts = " ; ".join(case.name for case in ptx_cases.cases())
    instructions = {name for row in rows("ptx.csv") if row["kind"] == "instruction" for name in row["name"].split()}
    assert len(instructions) > 60
    assert not {name for name in instructions if not re.search(rf"(?<![\w.]){name}(?=[.; ])", texts)}


def test_every_row_says_where_it_comes_from() -> None:
    for row in rows("ptx.csv"):
        assert row["kind"] in ("instruction", "register", "word", "rewrite")
        assert row["hip"]
        assert row["source"]


@pytest.mark.parametrize("arch", ["gfx942", "gfx1100"])
def test_every_form_compiles(arch: str, tmp_path: Path) -> None:
    source = tmp_path / "every.hip"
    source.write_text("\n".join(ptx_cases.hip()))
    hip = toolchain.find()
    done = hip.check(source, arch, options=(f"-I{HEADER_FOLDER}",))
    assert done.ok, [str(error) for error in done.errors][:5]


# ---------------------------------------------------------------- run on this machine, against references


def float_of(word: int) -> float:
    return float(struct.unpack("<f", struct.pack("<I", word & M32))[0])


def bits_of(number: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", number))[0])


def half_bits(word: int) -> int:
    number = float_of(word)
    if math.isnan(number):
        return 0x7FFF
    try:
        return int(struct.unpack("<H", struct.pack("<e", number))[0])
    except OverflowError:
        return 0xFC00 if number < 0 else 0x7C00


def field(a: int, start: int, length: int, sign: bool) -> int:
    start, length = start & 255, length & 255
    top = a >> 31 & 1 if sign else 0
    bits = [a >> (start + i) & 1 if start + i < 32 else top for i in range(min(length, 32))]
    fill = (bits[-1] if sign and bits and start + length <= 32 else top) if length else 0
    return sum(bit << i for i, bit in enumerate(bits + [fill] * (32 - len(bits))))


def inserted(a: int, b: int, start: int, length: int) -> int:
    mask = ((1 << (length & 255)) - 1) << (start & 255) & M32
    return (a << (start & 255)) & mask | b & ~mask & M32


def permuted(a: int, b: int, selector: int) -> int:
    pool = (a | b << 32).to_bytes(8, "little")
    picks = [selector >> 4 * i & 15 for i in range(4)]
    return int.from_bytes([(255 * (pool[p & 7] >> 7)) if p & 8 else pool[p & 7] for p in picks], "little")


def by_truth_table(a: int, b: int, c: int, table: int) -> int:
    return sum((table >> (((a >> i & 1) << 2) | ((b >> i & 1) << 1) | (c >> i & 1)) & 1) << i for i in range(32))


def to_integer(word: int, mode: int, bits: int) -> int:
    number = float_of(word)
    if math.isnan(number):
        return 0
    whole = int(math.copysign(1 << 70, number)) if math.isinf(number) else rounded(Fraction(number), mode)
    return saturated(whole, bits, True) & M32


def bf16_fma(a: int, b: int, c: int) -> int | None:
    numbers = [float_of((word & 0xFFFF) << 16) for word in (a, b, c)]
    if not all(map(math.isfinite, numbers)):
        return None
    exact = Fraction(numbers[0]) * Fraction(numbers[1]) + Fraction(numbers[2])
    return bf16_of(exact, NEAREST) if Fraction(1, 2**120) < abs(exact) < 2**120 else None


def lower(a: int, b: int, c: int) -> int | None:
    x, y = float_of(a), float_of(b)
    if math.isnan(x) or math.isnan(y):
        return None if math.isnan(x) and math.isnan(y) else b & M32 if math.isnan(x) else a & M32
    return min((x, math.copysign(1, x), a & M32), (y, math.copysign(1, y), b & M32))[2]


Reference = Callable[[int, int, int], "int | None"]
EXECUTED: dict[str, Reference] = {
    '"shl.b32 %0, %1, %2;"': lambda a, b, c: a << b & M32 if b < 32 else 0,
    '"shr.u32 %0, %1, %2;"': lambda a, b, c: a >> b if b < 32 else 0,
    '"shr.s32 %0, %1, %2;"': lambda a, b, c: signed(a, 32) >> min(b, 31) & M32,
    '"bfe.u32 %0, %1, %2, %3;"': lambda a, b, c: field(a, b, c, sign=False),
    '"bfe.s32 %0, %1, %2, %3;"': lambda a, b, c: field(a, b, c, sign=True),
    '"bfi.b32 %0, %1, %1, %2, %3;"': lambda a, b, c: inserted(a, a, b, c),
    '"bfind.s32 %0, %1;"': lambda a, b, c: ((a ^ M32 if a >> 31 else a).bit_length() - 1) & M32,
    '"prmt.b32 %0, %1, %2, %3;"': permuted,
    '"lop3.b32 %0, %1, %2, %3, 0xb4;"': lambda a, b, c: by_truth_table(a, b, c, 0xB4),
    '"shf.l.wrap.b32 %0, %1, %2, %3;"': lambda a, b, c: (b << 32 | a) << (c & 31) >> 32 & M32,
    '"shf.r.clamp.b32 %0, %1, %2, %3;"': lambda a, b, c: (b << 32 | a) >> min(c, 32) & M32,
    '"mul.hi.s32 %0, %1, %2;"': lambda a, b, c: signed(a, 32) * signed(b, 32) >> 32 & M32,
    '"mad.lo.u32 %0, %1, %2, %3;"': lambda a, b, c: (a * b + c) & M32,
    '"sad.s32 %0, %1, %2, %3;"': lambda a, b, c: (c + abs(signed(a, 32) - signed(b, 32))) & M32,
    '"cvt.sat.s8.s32 %0, %1;"': lambda a, b, c: saturated(signed(a, 32), 8, True) & M32,
    '"{.reg .u32 t; add.cc.u32 t, %1, %2; addc.u32 %0, %3, t;}"': lambda a, b, c: (c + (a + b) + (a + b >> 32)) & M32,
    '"{.reg .u32 t; sub.cc.u32 t, %1, %2; subc.u32 %0, %3, 0;}"': lambda a, b, c: (c - (a < b)) & M32,
    '"cvt.rni.s32.f32 %0, %1;"': lambda a, b, c: to_integer(a, NEAREST, 32),
    '"cvt.rzi.s16.f32 %0, %1;"': lambda a, b, c: to_integer(a, TOWARD_ZERO, 16),
    '"cvt.rn.f16.f32 %0, %1;"': lambda a, b, c: half_bits(a),
    '"fma.rn.bf16 %0, %1, %2, %3;"': bf16_fma,
    '"min.f32 %0, %1, %2;"': lower,
    '"{.reg .pred p; setp.ne.f32 p, %1, %2; selp.u32 %0, 1, 0, p;}"': lambda a, b, c: int(
        float_of(a) < float_of(b) or float_of(a) > float_of(b)
    ),
    '"{.reg .pred p; setp.ltu.f32 p, %1, %2; selp.u32 %0, 1, 0, p;}"': lambda a, b, c: int(
        not float_of(a) >= float_of(b)
    ),
}
EDGES = (0, 1, 2, 31, 32, 33, 63, 255, 256, 0x7FFF, 0x8000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000,
         0x477FF000, 0x33800000, 0x33000000, 1 << 31, 0x7FFFFFFF, M32)  # fmt: skip


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """The forms of the instructions above, compiled for this machine."""
    folder = tmp_path_factory.mktemp("ptx")
    lines = ["#define REWARP_HIP_PORTABLE_ONLY", '#include "rewarp_hip.h"']
    for index, text in enumerate(EXECUTED):
        form = hip_form(f'asm({text} : "=r"(d) : "r"(a), "r"(b), "r"(c))')
        assert form, text
        lines += [
            f'extern "C" void case_{index}(const unsigned* in, unsigned* out, int n) {{',
            "for (int i = 0; i < n; ++i) { const unsigned a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];",
            f"unsigned d = 0; {form}; (void)a, (void)b, (void)c; out[i] = d; }} }}",
        ]
    source = folder / "forms.cpp"
    source.write_text("\n".join(lines))
    command = [*CXX, "-std=c++11", "-O1", "-ffp-contract=off", "-shared", "-fPIC", f"-I{HEADER_FOLDER}"]
    subprocess.run([*command, str(source), "-o", str(folder / "forms.so")], check=True)
    return ctypes.CDLL(str(folder / "forms.so"))


@pytest.mark.parametrize("text", EXECUTED)
def test_a_form_computes_what_ptx_says(executed: ctypes.CDLL, text: str) -> None:
    chance = random.Random(3)
    inputs = [(a, b, chance.choice(EDGES)) for a in EDGES for b in EDGES]
    for small in (M32, 0x7F):
        inputs += [
            (chance.getrandbits(32), chance.getrandbits(32) & small, chance.getrandbits(32) & small) for _ in range(500)
        ]
    words = (ctypes.c_uint32 * (3 * len(inputs)))(*(word for row in inputs for word in row))
    results = (ctypes.c_uint32 * len(inputs))()
    getattr(executed, f"case_{list(EXECUTED).index(text)}")(words, results, len(inputs))
    wanted = [EXECUTED[text](*row) for row in inputs]
    assert sum(value is not None for value in wanted) > len(inputs) // 4
    wrong = [
        (tuple(map(hex, row)), hex(got), hex(value))
        for row, got, value in zip(inputs, results, wanted)
        if value is not None and got != value
    ]
    assert not wrong, wrong[:3]
