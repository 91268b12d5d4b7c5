#include <cuda_runtime.h>

#define WARP_SIZE 32

/// The sum of each row, by one warp.
extern "C" __global__ void sum_rows_f32(const size_t columns, const float *in, float *out) {
    float sum = 0.0f;
    for (size_t at = threadIdx.x; at < columns; at += WARP_SIZE) {
        sum += in[blockIdx.x * columns + at];
    }
    for (int mask = WARP_SIZE / 2; mask > 0; mask >>= 1) {
        sum += __shfl_xor_sync(0xffffffff, sum, mask, WARP_SIZE);
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = sum;
    }
}
