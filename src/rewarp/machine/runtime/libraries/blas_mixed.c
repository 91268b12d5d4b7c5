// Products and vectors of types that are named in the call. Halves are computed in float, as the hardware adds them up.
#include "blas_mixed.h"
#include <math.h>

void gemm_s(int, int, I64, I64, I64, float, const float *, I64, const float *, I64, float, float *, I64);
void gemm_d(int, int, I64, I64, I64, double, const double *, I64, const double *, I64, double, double *, I64);
void gemm_c(int, int, I64, I64, I64, float _Complex, const float _Complex *, I64, const float _Complex *, I64, float _Complex, float _Complex *, I64);
void gemm_z(int, int, I64, I64, I64, Z, const Z *, I64, const Z *, I64, Z, Z *, I64);

Type type_of(int named) {
    static const Type hip[] = {F32, F64, F16, I8, C32, C64, C16, NO_TYPE, U8, NO_TYPE, I32, NO_TYPE, U32, NO_TYPE, BF16, CBF16};
    static const Type blas[] = {F16, F32, F64, C16, C32, C64, NO_TYPE, NO_TYPE, NO_TYPE, NO_TYPE, I8, U8, I32, U32,
                                NO_TYPE, NO_TYPE, NO_TYPE, NO_TYPE, BF16, CBF16};
    if (named >= 0 && named < 16) return hip[named];
    return named >= 150 && named < 170 ? blas[named - 150] : NO_TYPE;
}

int size_of(Type type) {
    static const int sizes[] = {0, 2, 2, 4, 8, 1, 1, 4, 4, 4, 8, 16, 4};
    return sizes[type];
}

static float from_half(uint16_t h) {
    uint32_t bits = (uint32_t)(h & 0x7fff) << 13, sign = (uint32_t)(h & 0x8000) << 16;
    float value;
    if (bits >= 0x0f800000) bits |= 0x7f800000;  // infinite, or no number
    else {
        memcpy(&value, &bits, 4);
        value *= 0x1p112f;  // the exponent begins elsewhere; numbers below the smallest exponent come right, too
        memcpy(&bits, &value, 4);
    }
    bits |= sign;
    memcpy(&value, &bits, 4);
    return value;
}

static uint16_t to_half(double value) {
    uint64_t bits;
    memcpy(&bits, &value, 8);
    uint16_t sign = bits >> 48 & 0x8000;
    double size = fabs(value);
    if (isnan(value)) return sign | 0x7e00;
    if (size >= 65520) return sign | 0x7c00;
    if (size < 0x1p-14) return sign | (uint16_t)nearbyint(size * 0x1p24);
    // To the nearest of 11 bits, and the even one of two; a carry goes on into the exponent.
    bits = (bits & 0x7fffffffffffffff) + (((uint64_t)1 << 41) - 1) + (bits >> 42 & 1);
    return sign | (uint16_t)((bits >> 42) - ((uint64_t)(1023 - 15) << 10));
}

