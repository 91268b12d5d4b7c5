// Sums by shuffles within a warp, whatever its width, then across the block's warps.
#include "common.h"

__inline__ __device__ float warp_sum(float value) {
    for (int offset = warpSize / 2; offset > 0; offset >>= 1) value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}

__inline__ __device__ float block_sum(float value) {
    __shared__ float shared[32];
    int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    value = warp_sum(value);
    if (lane == 0) shared[warp] = value;
    __syncthreads();
    value = threadIdx.x < blockDim.x / warpSize ? shared[lane] : 0.0f;
    if (warp == 0) value = warp_sum(value);
    return value;
}

__global__ void sum(const float *in, float *out, int n) {
    float mine = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += in[i];
    mine = block_sum(mine);
    if (threadIdx.x == 0) out[blockIdx.x] = mine;
}

__global__ void butterfly(const int *in, int *out) {
    int value = in[threadIdx.x];
    for (int mask = 16; mask > 0; mask >>= 1) value = max(value, __shfl_xor_sync(0xffffffff, value, mask));
    out[threadIdx.x] = value;  // the greatest of 32 neighbours
}

int main() {
    const int n = 200000, blocks = 64;
    float *in = to_device(random_floats(n, 0, 1, 3)), *partial = device_zeros<float>(blocks), *all = device_zeros<float>(1);
    sum<<<blocks, 256>>>(in, partial, n);
    sum<<<1, 64>>>(partial, all, blocks);
    int *ints = to_device(random_ints(256, 100000, 4)), *greatest = device_zeros<int>(256);
    butterfly<<<1, 256>>>(ints, greatest);
    CHECK_KERNEL();
    show("partial", to_host(partial, blocks));
    show("sum", to_host(all, 1));
    show("greatest", to_host(greatest, 256));
    return 0;
}
