// The float functions of CUDA's mathematics, each over random numbers where it is well conditioned.
#include "common.h"

__global__ void first_half(const float *a, const float *b, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = a[i], u = b[i], p = fabsf(x) + 0.015625f;
    out[0 * n + i] = sinf(x);
    out[1 * n + i] = cosf(x);
    out[2 * n + i] = tanf(0.1f * x);
    out[3 * n + i] = asinf(u);
    out[4 * n + i] = acosf(u);
    out[5 * n + i] = atanf(x);
    out[6 * n + i] = atan2f(x, u);
    out[7 * n + i] = sinhf(u);
    out[8 * n + i] = coshf(u);
    out[9 * n + i] = tanhf(u);
    out[10 * n + i] = asinhf(x);
    out[11 * n + i] = acoshf(p + 1.5f);
    out[12 * n + i] = atanhf(0.9f * u);
    out[13 * n + i] = expf(u);
    out[14 * n + i] = exp2f(u);
    out[15 * n + i] = exp10f(u);
    out[16 * n + i] = expm1f(u);
    out[17 * n + i] = logf(p + 2.0f);
    out[18 * n + i] = log2f(p + 2.0f);
    out[19 * n + i] = log10f(p + 2.0f);
    out[20 * n + i] = log1pf(p);
    out[21 * n + i] = powf(p, u);
    out[22 * n + i] = sqrtf(p);
}

__global__ void second_half(const float *a, const float *b, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = a[i], u = b[i], p = fabsf(x) + 0.015625f;
    out[0 * n + i] = rsqrtf(p);
    out[1 * n + i] = cbrtf(x);
    out[2 * n + i] = hypotf(x, u);
    out[3 * n + i] = erff(u);
    out[4 * n + i] = erfcf(u);
    out[5 * n + i] = tgammaf(p * 0.2f + 1.0f);
    out[6 * n + i] = lgammaf(p + 3.0f);
    out[7 * n + i] = fmaf(x, u, p);
    out[8 * n + i] = fmodf(x, p);
    out[9 * n + i] = remainderf(x, p);
    out[10 * n + i] = floorf(x);
    out[11 * n + i] = ceilf(x);
    out[12 * n + i] = truncf(x);
    out[13 * n + i] = roundf(x);
    out[14 * n + i] = rintf(x);
    out[15 * n + i] = fminf(x, u);
    out[16 * n + i] = fmaxf(x, u);
    out[17 * n + i] = fdimf(x, u);
    out[18 * n + i] = copysignf(p, x);
    out[19 * n + i] = scalbnf(x, i % 9 - 4);
    out[20 * n + i] = (float)ilogbf(p);
    out[21 * n + i] = x / p;
    out[22 * n + i] = 1.0f / x;
}

const char *first_names[] = {
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
    "exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "pow", "sqrt"};
const char *second_names[] = {
    "rsqrt", "cbrt", "hypot", "erf", "erfc", "tgamma", "lgamma", "fma", "fmod", "remainder", "floor", "ceil",
    "trunc", "round", "rint", "fmin", "fmax", "fdim", "copysign", "scalbn", "ilogb", "divide", "reciprocal"};

int main() {
    const int n = 2000, first = 23, second = 23;
    float *a = to_device(random_floats(n, -8, 8, 501)), *b = to_device(random_floats(n, -1, 1, 502)), *out = device_zeros<float>(second * n);
    first_half<<<(n + 127) / 128, 128>>>(a, b, out, n);
    CHECK_KERNEL();
    std::vector<float> values = to_host(out, first * n);
    for (int k = 0; k < first; ++k) show(first_names[k], values.data() + k * n, n);
    second_half<<<(n + 127) / 128, 128>>>(a, b, out, n);
    CHECK_KERNEL();
    values = to_host(out, second * n);
    for (int k = 0; k < second; ++k) show(second_names[k], values.data() + k * n, n);
    return 0;
}
