// Level 3: matrices. One product, in blocks that are packed for the CPU's vectors; the others come down to it.
#include "blas_type.h"

#ifdef __AVX512F__
#define BYTES 64
#else
#define BYTES 32
#endif
#define LANES (BYTES / (int)sizeof(R))
typedef R V __attribute__((vector_size(BYTES), aligned(sizeof(R))));
enum { ROWS = (IS_COMPLEX ? 1 : 2) * LANES, COLUMNS = 4, DEPTH = 256, TALL = 8 * ROWS, PARTS = IS_COMPLEX ? 2 : 1 };

static inline T of(const T *a, I64 ld, int trans, I64 i, I64 j) {
    return trans == NO_TRANSPOSE ? a[i + j * ld] : trans == TRANSPOSE ? a[j + i * ld] : CONJ(a[j + i * ld]);
}

// A strip of `width` rows (or columns), depth after depth; a complex strip has its real parts first.
static void pack(R *to, const T *a, I64 ld, int trans, I64 first, I64 count, I64 width, I64 start, I64 depth, int rows) {
    for (I64 strip = 0; strip < count; strip += width)
        for (I64 p = 0; p < depth; ++p, to += width * PARTS)
            for (I64 r = 0; r < width; ++r) {
                I64 i = first + strip + r;
                T value = strip + r >= count ? 0 : rows ? of(a, ld, trans, i, start + p) : of(a, ld, trans, start + p, i);
                to[r] = REAL(value);
                if (IS_COMPLEX) to[width + r] = IMAG(value);
            }
}

static void tile(const R *a, const R *b, I64 depth, R out[PARTS][COLUMNS][ROWS]) {
#if IS_COMPLEX
    V real[COLUMNS] = {0}, imaginary[COLUMNS] = {0};
    for (I64 p = 0; p < depth; ++p, a += 2 * ROWS, b += 2 * COLUMNS) {
        V ar = *(const V *)a, ai = *(const V *)(a + ROWS);
        for (int c = 0; c < COLUMNS; ++c) {
            real[c] += ar * b[c] - ai * b[COLUMNS + c];
            imaginary[c] += ar * b[COLUMNS + c] + ai * b[c];
        }
    }
    for (int c = 0; c < COLUMNS; ++c) *(V *)out[0][c] = real[c], *(V *)out[PARTS - 1][c] = imaginary[c];
#else
    V low[COLUMNS] = {0}, high[COLUMNS] = {0};
    for (I64 p = 0; p < depth; ++p, a += ROWS, b += COLUMNS) {
        V first = *(const V *)a, second = *(const V *)(a + LANES);
        for (int c = 0; c < COLUMNS; ++c) low[c] += first * b[c], high[c] += second * b[c];
    }
    for (int c = 0; c < COLUMNS; ++c) *(V *)out[0][c] = low[c], *(V *)(out[0][c] + LANES) = high[c];
#endif
}

static void add_tile(R out[PARTS][COLUMNS][ROWS], T alpha, T *c, I64 ldc, I64 rows, I64 columns) {
    for (I64 j = 0; j < columns; ++j)
        for (I64 i = 0; i < rows; ++i) c[i + j * ldc] += alpha * make(out[0][j][i], out[PARTS - 1][j][i]);
}

void NAME(gemm)(int ta, int tb, I64 m, I64 n, I64 k, T alpha, const T *a, I64 lda, const T *b, I64 ldb, T beta, T *c, I64 ldc) {
    for (I64 j = 0; j < n && beta != 1; ++j)
        for (I64 i = 0; i < m; ++i) c[i + j * ldc] = beta == 0 ? 0 : beta * c[i + j * ldc];
    if (alpha == 0 || k <= 0 || m <= 0 || n <= 0) return;
    I64 wide = (n + COLUMNS - 1) / COLUMNS * COLUMNS, tall = MIN(TALL, (m + ROWS - 1) / ROWS * ROWS), deep = MIN(DEPTH, k);
    R *left = room(tall * deep * PARTS * sizeof(R)), *right = room(wide * deep * PARTS * sizeof(R));
    R out[PARTS][COLUMNS][ROWS] __attribute__((aligned(64)));
    for (I64 start = 0; start < k; start += DEPTH) {
        I64 depth = MIN(DEPTH, k - start);
        pack(right, b, ldb, tb, 0, n, COLUMNS, start, depth, 0);
        for (I64 top = 0; top < m; top += TALL) {
            I64 rows = MIN(TALL, m - top);
            pack(left, a, lda, ta, top, rows, ROWS, start, depth, 1);
            for (I64 j = 0; j < n; j += COLUMNS)
                for (I64 i = 0; i < rows; i += ROWS) {
                    tile(left + i * depth * PARTS, right + j * depth * PARTS, depth, out);
                    add_tile(out, alpha, c + top + i + j * ldc, ldc, MIN(ROWS, rows - i), MIN(COLUMNS, n - j));
                }
        }
    }
    free(left), free(right);
}

