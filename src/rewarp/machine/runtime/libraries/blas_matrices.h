// Level 2: a matrix and vectors. One view of a matrix, however it is stored, and what is done with it.
#include "blas_type.h"

typedef enum { GENERAL, BAND, SYMMETRIC, HERMITIAN, TRIANGULAR } Form;
typedef enum { FULL, BANDED, PACKED } Storage;
typedef struct View {
    Form form;
    Storage storage;
    int uplo, trans, unit;
    I64 m, n, below, above, ld;               // as stored: rows, columns, bands below and above the diagonal
    const T *a;
} View;

static inline I64 place(const View *v, I64 i, I64 j) {
    if (v->storage == FULL) return i + j * v->ld;
    if (v->storage == BANDED) return (v->form == BAND ? v->above : v->uplo == UPPER ? v->above : 0) + i - j + j * v->ld;
    return v->uplo == UPPER ? i + j * (j + 1) / 2 : i + j * (2 * v->n - j - 1) / 2;
}

// The element as the matrix has it, whether it is stored or not.
static inline T stored(const View *v, I64 i, I64 j) {
    if (v->storage == BANDED && (i - j > v->below || j - i > v->above)) return 0;
    if (v->form <= BAND) return v->a[place(v, i, j)];
    int there = v->uplo == UPPER ? i <= j : i >= j;
    if (v->form == TRIANGULAR) return !there ? 0 : i == j && v->unit ? 1 : v->a[place(v, i, j)];
    T value = there ? v->a[place(v, i, j)] : v->a[place(v, j, i)];
    if (v->form == HERMITIAN) value = i == j ? make(REAL(value), 0) : there ? value : CONJ(value);
    return value;
}

static inline T element(const View *v, I64 i, I64 j) {
    if (v->trans == NO_TRANSPOSE) return stored(v, i, j);
    T value = stored(v, j, i);
    return v->trans == CONJUGATE ? CONJ(value) : value;
}

// The columns of a row that may hold something.
static inline void columns(const View *v, I64 i, I64 *first, I64 *last) {
    int turned = v->trans != NO_TRANSPOSE;
    I64 all = turned ? v->m : v->n, before = turned ? v->above : v->below, behind = turned ? v->below : v->above;
    *first = v->storage == BANDED ? MAX(0, i - before) : 0;
    *last = v->storage == BANDED ? MIN(all, i + behind + 1) : all;
}

static void multiply(const View *v, T alpha, const T *x, I64 incx, T beta, T *y, I64 incy) {
    int turned = v->trans != NO_TRANSPOSE;
    I64 rows = turned ? v->n : v->m, width = turned ? v->m : v->n;
    x = START(x, width, incx), y = START(y, rows, incy);
    for (I64 i = 0; i < rows; ++i) {
        T sum = 0, *out = y + i * incy;
        I64 first, last;
        columns(v, i, &first, &last);
        if (alpha != 0)
            for (I64 j = first; j < last; ++j) sum += element(v, i, j) * x[j * incx];
        *out = beta == 0 ? alpha * sum : beta * *out + (alpha == 0 ? 0 : alpha * sum);
    }
}

void NAME(gemv)(int trans, I64 m, I64 n, T alpha, const T *a, I64 lda, const T *x, I64 incx, T beta, T *y, I64 incy) {
    if (trans != NO_TRANSPOSE) {
        View view = {GENERAL, FULL, 0, trans, 0, m, n, 0, 0, lda, a};
        multiply(&view, alpha, x, incx, beta, y, incy);
        return;
    }
    x = START(x, n, incx), y = START(y, m, incy);
    T *sum = room(m * sizeof *sum);
    for (I64 i = 0; i < m; ++i) sum[i] = 0;
    for (I64 j = 0; j < n && alpha != 0; ++j) {
        T by = x[j * incx];
        for (I64 i = 0; i < m; ++i) sum[i] += by * a[i + j * lda];
    }
    for (I64 i = 0; i < m; ++i)
        y[i * incy] = beta == 0 ? alpha * sum[i] : beta * y[i * incy] + (alpha == 0 ? 0 : alpha * sum[i]);
    free(sum);
}

