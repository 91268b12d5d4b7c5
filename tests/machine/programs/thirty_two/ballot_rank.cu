// A ballot kept in 32 bits, and a rank by the bits below lane threadIdx.x % 32.
#include "../common.h"

__global__ void ranks(const int *in, int *out, int *counts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    unsigned mask = __ballot_sync(0xffffffff, in[i] & 1);
    out[i] = __popc(mask & ((1u << lane) - 1));
    if (lane == 0) counts[i / 32] = __popc(mask);
}

int main() {
    const int n = 768;
    int *in = to_device(random_ints(n, 1000, 621)), *out = device_zeros<int>(n), *counts = device_zeros<int>(n / 32);
    ranks<<<3, 256>>>(in, out, counts);
    CHECK_KERNEL();
    show("ranks", to_host(out, n));
    show("counts", to_host(counts, n / 32));
    return 0;
}
