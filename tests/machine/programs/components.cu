// Connected components: hooking roots with compare-and-swap, then shortening paths.
#include "common.h"

__device__ int root_of(const int *parents, int node) {
    while (true) {
        int parent = ((const volatile int *)parents)[node];
        if (parent == node) return node;
        node = parent;
    }
}

__global__ void hook(const int2 *edges, int count, int *parents) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    int a = root_of(parents, edges[i].x), b = root_of(parents, edges[i].y);
    while (a != b) {  // the greater root goes below the lesser
        int low = min(a, b), high = max(a, b);
        int seen = atomicCAS(&parents[high], high, low);
        if (seen == high) break;
        a = root_of(parents, low);
        b = root_of(parents, seen);
    }
}

__global__ void shorten(int *parents, int nodes, int *roots) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nodes) return;
    int root = root_of(parents, i);
    parents[i] = root;
    if (root == i) atomicAdd(roots, 1);
}

int main() {
    const int nodes = 3000, count = 2200;
    Random random(251);
    std::vector<int> own(nodes);
    std::vector<int2> edges(count);
    for (int i = 0; i < nodes; ++i) own[i] = i;
    for (int2 &edge : edges) {
        edge.x = random.below(nodes);
        edge.y = random.below(nodes);
    }
    int2 *d_edges = to_device(edges);
    int *parents = to_device(own), *roots = device_zeros<int>(1);
    hook<<<(count + 127) / 128, 128>>>(d_edges, count, parents);
    shorten<<<(nodes + 127) / 128, 128>>>(parents, nodes, roots);
    CHECK_KERNEL();
    show("roots", to_host(roots, 1));
    show("labels", to_host(parents, nodes));
    return 0;
}
