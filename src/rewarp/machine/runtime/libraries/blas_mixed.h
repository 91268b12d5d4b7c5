// Numbers of any type that a caller may name, and what is computed with them.
#pragma once
#include "blas.h"

typedef double _Complex Z;
typedef enum { NO_TYPE, F16, BF16, F32, F64, I8, U8, I32, U32, C16, C32, C64, CBF16 } Type;
Type type_of(int named);                       // of hipBLAS's, rocBLAS's and HIP's own enumerations
int size_of(Type);
Z number(Type, const void *, I64 at);
void set_number(Type, void *, I64 at, Z value);

typedef struct Matrix {
    const void *at;
    Type type;
    I64 ld;
} Matrix;
typedef struct Product {
    int ta, tb;
    I64 m, n, k;
    const void *alpha, *beta;
    Matrix a, b, c;
    void *d;
    Type d_type;
    I64 ldd;
    int compute;                               // as it was named
} Product;
Wrong mixed_gemm(const Product *);
Wrong check_gemm(const Product *);

void mixed_axpy(I64 n, const void *alpha, Type, const void *x, Type, I64 incx, void *y, Type, I64 incy);
void mixed_scal(I64 n, const void *alpha, Type, void *x, Type, I64 incx);
void mixed_dot(I64 n, const void *x, Type, I64 incx, const void *y, Type, I64 incy, void *result, Type, int conjugate);
void mixed_nrm2(I64 n, const void *x, Type, I64 incx, void *result, Type);
void mixed_rot(I64 n, void *x, Type, I64 incx, void *y, Type, I64 incy, const void *c, const void *s, Type);
