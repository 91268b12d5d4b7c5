// Scans of 32 values by shuffles with a width, inclusive and segmented, and a block's scan on top of them.
#include "common.h"

__device__ int inclusive(int value, int lane) {
    for (int offset = 1; offset < 32; offset <<= 1) {
        int other = __shfl_up_sync(0xffffffff, value, offset, 32);
        if (lane >= offset) value += other;
    }
    return value;
}

__global__ void scan_block(const int *in, int *out, int *total) {
    __shared__ int sums[32];
    int lane = threadIdx.x & 31, part = threadIdx.x >> 5, i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = inclusive(in[i], lane);
    if (lane == 31) sums[part] = value;
    __syncthreads();
    if (threadIdx.x < 32) {
        int sum = lane < blockDim.x / 32 ? sums[lane] : 0;
        sums[lane] = inclusive(sum, lane);
    }
    __syncthreads();
    if (part > 0) value += sums[part - 1];
    out[i] = value;
    if (threadIdx.x == blockDim.x - 1) total[blockIdx.x] = value;
}

__global__ void segmented(const int *in, const int *heads, int *out) {
    int lane = threadIdx.x & 31, i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = in[i], head = heads[i] ? lane : 0;
    for (int offset = 1; offset < 32; offset <<= 1) {
        int other = __shfl_up_sync(0xffffffff, head, offset, 32);
        if (lane >= offset) head = max(head, other);
    }
    for (int offset = 1; offset < 32; offset <<= 1) {
        int other = __shfl_up_sync(0xffffffff, value, offset, 32);
        if (lane >= head + offset) value += other;
    }
    out[i] = value;
}

int main() {
    const int blocks = 20, threads = 384, n = blocks * threads;
    int *in = to_device(random_ints(n, 1000, 61)), *out = device_zeros<int>(n), *total = device_zeros<int>(blocks);
    std::vector<int> marks = random_ints(n, 7, 62);
    for (int &mark : marks) mark = mark == 0;
    int *heads = to_device(marks), *segments = device_zeros<int>(n);
    scan_block<<<blocks, threads>>>(in, out, total);
    segmented<<<blocks, threads>>>(in, heads, segments);
    CHECK_KERNEL();
    show("scan", to_host(out, n));
    show("total", to_host(total, blocks));
    show("segments", to_host(segments, n));
    return 0;
}
