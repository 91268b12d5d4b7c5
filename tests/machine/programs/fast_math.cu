// Fast intrinsics, whose error is the hardware's own; and the ones with a rounding, which are exact.
#include "common.h"

__global__ void fast(const float *a, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = a[i], p = fabsf(x) + 0.5f;
    out[i] = __sinf(x);
    out[n + i] = __cosf(x);
    out[2 * n + i] = __expf(x);
    out[3 * n + i] = __logf(p + 1.5f);
    out[4 * n + i] = __log2f(p + 1.5f);
    out[5 * n + i] = __log10f(p + 1.5f);
    out[6 * n + i] = __powf(p, x);
    out[7 * n + i] = __fdividef(x, p);
    out[8 * n + i] = __frsqrt_rn(p);
    out[9 * n + i] = __exp10f(x);
    out[10 * n + i] = __saturatef(x);
    float sine, cosine;
    __sincosf(x, &sine, &cosine);
    out[11 * n + i] = sine + 2.0f * cosine;
}

__global__ void rounded(const float *a, const float *b, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = a[i], y = b[i];
    out[8 * i] = __float_as_uint(__fadd_rn(x, y));
    out[8 * i + 1] = __float_as_uint(__fmul_rn(x, y));
    out[8 * i + 2] = __float_as_uint(__fmaf_rn(x, y, x));
    out[8 * i + 3] = __float_as_uint(__fdiv_rn(x, y));
    out[8 * i + 4] = __float_as_uint(__fsqrt_rn(fabsf(x)));
    out[8 * i + 5] = __float_as_uint(__frcp_rn(y));
    out[8 * i + 6] = (unsigned)__float2int_rd(x * 1000.0f) + (unsigned)__float2int_ru(y * 1000.0f);
    out[8 * i + 7] = (unsigned)__double2int_rn(x * 1000.0) ^ (unsigned)__float2int_rz(y * 1000.0f);
}

int main() {
    const int n = 2000;
    float *a = to_device(random_floats(n, -3, 3, 511)), *b = to_device(random_floats(n, 0.25f, 3, 512));
    float *out = device_zeros<float>(12 * n);
    unsigned *bits = device_zeros<unsigned>(8 * n);
    fast<<<(n + 127) / 128, 128>>>(a, out, n);
    rounded<<<(n + 127) / 128, 128>>>(a, b, bits, n);
    CHECK_KERNEL();
    const char *names[12] = {"sin", "cos", "exp", "log", "log2", "log10", "pow", "divide", "rsqrt", "exp10", "saturate", "sincos"};
    std::vector<float> values = to_host(out, 12 * n);
    for (int k = 0; k < 12; ++k) show(names[k], values.data() + k * n, n);
    std::vector<unsigned> results = to_host(bits, 8 * n);
    const char *exact[8] = {"add_rn", "mul_rn", "fma_rn", "div_rn", "sqrt_rn", "rcp_rn", "to_int", "to_int_too"};
    for (int k = 0; k < 8; ++k) {
        std::vector<unsigned> column;
        for (int i = 0; i < n; ++i) column.push_back(results[8 * i + k]);
        show(exact[k], column);
    }
    return 0;
}
