"""hipRAND inside of kernels: run as AMD machine code, held against the generators' published numbers and their host side."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

from rewarp import machine
from rewarp.machine.runtime import libraries
from rewarp.machine.runtime.libraries import xorwow

SOURCE = """#include <hiprand/hiprand_kernel.h>
typedef unsigned long long Long;
template <typename State> __device__ void numbers(unsigned* out, float* u, double* g, Long seed, Long first, Long offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    State s;
    hiprand_init(seed, first + i, offset, &s);
    for (int k = 0; k < 4; ++k) out[4 * i + k] = hiprand(&s);
    u[i] = hiprand_uniform(&s);
    g[2 * i] = hiprand_normal(&s);
    g[2 * i + 1] = hiprand_normal_double(&s);
}
#define KERNEL(name, State) extern "C" __global__ void name(unsigned* o, float* u, double* g, Long s, Long f, Long n) { numbers<State>(o, u, g, s, f, n); }
KERNEL(philox, hiprandStatePhilox4_32_10_t)
KERNEL(xorwow, hiprandState)
KERNEL(mrg, hiprandStateMRG32k3a_t)
extern "C" __global__ void fours(float4* out) {
    hiprandStatePhilox4_32_10_t s;
    hiprand_init(1, threadIdx.x, 0, &s);
    out[threadIdx.x] = hiprand_uniform4(&s);
}
"""
WORD = (1 << 32) - 1


@pytest.fixture(scope="module", params=["gfx942", "gfx1100"])
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> machine.LoadedProgram:
    file = tmp_path_factory.mktemp("random") / "random.hip"
    file.write_text(SOURCE)
    loaded = machine.compile_source(file, request.param, ("-O2", "-isystem", str(libraries.headers())))
    assert loaded.unsupported == {}
    return loaded


def drawn(
    program: machine.LoadedProgram, kernel: str, seed: int, first: int = 0, offset: int = 0, count: int = 4096
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    out, u, g = np.zeros((count, 4), np.uint32), np.zeros(count, np.float32), np.zeros((count, 2))
    program.launch(kernel, (count // 64,), (64,), (out, u, g, seed, first, offset))
    return out, u, g


def philox(seed: int, sequence: int, block: int) -> list[int]:
    c, k = [block & WORD, block >> 32, sequence & WORD, sequence >> 32], [seed & WORD, seed >> 32]
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [b >> 32 ^ c[1] ^ k[0], b & WORD, a >> 32 ^ c[3] ^ k[1], a & WORD]
        k = [k[0] + 0x9E3779B9 & WORD, k[1] + 0xBB67AE85 & WORD]
    return c


def test_philox(program: machine.LoadedProgram) -> None:
    assert philox(0, 0, 0) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    seed, first = 0x1234567_89ABCDEF, 1 << 33
    out, _, _ = drawn(program, "philox", seed, first, 6, count=64)
    for number in (0, 1, 63):
        stream = [x for block in range(4) for x in philox(seed, first + number, block)]
        assert out[number].tolist() == stream[6:10]
    fours = np.zeros((64, 4), np.float32)
    program.launch("fours", (1,), (64,), (fours,))
    np.testing.assert_allclose(fours[3], (np.array(philox(1, 3, 0)) + 1) / 2**32, rtol=1e-6)


def test_xorwow_begins_as_on_the_host(program: machine.LoadedProgram) -> None:
    rand, generator = ctypes.CDLL(str(libraries.folder("hiprand") / "libhiprand.so")), ctypes.c_void_p()
    assert rand.hiprandCreateGenerator(ctypes.byref(generator), 401) == 0
    assert rand.hiprandSetPseudoRandomGeneratorSeed(generator, ctypes.c_ulonglong(77)) == 0
    wanted = np.zeros(12, np.uint32)
    assert rand.hiprandGenerate(generator, ctypes.c_void_p(wanted.ctypes.data), ctypes.c_size_t(12)) == 0
    assert drawn(program, "xorwow", 77, count=64)[0][0].tolist() == wanted[:4].tolist()
    assert drawn(program, "xorwow", 77, offset=8, count=64)[0][0].tolist() == wanted[8:].tolist()


def test_far_jumps_are_many_steps() -> None:
    one = [xorwow.step(1 << bit) for bit in range(xorwow.BITS)]
    state = 0x1234_5678_9ABC_DEF0_1357_9BDF_2468_ACE0_0F1E_2D3C
    far = state
    for _ in range(1 << 10):
        far = xorwow.step(far)
    assert xorwow.moved(xorwow.squared(one, 10), state) == far


def test_xorwow_sequences_lie_far_apart(program: machine.LoadedProgram) -> None:
    seed = 5
    a, b = (1228688033 * (seed ^ 0x2C7F967F)) & WORD, (2073658381 * 0xA03697CB) & WORD
    words = [123456789 + a & WORD, 362436069 ^ a, 521288629 + b & WORD, 88675123 ^ b, 5783321 + a & WORD]
    state = sum(word << 32 * number for number, word in enumerate(words))
    jump = xorwow.squared([xorwow.step(1 << bit) for bit in range(xorwow.BITS)], 67)
    out, _, _ = drawn(program, "xorwow", seed, count=64)
    for sequence in range(7):
        first = xorwow.step(state) >> 128
        assert out[sequence, 0] == (6615241 + b + a + 362437 + first) & WORD
        state = xorwow.moved(jump, state)


@pytest.mark.parametrize("kernel", ["philox", "xorwow", "mrg"])
def test_distributions(program: machine.LoadedProgram, kernel: str) -> None:
    out, u, g = drawn(program, kernel, 11)
    sure = 5 / 64
    assert len(np.unique(out)) > 0.99 * out.size
    assert u.min() > 0
    assert u.max() <= 1
    assert abs(u.mean() - 0.5) < sure
    assert abs(g.mean()) < sure
    assert abs(g.std() - 1) < sure
    assert abs((out / 2**32).mean() - 0.5) < sure


def test_headers_alone_suffice(tmp_path: Path) -> None:
    """C++ and C sources that include one header and nothing else."""
    from rewarp.toolchain import discovery

    options = ("-isystem", str(libraries.headers()))
    for name in ("hipblas/hipblas.h", "rocblas/rocblas.h", "hipfft/hipfft.h", "hiprand/hiprand.h", "rocrand/rocrand.h"):
        file = tmp_path / "one.hip"
        file.write_text(f"#include <{name}>\n")
        assert discovery.find().check(file, "gfx942", options=options).ok, name


def test_guards_are_those_of_the_real_headers(tmp_path: Path) -> None:
    """Programs ask by them whether a library is there, as they ask CUDA's."""
    from rewarp.toolchain import discovery

    guards = {
        "hipblas/hipblas.h": "HIPBLAS_H",
        "hipfft/hipfft.h": "HIPFFT_H_",
        "hiprand/hiprand.h": "HIPRAND_H_",
        "rocblas/rocblas.h": "ROCBLAS_H",
        "rocrand/rocrand.h": "ROCRAND_H_",
    }
    file = tmp_path / "guards.cpp"
    asked = "".join(
        f"#include <{header}>\n#ifndef {guard}\n#error {guard}\n#endif\n" for header, guard in guards.items()
    )
    file.write_text(asked)
    done = discovery.find().compile_host(file, options=("-isystem", str(libraries.headers())), language="c++")
    assert done.ok, done.errors


