// Softmax of rows: a block for each row in three passes, and a warp for each row online.
#include "common.h"
#include <cfloat>

__global__ void by_block(const float *in, float *out, int columns) {
    __shared__ float shared[128];
    const float *row = in + blockIdx.x * columns;
    float most = -FLT_MAX;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) most = fmaxf(most, row[i]);
    shared[threadIdx.x] = most;
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) shared[threadIdx.x] = fmaxf(shared[threadIdx.x], shared[threadIdx.x + stride]);
        __syncthreads();
    }
    most = shared[0];
    __syncthreads();
    float sum = 0.0f;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += expf(row[i] - most);
    shared[threadIdx.x] = sum;
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) shared[threadIdx.x] += shared[threadIdx.x + stride];
        __syncthreads();
    }
    for (int i = threadIdx.x; i < columns; i += blockDim.x) out[blockIdx.x * columns + i] = expf(row[i] - most) / shared[0];
}

__global__ void by_warp(const float *in, float *out, int rows, int columns) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float most = -FLT_MAX, sum = 0.0f;
    for (int i = threadIdx.x; i < columns; i += 32) {
        float value = in[row * columns + i], next = fmaxf(most, value);
        sum = sum * __expf(most - next) + __expf(value - next);
        most = next;
    }
    for (int mask = 16; mask > 0; mask /= 2) {
        float other_most = __shfl_xor_sync(0xffffffff, most, mask, 32), other_sum = __shfl_xor_sync(0xffffffff, sum, mask, 32);
        float next = fmaxf(most, other_most);
        sum = sum * __expf(most - next) + other_sum * __expf(other_most - next);
        most = next;
    }
    for (int i = threadIdx.x; i < columns; i += 32) out[row * columns + i] = __expf(in[row * columns + i] - most) / sum;
}

int main() {
    const int rows = 50, columns = 333;
    float *in = to_device(random_floats(rows * columns, -8, 8, 291)), *out = device_zeros<float>(rows * columns);
    by_block<<<rows, 128>>>(in, out, columns);
    CHECK_KERNEL();
    show("by_block", to_host(out, rows * columns));
    by_warp<<<(rows + 3) / 4, dim3(32, 4)>>>(in, out, rows, columns);
    CHECK_KERNEL();
    show("by_warp", to_host(out, rows * columns));
    return 0;
}