// --- matrices of which one triangle is stored ------------------------------------------------

// The whole of it, as the operation asks for.
static T *whole(int uplo, int trans, int unit, int hermitian, int triangular, I64 n, const T *a, I64 lda) {
    T *full = room(n * n * sizeof *full);
    for (I64 j = 0; j < n; ++j)
        for (I64 i = 0; i < n; ++i) {
            int there = uplo == UPPER ? i <= j : i >= j;
            T value = there ? a[i + j * lda] : triangular ? 0 : hermitian ? CONJ(a[j + i * lda]) : a[j + i * lda];
            if (i == j && unit) value = 1;
            if (i == j && hermitian) value = make(REAL(value), 0);
            full[trans == NO_TRANSPOSE ? i + j * n : j + i * n] = trans == CONJUGATE ? CONJ(value) : value;
        }
    return full;
}

static void with_symmetric(int side, int uplo, I64 m, I64 n, T alpha, const T *a, I64 lda, const T *b, I64 ldb, T beta, T *c, I64 ldc, int hermitian) {
    I64 size = side == LEFT ? m : n;
    T *full = alpha == 0 ? NULL : whole(uplo, NO_TRANSPOSE, 0, hermitian, 0, size, a, lda);
    if (side == LEFT) NAME(gemm)(NO_TRANSPOSE, NO_TRANSPOSE, m, n, m, alpha, full, m, b, ldb, beta, c, ldc);
    else NAME(gemm)(NO_TRANSPOSE, NO_TRANSPOSE, m, n, n, alpha, b, ldb, full, n, beta, c, ldc);
    free(full);
}
void NAME(symm)(int side, int uplo, I64 m, I64 n, T alpha, const T *a, I64 lda, const T *b, I64 ldb, T beta, T *c, I64 ldc) { with_symmetric(side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc, 0); }
void NAME(hemm)(int side, int uplo, I64 m, I64 n, T alpha, const T *a, I64 lda, const T *b, I64 ldb, T beta, T *c, I64 ldc) { with_symmetric(side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc, 1); }

// a·b' in one triangle, and b·a' with it where `both`.
static void triangle(int uplo, int trans, I64 n, I64 k, T alpha, const T *a, I64 lda, const T *b, I64 ldb, T beta, T *c, I64 ldc, int hermitian, int both) {
    int turned = hermitian ? CONJUGATE : TRANSPOSE, first = trans == NO_TRANSPOSE ? NO_TRANSPOSE : turned;
    int second = trans == NO_TRANSPOSE ? turned : NO_TRANSPOSE;
    T *sum = room(n * n * sizeof *sum);
    NAME(gemm)(first, second, n, n, k, alpha, a, lda, b, ldb, 0, sum, n);
    if (both) NAME(gemm)(first, second, n, n, k, hermitian ? CONJ(alpha) : alpha, b, ldb, a, lda, 1, sum, n);
    for (I64 j = 0; j < n; ++j)
        for (I64 i = uplo == UPPER ? 0 : j; i < (uplo == UPPER ? j + 1 : n); ++i) {
            T *out = c + i + j * ldc;
            *out = beta == 0 ? sum[i + j * n] : beta * *out + sum[i + j * n];
            if (hermitian && i == j) *out = make(REAL(*out), 0);
        }
    free(sum);
}
void NAME(syrk)(int u, int t, I64 n, I64 k, T alpha, const T *a, I64 lda, T beta, T *c, I64 ldc) { triangle(u, t, n, k, alpha, a, lda, a, lda, beta, c, ldc, 0, 0); }
void NAME(herk)(int u, int t, I64 n, I64 k, R alpha, const T *a, I64 lda, R beta, T *c, I64 ldc) { triangle(u, t, n, k, alpha, a, lda, a, lda, beta, c, ldc, 1, 0); }
void NAME(syr2k)(int u, int t, I64 n, I64 k, T alpha, const T *a, I64 lda, const T *b, I64 ldb, T beta, T *c, I64 ldc) { triangle(u, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc, 0, 1); }
void NAME(her2k)(int u, int t, I64 n, I64 k, T alpha, const T *a, I64 lda, const T *b, I64 ldb, R beta, T *c, I64 ldc) { triangle(u, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc, 1, 1); }
void NAME(syrkx)(int u, int t, I64 n, I64 k, T alpha, const T *a, I64 lda, const T *b, I64 ldb, T beta, T *c, I64 ldc) { triangle(u, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc, 0, 0); }
void NAME(herkx)(int u, int t, I64 n, I64 k, T alpha, const T *a, I64 lda, const T *b, I64 ldb, R beta, T *c, I64 ldc) { triangle(u, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc, 1, 0); }

