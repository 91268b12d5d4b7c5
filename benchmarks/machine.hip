// What benchmarks/machine.py runs as AMD machine code; machine_native.c does the same work on the CPU itself.
#include <hip/hip_runtime.h>
#define KERNEL extern "C" __global__ void
#define ITEM (blockIdx.x * blockDim.x + threadIdx.x)
KERNEL add(const float *a, const float *b, float *c, int n) { int i = ITEM; if (i < n) c[i] = a[i] + b[i]; }
KERNEL collatz(const int *a, int *out, int n) {
    int i = ITEM; if (i >= n) return;
    unsigned x = a[i]; int steps = 0;
    while (x > 1) x = x & 1 ? 3 * x + 1 : x / 2, steps++;
    out[i] = steps;
}
KERNEL matmul(const float *a, const float *b, float *c, int n) {
    __shared__ float as[16][16], bs[16][16];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y; float sum = 0;
    for (int t = 0; t < n / 16; t++) {
        as[threadIdx.y][threadIdx.x] = a[y * n + t * 16 + threadIdx.x]; bs[threadIdx.y][threadIdx.x] = b[(t * 16 + threadIdx.y) * n + x];
        __syncthreads(); for (int k = 0; k < 16; k++) sum += as[threadIdx.y][k] * bs[k][threadIdx.x]; __syncthreads();
    }
    c[y * n + x] = sum;
}
KERNEL tree(const float *a, float *out, int n) {
    __shared__ float s[256]; int i = ITEM; s[threadIdx.x] = i < n ? a[i] : 0; __syncthreads();
    for (int d = 128; d; d >>= 1) { if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d]; __syncthreads(); }
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
KERNEL shuffle(const float *a, float *out, int n) {
    int i = ITEM; float s = i < n ? a[i] : 0;
    for (int d = warpSize / 2; d; d >>= 1) s += __shfl_down(s, d);
    if (threadIdx.x % warpSize == 0) out[i / warpSize] = s;
}
KERNEL ocml(const float *a, float *out, int n) {
    int i = ITEM; if (i >= n) return; float x = a[i];
    out[i] = expf(x) + logf(x) + sinf(x) + cosf(x) + tanhf(x) + powf(x, 1.5f) + erff(x) + rsqrtf(x);
}
KERNEL layernorm(const float *x, float *y, int n) {
    __shared__ float part[2][16]; float s = 0, q = 0; const float *row = x + blockIdx.x * n;
    for (int i = threadIdx.x; i < n; i += blockDim.x) { float v = row[i]; s += v; q += v * v; }
    for (int d = warpSize / 2; d; d >>= 1) s += __shfl_xor(s, d), q += __shfl_xor(q, d);
    if (threadIdx.x % warpSize == 0) part[0][threadIdx.x / warpSize] = s, part[1][threadIdx.x / warpSize] = q;
    __syncthreads(); s = q = 0; for (unsigned w = 0; w < blockDim.x / warpSize; w++) s += part[0][w], q += part[1][w];
    float m = s / n, r = rsqrtf(q / n - m * m + 1e-5f);
    for (int i = threadIdx.x; i < n; i += blockDim.x) y[blockIdx.x * n + i] = (row[i] - m) * r;
}
