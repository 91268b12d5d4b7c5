// Votes among the 32 threads of a warp: ballot, any, all, match; ranks by the bits below, leaders by the first one.
#include "common.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void votes(const int *in, unsigned *ballots, int *any, int *all, unsigned *ranks) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool odd = in[i] & 1;
    unsigned mask = __ballot_sync(0xffffffff, odd);
    ballots[i] = mask;
    any[i] = __any_sync(0xffffffff, in[i] > 990);
    all[i] = __all_sync(0xffffffff, in[i] > 20);
    ranks[i] = __popc(mask & ((1u << tile.thread_rank()) - 1));
}

__global__ void peers(const int *in, unsigned *same) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    same[i] = __match_any_sync(0xffffffff, in[i] % 5);
}

__global__ void leaders(const int *in, int *out) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool chosen = in[i] % 3 == 0;
    unsigned mask = __ballot_sync(0xffffffff, chosen);
    int leader = mask ? __ffs(mask) - 1 : -1;
    out[i] = leader < 0 ? -1 : tile.shfl(in[i], leader) + __clz(mask);
}

int main() {
    const int n = 32 * 60;
    int *in = to_device(random_ints(n, 1000, 451)), *any = device_zeros<int>(n), *all = device_zeros<int>(n), *out = device_zeros<int>(n);
    unsigned *ballots = device_zeros<unsigned>(n), *ranks = device_zeros<unsigned>(n), *same = device_zeros<unsigned>(n);
    votes<<<n / 192, 192>>>(in, ballots, any, all, ranks);
    peers<<<n / 96, 96>>>(in, same);
    leaders<<<n / 64, 64>>>(in, out);
    CHECK_KERNEL();
    show("ballots", to_host(ballots, n));
    show("any", to_host(any, n));
    show("all", to_host(all, n));
    show("ranks", to_host(ranks, n));
    show("same", to_host(same, n));
    show("leaders", to_host(out, n));
    return 0;
}
