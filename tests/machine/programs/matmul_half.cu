// Halves multiplied, floats summed: two inner products at a time with half2 loads.
#include "common.h"
#include <cuda_fp16.h>

__global__ void to_half(const float *in, __half *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __float2half(in[i]);
}

__global__ void multiply(const __half *a, const __half *b_transposed, float *c, int m, int n, int k) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || column >= n) return;
    const __half2 *left = reinterpret_cast<const __half2 *>(a + row * k);
    const __half2 *right = reinterpret_cast<const __half2 *>(b_transposed + column * k);
    float sum = 0.0f;
    for (int i = 0; i < k / 2; ++i) {
        float2 x = __half22float2(left[i]), y = __half22float2(right[i]);
        sum += x.x * y.x + x.y * y.y;
    }
    c[row * n + column] = sum;
}

__global__ void multiply_exact(const __half *a, const __half *b_transposed, __half *c, int m, int n, int k) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || column >= n) return;
    __half sum = __float2half(0.0f);
    for (int i = 0; i < k; ++i) sum = __hfma(a[row * k + i], b_transposed[column * k + i], sum);
    c[row * n + column] = sum;
}

int main() {
    const int m = 48, n = 56, k = 64;
    float *a = to_device(random_floats(m * k, -1, 1, 151)), *b = to_device(random_floats(n * k, -1, 1, 152));
    __half *ah, *bh, *ch;
    CHECK(cudaMalloc(&ah, m * k * sizeof(__half)));
    CHECK(cudaMalloc(&bh, n * k * sizeof(__half)));
    CHECK(cudaMalloc(&ch, m * n * sizeof(__half)));
    to_half<<<(m * k + 255) / 256, 256>>>(a, ah, m * k);
    to_half<<<(n * k + 255) / 256, 256>>>(b, bh, n * k);
    float *c = device_zeros<float>(m * n);
    dim3 block(8, 32), grid((n + 7) / 8, (m + 31) / 32);
    multiply<<<grid, block>>>(ah, bh, c, m, n, k);
    multiply_exact<<<grid, block>>>(ah, bh, ch, m, n, k);
    CHECK_KERNEL();
    show("floats", to_host(c, m * n));
    std::vector<unsigned short> bits(m * n);
    CHECK(cudaMemcpy(bits.data(), ch, m * n * sizeof(__half), cudaMemcpyDeviceToHost));
    show("halves", bits);
    return 0;
}
