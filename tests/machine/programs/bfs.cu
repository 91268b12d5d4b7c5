// Breadth-first search: a frontier queue filled by atomics, on a graph in compressed rows.
#include "common.h"
#include <utility>

__global__ void expand(const int *starts, const int *edges, int *levels, const int *frontier, int size, int *next,
                       int *next_size, int level) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size) return;
    int node = frontier[i];
    for (int e = starts[node]; e < starts[node + 1]; ++e) {
        int other = edges[e];
        if (atomicCAS(&levels[other], -1, level) == -1) next[atomicAdd(next_size, 1)] = other;
    }
}

int main() {
    const int nodes = 4000;
    Random random(231);
    std::vector<int> starts(1, 0), edges;
    for (int node = 0; node < nodes; ++node) {
        edges.push_back((node + 1) % (nodes - 50 > node ? nodes - 50 : nodes));
        for (int i = random.below(4); i > 0; --i) edges.push_back((node * 7 + random.below(64)) % (nodes - 50));
        starts.push_back((int)edges.size());
    }
    std::vector<int> unseen(nodes, -1), first(nodes, 0);
    unseen[0] = 0;
    int *d_starts = to_device(starts), *d_edges = to_device(edges), *levels = to_device(unseen);
    int *frontier = to_device(first), *next = device_zeros<int>(nodes), *next_size = device_zeros<int>(1);
    std::vector<int> sizes;
    int size = 1;
    for (int level = 1; size > 0; ++level) {
        sizes.push_back(size);
        CHECK(cudaMemset(next_size, 0, sizeof(int)));
        expand<<<(size + 127) / 128, 128>>>(d_starts, d_edges, levels, frontier, size, next, next_size, level);
        CHECK(cudaMemcpy(&size, next_size, sizeof(int), cudaMemcpyDeviceToHost));
        std::swap(frontier, next);
    }
    CHECK_KERNEL();
    show("sizes", sizes);
    show("levels", to_host(levels, nodes));
    return 0;
}
