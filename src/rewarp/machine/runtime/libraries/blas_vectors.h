// Level 1: vectors. As the reference BLAS defines them.
#include "blas_type.h"

void NAME(axpy)(I64 n, T alpha, const T *x, I64 incx, T *y, I64 incy) {
    if (n <= 0 || alpha == 0) return;
    x = START(x, n, incx), y = START(y, n, incy);
    for (I64 i = 0; i < n; ++i) y[i * incy] += alpha * x[i * incx];
}

void NAME(copy)(I64 n, const T *x, I64 incx, T *y, I64 incy) {
    x = START(x, n, incx), y = START(y, n, incy);
    for (I64 i = 0; i < n; ++i) y[i * incy] = x[i * incx];
}

void NAME(swap)(I64 n, T *x, I64 incx, T *y, I64 incy) {
    x = START(x, n, incx), y = START(y, n, incy);
    for (I64 i = 0; i < n; ++i) {
        T kept = x[i * incx];
        x[i * incx] = y[i * incy], y[i * incy] = kept;
    }
}

void NAME(scal)(I64 n, T alpha, T *x, I64 incx) {
    for (I64 i = 0; i < n && incx > 0; ++i) x[i * incx] = alpha == 0 ? 0 : alpha * x[i * incx];
}

void NAME(rscal)(I64 n, R alpha, T *x, I64 incx) {
    for (I64 i = 0; i < n && incx > 0; ++i) x[i * incx] = alpha == 0 ? 0 : alpha * x[i * incx];
}

// Sums are kept in double: an accelerator adds pairwise, and loses less than one running float would.
#if IS_COMPLEX
typedef double _Complex Sum;
#else
typedef double Sum;
#endif

void NAME(dotu)(I64 n, const T *x, I64 incx, const T *y, I64 incy, T *result) {
    Sum sum = 0;
    x = START(x, n, incx), y = START(y, n, incy);
    for (I64 i = 0; i < n; ++i) sum += (Sum)x[i * incx] * (Sum)y[i * incy];
    *result = (T)sum;
}

void NAME(dotc)(I64 n, const T *x, I64 incx, const T *y, I64 incy, T *result) {
    Sum sum = 0;
    x = START(x, n, incx), y = START(y, n, incy);
    for (I64 i = 0; i < n; ++i) sum += (Sum)CONJ(x[i * incx]) * (Sum)y[i * incy];
    *result = (T)sum;
}

void NAME(asum)(I64 n, const T *x, I64 incx, R *result) {
    double sum = 0;
    for (I64 i = 0; i < n && incx > 0; ++i) sum += ABS1(x[i * incx]);
    *result = (R)sum;
}

void NAME(nrm2)(I64 n, const T *x, I64 incx, R *result) {
    double scale = 0, sum = 0;
    for (I64 i = 0; i < n && incx > 0; ++i) {
        double parts = fmax(fabs((double)REAL(x[i * incx])), fabs((double)IMAG(x[i * incx])));
        if (!(parts <= scale)) scale = parts;
    }
    if (scale == 0 || !isfinite(scale)) {
        *result = (R)scale;
        return;
    }
    for (I64 i = 0; i < n; ++i) {
        double real = REAL(x[i * incx]) / scale, imaginary = IMAG(x[i * incx]) / scale;
        sum += real * real + imaginary * imaginary;
    }
    *result = (R)(scale * sqrt(sum));
}

I64 NAME(amax)(I64 n, const T *x, I64 incx) {
    I64 best = 0;
    for (I64 i = 1; i < n && incx > 0; ++i)
        if (ABS1(x[i * incx]) > ABS1(x[best * incx])) best = i;
    return n > 0 && incx > 0 ? best + 1 : 0;
}

I64 NAME(amin)(I64 n, const T *x, I64 incx) {
    I64 best = 0;
    for (I64 i = 1; i < n && incx > 0; ++i)
        if (ABS1(x[i * incx]) < ABS1(x[best * incx])) best = i;
    return n > 0 && incx > 0 ? best + 1 : 0;
}

