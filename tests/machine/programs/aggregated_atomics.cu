// Filtering with one atomic for all active threads of a warp, by coalesced groups and by ballots.
#include "common.h"
#include <algorithm>
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__device__ int aggregated(int *counter) {
    cg::coalesced_group active = cg::coalesced_threads();
    int base = 0;
    if (active.thread_rank() == 0) base = atomicAdd(counter, (int)active.size());
    return active.shfl(base, 0) + (int)active.thread_rank();
}

__global__ void keep_positive(const int *in, int n, int *out, int *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0) out[aggregated(count)] = in[i];
}

__global__ void keep_by_ballot(const int *in, int n, int *out, int *count) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool kept = i < n && in[i] < 0 && in[i] % 2 == 0;
    unsigned mask = __ballot_sync(0xffffffff, kept);
    int base = 0;
    if (tile.thread_rank() == 0 && mask) base = atomicAdd(count, __popc(mask));
    base = tile.shfl(base, 0);
    if (kept) out[base + __popc(mask & ((1u << tile.thread_rank()) - 1))] = in[i];
}

void run(const char *label, const char *count_label, void (*kernel)(const int *, int, int *, int *), const int *in, int n) {
    int *out = device_zeros<int>(n), *count = device_zeros<int>(1);
    kernel<<<(n + 127) / 128, 128>>>(in, n, out, count);
    CHECK_KERNEL();
    int found = to_host(count, 1)[0];
    std::vector<int> values = to_host(out, found);
    std::sort(values.begin(), values.end());
    show(count_label, found);
    show(label, values);
}

int main() {
    const int n = 10000;
    std::vector<int> values = random_ints(n, 2001, 531);
    for (int &value : values) value -= 1000;
    int *in = to_device(values);
    run("positive", "count_of_positive", keep_positive, in, n);
    run("even_negative", "count_of_even_negative", keep_by_ballot, in, n);
    return 0;
}