void NAME(gbmv)(int trans, I64 m, I64 n, I64 kl, I64 ku, T alpha, const T *a, I64 lda, const T *x, I64 incx, T beta, T *y, I64 incy) {
    View view = {BAND, BANDED, 0, trans, 0, m, n, kl, ku, lda, a};
    multiply(&view, alpha, x, incx, beta, y, incy);
}

#define SYMMETRIC_PRODUCTS(name, form) \
    void NAME(name##mv)(int uplo, I64 n, T alpha, const T *a, I64 lda, const T *x, I64 incx, T beta, T *y, I64 incy) { \
        View view = {form, FULL, uplo, NO_TRANSPOSE, 0, n, n, 0, 0, lda, a}; \
        multiply(&view, alpha, x, incx, beta, y, incy); \
    }
#define BAND_PRODUCTS(name, form) \
    void NAME(name)(int uplo, I64 n, I64 k, T alpha, const T *a, I64 lda, const T *x, I64 incx, T beta, T *y, I64 incy) { \
        View view = {form, BANDED, uplo, NO_TRANSPOSE, 0, n, n, k, k, lda, a}; \
        multiply(&view, alpha, x, incx, beta, y, incy); \
    }
#define PACKED_PRODUCTS(name, form) \
    void NAME(name)(int uplo, I64 n, T alpha, const T *a, const T *x, I64 incx, T beta, T *y, I64 incy) { \
        View view = {form, PACKED, uplo, NO_TRANSPOSE, 0, n, n, 0, 0, 0, a}; \
        multiply(&view, alpha, x, incx, beta, y, incy); \
    }
SYMMETRIC_PRODUCTS(sy, SYMMETRIC)
SYMMETRIC_PRODUCTS(he, HERMITIAN)
BAND_PRODUCTS(sbmv, SYMMETRIC)
BAND_PRODUCTS(hbmv, HERMITIAN)
PACKED_PRODUCTS(spmv, SYMMETRIC)
PACKED_PRODUCTS(hpmv, HERMITIAN)

// --- triangles -------------------------------------------------------------------------------

static void product_in_place(const View *v, T *x, I64 incx) {
    T *result = room(v->n * sizeof *result);
    multiply(v, 1, x, incx, 0, result, 1);
    x = START(x, v->n, incx);
    for (I64 i = 0; i < v->n; ++i) x[i * incx] = result[i];
    free(result);
}

static void solve(const View *v, T *x, I64 incx) {
    int forward = (v->uplo == LOWER) == (v->trans == NO_TRANSPOSE);
    x = START(x, v->n, incx);
    for (I64 step = 0; step < v->n; ++step) {
        I64 i = forward ? step : v->n - 1 - step, first, last;
        columns(v, i, &first, &last);
        if (forward) last = i;
        else first = i + 1;
        T sum = x[i * incx];
        for (I64 j = first; j < last; ++j) sum -= element(v, i, j) * x[j * incx];
        x[i * incx] = v->unit ? sum : sum / element(v, i, i);
    }
}

#define TRIANGLES(name, how) \
    void NAME(tr##name)(int uplo, int trans, int diag, I64 n, const T *a, I64 lda, T *x, I64 incx) { \
        View view = {TRIANGULAR, FULL, uplo, trans, diag == UNIT, n, n, 0, 0, lda, a}; \
        how(&view, x, incx); \
    } \
    void NAME(tb##name)(int uplo, int trans, int diag, I64 n, I64 k, const T *a, I64 lda, T *x, I64 incx) { \
        View view = {TRIANGULAR, BANDED, uplo, trans, diag == UNIT, n, n, k, k, lda, a}; \
        how(&view, x, incx); \
    } \
    void NAME(tp##name)(int uplo, int trans, int diag, I64 n, const T *a, T *x, I64 incx) { \
        View view = {TRIANGULAR, PACKED, uplo, trans, diag == UNIT, n, n, 0, 0, 0, a}; \
        how(&view, x, incx); \
    }
