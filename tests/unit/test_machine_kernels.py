"""Kernels compiled to MI300X's machine code and run on this CPU, held against NumPy."""

from __future__ import annotations

import math
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from rewarp import machine
from rewarp.errors import UsageError
from rewarp.toolchain import discovery

SOURCE = Path(__file__).parents[1] / "machine" / "kernels.hip"
RANDOM = np.random.default_rng(7)
N = 1000


FURTHER = ("gfx950", "gfx1201")
"""Cards that the same tables carry."""


@pytest.fixture(scope="module", params=["gfx942", "gfx1100", "gfx942 code object", "gfx1100 code object", *FURTHER])
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> machine.LoadedProgram:
    """Waves of 64 and of 32 lanes, from assembly and from code that was linked and taken apart again."""
    arch, _, form = request.param.partition(" ")
    if form:
        made = tmp_path_factory.mktemp("object") / "device.hsaco"
        options = ("-O2", "-gline-tables-only", "-mprintf-kind=buffered")
        toolchain = discovery.find()
        assert toolchain.compile_device(SOURCE, arch, options=options, output=made, level="code_object").ok
        loaded = machine.load(made.read_bytes(), arch)
    else:
        loaded = machine.compile_source(SOURCE, arch, ("-O2",))
    assert loaded.unsupported == {}
    return loaded


@pytest.fixture(scope="module")
def mi300() -> machine.LoadedProgram:
    return machine.compile_source(SOURCE, "gfx942", ("-O2",))


@pytest.fixture(scope="module")
def radeon() -> machine.LoadedProgram:
    return machine.compile_source(SOURCE, "gfx1100", ("-O2",))


