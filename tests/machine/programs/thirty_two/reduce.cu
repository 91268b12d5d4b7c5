// Five shuffles sum a warp of 32, and the sums of 8 warps lie at threadIdx.x / 32: half of a wave of 64 is lost.
#include "../common.h"

__global__ void sum(const int *in, int *out) {
    __shared__ int sums[8];
    int value = in[blockIdx.x * 256 + threadIdx.x];
    for (int offset = 16; offset > 0; offset >>= 1) value += __shfl_down_sync(0xffffffff, value, offset);
    if (threadIdx.x % warpSize == 0) sums[threadIdx.x / warpSize] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        int total = 0;
        for (int i = 0; i < blockDim.x / warpSize; ++i) total += sums[i];
        out[blockIdx.x] = total;
    }
}

int main() {
    const int blocks = 10;
    int *in = to_device(random_ints(blocks * 256, 1000, 601)), *out = device_zeros<int>(blocks);
    sum<<<blocks, 256>>>(in, out);
    CHECK_KERNEL();
    show("sums", to_host(out, blocks));
    return 0;
}