def test_plain_cpp_has_the_types(tmp_path: Path) -> None:
    from rewarp.toolchain import discovery

    file = tmp_path / "plan.cpp"
    file.write_text(
        "#include <hiprand/hiprand_kernel.h>\nstruct Plan { hiprandState *states; hiprandStateMRG32k3a one; };\n"
    )
    options = ("-isystem", str(libraries.headers()))
    done = discovery.find().compile_host(file, options=options, language="c++")
    assert done.ok, done.errors


def test_products_take_both_ways_of_naming_what_is_computed_in(tmp_path: Path) -> None:
    from rewarp.toolchain import discovery

    file = tmp_path / "one.cpp"
    call = "hipblasGemmEx(0, HIPBLAS_OP_N, HIPBLAS_OP_N, 1, 1, 1, p, p, HIPBLAS_R_16F, 1, p, HIP_R_16F, 1, p, p, HIP_R_32F, 1, {}, HIPBLAS_GEMM_DEFAULT);"
    calls = "".join(call.format(word) for word in ("HIPBLAS_COMPUTE_32F", "HIPBLAS_R_32F", "HIP_R_32F"))
    file.write_text(f"#include <hipblas/hipblas.h>\nvoid f(void *p) {{ {calls} }}\n")
    options = ("-isystem", str(libraries.headers()))
    done = discovery.find().compile_host(file, options=options, language="c++")
    assert done.ok, done.errors
