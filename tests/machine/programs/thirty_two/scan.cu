// A scan of a warp with five steps and no width: lanes 32 to 63 of a wider wave take from the first 32.
#include "../common.h"

__global__ void scan(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, value = in[i];
    for (int offset = 1; offset < 32; offset <<= 1) {
        int other = __shfl_up_sync(0xffffffff, value, offset);
        if (threadIdx.x % warpSize >= offset) value += other;
    }
    out[i] = value * 100 + lane;
}

int main() {
    const int n = 384;
    int *in = to_device(random_ints(n, 50, 631)), *out = device_zeros<int>(n);
    scan<<<3, 128>>>(in, out);
    CHECK_KERNEL();
    show("scan", to_host(out, n));
    return 0;
}
