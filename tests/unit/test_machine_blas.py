"""The stand-in for hipBLAS and rocBLAS, called as a program calls it and held against NumPy."""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rewarp.machine.runtime import libraries

N, T, C = 111, 112, 113
UPPER, LOWER, NON_UNIT, UNIT, LEFT, RIGHT = 121, 122, 131, 132, 141, 142
TYPES = {"s": np.float32, "d": np.float64, "c": np.complex64, "z": np.complex128}
RANDOM = np.random.default_rng(3)


class Blas:
    """A library and a handle. Integers are 32 bits wide, or 64 where the function's name says so."""

    def __init__(self, path: Path) -> None:
        self.library = ctypes.CDLL(str(path))
        self.handle = ctypes.c_void_p()
        assert self.library.hipblasCreate(ctypes.byref(self.handle)) == 0
        self.other = ctypes.c_void_p()
        assert self.library.rocblas_create_handle(ctypes.byref(self.other)) == 0

    def status(self, name: str, *given: Any) -> int:
        integer = ctypes.c_int64 if name.endswith("_64") else ctypes.c_int
        kept: list[Any] = []

        def one(value: Any) -> Any:
            if isinstance(value, np.ndarray):
                return ctypes.c_void_p(value.ctypes.data)
            if isinstance(value, list):
                kept.append((ctypes.c_void_p * len(value))(*(item.ctypes.data for item in value)))
                return kept[-1]
            if isinstance(value, np.generic):
                kept.append(np.array([value]))
                return ctypes.c_void_p(kept[-1].ctypes.data)
            return value if value is None or isinstance(value, ctypes._SimpleCData) else integer(value)

        handle = self.handle if name.startswith("hip") else self.other
        return int(getattr(self.library, name)(handle, *map(one, given)))

    def __call__(self, name: str, *given: Any) -> None:
        assert self.status(name, *given) == 0, name


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return libraries.folder()


@pytest.fixture(scope="module")
def blas(folder: Path) -> Blas:
    return Blas(folder / "libhipblas.so.3")


def some(kind: str, *shape: int) -> np.ndarray:
    values = RANDOM.standard_normal(shape)
    if kind in "cz":
        values = values + 1j * RANDOM.standard_normal(shape)
    return np.asfortranarray(values.astype(TYPES[kind]))


def one(kind: str, value: complex) -> np.generic:
    return TYPES[kind](value if kind in "cz" else value.real)  # type: ignore[no-any-return]


def spread(values: np.ndarray, step: int) -> np.ndarray:
    """A vector with a step; a negative one begins at the end."""
    made = np.full(max(1, len(values) * abs(step)), np.nan, values.dtype)
    made[:: abs(step)][: len(values)] = values if step > 0 else values[::-1]
    return made


def gathered(made: np.ndarray, count: int, step: int) -> np.ndarray:
    found = made[:: abs(step)][:count]
    return found if step > 0 else found[::-1]


def padded(matrix: np.ndarray, more: int) -> tuple[np.ndarray, int]:
    made = np.full((matrix.shape[0] + more, matrix.shape[1]), np.nan, matrix.dtype, order="F")
    made[: matrix.shape[0]] = matrix
    return made, made.shape[0]


def op(matrix: np.ndarray, trans: int) -> np.ndarray:
    return matrix if trans == N else matrix.T if trans == T else matrix.conj().T


def near(found: np.ndarray, wanted: np.ndarray, kind: str, scale: float = 1) -> None:
    tolerance = scale * (2e-4 if kind in "sc" else 1e-11)
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