def blocks(count: int, size: int = 256) -> tuple[int]:
    return (-(-count // size),)


def ints(count: int = N) -> np.ndarray:
    values = RANDOM.integers(-(2**31), 2**31, count).astype(np.int32)
    values[:8] = [0, 1, -1, 2**31 - 1, -(2**31), 7, 31, -31]
    return values


def floats(count: int = N, scale: float = 50.0) -> np.ndarray:
    return (RANDOM.standard_normal(count) * scale).astype(np.float32)


def test_one_item_a_lane_and_a_tail(program: machine.LoadedProgram) -> None:
    a, b, c = floats(), floats(), np.zeros(N + 24, np.float32)
    program.launch("add", blocks(N), (256,), (a, b, c, N))
    assert np.array_equal(c[:N], a + b)
    assert not c[N:].any()


def test_integers(program: machine.LoadedProgram) -> None:
    a, b, out = ints(), RANDOM.permutation(ints()), np.zeros((N, 16), np.int32)
    b[3] = 0
    program.launch("integers", blocks(N), (256,), (a, b, out, N))
    x, y, u, v = (
        a.astype(np.int64),
        b.astype(np.int64),
        a.view(np.uint32).astype(np.int64),
        b.view(np.uint32).astype(np.int64),
    )
    quotient = np.array(
        [0 if j == 0 else abs(i) // abs(j) * (1 if (i < 0) == (j < 0) else -1) for i, j in zip(x.tolist(), y.tolist())]
    )
    shift = y & 31
    expected = {
        0: x * y, 1: x * y >> 32, 2: (u.astype(np.uint64) * v.astype(np.uint64)) >> np.uint64(32), 3: quotient,
        4: np.where(y == 0, 0, x - quotient * y), 5: np.where(v == 0, 0, u // np.maximum(v, 1)),
        6: np.where(v == 0, 0, u % np.maximum(v, 1)), 7: [bin(i).count("1") for i in u], 8: [32 - int(i).bit_length() for i in u],
        9: [(int(i) & -int(i)).bit_length() for i in u], 10: u << shift, 11: x >> shift, 12: u >> (v & 31),
        13: np.minimum(x, y), 14: np.maximum(x, y), 15: [int(f"{i:032b}"[::-1], 2) for i in u],
    }  # fmt: skip
    for column, values in expected.items():
        low = np.asarray(values).astype(np.int64).astype(np.int32)
        assert np.array_equal(out[:, column], low), f"column {column}"


def test_integers_of_64_bits(program: machine.LoadedProgram) -> None:
    a, b = RANDOM.integers(-(2**63), 2**63 - 1, N), RANDOM.integers(-(2**63), 2**63 - 1, N)
    b[::3] >>= 40
    b[0] = 0
    out = np.zeros((N, 8), np.int64)
    program.launch("longs", blocks(N), (256,), (a, b, out, N))
    for row, i, j in zip(out.tolist(), a.tolist(), b.tolist()):
        quotient = abs(i) // abs(j) * (1 if (i < 0) == (j < 0) else -1) if j else 0
        remainder = (i % 2**64) % (j % 2**64) if j else 0
        expected = [i + j, i - j, i * j, quotient, remainder, i << (j & 63), i >> (j & 63), int(i < j)]
        assert [value % 2**64 for value in row] == [value % 2**64 for value in expected]


def test_floats(program: machine.LoadedProgram) -> None:
    a, b, out = floats(), floats(), np.zeros((N, 16), np.float32)
    program.launch("floats", blocks(N), (256,), (a, b, out, N))
    x, y = a.astype(np.float64), b.astype(np.float64)
    exact = [
        a + b, a * b, a / b, np.sqrt(np.abs(a)), (x * y + 1.5), np.floor(a), np.minimum(a, b), np.maximum(a, b), np.trunc(a),
        np.rint(a), np.trunc(a), np.copysign(a, b), a * 8, np.ceil(a), a < b, np.copysign(np.floor(np.abs(x) + 0.5), x),
    ]  # fmt: skip
    for column, values in enumerate(exact):
        assert np.array_equal(out[:, column], np.asarray(values).astype(np.float32)), f"column {column}"


def test_division_is_exact_at_the_edges(program: machine.LoadedProgram) -> None:
    edges = np.array([0, -0.0, 1, 3, 1e-45, 1e-38, 3e38, np.inf, -np.inf, np.nan, 5e-40, -7], np.float32)
    a, b = (part.ravel().copy() for part in np.meshgrid(edges, edges))
    out = np.zeros((len(a), 16), np.float32)
    program.launch("floats", blocks(len(a)), (256,), (a, b, out, len(a)))
    with np.errstate(all="ignore"):
        assert np.array_equal(out[:, 2], a / b, equal_nan=True)
        assert np.array_equal(out[:, 4], (a.astype(np.float64) * b + 1.5).astype(np.float32), equal_nan=True)


def test_functions(program: machine.LoadedProgram) -> None:
    a, out = floats(scale=3.0), np.zeros((N, 8), np.float32)
    program.launch("functions", blocks(N), (256,), (a, out, N))
    x = a.astype(np.float64)
    erf = np.array([math.erf(value) for value in x])
    size = np.abs(x)
    exact = [np.exp(x), np.log(size), np.sin(x), np.cos(x), np.tanh(x), size**1.7, erf, 1 / np.sqrt(size)]
    for column, values in enumerate(exact):
        np.testing.assert_allclose(out[:, column], values, rtol=3e-6, atol=3e-7, err_msg=f"column {column}")


def test_doubles(program: machine.LoadedProgram) -> None:
    a, b, out = RANDOM.standard_normal(N) * 20, RANDOM.standard_normal(N), np.zeros((N, 8))
    program.launch("doubles", blocks(N), (256,), (a, b, out, N))
    for column, values in {0: a + b, 1: a * b, 2: a / b, 3: np.sqrt(np.abs(a)), 7: np.floor(a)}.items():
        assert np.array_equal(out[:, column], values), f"column {column}"
    np.testing.assert_allclose(out[:, 4], np.exp(a), rtol=1e-14)
    np.testing.assert_allclose(out[:, 5], np.sin(a), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(out[:, 6], a * b + 0.5, rtol=1e-12, atol=1e-14)


def test_halves(program: machine.LoadedProgram) -> None:
    a, b = (RANDOM.standard_normal(N).astype(np.float16) for _ in range(2))
    out, pairs = np.zeros((N, 4), np.float16), np.zeros(N, np.float16)
    program.launch("halves", blocks(N), (256,), (a, b, out, N))
    fused = (a.astype(np.float64) * b + a).astype(np.float16)
    third = (a.astype(np.float32) / np.float32(3)).astype(np.float16)
    for column, values in enumerate([a + b, a * b, fused, third]):
        assert np.array_equal(out[:, column], values), f"column {column}"
    program.launch("half_pairs", blocks(N // 2), (256,), (a, b, pairs, N // 2))
    assert np.array_equal(pairs, (a.astype(np.float64) * b + (a + b)).astype(np.float16))


def test_bytes(program: machine.LoadedProgram) -> None:
    a, b = RANDOM.integers(0, 256, N).astype(np.uint8), RANDOM.integers(-128, 128, N).astype(np.int8)
    out = np.zeros(N, np.int16)
    program.launch("bytes", blocks(N), (256,), (a, b, out, N))
    assert np.array_equal(out, a.astype(np.int16) * b + (a >> 3))


def test_a_product_through_lds(program: machine.LoadedProgram) -> None:
    a, b, c = (floats(64 * 64, 1.0).reshape(64, 64) for _ in range(3))
    program.launch("matmul", (4, 4), (16, 16), (a, b, c, 64))
    np.testing.assert_allclose(c, a.astype(np.float64) @ b, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("cores", [1, 4])
def test_a_sum_across_lanes_waves_and_groups(program: machine.LoadedProgram, cores: int) -> None:
    a, out = ints(100_000), np.zeros(1, np.int32)
    program.launch("reduce", (13,), (256,), (a, out, len(a)), cores=cores)
    assert out[0] == a.sum(dtype=np.int32)


def test_lanes(program: machine.LoadedProgram) -> None:
    out = np.zeros((128, 8), np.int32)
    program.launch("lanes", (1,), (128,), (out,))
    width = program.lanes
    for item, row in enumerate(out.tolist()):
        lane = item % width
        up = lane - 3 if lane >= 3 else lane
        thirds = len(range(0, width, 3))
        assert row == [(lane ^ 5) * 3, up, 7, thirds, 1, int(width <= 40), width, width // 2 if lane & 1 else 0]


@pytest.mark.parametrize("cores", [1, 4])
def test_atomics(program: machine.LoadedProgram, cores: int) -> None:
    keys, counters = ints(3000), np.zeros(20, np.int32)
    counters[16], counters[17] = -(2**31), 2**31 - 1
    total, wide = np.zeros(1, np.float32), np.zeros(1, np.uint64)
    program.launch("atomics", blocks(3000), (256,), (counters, total, wide, keys, 3000), cores=cores)
    assert np.array_equal(counters[:16], np.bincount(keys & 15, minlength=16))
    assert list(counters[16:]) == [keys.max(), keys.min(), np.bitwise_xor.reduce(keys), 6000]
    assert (total[0], wide[0]) == (1500, 3000 << 33)


def test_exchanges_in_lds(program: machine.LoadedProgram) -> None:
    out, wide = np.zeros(100, np.int32), np.zeros(100, np.int64)
    program.launch("shared_swaps", (1,), (100,), (out, wide))
    assert set(wide.tolist()) == {5 + (100 << 33)}
    assert len(set(out.tolist())) == 1
    steps = [3]
    while steps[-1] < 10**6:
        steps.append(steps[-1] * 3 + 1)
    assert out[0] in steps
    assert out[0] >= 1000


def test_a_histogram_in_lds(program: machine.LoadedProgram) -> None:
    a, out = RANDOM.integers(0, 256, 20_000).astype(np.uint8), np.zeros(256, np.uint32)
    program.launch("shared_histogram", (5,), (192,), (a, out, len(a)))
    assert np.array_equal(out, np.bincount(a, minlength=256))


def test_lds_of_a_size_that_the_launch_gives(program: machine.LoadedProgram) -> None:
    a = np.arange(300, dtype=np.int32)
    program.launch("reversed", (3,), (100,), (a,), dynamic_lds=400)
    assert np.array_equal(a, np.arange(300).reshape(3, 100)[:, ::-1].ravel())
    with pytest.raises(machine.LaunchError, match="reversed"):
        program.launch("reversed", (3,), (100,), (a,), dynamic_lds=200)


def test_calls(program: machine.LoadedProgram) -> None:
    out = np.zeros(64, np.int32)
    program.launch("recursive", (1,), (64,), (out,))
    numbers = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89]
    assert list(out) == [numbers[i % 12] for i in range(64)]
    program.launch("indirect", (1,), (64,), (out,))
    assert list(out) == [i * i if i & 1 else 2 * i for i in range(64)]


def test_private_arrays(program: machine.LoadedProgram) -> None:
    out = np.zeros(64, np.int32)
    program.launch("scratch", (1,), (64,), (out, 3))
    for item in range(64):
        local = [i * item for i in range(64)]
        for i in range(0, 64, 3):
            local[i * 7 % 64] += local[i]
        expected = 0
        for value in local:
            expected ^= value
        assert out[item] == expected


def test_variables_of_the_device(program: machine.LoadedProgram) -> None:
    out, now = np.zeros(16, np.float32), np.zeros(1, np.int32)
    fresh = machine.compile_source(SOURCE, program.program.arch, ("-O2",))
    fresh.launch("globals", (2,), (16,), (out,))
    fresh.launch("read_changed", (1,), (1,), (now,))
    assert list(out) == [1, 2, 3, 4, 5, 6, 7, 8] * 2
    assert now[0] == 7


def test_printf(program: machine.LoadedProgram) -> None:
    said = program.launch("speaks", (1,), (64,), (9,))
    assert said == b"0 of 9: text 0.00 x 1099511627776\n1 of 9: text 1.50 x 1099511627776\n"


def test_loops_that_end_at_different_times(program: machine.LoadedProgram) -> None:
    a, out = np.arange(1, N + 1, dtype=np.int32), np.zeros(N, np.int32)
    program.launch("collatz", blocks(N), (256,), (a, out, N))

    def steps(x: int) -> int:
        count = 0
        while x > 1:
            x, count = (3 * x + 1 if x & 1 else x // 2), count + 1
        return count

    assert list(out) == [steps(int(x)) for x in a]


@pytest.mark.parametrize("cores", [1, 3])
def test_groups_that_wait_for_one_another(program: machine.LoadedProgram, cores: int) -> None:
    flags, out = np.zeros(40, np.int32), np.zeros((40, 64), np.int32)
    program.launch("look_back", (40,), (64,), (flags, out), cores=cores)
    assert np.array_equal(out, np.repeat(np.arange(1, 41)[:, None], 64, 1))
    last = np.zeros(1, np.int32)
    program.launch("late", (20,), (1,), (last,), cores=cores)
    assert last[0] == 19


# --- matrix units ---------------------------------------------------------------------------


def test_matrix_of_halves(mi300: machine.LoadedProgram) -> None:
    a, b = (RANDOM.standard_normal((16, 16)).astype(np.float16) for _ in range(2))
    c = np.zeros((16, 16), np.float32)
    mi300.launch("matrix16", (1,), (64,), (a, b, c))
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64), rtol=1e-5, atol=1e-5)


def test_matrix_of_floats(mi300: machine.LoadedProgram) -> None:
    a, b, c = floats(64, 1).reshape(32, 2), floats(64, 1).reshape(2, 32), np.zeros((32, 32), np.float32)
    mi300.launch("matrix32", (1,), (64,), (a, b, c))
    np.testing.assert_allclose(c, a.astype(np.float64) @ b + 1, rtol=1e-5, atol=1e-5)


def test_matrix_of_bytes_and_doubles(mi300: machine.LoadedProgram) -> None:
    a, b = (RANDOM.integers(-128, 128, shape).astype(np.int8) for shape in ((16, 32), (32, 16)))
    c = np.zeros((16, 16), np.int32)
    mi300.launch("matrix_bytes", (1,), (64,), (a, b, c))
    assert np.array_equal(c, a.astype(np.int32) @ b.astype(np.int32))
    x, y, z = RANDOM.standard_normal((16, 4)), RANDOM.standard_normal((4, 16)), np.zeros((16, 16))
    mi300.launch("matrix_doubles", (1,), (64,), (x, y, z))
    np.testing.assert_allclose(z, x @ y, rtol=1e-13)


def test_numbers_of_8_bits(mi300: machine.LoadedProgram) -> None:
    """FNUZ: no infinities, one NaN in place of minus zero; rounded to the nearest, to the even one of two."""
    codes = np.arange(256, dtype=np.int32)
    numbers = np.concatenate(
        [floats(200, 3.0), np.array([0, -0.0, 240, 248, 1e9, np.inf, np.nan, 1e-9, 2**-11, -(2**-10)], np.float32)]
    )
    numbers = np.resize(numbers, 256)
    values, made = np.zeros((256, 2), np.float32), np.zeros((256, 2), np.int32)
    mi300.launch("eight_bits", (1,), (256,), (codes, values, numbers, made, 256))
    for column, (mantissas, bias) in enumerate(((3, 8), (2, 16))):

        def value(code: int) -> float:
            if code == 0x80:
                return math.nan
            exponent, part = (code & 127) >> mantissas, code & ((1 << mantissas) - 1)  # noqa: B023
            size = math.ldexp(part + ((1 << mantissas) if exponent else 0), max(exponent, 1) - bias - mantissas)  # noqa: B023
            return -size if code & 128 else size

        table = [value(code) for code in range(256)]
        assert np.array_equal(values[:, column], np.array(table, np.float32), equal_nan=True)
        most = max(number for number in table if number == number)
        step = most - sorted({number for number in table if number == number})[-2]
        for number, code in zip(numbers.tolist(), made[:, column].tolist()):
            if number != number or abs(number) >= most + step / 2:
                assert code == 0x80
                continue
            near = min(abs(number - other) for other in table if other == other)
            assert abs(number - table[code]) == near
            if sum(abs(number - other) == near for other in table if other == other) > 1:
                assert code % 2 == 0


def test_matrices_of_a_wave_of_32(radeon: machine.LoadedProgram) -> None:
    a, b = (RANDOM.standard_normal((16, 16)).astype(np.float16) for _ in range(2))
    c = np.zeros((16, 16), np.float32)
    radeon.launch("wmma", (1,), (32,), (a, b, c))
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64), rtol=1e-5, atol=1e-5)
    x, y = RANDOM.integers(-128, 128, (16, 16)).astype(np.int8), RANDOM.integers(0, 256, (16, 16)).astype(np.uint8)
    z = np.zeros((16, 16), np.int32)
    radeon.launch("wmma_bytes", (1,), (32,), (x, y, z))
    assert np.array_equal(z, x.astype(np.int32) @ y.T.astype(np.int32))


# --- what goes wrong ------------------------------------------------------------------------


def test_a_write_outside_is_named(program: machine.LoadedProgram) -> None:
    a = np.zeros(64, np.int32)
    with pytest.raises(machine.LaunchError) as caught:
        program.launch("outside", (1,), (64,), (a, 10))
    assert caught.value.kernel == "outside"
    assert caught.value.lane == 54 % program.lanes
    assert caught.value.place is not None
    line = SOURCE.read_text().splitlines()[caught.value.place.line - 1]
    assert "KERNEL outside" in line
    program.launch("outside", (1,), (64,), (a, 0))


def test_a_null_pointer_is_named(program: machine.LoadedProgram) -> None:
    with pytest.raises(machine.LaunchError, match="writes 4 bytes at 0x0"):
        program.launch("outside", (1,), (1,), (0, 0))


def test_what_may_only_be_read_is_not_written(program: machine.LoadedProgram) -> None:
    a = np.zeros(64, np.int32)
    a.flags.writeable = False
    with pytest.raises(machine.LaunchError, match="may write"):
        program.launch("outside", (1,), (64,), (a, 0))
    assert not a.any()


def test_a_loop_without_end_is_stopped(program: machine.LoadedProgram) -> None:
    with pytest.raises(machine.LaunchError, match="does not end"):
        program.launch("endless", (1,), (1,), (np.zeros(1, np.int32),), limit=3)


def test_ctrl_c_ends_a_kernel(program: machine.LoadedProgram, tmp_path: Path) -> None:
    code = (
        f"import numpy as np\nfrom rewarp import machine\np = machine.compile_source({str(SOURCE)!r}, 'gfx942', ('-O2',))\n"
        "print('ready', flush=True)\np.launch('endless', (4,), (64,), (np.zeros(1, np.int32),), cores=2)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        # Whoever runs the tests in the background may have it ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout
    assert process.stdout.readline() == b"ready\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=300)
    assert b"KeyboardInterrupt" in errors


def test_a_trap_is_told(program: machine.LoadedProgram) -> None:
    with pytest.raises(machine.LaunchError, match="trap"):
        program.launch("asserts", (1,), (1,), (np.zeros(2, np.int32),))


def test_requests_that_no_card_takes(program: machine.LoadedProgram) -> None:
    a = np.zeros(4, np.int32)
    for grid, block, arguments, dynamic, why in (
        ((1,), (1025,), (a, 0), 0, "1024"),
        ((1,), (64,), (a, 0), 170_000, "LDS"),
        ((0,), (64,), (a, 0), 0, "at least one"),
        ((1,), (64,), (a,), 0, "takes 2 arguments"),
    ):
        with pytest.raises(UsageError, match=why):
            program.launch("outside", grid, block, arguments, dynamic_lds=dynamic)
    with pytest.raises(UsageError, match="no kernel nothing"):
        program.launch("nothing", (1,), (1,), ())


def test_an_instruction_that_nobody_knows_stops_the_kernel_that_comes_to_it() -> None:
    text = """
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.text
known:
	s_endpgm
strange:
	v_frobnicate_f32 v0, v1
	s_endpgm
"""
    text += "".join(
        f"\t.amdhsa_kernel {name}\n\t\t.amdhsa_next_free_vgpr 4\n\t.end_amdhsa_kernel\n"
        for name in ("known", "strange")
    )
    program = machine.load(text)
    program.launch("known", (1,), (1,), ())
    with pytest.raises(machine.Unsupported, match="v_frobnicate_f32 v0, v1"):
        program.launch("strange", (1,), (1,), ())


def test_branches_too_far_for_an_offset() -> None:
    """As compilers write them; the trap lies where nobody should come."""

    def far(number: int, label: str) -> str:
        distance = f"({label}-.Lpost_getpc{number})"
        return f"""
	s_getpc_b64 s[0:1]
.Lpost_getpc{number}:
	s_add_u32 s0, s0, {distance}&4294967295
	s_addc_u32 s1, s1, {distance}>>32
	s_setpc_b64 s[0:1]
	s_trap 2"""

    text = f"""
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.text
there:{far(0, ".LBB0_2")}
.LBB0_1:
	s_endpgm
.LBB0_2:{far(1, ".LBB0_1")}
	.amdhsa_kernel there
		.amdhsa_next_free_vgpr 4
	.end_amdhsa_kernel
"""
    machine.load(text).launch("there", (1,), (1,), ())


def test_other_arithmetic_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "k.hip"
    file.write_text(
        "#include <hip/hip_runtime.h>\n"
        'extern "C" __global__ void plain(float *a) { a[0] = a[1] * a[2]; }\n'
        'extern "C" __global__ void toward_zero(float *a) { a[0] = __ocml_fma_rtz_f32(a[1], a[2], a[3]); }\n'
    )
    values = np.ones(4, np.float32)
    program = machine.compile_source(file, "gfx942")
    program.launch("plain", (1,), (1,), (values,))
    with pytest.raises(machine.Unsupported, match="another rounding"):
        program.launch("toward_zero", (1,), (1,), (values,))


_FLUSHED = """
#include <hip/hip_runtime.h>
extern "C" __global__ void floats(const float *a, const float *b, float *out, const __half *h, float *wide) {
    int i = threadIdx.x;
    out[4 * i] = a[i] * b[i];
    out[4 * i + 1] = a[i] + b[i];
    out[4 * i + 2] = fmaf(a[i], b[i], 1e-40f);
    out[4 * i + 3] = a[i] / b[i];
    wide[i] = __half2float(h[i]) * 2;
}
"""
_WITH_DOUBLES = 'extern "C" __global__ void doubles(double *a) { a[0] = a[1] * a[2]; }'


@pytest.mark.parametrize("arch", ["gfx942", "gfx1100"])
@pytest.mark.parametrize("flushes", [False, True])
def test_denormal_floats(tmp_path: Path, arch: str, flushes: bool) -> None:
    file = tmp_path / "k.hip"
    file.write_text(_FLUSHED.replace("<hip/hip_runtime.h>", "<hip/hip_fp16.h>\n#include <hip/hip_runtime.h>"))
    options = ("-fgpu-flush-denormals-to-zero",) if flushes else ()
    program = machine.compile_source(file, arch, options)
    tiny = np.float32(1e-39)
    a = np.array([tiny, 1e-20, 3, tiny, -tiny, 1e-30, 2e-38, 0], np.float32)
    b = np.array([1e10, 1e-20, tiny, tiny, 2, 1e-15, 4, tiny], np.float32)
    halves = np.array([6e-8, 1e-5, 1, 2, -6e-8, 0, 3, 4], np.float16)
    out, wide = np.zeros((8, 4), np.float32), np.zeros(8, np.float32)
    program.launch("floats", (1,), (8,), (a, b, out, halves, wide))

    def seen(x: np.ndarray) -> np.ndarray:
        small = np.abs(x) < np.finfo(np.float32).tiny
        return np.where(small, np.float32(0) * x, x).astype(np.float32) if flushes else x.astype(np.float32)

    x, y = (seen(value).astype(np.float64) for value in (a, b))
    with np.errstate(all="ignore"):
        expected = np.stack([x * y, x + y, x * y + seen(np.float32([1e-40]))[0], x / y], 1)
        np.testing.assert_array_equal(out, seen(expected.astype(np.float32)))
    np.testing.assert_array_equal(wide, halves.astype(np.float32) * 2)


def test_denormal_doubles_stay_where_floats_are_flushed(tmp_path: Path) -> None:
    file = tmp_path / "k.hip"
    file.write_text(f"#include <hip/hip_runtime.h>\n{_WITH_DOUBLES}\n")
    program = machine.compile_source(file, "gfx942", ("-fgpu-flush-denormals-to-zero",))
    values = np.array([0, 1e-300, 1e-15])
    program.launch("doubles", (1,), (1,), (values,))
    assert values[0] == 1e-300 * 1e-15 != 0


def test_other_cards_are_refused() -> None:
    with pytest.raises(UsageError, match="gfx942"):
        machine.load('\t.amdgcn_target "amdgcn-amd-amdhsa--gfx803"\n')


def test_functions_are_kept_for_the_next_process(program: machine.LoadedProgram, tmp_path: Path) -> None:
    """A second process compiles nothing."""
    code = (
        "from rewarp.machine import library\n"
        "library.Library._compile = None\n"
        "from rewarp import machine\n"
        f"p = machine.compile_source({str(SOURCE)!r}, 'gfx942', ('-O2',))\n"
        "import numpy as np\nout = np.zeros(64, np.int32)\np.launch('recursive', (1,), (64,), (out,))\nassert out[11] == 89\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=600, cwd=tmp_path)


def test_arrays_in_registers(program: machine.LoadedProgram) -> None:
    n, values = 300, ints(16) // 1000
    numbers, out = RANDOM.integers(0, 16, n).astype(np.int32), np.zeros((n, 2), np.int32)
    program.launch("places", blocks(n, 64), (64,), (values, numbers, out, n))
    expected = np.zeros_like(out)
    for i in range(n):
        row = [int(np.int32(value) * np.int32(i + 1)) for value in values]
        row[numbers[i // 64]] = 1000 + i
        row[numbers[i]] += 7
        expected[i] = row[numbers[i // 64 + 1]], row[(numbers[i] + 3) & 15]
    assert np.array_equal(out, expected)


def test_rows_read_backwards(program: machine.LoadedProgram) -> None:
    values, out = ints(32) >> 2, np.zeros((32, 2), np.int32)
    program.launch("mirrors", (1,), (32,), (values, out))
    lanes = np.arange(32)
    assert np.array_equal(out[:, 0], values + values[lanes ^ 15])
    assert np.array_equal(out[:, 1], values + values[lanes ^ 7])


def test_swizzled(program: machine.LoadedProgram) -> None:
    values, out = ints(32), np.zeros((32, 4), np.int32)
    program.launch("swizzled", (1,), (32,), (values, out))
    lanes = np.arange(32)
    for column, from_ in enumerate((lanes ^ 16, (lanes & 0x17) ^ 3, lanes ^ 3, lanes & 0x18)):
        assert np.array_equal(out[:, column], values[from_]), column


def test_mi200_runs_the_same_kernels() -> None:
    program = machine.compile_source(SOURCE, "gfx90a", ("-O2",))
    assert program.unsupported == {}
    for test in (
        test_one_item_a_lane_and_a_tail,
        test_integers,
        test_floats,
        test_doubles,
        test_halves,
        test_a_histogram_in_lds,
        test_private_arrays,
    ):
        test(program)
