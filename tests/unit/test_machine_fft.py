"""The stand-in for hipFFT, called as a program calls it and held against NumPy."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from rewarp.machine.runtime import libraries

R2C, C2R, C2C, D2Z, Z2D, Z2Z = 0x2A, 0x2C, 0x29, 0x6A, 0x6C, 0x69
RANDOM = np.random.default_rng(5)
SHAPES = [
    (1,),
    (2,),
    (8,),
    (12,),
    (15,),
    (49,),
    (97,),
    (1009,),
    (1000,),
    (37 * 41,),
    (4096,),
    (6, 10),
    (7, 1),
    (5, 33),
    (3, 4, 5),
    (2, 67, 9),
]


@pytest.fixture(scope="module")
def fft() -> ctypes.CDLL:
    return ctypes.CDLL(str(libraries.folder("hipfft") / "libhipfft.so.0"))


def pointer(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def plan(fft: ctypes.CDLL, shape: tuple[int, ...], kind: int, batch: int = 1) -> ctypes.c_void_p:
    made = ctypes.c_void_p()
    if len(shape) == 1:
        assert fft.hipfftPlan1d(ctypes.byref(made), shape[0], kind, batch) == 0
    else:
        assert getattr(fft, f"hipfftPlan{len(shape)}d")(ctypes.byref(made), *shape, kind) == 0
    return made


def random(*shape: int, dtype: Any = np.complex128) -> np.ndarray:
    values = RANDOM.standard_normal(shape) + 1j * RANDOM.standard_normal(shape)
    return np.ascontiguousarray(
        values.astype(dtype) if np.issubdtype(dtype, np.complexfloating) else values.real.astype(dtype)
    )


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("wide", [False, True])
def test_complex(fft: ctypes.CDLL, shape: tuple[int, ...], wide: bool) -> None:
    kind, dtype, run = (Z2Z, np.complex128, fft.hipfftExecZ2Z) if wide else (C2C, np.complex64, fft.hipfftExecC2C)
    x, made = random(*shape, dtype=dtype), plan(fft, shape, kind)
    out = np.zeros_like(x)
    tolerance = (1e-10 if wide else 2e-6) * np.sqrt(x.size)
    assert run(made, pointer(x), pointer(out), -1) == 0
    np.testing.assert_allclose(out, np.fft.fftn(x), rtol=0, atol=10 * tolerance)
    assert run(made, pointer(out), pointer(out), 1) == 0  # in its own place, and not scaled
    np.testing.assert_allclose(out / x.size, x, rtol=0, atol=tolerance)
    assert fft.hipfftDestroy(made) == 0


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("wide", [False, True])
def test_real(fft: ctypes.CDLL, shape: tuple[int, ...], wide: bool) -> None:
    real, spectrum = (np.float64, np.complex128) if wide else (np.float32, np.complex64)
    forward, back = (fft.hipfftExecD2Z, fft.hipfftExecZ2D) if wide else (fft.hipfftExecR2C, fft.hipfftExecC2R)
    half = (*shape[:-1], shape[-1] // 2 + 1)
    x, out = random(*shape, dtype=real), np.zeros(half, spectrum)
    tolerance = (1e-10 if wide else 2e-6) * np.sqrt(x.size)
    assert forward(plan(fft, shape, D2Z if wide else R2C), pointer(x), pointer(out)) == 0
    np.testing.assert_allclose(out, np.fft.rfftn(x), rtol=0, atol=10 * tolerance)
    again = np.zeros_like(x)
    assert back(plan(fft, shape, Z2D if wide else C2R), pointer(out), pointer(again)) == 0
    np.testing.assert_allclose(again / x.size, x, rtol=0, atol=tolerance)


@pytest.mark.parametrize("shape", [(10,), (9,), (4, 6), (3, 5, 7)], ids=str)
def test_real_in_its_own_place_is_padded(fft: ctypes.CDLL, shape: tuple[int, ...]) -> None:
    x = random(*shape, dtype=np.float64)
    padded = np.zeros((*shape[:-1], 2 * (shape[-1] // 2 + 1)))
    padded[..., : shape[-1]] = x
    assert fft.hipfftExecD2Z(plan(fft, shape, D2Z), pointer(padded), pointer(padded)) == 0
    np.testing.assert_allclose(padded.view(np.complex128), np.fft.rfftn(x), atol=1e-10)
    assert fft.hipfftExecZ2D(plan(fft, shape, Z2D), pointer(padded), pointer(padded)) == 0
    np.testing.assert_allclose(padded[..., : shape[-1]] / x.size, x, atol=1e-10)


def test_half_a_spectrum_that_is_none_is_read_as_numpy_reads_it(fft: ctypes.CDLL) -> None:
    x, out = random(6, 5), np.zeros((6, 8))
    assert fft.hipfftExecZ2D(plan(fft, (6, 8), Z2D), pointer(x), pointer(out)) == 0
    np.testing.assert_allclose(out / out.size, np.fft.irfftn(x, (6, 8), axes=(0, 1)), atol=1e-12)


def test_batches(fft: ctypes.CDLL) -> None:
    x = random(5, 24)
    out = np.zeros_like(x)
    assert fft.hipfftExecZ2Z(plan(fft, (24,), Z2Z, 5), pointer(x), pointer(out), -1) == 0
    np.testing.assert_allclose(out, np.fft.fft(x), atol=1e-10)
    real, half = random(4, 9, dtype=np.float32), np.zeros((4, 5), np.complex64)
    assert fft.hipfftExecR2C(plan(fft, (9,), R2C, 4), pointer(real), pointer(half)) == 0
    np.testing.assert_allclose(half, np.fft.rfft(real), atol=1e-4)


@pytest.mark.parametrize("wide", [False, True])
def test_layouts(fft: ctypes.CDLL, wide: bool) -> None:
    """Columns of a matrix, every second number of a larger field."""
    integer = ctypes.c_longlong if wide else ctypes.c_int
    make = fft.hipfftMakePlanMany64 if wide else fft.hipfftMakePlanMany
    x, made, size = random(12, 7), ctypes.c_void_p(), ctypes.c_size_t(9)
    assert fft.hipfftCreate(ctypes.byref(made)) == 0
    many = [(integer * 1)(12), (integer * 1)(12), integer(7), integer(1), (integer * 1)(12), integer(1), integer(12)]
    assert make(made, 1, *many, Z2Z, integer(7), ctypes.byref(size)) == 0
    out = np.zeros((7, 12), np.complex128)
    assert fft.hipfftExecZ2Z(made, pointer(x), pointer(out), -1) == 0
    np.testing.assert_allclose(out, np.fft.fft(x, axis=0).T, atol=1e-10)
    field = random(2, 5, 20)  # two planes of 4 x 6 in the corner of 5 x 10, two numbers apart
    n, embed, dense = (integer * 2)(4, 6), (integer * 2)(5, 10), (integer * 2)(4, 6)
    assert (
        make(
            made,
            2,
            n,
            embed,
            integer(2),
            integer(100),
            dense,
            integer(1),
            integer(24),
            Z2Z,
            integer(2),
            ctypes.byref(size),
        )
        == 0
    )
    planes = np.zeros((2, 4, 6), np.complex128)
    assert fft.hipfftExecZ2Z(made, pointer(field), pointer(planes), 1) == 0
    np.testing.assert_allclose(planes / 24, np.fft.ifftn(field[:, :4, :12:2], axes=(1, 2)), atol=1e-12)


def test_scale(fft: ctypes.CDLL) -> None:
    made, x, out = ctypes.c_void_p(), random(16), np.zeros(16, np.complex128)
    assert fft.hipfftCreate(ctypes.byref(made)) == 0
    assert fft.hipfftExtPlanScaleFactor(made, ctypes.c_double(0.25)) == 0
    assert fft.hipfftMakePlan1d(made, 16, Z2Z, 1, None) == 0
    assert fft.hipfftExecZ2Z(made, pointer(x), pointer(out), -1) == 0
    np.testing.assert_allclose(out, np.fft.fft(x) / 4, atol=1e-12)


def test_misuse(fft: ctypes.CDLL) -> None:
    made, x = ctypes.c_void_p(), random(8)
    assert fft.hipfftPlan1d(ctypes.byref(made), 0, Z2Z, 1) == 8
    assert fft.hipfftPlan1d(ctypes.byref(made), 8, 1, 1) == 3
    assert fft.hipfftCreate(ctypes.byref(made)) == 0
    assert fft.hipfftExecZ2Z(made, pointer(x), pointer(x), -1) == 10
    assert fft.hipfftExecZ2Z(None, pointer(x), pointer(x), -1) == 1
    made = plan(fft, (8,), Z2Z)
    assert fft.hipfftExecC2C(made, pointer(x), pointer(x), -1) == 3
    assert fft.hipfftExecZ2Z(made, None, pointer(x), -1) == 4
    assert fft.hipfftExecZ2Z(made, pointer(x), pointer(x), 3) == 4
