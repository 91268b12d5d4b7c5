// Votes of a warp as answers for 32 neighbours: a wider wave lets 64 vote.
#include "../common.h"

__global__ void votes(const int *in, int *any, int *all, int *many) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    any[i] = __any_sync(0xffffffff, in[i] > 970);
    all[i] = __all_sync(0xffffffff, in[i] > 15);
    many[i] = __popc((unsigned)__ballot_sync(0xffffffff, in[i] > 500));
}

int main() {
    const int n = 1024;
    int *in = to_device(random_ints(n, 1000, 651));
    int *any = device_zeros<int>(n), *all = device_zeros<int>(n), *many = device_zeros<int>(n);
    votes<<<n / 128, 128>>>(in, any, all, many);
    CHECK_KERNEL();
    show("any", to_host(any, n));
    show("all", to_host(all, n));
    show("many", to_host(many, n));
    return 0;
}
