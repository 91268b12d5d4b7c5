// Factors of a matrix with rows exchanged, what is solved with them, and the inverse.
#include "blas_type.h"

void NAME(trsm)(int side, int uplo, int trans, int diag, I64 m, I64 n, T alpha, const T *a, I64 lda, T *b, I64 ldb);

static void exchange(T *a, I64 lda, I64 columns, I64 i, I64 j) {
    for (I64 k = 0; k < columns && i != j; ++k) {
        T kept = a[i + k * lda];
        a[i + k * lda] = a[j + k * lda], a[j + k * lda] = kept;
    }
}

// Without a place for pivots, none are looked for. `info` names the first pivot that is zero, counted from 1.
void NAME(getrf)(I64 n, T *a, I64 lda, int *pivots, int *info) {
    *info = 0;
    for (I64 k = 0; k < n; ++k) {
        I64 best = k;
        for (I64 i = k + 1; i < n && pivots; ++i)
            if (ABS1(a[i + k * lda]) > ABS1(a[best + k * lda])) best = i;
        if (pivots) pivots[k] = (int)best + 1;
        exchange(a, lda, n, k, best);
        if (a[k + k * lda] == 0) {
            if (!*info) *info = (int)k + 1;
            continue;
        }
        for (I64 i = k + 1; i < n; ++i) a[i + k * lda] /= a[k + k * lda];
        for (I64 j = k + 1; j < n; ++j) {
            T by = a[k + j * lda];
            for (I64 i = k + 1; i < n; ++i) a[i + j * lda] -= a[i + k * lda] * by;
        }
    }
}

void NAME(getrs)(int trans, I64 n, I64 columns, const T *a, I64 lda, const int *pivots, T *b, I64 ldb) {
    if (trans == NO_TRANSPOSE) {
        for (I64 k = 0; k < n && pivots; ++k) exchange(b, ldb, columns, k, pivots[k] - 1);
        NAME(trsm)(LEFT, LOWER, trans, UNIT, n, columns, 1, a, lda, b, ldb);
        NAME(trsm)(LEFT, UPPER, trans, NON_UNIT, n, columns, 1, a, lda, b, ldb);
        return;
    }
    NAME(trsm)(LEFT, UPPER, trans, NON_UNIT, n, columns, 1, a, lda, b, ldb);
    NAME(trsm)(LEFT, LOWER, trans, UNIT, n, columns, 1, a, lda, b, ldb);
    for (I64 k = n; k-- && pivots;) exchange(b, ldb, columns, k, pivots[k] - 1);
}

void NAME(getri)(I64 n, const T *a, I64 lda, const int *pivots, T *c, I64 ldc, int *info) {
    *info = 0;
    for (I64 k = 0; k < n && !*info; ++k)
        if (a[k + k * lda] == 0) *info = (int)k + 1;
    for (I64 j = 0; j < n && !*info; ++j)
        for (I64 i = 0; i < n; ++i) c[i + j * ldc] = i == j;
    if (!*info) NAME(getrs)(NO_TRANSPOSE, n, n, a, lda, pivots, c, ldc);
}