void NAME(rot)(I64 n, T *x, I64 incx, T *y, I64 incy, R c, T s) {
    x = START(x, n, incx), y = START(y, n, incy);
    for (I64 i = 0; i < n; ++i) {
        T a = x[i * incx], b = y[i * incy];
        x[i * incx] = c * a + s * b, y[i * incy] = c * b - CONJ(s) * a;
    }
}

#if IS_COMPLEX
void NAME(rotg)(T *a, const T *b, R *c, T *s) {
    double size = hypot(REAL(*a), IMAG(*a)), other = hypot(REAL(*b), IMAG(*b));
    if (size == 0) {
        *c = 0, *s = 1, *a = *b;
        return;
    }
    double norm = hypot(size, other);
    T direction = *a / (R)size;
    *c = (R)(size / norm), *s = direction * CONJ(*b) / (R)norm, *a = direction * (R)norm;
}
#else
void NAME(rotg)(T *a, T *b, R *c, T *s) {
    R larger = fabs(*a) > fabs(*b) ? *a : *b, scale = (R)(fabs(*a) + fabs(*b));
    if (scale == 0) {
        *c = 1, *s = 0, *a = 0, *b = 0;
        return;
    }
    R r = (R)copysign(hypot(*a, *b), larger), z = 1;
    *c = *a / r, *s = *b / r;
    if (fabs(*a) > fabs(*b)) z = *s;
    else if (*c != 0) z = 1 / *c;
    *a = r, *b = z;
}

void NAME(rotm)(I64 n, T *x, I64 incx, T *y, I64 incy, const T *p) {
    if (p[0] == -2) return;
    T h11 = p[0] == 0 ? 1 : p[1], h21 = p[0] == 1 ? -1 : p[2], h12 = p[0] == 1 ? 1 : p[3], h22 = p[0] == 0 ? 1 : p[4];
    x = START(x, n, incx), y = START(y, n, incy);
    for (I64 i = 0; i < n; ++i) {
        T a = x[i * incx], b = y[i * incy];
        x[i * incx] = h11 * a + h12 * b, y[i * incy] = h21 * a + h22 * b;
    }
}

// The modified rotation, with its scaling, as in the reference.
void NAME(rotmg)(T *d1, T *d2, T *x1, const T *y1, T *p) {
    const T most = 4096, gamma = most * most, least = 1 / gamma;
    T h11 = 0, h12 = 0, h21 = 0, h22 = 0, flag;
    T p2 = *d2 * *y1, p1 = *d1 * *x1, q2 = p2 * *y1, q1 = p1 * *x1;
    if (*d1 >= 0 && p2 == 0) {
        p[0] = -2;
        return;
    }
    if (*d1 < 0 || (fabs(q1) <= fabs(q2) && q2 < 0)) {
        flag = -1, *d1 = 0, *d2 = 0, *x1 = 0;
    } else if (fabs(q1) > fabs(q2)) {
        h21 = -*y1 / *x1, h12 = p2 / p1;
        T u = 1 - h12 * h21;
        flag = 0, *d1 /= u, *d2 /= u, *x1 *= u;
    } else {
        h11 = p1 / p2, h22 = *x1 / *y1;
        T u = 1 + h11 * h22, kept = *d2 / u;
        flag = 1, *d2 = *d1 / u, *d1 = kept, *x1 = *y1 * u;
    }
    if (flag >= 0) {
        T *d[2] = {d1, d2};
        for (int which = 0; which < 2; ++which) {
            while (*d[which] != 0 && (fabs(*d[which]) <= least || fabs(*d[which]) >= gamma)) {
                if (flag == 0) h11 = 1, h22 = 1, flag = -1;
                else if (flag > 0) h21 = -1, h12 = 1, flag = -1;
                T by = fabs(*d[which]) <= least ? most : 1 / most;
                *d[which] *= by * by;
                if (which == 0) *x1 /= by, h11 /= by, h12 /= by;
                else h21 /= by, h22 /= by;
            }
        }
    }
    if (flag < 0) p[1] = h11, p[2] = h21, p[3] = h12, p[4] = h22;
    else if (flag == 0) p[2] = h21, p[3] = h12;
    else p[1] = h11, p[4] = h22;
    p[0] = flag;
}
#endif
