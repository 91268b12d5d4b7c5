"""The stand-in for hipRAND and rocRAND: published first numbers, distributions, seeds and offsets."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np
import pytest

from rewarp.machine.runtime import libraries

PSEUDO = {"xorwow": 401, "mrg": 402, "mtgp": 403, "mt": 404, "philox": 405}
COUNT = 200_000


@pytest.fixture(scope="module")
def rand() -> ctypes.CDLL:
    return ctypes.CDLL(str(libraries.folder("hiprand") / "libhiprand.so.1"))


class Generator:
    def __init__(self, library: ctypes.CDLL, kind: int, seed: int | None = None, offset: int = 0) -> None:
        self.library, self.handle = library, ctypes.c_void_p()
        assert library.hiprandCreateGenerator(ctypes.byref(self.handle), kind) == 0
        if seed is not None:
            assert library.hiprandSetPseudoRandomGeneratorSeed(self.handle, ctypes.c_ulonglong(seed)) == 0
        assert library.hiprandSetGeneratorOffset(self.handle, ctypes.c_ulonglong(offset)) == 0

    def __call__(self, name: str, count: int, dtype: Any, *more: Any) -> np.ndarray:
        out = np.zeros(count, dtype)
        function = getattr(self.library, f"hiprandGenerate{name}")
        assert function(self.handle, ctypes.c_void_p(out.ctypes.data), ctypes.c_size_t(count), *more) == 0
        return out


def test_published_first_numbers(rand: ctypes.CDLL) -> None:
    assert [hex(x) for x in Generator(rand, 405, 0)("", 4, np.uint32)] == [
        "0x6627e8d5",
        "0xe169c58d",
        "0xbc57ac4c",
        "0x9b00dbd8",
    ]
    assert Generator(rand, 404, 5489)("", 10_000, np.uint32)[[0, 9999]].tolist() == [3499211612, 4123659995]
    first = Generator(rand, 402, 0)("", 1, np.uint32)[0] / 4294967088
    assert math.isclose(first, 0.127011122046577, rel_tol=1e-9)


@pytest.mark.parametrize("kind", PSEUDO.values(), ids=PSEUDO.keys())
def test_seeds_and_offsets(rand: ctypes.CDLL, kind: int) -> None:
    whole = Generator(rand, kind, 42)("", 100, np.uint32)
    again = Generator(rand, kind, 42)
    assert np.concatenate([again("", 37, np.uint32), again("", 63, np.uint32)]).tolist() == whole.tolist()
    assert Generator(rand, kind, 42, offset=17)("", 83, np.uint32).tolist() == whole[17:].tolist()
    assert Generator(rand, kind, 43)("", 100, np.uint32).tolist() != whole.tolist()


@pytest.mark.parametrize("kind", PSEUDO.values(), ids=PSEUDO.keys())
def test_distributions(rand: ctypes.CDLL, kind: int) -> None:
    g, sure = Generator(rand, kind, 7), 5 / math.sqrt(COUNT)
    for name, dtype in (("Uniform", np.float32), ("UniformDouble", np.float64), ("UniformHalf", np.float16)):
        u = g(name, COUNT, dtype).astype(float)
        assert u.min() > 0
        assert u.max() <= 1
        assert abs(u.mean() - 0.5) < sure
        assert abs(u.var() - 1 / 12) < sure
        assert abs(np.corrcoef(u[:-1], u[1:])[0, 1]) < sure
    counts = np.bincount(g("Char", COUNT, np.uint8), minlength=256)
    assert ((counts - COUNT / 256) ** 2 / (COUNT / 256)).sum() < 400
    assert abs(g("Short", COUNT, np.uint16).mean() / 65535 - 0.5) < sure
    for name, dtype, c in (("Normal", np.float32, ctypes.c_float), ("NormalDouble", np.float64, ctypes.c_double)):
        x = (g(name, COUNT, dtype, c(3), c(2)).astype(float) - 3) / 2
        assert abs(x.mean()) < sure
        assert abs(x.var() - 1) < 3 * sure
        assert abs((x**4).mean() - 3) < 20 * sure
        assert abs((np.abs(x) < 1).mean() - 0.6826895) < sure
    x = np.log(g("LogNormal", COUNT, np.float32, ctypes.c_float(0.5), ctypes.c_float(0.25)).astype(float))
    assert abs(x.mean() - 0.5) < sure
    assert abs(x.std() - 0.25) < sure


@pytest.mark.parametrize("rate", [0.1, 4.0, 60.0, 650.0, 5000.0])
def test_poisson(rand: ctypes.CDLL, rate: float) -> None:
    k = Generator(rand, 405, 3)("Poisson", COUNT, np.uint32, ctypes.c_double(rate)).astype(float)
    assert abs(k.mean() - rate) < 5 * math.sqrt(rate / COUNT)
    assert abs(k.var() / rate - 1) < 0.05
    if rate < 10:
        for value in range(6):
            chance = math.exp(-rate) * rate**value / math.factorial(value)
            assert abs((k == value).mean() - chance) < 5 * math.sqrt(chance / COUNT) + 1e-9


def test_normal_halves(rand: ctypes.CDLL) -> None:
    given = [ctypes.c_uint16(int(np.float16(value).view(np.uint16))) for value in (1, 0.5)]
    x = Generator(rand, 405, 1)("NormalHalf", COUNT, np.float16, *given).astype(float)
    assert abs(x.mean() - 1) < 0.01
    assert abs(x.std() - 0.5) < 0.01


def sobol(rand: ctypes.CDLL, dimensions: int, count: int, kind: int = 501) -> np.ndarray:
    g = Generator(rand, kind)
    assert rand.hiprandSetQuasiRandomGeneratorDimensions(g.handle, dimensions) == 0
    if kind == 503:
        return g("LongLong", dimensions * count, np.uint64).reshape(dimensions, count) / 2**64
    return g("", dimensions * count, np.uint32).reshape(dimensions, count) / 2**32


@pytest.mark.parametrize("kind", [501, 503])
def test_sobol_fills_every_interval_once(rand: ctypes.CDLL, kind: int) -> None:
    points = sobol(rand, 21, 1024, kind)
    assert points[0, :4].tolist() == [0, 0.5, 0.75, 0.25]
    assert points[1, :4].tolist() == [0, 0.5, 0.25, 0.75]
    for row in points:
        assert sorted(np.floor(row * 1024).astype(int).tolist()) == list(range(1024))
    # Any two of the first dimensions: one point in each elementary rectangle of 32 x 32.
    cells = np.floor(points[:2] * 32).astype(int)
    assert len(set(zip(*cells.tolist()))) == 1024


def test_sobol_goes_on_where_it_was(rand: ctypes.CDLL) -> None:
    g = Generator(rand, 501)
    two = np.concatenate([g("Uniform", 10, np.float32), g("Uniform", 10, np.float32)])
    assert two.tolist() == Generator(rand, 501)("Uniform", 20, np.float32).tolist()
    assert Generator(rand, 501, offset=5)("Uniform", 15, np.float32).tolist() == two[5:].tolist()


def test_rocrand_is_the_same_under_its_own_numbers(rand: ctypes.CDLL) -> None:
    handle, out = ctypes.c_void_p(), np.zeros(8, np.uint32)
    assert rand.rocrand_create_generator(ctypes.byref(handle), 404) == 0
    assert rand.rocrand_set_seed(handle, ctypes.c_ulonglong(9)) == 0
    assert rand.rocrand_generate(handle, ctypes.c_void_p(out.ctypes.data), ctypes.c_size_t(8)) == 0
    assert out.tolist() == Generator(rand, 405, 9)("", 8, np.uint32).tolist()


def test_misuse(rand: ctypes.CDLL) -> None:
    handle = ctypes.c_void_p()
    assert rand.hiprandCreateGenerator(ctypes.byref(handle), 77) == 103
    assert rand.hiprandGenerate(None, None, ctypes.c_size_t(0)) == 101
    g, out = Generator(rand, 501), np.zeros(8, np.uint32)
    assert rand.hiprandSetPseudoRandomGeneratorSeed(g.handle, ctypes.c_ulonglong(1)) == 103
    assert rand.hiprandSetQuasiRandomGeneratorDimensions(g.handle, 22) == 104
    assert rand.hiprandSetQuasiRandomGeneratorDimensions(g.handle, 3) == 0
    assert rand.hiprandGenerate(g.handle, ctypes.c_void_p(out.ctypes.data), ctypes.c_size_t(8)) == 105
    pseudo = Generator(rand, 405, 1)
    out_at = ctypes.c_void_p(out.ctypes.data)
    assert rand.hiprandGeneratePoisson(pseudo.handle, out_at, ctypes.c_size_t(8), ctypes.c_double(0)) == 104
