// Pairs of halves: fused multiply-add, comparisons, minima, square roots, exponentials, and sums by shuffles.
#include "common.h"
#include <cuda_fp16.h>

__device__ unsigned bits_of(__half2 value) {
    unsigned bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

__global__ void exact(const float2 *a, const float2 *b, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __half2 x = __float22half2_rn(a[i]), y = __float22half2_rn(b[i]);
    out[6 * i] = bits_of(__hadd2(x, y));
    out[6 * i + 1] = bits_of(__hmul2(x, y));
    out[6 * i + 2] = bits_of(__hfma2(x, y, __hneg2(x)));
    out[6 * i + 3] = bits_of(__habs2(__hsub2(x, y)));
    out[6 * i + 4] = bits_of(__lowhigh2highlow(x));
    out[6 * i + 5] = (__low2float(x) < __high2float(y)) + 2 * (__hgt(__low2half(x), __low2half(y)) ? 1 : 0);
}

__global__ void functions(const float2 *a, float2 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __half2 x = __habs2(__float22half2_rn(a[i]));
    out[4 * i] = __half22float2(h2sqrt(x));
    out[4 * i + 1] = __half22float2(h2exp(x));
    out[4 * i + 2] = __half22float2(h2log(__hadd2(x, __float2half2_rn(1.0f))));
    out[4 * i + 3] = __half22float2(h2rcp(__hadd2(x, __float2half2_rn(0.5f))));
}

__global__ void sums(const float2 *a, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __half2 sum = __float22half2_rn(a[i]);
    for (int mask = 16; mask > 0; mask >>= 1) sum = __hadd2(sum, __shfl_xor_sync(0xffffffff, sum, mask, 32));
    out[i] = bits_of(sum);
}

int main() {
    const int n = 2048;
    std::vector<float> x = random_floats(2 * n, -4, 4, 381), y = random_floats(2 * n, -4, 4, 382);
    float *a = to_device(x), *b = to_device(y);
    unsigned *bits = device_zeros<unsigned>(6 * n), *totals = device_zeros<unsigned>(n);
    float *values = device_zeros<float>(8 * n);
    exact<<<n / 128, 128>>>(reinterpret_cast<float2 *>(a), reinterpret_cast<float2 *>(b), bits, n);
    functions<<<n / 128, 128>>>(reinterpret_cast<float2 *>(a), reinterpret_cast<float2 *>(values), n);
    sums<<<n / 128, 128>>>(reinterpret_cast<float2 *>(a), totals);
    CHECK_KERNEL();
    show("exact", to_host(bits, 6 * n));
    show("functions", to_host(values, 8 * n));
    show("sums", to_host(totals, n));
    return 0;
}
