// Bytes counted in shared memory, one private histogram per block, then merged.
#include "common.h"

__global__ void count(const unsigned char *data, int n, unsigned *bins) {
    __shared__ unsigned local[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
    __syncthreads();
    const uchar4 *quads = reinterpret_cast<const uchar4 *>(data);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
        uchar4 quad = quads[i];
        atomicAdd(&local[quad.x], 1u);
        atomicAdd(&local[quad.y], 1u);
        atomicAdd(&local[quad.z], 1u);
        atomicAdd(&local[quad.w], 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        if (local[i]) atomicAdd(&bins[i], local[i]);
}

int main() {
    const int n = 1 << 18;
    Random random(71);
    std::vector<unsigned char> data(n);
    for (unsigned char &value : data) {
        value = (unsigned char)random.below(128);
        value += (unsigned char)random.below(64);
    }
    unsigned char *bytes = to_device(data);
    unsigned *bins = device_zeros<unsigned>(256);
    count<<<24, 192>>>(bytes, n, bins);
    CHECK_KERNEL();
    show("bins", to_host(bins, 256));
    return 0;
}
