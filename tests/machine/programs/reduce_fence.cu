// One launch: the block that comes last adds up what the others left behind a fence.
#include "common.h"

__device__ unsigned finished = 0;

template <int Threads>
__device__ double block_sum(double value) {
    __shared__ double values[Threads];
    values[threadIdx.x] = value;
    __syncthreads();
    for (int stride = Threads / 2; stride > 0; stride >>= 1) {
        if (threadIdx.x < stride) values[threadIdx.x] += values[threadIdx.x + stride];
        __syncthreads();
    }
    double result = values[0];
    __syncthreads();
    return result;
}

template <int Threads>
__global__ void sum(const float *in, int n, volatile double *partial, double *out) {
    __shared__ bool last;
    double mine = 0;
    for (int i = blockIdx.x * Threads + threadIdx.x; i < n; i += gridDim.x * Threads) mine += in[i];
    mine = block_sum<Threads>(mine);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = mine;
        __threadfence();
        unsigned ticket = atomicInc(&finished, gridDim.x);
        last = ticket == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    mine = 0;
    for (int i = threadIdx.x; i < gridDim.x; i += Threads) mine += partial[i];
    mine = block_sum<Threads>(mine);
    if (threadIdx.x == 0) {
        *out = mine;
        finished = 0;
    }
}

int main() {
    const int n = 150000, blocks = 50;
    float *in = to_device(random_floats(n, -1, 2, 21));
    double *partial = device_zeros<double>(blocks), *out = device_zeros<double>(2);
    sum<128><<<blocks, 128>>>(in, n, partial, out);
    sum<256><<<17, 256>>>(in, n, partial, out + 1);
    CHECK_KERNEL();
    show("sums", to_host(out, 2));
    return 0;
}