# --- vectors --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", "sdcz")
@pytest.mark.parametrize(("incx", "incy"), [(1, 1), (2, 3), (-1, 2), (3, -2)])
def test_vectors(blas: Blas, kind: str, incx: int, incy: int) -> None:
    n, k = 37, kind.upper()
    x, y, alpha = some(kind, n), some(kind, n), one(kind, 1.5 - 0.5j)
    out = spread(y, incy)
    blas(f"hipblas{k}axpy", n, alpha, spread(x, incx), incx, out, incy)
    near(gathered(out, n, incy), alpha * x + y, kind)
    out = spread(y, incy)
    blas(f"rocblas_{kind}copy", n, spread(x, incx), incx, out, incy)
    near(gathered(out, n, incy), x, kind)
    first, second = spread(x, incx), spread(y, incy)
    blas(f"hipblas{k}swap_64", n, first, incx, second, incy)
    near(gathered(first, n, incx), y, kind)
    near(gathered(second, n, incy), x, kind)
    result = np.zeros(1, TYPES[kind])
    for name, wanted in {"dotu": x @ y, "dotc": x.conj() @ y}.items() if kind in "cz" else {"dot": x @ y}.items():
        blas(f"rocblas_{kind}{name}", n, spread(x, incx), incx, spread(y, incy), incy, result)
        near(result[0], wanted, kind, 10)
    first, second, c, s = spread(x, incx), spread(y, incy), 0.6, one(kind, 0.48 + 0.64j if kind in "cz" else 0.8)
    blas(f"hipblas{k}rot", n, first, incx, second, incy, x.real.dtype.type(c), s)
    near(gathered(first, n, incx), c * x + s * y, kind)
    near(gathered(second, n, incy), c * y - np.conj(s) * x, kind)


@pytest.mark.parametrize("kind", "sdcz")
def test_sums_and_extremes(blas: Blas, kind: str) -> None:
    n, real = 101, TYPES[kind](0).real.dtype
    x = some(kind, n)
    sizes = np.abs(x.real) + np.abs(x.imag)
    prefix = {"s": "s", "d": "d", "c": "sc", "z": "dz"}[kind]
    result, index = np.zeros(1, real), np.zeros(1, np.int32)
    blas(f"hipblas{prefix.capitalize()}asum", n, spread(x, 2), 2, result)
    near(result[0], sizes.sum(), kind)
    blas(f"rocblas_{prefix}nrm2", n, x, 1, result)
    near(result[0], np.linalg.norm(x), kind)
    blas(f"hipblasI{kind}amax", n, spread(x, 3), 3, index)
    assert index[0] == sizes.argmax() + 1
    blas(f"rocblas_i{kind}amin", n, x, 1, index)
    assert index[0] == sizes.argmin() + 1
    wide = np.zeros(1, np.int64)
    blas(f"rocblas_i{kind}amax_64", n, x, 1, wide)
    assert wide[0] == sizes.argmax() + 1
    blas(f"hipblasI{kind}amax", 0, x, 1, index)
    assert index[0] == 0
    many = np.zeros(4, real)
    blas(f"hipblas{prefix.capitalize()}nrm2StridedBatched", 25, x, 1, ctypes.c_int64(25), 4, many)
    near(many, np.linalg.norm(x[:100].reshape(4, 25), axis=1), kind)
    scaled = x.copy()
    blas(f"hipblas{kind.upper()}scal", n, one(kind, 2 - 1j), scaled, 1)
    near(scaled, one(kind, 2 - 1j) * x, kind)
    if kind in "cz":
        blas({"c": "hipblasCsscal_v2", "z": "rocblas_zdscal"}[kind], n, real.type(0.5), scaled, 1)
        near(scaled, one(kind, 1 - 0.5j) * x, kind)


def test_a_norm_neither_overflows_nor_vanishes(blas: Blas) -> None:
    for size in (1e-300, 1e300):
        result = np.zeros(1)
        blas("hipblasDnrm2", 4, np.full(4, size), 1, result)
        np.testing.assert_allclose(result[0], 2 * size)


@pytest.mark.parametrize("kind", "sdcz")
def test_rotations_turn_into_the_axis(blas: Blas, kind: str) -> None:
    a, b = some(kind, 1), some(kind, 1)
    c, s = np.zeros(1, a.real.dtype), np.zeros(1, TYPES[kind])
    r, z = a.copy(), b.copy()
    blas(f"hipblas{kind.upper()}rotg", r, z, c, s)
    near(c * a + s * b, r, kind)
    near(c * b - np.conj(s) * a, 0 * a, kind)
    near(c**2 + np.abs(s) ** 2, np.ones(1), kind)


