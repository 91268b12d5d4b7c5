// Sums by cooperative groups: tiles of 32, 16 and 4 threads, and the block.
#include "common.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

template <typename Tile>
__device__ int tile_sum(const Tile &tile, int value) {
    for (int offset = tile.size() / 2; offset > 0; offset /= 2) value += tile.shfl_down(value, offset);
    return tile.shfl(value, 0);
}

template <int Size>
__global__ void sums(const int *in, int *out, int *total) {
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<Size>(block);
    int i = block.group_index().x * block.group_dim().x + block.thread_rank();
    int sum = tile_sum(tile, in[i]);
    out[i] = sum * 64 + (int)tile.thread_rank();
    __shared__ int shared;
    if (block.thread_rank() == 0) shared = 0;
    block.sync();
    if (tile.thread_rank() == 0) atomicAdd(&shared, sum);
    block.sync();
    if (block.thread_rank() == 0) total[block.group_index().x] = shared;
}

template <int Size>
void run(const char *label, const char *label_of_totals, const int *in, int n) {
    int *out = device_zeros<int>(n), *total = device_zeros<int>(n / 192);
    sums<Size><<<n / 192, 192>>>(in, out, total);
    CHECK_KERNEL();
    show(label, to_host(out, n));
    show(label_of_totals, to_host(total, n / 192));
}

int main() {
    const int n = 192 * 40;
    int *in = to_device(random_ints(n, 10000, 13));
    run<32>("tiles_of_32", "totals_by_32", in, n);
    run<16>("tiles_of_16", "totals_by_16", in, n);
    run<4>("tiles_of_4", "totals_by_4", in, n);
    return 0;
}
