// The type that a file of kernels is made for: KIND is 1 (float), 2 (double), 3 (complex), 4 (complex double).
#pragma once
#include "calls.h"
#include <math.h>

#if KIND == 1
#define NAME(f) f##_s
#elif KIND == 2
#define NAME(f) f##_d
#elif KIND == 3
#define NAME(f) f##_c
#else
#define NAME(f) f##_z
#endif
#if KIND == 1 || KIND == 3
typedef float R;
#else
typedef double R;
#endif
#if KIND <= 2
typedef R T;
#define IS_COMPLEX 0
#define CONJ(x) (x)
#define REAL(x) (x)
#define IMAG(x) ((R)0)
#define ABS1(x) ((R)fabs((double)(x)))
#else
#if KIND == 3
typedef float _Complex T;
#else
typedef double _Complex T;
#endif
#define IS_COMPLEX 1
#define CONJ(x) (~(x))
#define REAL(x) (__real__(x))
#define IMAG(x) (__imag__(x))
#define ABS1(x) ((R)(fabs((double)REAL(x)) + fabs((double)IMAG(x))))
#endif

enum { NO_TRANSPOSE = 111, TRANSPOSE = 112, CONJUGATE = 113, UPPER = 121, LOWER = 122, NON_UNIT = 131, UNIT = 132, LEFT = 141, RIGHT = 142 };
static inline T make(R real, R imaginary) {
#if IS_COMPLEX
    T value;
    __real__ value = real, __imag__ value = imaginary;
    return value;
#else
    return real;
#endif
}
#define START(x, n, step) ((step) < 0 ? (x) + (1 - (n)) * (step) : (x))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

void NAME(gemm)(int ta, int tb, I64 m, I64 n, I64 k, T alpha, const T *a, I64 lda, const T *b, I64 ldb, T beta, T *c, I64 ldc);