@pytest.mark.parametrize("scale", [1.0, 1e-6, 1e6])
def test_modified_rotations(blas: Blas, scale: float) -> None:
    d1, d2, x1, y1 = (np.array([value]) for value in (2.0 * scale, 3.0, 0.7, -1.3))
    before = np.sqrt(np.array([d1[0], d2[0]])) * [x1[0], y1[0]]
    param = np.zeros(5)
    start = x1.copy()
    blas("rocblas_drotmg", d1, d2, x1, y1, param)
    x, y = start.copy(), y1.copy()
    blas("hipblasDrotm", 1, x, 1, y, 1, param)
    near(np.array([x[0], y[0]]), np.array([x1[0], 0]), "d", 100)
    near(np.sqrt(d1) * np.abs(x), np.array([np.linalg.norm(before)]), "d", 100)


# --- a matrix and vectors -------------------------------------------------------------------


@pytest.mark.parametrize("kind", "sdcz")
@pytest.mark.parametrize("trans", [N, T, C])
@pytest.mark.parametrize(("incx", "incy", "beta"), [(1, 1, 0), (2, -1, 1), (-1, 3, 0.5)])
def test_general_and_banded_products(blas: Blas, kind: str, trans: int, incx: int, incy: int, beta: float) -> None:
    m, n, kl, ku = 13, 9, 2, 3
    a = some(kind, m, n)
    rows, width = (m, n) if trans == N else (n, m)
    x, y, alpha, by = some(kind, width), some(kind, rows), one(kind, 0.7 + 0.2j), one(kind, beta)
    stored, ld = padded(a, 3)
    out = spread(np.full(rows, np.nan, TYPES[kind]) if beta == 0 else y, incy)
    blas(f"hipblas{kind.upper()}gemv", trans, m, n, alpha, stored, ld, spread(x, incx), incx, by, out, incy)
    near(gathered(out, rows, incy), alpha * op(a, trans) @ x + beta * y, kind)
    band, full = np.zeros((kl + ku + 1, n), TYPES[kind], order="F"), np.zeros_like(a)
    for i in range(m):
        for j in range(max(0, i - kl), min(n, i + ku + 1)):
            full[i, j] = band[ku + i - j, j] = a[i, j]
    out = spread(y, incy)
    blas(f"rocblas_{kind}gbmv", trans, m, n, kl, ku, alpha, band, kl + ku + 1, spread(x, incx), incx, by, out, incy)
    near(gathered(out, rows, incy), alpha * op(full, trans) @ x + beta * y, kind)


def packed(matrix: np.ndarray, uplo: int) -> np.ndarray:
    n = len(matrix)
    spans = [matrix[: j + 1, j] if uplo == UPPER else matrix[j:, j] for j in range(n)]
    return np.concatenate(spans)