static float from_bfloat(uint16_t b) {
    uint32_t bits = (uint32_t)b << 16;
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

static uint16_t to_bfloat(float value) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    if (isnan(value)) return bits >> 16 | 64;
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

static Z pair(double real, double imaginary) {
    Z value;
    __real__ value = real, __imag__ value = imaginary;
    return value;
}

Z number(Type type, const void *p, I64 i) {
    switch (type) {
    case F16: return from_half(((const uint16_t *)p)[i]);
    case BF16: return from_bfloat(((const uint16_t *)p)[i]);
    case F32: return ((const float *)p)[i];
    case F64: return ((const double *)p)[i];
    case I8: return ((const int8_t *)p)[i];
    case U8: return ((const uint8_t *)p)[i];
    case I32: return ((const int32_t *)p)[i];
    case U32: return ((const uint32_t *)p)[i];
    case C16: return pair(from_half(((const uint16_t *)p)[2 * i]), from_half(((const uint16_t *)p)[2 * i + 1]));
    case CBF16: return pair(from_bfloat(((const uint16_t *)p)[2 * i]), from_bfloat(((const uint16_t *)p)[2 * i + 1]));
    case C32: return ((const float _Complex *)p)[i];
    case C64: return ((const Z *)p)[i];
    default: return 0;
    }
}

void set_number(Type type, void *p, I64 i, Z value) {
    double real = __real__ value, imaginary = __imag__ value;
    switch (type) {
    case F16: ((uint16_t *)p)[i] = to_half(real); break;
    case BF16: ((uint16_t *)p)[i] = to_bfloat((float)real); break;
    case F32: ((float *)p)[i] = (float)real; break;
    case F64: ((double *)p)[i] = real; break;
    case I8: ((int8_t *)p)[i] = (int8_t)fmin(fmax(nearbyint(real), -128), 127); break;
    case U8: ((uint8_t *)p)[i] = (uint8_t)fmin(fmax(nearbyint(real), 0), 255); break;
    case I32: ((int32_t *)p)[i] = (int32_t)(I64)real; break;
    case U32: ((uint32_t *)p)[i] = (uint32_t)(I64)real; break;
    case C16: ((uint16_t *)p)[2 * i] = to_half(real), ((uint16_t *)p)[2 * i + 1] = to_half(imaginary); break;
    case CBF16: ((uint16_t *)p)[2 * i] = to_bfloat((float)real), ((uint16_t *)p)[2 * i + 1] = to_bfloat((float)imaginary); break;
    case C32: ((float _Complex *)p)[i] = (float _Complex)value; break;
    case C64: ((Z *)p)[i] = value; break;
    default: break;
    }
}

// --- products --------------------------------------------------------------------------------

static int is_complex(Type type) { return type >= C16; }

// What alpha and beta are. hipBLAS names how to compute by a type of its own, or as older versions do by the data's.
static Type scalar_type(int compute, Type a) {
    static const Type by_compute[] = {F16, F16, F32, F32, F32, F32, F32, F64, F64, I32, I32};
    Type type = compute == 300 ? F32 : compute >= 150 ? type_of(compute) : compute >= 0 && compute <= 10 ? by_compute[compute] : NO_TYPE;
    if (is_complex(a) && type == F32) return C32;
    return is_complex(a) && type == F64 ? C64 : type;
}

Wrong check_gemm(const Product *p) {
    if (!IS_TRANS(p->ta) || !IS_TRANS(p->tb)) return BAD_ENUM;
    if (p->m < 0 || p->n < 0 || p->k < 0) return BAD_SIZE;
    I64 a = p->ta == NO_TRANSPOSE ? p->m : p->k, b = p->tb == NO_TRANSPOSE ? p->k : p->n;
    if (p->a.ld < a || p->b.ld < b || p->c.ld < p->m || p->ldd < p->m || p->a.ld < 1 || p->b.ld < 1 || p->c.ld < 1) return BAD_SIZE;
    Type scalar = scalar_type(p->compute, p->a.type);
    if (!p->a.type || !p->b.type || !p->c.type || !p->d_type || !scalar) return UNSUPPORTED;
    if (is_complex(p->a.type) != is_complex(p->b.type) || is_complex(p->a.type) != is_complex(p->d_type)) return UNSUPPORTED;
    if (p->m && p->n && (!p->alpha || !p->beta || !p->a.at || !p->b.at || !p->d)) return BAD_POINTER;
    return FINE;
}

// The columns one behind the other, in the type that is computed in.
static void *converted(Matrix from, I64 rows, I64 columns, Type to) {
    void *made = room(rows * columns * size_of(to));
    for (I64 j = 0; j < columns; ++j)
        for (I64 i = 0; i < rows; ++i) set_number(to, made, i + j * rows, number(from.type, from.at, i + j * from.ld));
    return made;
}

Wrong mixed_gemm(const Product *p) {
    Type scalar = scalar_type(p->compute, p->a.type), type = scalar == I32 ? F64 : scalar == F16 ? F32 : scalar;
    Z alpha = number(scalar, p->alpha, 0), beta = number(scalar, p->beta, 0);
    if (!p->m || !p->n) return FINE;
    if (beta != 0 && !p->c.at) return BAD_POINTER;
    I64 rows = p->ta == NO_TRANSPOSE ? p->m : p->k, width = p->ta == NO_TRANSPOSE ? p->k : p->m;
    I64 depth = p->tb == NO_TRANSPOSE ? p->k : p->n, others = p->tb == NO_TRANSPOSE ? p->n : p->k;
    I64 k = alpha == 0 ? 0 : p->k;
    void *a = alpha == 0 ? NULL : converted(p->a, rows, width, type), *b = alpha == 0 ? NULL : converted(p->b, depth, others, type);
    void *c = beta == 0 ? room(p->m * p->n * size_of(type)) : converted(p->c, p->m, p->n, type);
    if (type == F32) gemm_s(p->ta, p->tb, p->m, p->n, k, (float)__real__ alpha, a, rows, b, depth, (float)__real__ beta, c, p->m);
    if (type == F64) gemm_d(p->ta, p->tb, p->m, p->n, k, __real__ alpha, a, rows, b, depth, __real__ beta, c, p->m);
    if (type == C32) gemm_c(p->ta, p->tb, p->m, p->n, k, (float _Complex)alpha, a, rows, b, depth, (float _Complex)beta, c, p->m);
    if (type == C64) gemm_z(p->ta, p->tb, p->m, p->n, k, alpha, a, rows, b, depth, beta, c, p->m);
    for (I64 j = 0; j < p->n; ++j)
        for (I64 i = 0; i < p->m; ++i) set_number(p->d_type, p->d, i + j * p->ldd, number(type, c, i + j * p->m));
    free(a), free(b), free(c);
    return FINE;
}

// --- vectors ---------------------------------------------------------------------------------

#define FIRST(n, step) ((step) < 0 ? (1 - (n)) * (step) : 0)

void mixed_axpy(I64 n, const void *alpha, Type at, const void *x, Type xt, I64 incx, void *y, Type yt, I64 incy) {
    Z by = number(at, alpha, 0);
    for (I64 i = 0, ix = FIRST(n, incx), iy = FIRST(n, incy); i < n && by != 0; ++i, ix += incx, iy += incy)
        set_number(yt, y, iy, number(yt, y, iy) + by * number(xt, x, ix));
}

void mixed_scal(I64 n, const void *alpha, Type at, void *x, Type xt, I64 incx) {
    Z by = number(at, alpha, 0);
    for (I64 i = 0; i < n && incx > 0; ++i) set_number(xt, x, i * incx, by == 0 ? 0 : by * number(xt, x, i * incx));
}

void mixed_dot(I64 n, const void *x, Type xt, I64 incx, const void *y, Type yt, I64 incy, void *result, Type rt, int conjugate) {
    Z sum = 0;
    for (I64 i = 0, ix = FIRST(n, incx), iy = FIRST(n, incy); i < n; ++i, ix += incx, iy += incy)
        sum += (conjugate ? ~number(xt, x, ix) : number(xt, x, ix)) * number(yt, y, iy);
    set_number(rt, result, 0, sum);
}

void mixed_nrm2(I64 n, const void *x, Type xt, I64 incx, void *result, Type rt) {
    double norm = 0;
    for (I64 i = 0; i < n && incx > 0; ++i) {
        Z value = number(xt, x, i * incx);
        norm = hypot(norm, hypot(__real__ value, __imag__ value));
    }
    set_number(rt, result, 0, norm);
}

void mixed_rot(I64 n, void *x, Type xt, I64 incx, void *y, Type yt, I64 incy, const void *c, const void *s, Type ct) {
    Z cosine = __real__ number(ct, c, 0), sine = number(ct, s, 0);
    for (I64 i = 0, ix = FIRST(n, incx), iy = FIRST(n, incy); i < n; ++i, ix += incx, iy += incy) {
        Z a = number(xt, x, ix), b = number(yt, y, iy);
        set_number(xt, x, ix, cosine * a + sine * b), set_number(yt, y, iy, cosine * b - ~sine * a);
    }
}
