// A stencil of radius 3 with its halo in shared memory, on floats and on integers.
#include "common.h"

constexpr int RADIUS = 3, BLOCK = 256;

template <typename T>
__global__ void stencil(const T *in, T *out, int n) {
    __shared__ T tile[BLOCK + 2 * RADIUS];
    int global = blockIdx.x * blockDim.x + threadIdx.x;
    int local = threadIdx.x + RADIUS;
    tile[local] = global < n ? in[global] : T(0);
    if (threadIdx.x < RADIUS) {
        int left = global - RADIUS, right = global + BLOCK;
        tile[local - RADIUS] = left >= 0 ? in[left] : T(0);
        tile[local + BLOCK] = right < n ? in[right] : T(0);
    }
    __syncthreads();
    if (global >= n) return;
    T sum = 0;
    for (int offset = -RADIUS; offset <= RADIUS; ++offset) sum += tile[local + offset] * T(RADIUS + 1 - abs(offset));
    out[global] = sum;
}

int main() {
    const int n = 50001;
    float *in = to_device(random_floats(n, -2, 2, 5)), *out = device_zeros<float>(n);
    int *ints = to_device(random_ints(n, 1000, 6)), *results = device_zeros<int>(n);
    stencil<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n);
    stencil<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(ints, results, n);
    CHECK_KERNEL();
    show("floats", to_host(out, n));
    show("ints", to_host(results, n));
    return 0;
}
