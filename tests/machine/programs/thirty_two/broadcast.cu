// Lane 0 speaks for its warp: with 64 lanes the second half of the wave hears the first one's number.
#include "../common.h"

__global__ void spread(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __shfl_sync(0xffffffff, in[i], 0) + (int)(threadIdx.x / 32);
}

int main() {
    const int n = 512;
    int *in = to_device(random_ints(n, 1000, 611)), *out = device_zeros<int>(n);
    spread<<<2, 256>>>(in, out);
    CHECK_KERNEL();
    show("spread", to_host(out, n));
    return 0;
}