TRIANGLES(mv, product_in_place)
TRIANGLES(sv, solve)

// --- updates ---------------------------------------------------------------------------------

static void outer(I64 m, I64 n, T alpha, const T *x, I64 incx, const T *y, I64 incy, T *a, I64 lda, int conjugate) {
    if (alpha == 0) return;
    x = START(x, m, incx), y = START(y, n, incy);
    for (I64 j = 0; j < n; ++j) {
        T by = alpha * (conjugate ? CONJ(y[j * incy]) : y[j * incy]);
        for (I64 i = 0; i < m; ++i) a[i + j * lda] += x[i * incx] * by;
    }
}
void NAME(geru)(I64 m, I64 n, T alpha, const T *x, I64 incx, const T *y, I64 incy, T *a, I64 lda) { outer(m, n, alpha, x, incx, y, incy, a, lda, 0); }
void NAME(gerc)(I64 m, I64 n, T alpha, const T *x, I64 incx, const T *y, I64 incy, T *a, I64 lda) { outer(m, n, alpha, x, incx, y, incy, a, lda, 1); }

// x·y' and, where y is not x, what makes it symmetric; in one triangle.
static void update(View *v, T alpha, const T *x, I64 incx, const T *y, I64 incy) {
    int hermitian = v->form == HERMITIAN;
    T *a = (T *)v->a, other = hermitian ? CONJ(alpha) : alpha;
    if (alpha == 0) return;
    x = START(x, v->n, incx);
    if (y) y = START(y, v->n, incy);
    for (I64 j = 0; j < v->n; ++j) {
        for (I64 i = v->uplo == UPPER ? 0 : j; i < (v->uplo == UPPER ? j + 1 : v->n); ++i) {
            T *out = a + place(v, i, j), xi = x[i * incx], xj = x[j * incx];
            T yi = y ? y[i * incy] : 0, yj = y ? y[j * incy] : xj;
            *out += alpha * xi * (hermitian ? CONJ(yj) : yj);
            if (y) *out += other * yi * (hermitian ? CONJ(xj) : xj);
            if (hermitian && i == j) *out = make(REAL(*out), 0);
        }
    }
}

#define UPDATES(name, packed_name, form, scalar) \
    void NAME(name)(int uplo, I64 n, scalar alpha, const T *x, I64 incx, T *a, I64 lda) { \
        View view = {form, FULL, uplo, NO_TRANSPOSE, 0, n, n, 0, 0, lda, a}; \
        update(&view, alpha, x, incx, NULL, 0); \
    } \
    void NAME(packed_name)(int uplo, I64 n, scalar alpha, const T *x, I64 incx, T *a) { \
        View view = {form, PACKED, uplo, NO_TRANSPOSE, 0, n, n, 0, 0, 0, a}; \
        update(&view, alpha, x, incx, NULL, 0); \
    } \
    void NAME(name##2)(int uplo, I64 n, T alpha, const T *x, I64 incx, const T *y, I64 incy, T *a, I64 lda) { \
        View view = {form, FULL, uplo, NO_TRANSPOSE, 0, n, n, 0, 0, lda, a}; \
        update(&view, alpha, x, incx, y, incy); \
    } \
    void NAME(packed_name##2)(int uplo, I64 n, T alpha, const T *x, I64 incx, const T *y, I64 incy, T *a) { \
        View view = {form, PACKED, uplo, NO_TRANSPOSE, 0, n, n, 0, 0, 0, a}; \
        update(&view, alpha, x, incx, y, incy); \
    }
UPDATES(syr, spr, SYMMETRIC, T)
UPDATES(her, hpr, HERMITIAN, R)
