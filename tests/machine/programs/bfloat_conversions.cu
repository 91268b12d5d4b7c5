// bfloat16: to and from floats, arithmetic, comparisons, and a dot product summed in floats.
#include "common.h"
#include <cuda_bf16.h>

__device__ unsigned short bits_of(__nv_bfloat16 value) {
    unsigned short bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

__global__ void convert(const float *in, unsigned short *out, float *back, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __nv_bfloat16 value = __float2bfloat16(in[i]);
    out[i] = bits_of(value);
    back[i] = __bfloat162float(value);
}

__global__ void arithmetic(const float *a, const float *b, unsigned short *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __nv_bfloat16 x = __float2bfloat16(a[i]), y = __float2bfloat16(b[i]);
    out[4 * i] = bits_of(__hadd(x, y));
    out[4 * i + 1] = bits_of(__hmul(x, y));
    out[4 * i + 2] = bits_of(__hsub(x, y));
    out[4 * i + 3] = (unsigned short)(__hgt(x, y) * 2 + __heq(x, x));
}

__global__ void dot(const float *a, const float *b, float *out, int columns) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int i = 0; i < columns; ++i)
        sum += __bfloat162float(__float2bfloat16(a[row * columns + i])) * __bfloat162float(__float2bfloat16(b[row * columns + i]));
    out[row] = sum;
}

int main() {
    const int n = 4096, columns = 64;
    std::vector<float> values = random_floats(n, -100, 100, 371);
    values[0] = 0.0f;
    values[1] = 3.3895314e38f;
    values[2] = 1e-40f;
    values[3] = 1.00390625f;
    float *a = to_device(values), *b = to_device(random_floats(n, -1, 1, 372)), *back = device_zeros<float>(n), *dots = device_zeros<float>(n / columns);
    unsigned short *bits = device_zeros<unsigned short>(n), *results = device_zeros<unsigned short>(4 * n);
    convert<<<n / 128, 128>>>(a, bits, back, n);
    arithmetic<<<n / 128, 128>>>(a, b, results, n);
    dot<<<1, n / columns>>>(a, b, dots, columns);
    CHECK_KERNEL();
    show("bits", to_host(bits, n));
    show("back", to_host(back + 4, n - 4));
    show("arithmetic", to_host(results, 4 * n));
    show("dots", to_host(dots, n / columns));
    return 0;
}