def banded(matrix: np.ndarray, uplo: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    n = len(matrix)
    kept, full = np.zeros((k + 1, n), matrix.dtype, order="F"), np.zeros_like(matrix)
    for i in range(n):
        for j in range(max(0, i - k), min(n, i + k + 1)):
            full[i, j] = matrix[i, j]
            if (uplo == UPPER) == (i <= j) or i == j:
                kept[k + i - j if uplo == UPPER else i - j, j] = matrix[i, j]
    return kept, full


@pytest.mark.parametrize("kind", "sdcz")
@pytest.mark.parametrize("uplo", [UPPER, LOWER])
def test_symmetric_products_and_updates(blas: Blas, kind: str, uplo: int) -> None:
    n, hermitian = 11, kind in "cz"
    a = some(kind, n, n)
    a = np.asfortranarray(a + a.conj().T)
    triangle = np.triu if uplo == UPPER else np.tril
    seen = np.asfortranarray(np.where(triangle(np.ones((n, n))) > 0, a, np.nan))
    x, y, alpha, beta = some(kind, n), some(kind, n), one(kind, 0.5 - 1j), one(kind, -0.5)
    name = "he" if hermitian else "sy"
    k, flat = kind.upper(), "h" if hermitian else "s"
    out = y.copy()
    blas(f"hipblas{k}{name}mv", uplo, n, alpha, seen, n, x, 1, beta, out, 1)
    near(out, alpha * a @ x + beta * y, kind, 5)
    out = y.copy()
    blas(f"rocblas_{kind}{flat}pmv", uplo, n, alpha, packed(a, uplo), x, 1, beta, out, 1)
    near(out, alpha * a @ x + beta * y, kind, 5)
    band, full = banded(a, uplo, 3)
    out = y.copy()
    blas(f"hipblas{k}{flat}bmv_64", uplo, n, 3, alpha, band, 4, x, 1, beta, out, 1)
    near(out, alpha * full @ x + beta * y, kind, 5)
    real = a.real.dtype.type(0.3)
    out = seen.copy(order="F")
    blas(f"rocblas_{kind}{name}r", uplo, n, real, spread(x, -2), -2, out, n)
    near(triangle(out), triangle(a + real * np.outer(x, x.conj())), kind, 5)
    out = packed(a, uplo)
    blas(f"hipblas{k}{flat}pr", uplo, n, real, x, 1, out)
    near(out, packed(a + real * np.outer(x, x.conj()), uplo), kind, 5)
    both = alpha * np.outer(x, y.conj())
    out = seen.copy(order="F")
    blas(f"hipblas{k}{name}r2", uplo, n, alpha, x, 1, y, 1, out, n)
    near(triangle(out), triangle(a + both + both.conj().T), kind, 5)
    out = packed(a, uplo)
    blas(f"rocblas_{kind}{flat}pr2", uplo, n, alpha, x, 1, y, 1, out)
    near(out, packed(a + both + both.conj().T, uplo), kind, 5)


@pytest.mark.parametrize("kind", "sz")
@pytest.mark.parametrize("uplo", [UPPER, LOWER])
@pytest.mark.parametrize("trans", [N, T, C])
@pytest.mark.parametrize("diag", [NON_UNIT, UNIT])
def test_triangles(blas: Blas, kind: str, uplo: int, trans: int, diag: int) -> None:
    n = 9
    a = some(kind, n, n) + 4 * np.eye(n)
    full = np.triu(a) if uplo == UPPER else np.tril(a)
    if diag == UNIT:
        np.fill_diagonal(full, 1)
    x, k = some(kind, n), kind.upper()
    band, limited = banded(full, uplo, 2)
    limited = np.triu(limited) if uplo == UPPER else np.tril(limited)
    forms: dict[str, tuple[list[Any], np.ndarray]] = {
        "tr": ([np.asfortranarray(a.astype(TYPES[kind])), n], full),
        "tp": ([packed(full.astype(TYPES[kind]), uplo)], full),
        "tb": ([2, band.astype(TYPES[kind], order="F"), 3], limited),
    }
    for name, (given, matrix) in forms.items():
        head = [uplo, trans, diag, n]
        out = spread(x, -2)
        blas(f"hipblas{k}{name}mv", *head, *given, out, -2)
        near(gathered(out, n, -2), op(matrix, trans) @ x, kind, 5)
        blas(f"rocblas_{kind}{name}sv", *head, *given, out, -2)
        near(gathered(out, n, -2), x, kind, 50)


# --- matrices -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", "sdcz")
@pytest.mark.parametrize("ta", [N, T, C])
@pytest.mark.parametrize("tb", [N, T, C])
def test_products(blas: Blas, kind: str, ta: int, tb: int) -> None:
    for m, n, k in ((1, 1, 1), (17, 5, 300), (70, 33, 40), (130, 9, 513)):
        a, b = some(kind, *((m, k) if ta == N else (k, m))), some(kind, *((k, n) if tb == N else (n, k)))
        c, alpha = some(kind, m, n), one(kind, 1.25 - 0.5j)
        (left, lda), (right, ldb) = padded(a, 2), padded(b, 1)
        for beta in (0, 1, -0.5):
            out, ldc = padded(np.full_like(c, np.nan) if beta == 0 else c, 4)
            given = (alpha, left, lda, right, ldb, one(kind, beta), out, ldc)
            blas(f"hipblas{kind.upper()}gemm", ta, tb, m, n, k, *given)
            near(out[:m], alpha * op(a, ta) @ op(b, tb) + beta * c, kind, 20)
            assert np.isnan(out[m:]).all()


def test_nothing_is_read_where_the_factor_is_zero(blas: Blas) -> None:
    nothing, c = np.full((4, 4), np.nan, order="F"), np.ones((4, 4), order="F")
    blas("hipblasDgemm", N, N, 4, 4, 4, np.float64(0), nothing, 4, nothing, 4, np.float64(2), c, 4)
    assert (c == 2).all()
    y = np.ones(4)
    blas("hipblasDgemv", T, 4, 4, np.float64(0), nothing, 4, nothing, 1, np.float64(3), y, 1)
    assert (y == 3).all()


@pytest.mark.parametrize("kind", "sc")
def test_batches(blas: Blas, kind: str) -> None:
    count, m, n, k = 3, 6, 4, 5
    parts = [(some(kind, m, k), some(kind, k, n), np.zeros((m, n), TYPES[kind], order="F")) for _ in range(count)]
    alpha, beta = one(kind, 1), one(kind, 0)
    lists = [[part[i] for part in parts] for i in range(3)]
    given = (N, N, m, n, k, alpha, lists[0], m, lists[1], k, beta, lists[2], m, count)
    for name in (f"hipblas{kind.upper()}gemmBatched", f"rocblas_{kind}gemm_batched_64"):
        for part in parts:
            part[2][:] = np.nan
        blas(name, *given)
        for a, b, c in parts:
            near(c, a @ b, kind, 5)
    a, b = (np.concatenate([part.ravel("F") for part in lists[i]]) for i in range(2))
    c = np.zeros(count * m * n, TYPES[kind])
    strides = [ctypes.c_int64(size) for size in (m * k, k * n, m * n)]
    given = (alpha, a, m, strides[0], b, k, strides[1], beta, c, m, strides[2], count)
    blas(f"hipblas{kind.upper()}gemmStridedBatched", N, N, m, n, k, *given)
    for number, (left, right, _) in enumerate(parts):
        near(c[number * m * n : (number + 1) * m * n].reshape(n, m).T, left @ right, kind, 5)


@pytest.mark.parametrize("kind", "dz")
@pytest.mark.parametrize("uplo", [UPPER, LOWER])
@pytest.mark.parametrize("trans", [N, "other"])
def test_symmetric_matrices(blas: Blas, kind: str, uplo: int, trans: Any) -> None:
    n, k, up = 8, 5, kind.upper()
    hermitian = kind == "z"
    trans = N if trans == N else C if hermitian else T
    turned = (lambda m: m.conj().T) if hermitian else (lambda m: m.T)
    triangle = np.triu if uplo == UPPER else np.tril
    a, b = (some(kind, *((n, k) if trans == N else (k, n))) for _ in range(2))
    c = some(kind, n, n)
    c = np.asfortranarray(c + turned(c))
    left, right = (a, b) if trans == N else (turned(a), turned(b))
    alpha, real = one(kind, 0.5 + 0.5j), np.float64(0.75)
    name, ld = "he" if hermitian else "sy", a.shape[0]
    out = c.copy(order="F")
    blas(f"hipblas{up}{name}rk", uplo, trans, n, k, real, a, ld, real, out, n)
    near(triangle(out), triangle(real * left @ turned(left) + real * c), kind, 5)
    out = c.copy(order="F")
    product = alpha * left @ turned(right)
    blas(f"rocblas_{kind}{name}r2k", uplo, trans, n, k, alpha, a, ld, b, ld, real, out, n)
    near(triangle(out), triangle(product + turned(product) + real * c), kind, 5)
    out = c.copy(order="F")
    blas(f"hipblas{up}{name}rkx", uplo, trans, n, k, alpha, a, ld, a, ld, real, out, n)
    wanted = triangle(alpha * left @ turned(left) + real * c)
    np.fill_diagonal(wanted, wanted.diagonal().real)
    near(triangle(out), wanted, kind, 5)
    for side, shape in ((LEFT, (n, 6)), (RIGHT, (6, n))):
        other, seen = some(kind, *shape), np.asfortranarray(np.where(triangle(np.ones((n, n))) > 0, c, np.nan))
        out = np.full(shape, np.nan, TYPES[kind], order="F")
        blas(f"hipblas{up}{name}mm", side, uplo, *shape, alpha, seen, n, other, shape[0], one(kind, 0), out, shape[0])
        near(out, alpha * (c @ other if side == LEFT else other @ c), kind, 10)


@pytest.mark.parametrize("kind", "dc")
@pytest.mark.parametrize("side", [LEFT, RIGHT])
@pytest.mark.parametrize("uplo", [UPPER, LOWER])
@pytest.mark.parametrize("trans", [N, T, C])
@pytest.mark.parametrize("diag", [NON_UNIT, UNIT])
def test_triangular_matrices(blas: Blas, kind: str, side: int, uplo: int, trans: int, diag: int) -> None:
    m, n, alpha = 7, 5, one(kind, 0.5 + 0.25j)
    size = m if side == LEFT else n
    a = np.asfortranarray((some(kind, size, size) + 4 * np.eye(size)).astype(TYPES[kind]))
    full = np.triu(a) if uplo == UPPER else np.tril(a)
    if diag == UNIT:
        np.fill_diagonal(full, 1)
    b, head = some(kind, m, n), (side, uplo, trans, diag, m, n, alpha, a, size)
    wanted = alpha * (op(full, trans) @ b if side == LEFT else b @ op(full, trans))
    out = np.zeros_like(b)
    blas(f"rocblas_{kind}trmm", *head, b, m, out, m)
    near(out, wanted, kind, 10)
    inside = b.copy(order="F")
    blas(f"hipblas{kind.upper()}trmm", *head, inside, m, inside, m)
    near(inside, wanted, kind, 10)
    blas(f"hipblas{kind.upper()}trsm", *head, out, m)
    near(out, alpha * alpha * b, kind, 100)
    inverse = np.zeros_like(a)
    blas(f"hipblas{kind.upper()}trtri", uplo, diag, size, a, size, inverse, size)
    near(inverse @ full, np.eye(size), kind, 100)


@pytest.mark.parametrize("kind", "sz")
def test_sums_and_diagonals(blas: Blas, kind: str) -> None:
    m, n = 6, 4
    a, b, x = some(kind, n, m), some(kind, m, n), some(kind, n)
    alpha, beta = one(kind, 2), one(kind, -1j - 1)
    out = np.zeros((m, n), TYPES[kind], order="F")
    blas(f"hipblas{kind.upper()}geam", C, N, m, n, alpha, a, n, beta, b, m, out, m)
    near(out, alpha * a.conj().T + beta * b, kind)
    blas(f"rocblas_{kind}dgmm", RIGHT, m, n, b, m, spread(x, 2), 2, out, m)
    near(out, b * x, kind)


# --- types that are named in the call -------------------------------------------------------

HALF, BFLOAT, INT8 = 2, 14, 3


def bfloat(values: np.ndarray) -> np.ndarray:
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def as_float(values: np.ndarray) -> np.ndarray:
    return (values.astype(np.uint32) << 16).view(np.float32)


def gemm_ex(blas: Blas, a: np.ndarray, b: np.ndarray, types: tuple[int, int], out: np.ndarray, scalars: Any) -> None:
    (m, k), n = a.shape, b.shape[1]
    compute, kind = scalars
    given = (kind(1), a, types[0], m, b, types[0], k, kind(0), out, types[1], m, compute, 160)
    blas("hipblasGemmEx_v2", N, N, m, n, k, *given)


def test_half_and_bfloat_products(blas: Blas) -> None:
    m, n, k = 19, 7, 65
    a, b = (np.asfortranarray(RANDOM.standard_normal(s).astype(np.float16)) for s in ((m, k), (k, n)))
    exact = a.astype(np.float64) @ b.astype(np.float64)
    out = np.zeros((m, n), np.float32, order="F")
    gemm_ex(blas, a, b, (HALF, 0), out, (2, np.float32))
    np.testing.assert_allclose(out, exact, rtol=1e-5, atol=1e-4)
    halves = np.zeros((m, n), np.float16, order="F")
    gemm_ex(blas, a, b, (HALF, HALF), halves, (0, np.float16))
    np.testing.assert_allclose(halves, exact, rtol=1e-3, atol=1e-3)
    again = np.zeros((m, n), np.float16, order="F")
    blas("hipblasHgemm", N, N, m, n, k, np.float16(1), a, m, b, k, np.float16(0), again, m)
    assert (again == halves).all()
    rocm = np.zeros((m, n), np.float16, order="F")
    given = (np.float32(1), a, 150, m, b, 150, k, np.float32(0), rocm, 150, m, rocm, 150, m, 151, 0, 0, 0)
    blas("rocblas_gemm_ex", N, N, m, n, k, *given)
    assert (rocm == halves).all()
    c, d = bfloat(a.astype(np.float32)), bfloat(b.astype(np.float32))
    gemm_ex(blas, np.asfortranarray(c), np.asfortranarray(d), (BFLOAT, 0), out, (2, np.float32))
    np.testing.assert_allclose(out, as_float(c) @ as_float(d), rtol=1e-4, atol=1e-3)


def test_bytes_add_up_exactly(blas: Blas) -> None:
    a, b = (np.asfortranarray(RANDOM.integers(-128, 128, s).astype(np.int8)) for s in ((33, 200), (200, 9)))
    out = np.zeros((33, 9), np.int32, order="F")
    gemm_ex(blas, a, b, (INT8, 10), out, (9, np.int32))
    assert (out == a.astype(np.int32) @ b.astype(np.int32)).all()


def test_every_half_survives_the_way_there_and_back(blas: Blas) -> None:
    bits = np.arange(1 << 16, dtype=np.uint32).astype(np.uint16)
    halves = bits.view(np.float16)
    finite = halves[np.isfinite(halves)]
    out = finite.copy()
    blas("hipblasScalEx", len(out), np.float32(1), 151, out, 150, 1, 151)
    assert (out.view(np.uint16) == finite.view(np.uint16)).all()
    doubled = finite.copy()
    blas("hipblasScalEx_v2", len(out), np.float32(1 / 3), 0, doubled, HALF, 1, 0)
    wanted = (finite.astype(np.float64) * np.float64(np.float32(1 / 3))).astype(np.float16)
    assert (doubled.view(np.uint16) == wanted.view(np.uint16)).all()


def test_vectors_of_named_types(blas: Blas) -> None:
    x, y = (RANDOM.standard_normal(50).astype(np.float16) for _ in range(2))
    result = np.zeros(1, np.float32)
    blas("rocblas_dot_ex", 50, x, 150, 1, y, 150, 1, result, 151, 151)
    np.testing.assert_allclose(result[0], x.astype(float) @ y.astype(float), rtol=1e-5)
    blas("hipblasNrm2Ex", 50, x, 150, 1, result, 151, 151)
    np.testing.assert_allclose(result[0], np.linalg.norm(x.astype(float)), rtol=1e-5)
    out = y.copy()
    blas("hipblasAxpyEx", 50, np.float32(2), 151, x, 150, 1, out, 150, 1, 151)
    np.testing.assert_allclose(out, 2 * x.astype(float) + y, rtol=2e-3, atol=1e-3)


# --- factors --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", "sdcz")
@pytest.mark.parametrize("trans", [N, T, C])
def test_factors_solve(blas: Blas, kind: str, trans: int) -> None:
    n, k = 9, kind.upper()
    a, b = some(kind, n, n), some(kind, n, 4)
    (factors, lda), pivots, info = padded(a, 2), np.zeros(n, np.int32), np.full(1, 7, np.int32)
    blas(f"hipblas{k}getrf", n, factors, lda, pivots, info)
    assert info[0] == 0
    lower, upper = np.tril(factors[:n], -1) + np.eye(n), np.triu(factors[:n])
    assert np.abs(np.tril(factors[:n], -1)).max() <= (1 if kind in "sd" else 2**0.5) * 1.0001
    order = list(range(n))
    for at, pivot in enumerate(pivots):
        order[at], order[pivot - 1] = order[pivot - 1], order[at]
    near(lower @ upper, a[order], kind, 20)
    out = b.copy(order="F")
    blas(f"hipblas{k}getrs", trans, n, 4, factors, lda, pivots, out, n, info)
    near(op(a, trans) @ out, b, kind, 200)


def test_factors_in_batches(blas: Blas) -> None:
    parts = [some("d", 5, 5) for _ in range(3)]
    singular = np.zeros((5, 5), order="F")
    copies, inverses = (
        [part.copy(order="F") for part in (*parts, singular)],
        [np.zeros((5, 5), order="F") for _ in range(4)],
    )
    pivots, info = np.zeros(20, np.int32), np.full(4, 9, np.int32)
    blas("hipblasDgetrfBatched", 5, copies, 5, pivots, info, 4)
    assert info.tolist() == [0, 0, 0, 1]
    blas("hipblasDgetriBatched", 5, copies, 5, pivots, inverses, 5, info, 4)
    assert info.tolist() == [0, 0, 0, 1]
    for part, inverse in zip(parts, inverses):
        near(part @ inverse, np.eye(5), "d", 1000)
    flat = np.concatenate([part.ravel("F") for part in parts])
    blas("hipblasDgetrfStridedBatched", 5, flat, 5, ctypes.c_int64(25), pivots, ctypes.c_int64(5), info, 3)
    near(flat[:25].reshape(5, 5).T, copies[0], "d")
    plain = np.asfortranarray(parts[0] + 9 * np.eye(5))
    blas("hipblasDgetrf", 5, plain, 5, None, info)
    near((np.tril(plain, -1) + np.eye(5)) @ np.triu(plain), parts[0] + 9 * np.eye(5), "d", 100)


# --- misuse ---------------------------------------------------------------------------------


def test_what_is_wrong_with_a_call_is_said_in_each_librarys_words(blas: Blas) -> None:
    a = np.zeros((4, 4), np.float32, order="F")
    good: list[Any] = [N, N, 4, 4, 4, np.float32(1), a, 4, a, 4, np.float32(0), a.copy(order="F"), 4]

    def changed(at: int, value: Any) -> list[Any]:
        return [value if number == at else given for number, given in enumerate(good)]

    for at, value, hip, roc in (
        (0, 99, 10, 11),
        (2, -1, 3, 4),
        (7, 3, 3, 4),
        (12, 0, 3, 4),
        (6, None, 3, 3),
        (5, None, 3, 3),
    ):
        assert blas.status("hipblasSgemm", *changed(at, value)) == hip
        assert blas.status("rocblas_sgemm", *changed(at, value)) == roc
    assert blas.library.hipblasSgemm(None, *([0] * 14)) == 9
    assert blas.library.rocblas_sgemm(None, *([0] * 14)) == 1
    assert blas.status("hipblasSgemm", *changed(2, 0)) == 0
    assert blas.status("hipblasGemmEx_v2", N, N, 1, 1, 1, a, a, 77, 1, a, 0, 1, a, a, 0, 1, 2, 160) == 7


def test_the_report_says_what_was_computed_on_the_host(folder: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.jsonl"
    code = """if True:
        import ctypes, sys
        library = ctypes.CDLL(sys.argv[1])
        handle = ctypes.c_void_p()
        library.hipblasCreate(ctypes.byref(handle))
        value = (ctypes.c_float * 1)(2)
        for _ in range(3):
            library.hipblasSscal(handle, 1, value, value, 1)
        print(value[0])
    """
    call: Callable[[str], subprocess.CompletedProcess[str]] = lambda text: subprocess.run(  # noqa: E731
        [sys.executable, "-c", text, str(folder / "libhipblas.so.2")],
        env={"REWARP_MACHINE_REPORT": str(report)},
        capture_output=True,
        text=True,
    )
    done = call(code)
    assert done.stdout.strip() == "256.0"
    lines = [json.loads(line) for line in report.read_text().splitlines()]
    assert {"kind": "host", "library": "hipBLAS", "function": "hipblasSscal", "calls": 3} in lines
    done = call("import ctypes, sys; ctypes.CDLL(sys.argv[1]).hipblasSgels()")
    assert done.returncode < 0
    assert "hipblasSgels is not made" in done.stderr
    assert '"missing"' in report.read_text()