void NAME(trmm)(int side, int uplo, int trans, int diag, I64 m, I64 n, T alpha, const T *a, I64 lda, const T *b, I64 ldb, T *c, I64 ldc) {
    I64 size = side == LEFT ? m : n;
    T *full = alpha == 0 ? NULL : whole(uplo, trans, diag == UNIT, 0, 1, size, a, lda), *result = room(m * n * sizeof *result);
    if (side == LEFT) NAME(gemm)(NO_TRANSPOSE, NO_TRANSPOSE, m, n, m, alpha, full, m, b, ldb, 0, result, m);
    else NAME(gemm)(NO_TRANSPOSE, NO_TRANSPOSE, m, n, n, alpha, b, ldb, full, n, 0, result, m);
    for (I64 j = 0; j < n; ++j) memcpy(c + j * ldc, result + j * m, m * sizeof *c);  // c may be b
    free(full), free(result);
}

void NAME(trsm)(int side, int uplo, int trans, int diag, I64 m, I64 n, T alpha, const T *a, I64 lda, T *b, I64 ldb) {
    I64 size = side == LEFT ? m : n;
    for (I64 j = 0; j < n; ++j)
        for (I64 i = 0; i < m; ++i) b[i + j * ldb] = alpha == 0 ? 0 : alpha * b[i + j * ldb];
    if (alpha == 0) return;
    T *t = whole(uplo, trans, diag == UNIT, 0, 1, size, a, lda);
    int lower = (uplo == LOWER) == (trans == NO_TRANSPOSE);
    for (I64 step = 0; step < size; ++step) {
        I64 at = (side == LEFT) == lower ? step : size - 1 - step;
        for (I64 j = 0; j < n && side == LEFT; ++j) {
            T *x = b + j * ldb, value = x[at] /= t[at + at * size];
            for (I64 i = lower ? at + 1 : 0; i < (lower ? m : at); ++i) x[i] -= value * t[i + at * size];
        }
        if (side == RIGHT) {
            T *x = b + at * ldb;
            for (I64 i = 0; i < m; ++i) x[i] /= t[at + at * size];
            for (I64 j = lower ? 0 : at + 1; j < (lower ? at : n); ++j) {
                T by = t[at + j * size];
                for (I64 i = 0; i < m; ++i) b[i + j * ldb] -= x[i] * by;
            }
        }
    }
    free(t);
}

void NAME(trtri)(int uplo, int diag, I64 n, const T *a, I64 lda, T *inverse, I64 ldi) {
    T *result = room(n * n * sizeof *result);
    for (I64 i = 0; i < n * n; ++i) result[i] = i % (n + 1) == 0;
    NAME(trsm)(LEFT, uplo, NO_TRANSPOSE, diag, n, n, 1, a, lda, result, n);
    for (I64 j = 0; j < n; ++j)
        for (I64 i = uplo == UPPER ? 0 : j; i < (uplo == UPPER ? j + 1 : n); ++i) inverse[i + j * ldi] = result[i + j * n];
    free(result);
}

void NAME(geam)(int ta, int tb, I64 m, I64 n, T alpha, const T *a, I64 lda, T beta, const T *b, I64 ldb, T *c, I64 ldc) {
    for (I64 j = 0; j < n; ++j)
        for (I64 i = 0; i < m; ++i)
            c[i + j * ldc] = (alpha == 0 ? 0 : alpha * of(a, lda, ta, i, j)) + (beta == 0 ? 0 : beta * of(b, ldb, tb, i, j));
}

void NAME(dgmm)(int side, I64 m, I64 n, const T *a, I64 lda, const T *x, I64 incx, T *c, I64 ldc) {
    x = START(x, side == LEFT ? m : n, incx);
    for (I64 j = 0; j < n; ++j)
        for (I64 i = 0; i < m; ++i) c[i + j * ldc] = a[i + j * lda] * x[(side == LEFT ? i : j) * incx];
}
