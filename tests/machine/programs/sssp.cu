// Shortest paths after Bellman and Ford: atomicMin on distances until nothing changes; all pairs by Floyd and Warshall.
#include "common.h"

struct Edge {
    int from, to, length;
};

__global__ void relax(const Edge *edges, int count, int *distances, int *changed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    Edge edge = edges[i];
    int start = distances[edge.from];
    if (start == 0x3fffffff) return;
    int old = atomicMin(&distances[edge.to], start + edge.length);
    if (old > start + edge.length) *changed = 1;
}

__global__ void through(int *table, int n, int k) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && column < n) table[row * n + column] = min(table[row * n + column], table[row * n + k] + table[k * n + column]);
}

int main() {
    const int nodes = 1500, count = 6000, n = 60;
    Random random(241);
    std::vector<Edge> edges(count);
    for (int i = 0; i < count; ++i) edges[i] = {random.below(nodes), random.below(nodes), 1 + random.below(100)};
    std::vector<int> far(nodes, 0x3fffffff), table(n * n, 100000);
    far[0] = 0;
    for (const Edge &edge : edges)
        if (edge.from < n || edge.to < n) table[edge.from % n * n + edge.to % n] = edge.length;
    for (int i = 0; i < n; ++i) table[i * n + i] = 0;
    Edge *d_edges = to_device(edges);
    int *distances = to_device(far), *changed = device_zeros<int>(1), *pairs = to_device(table);
    for (int again = 1; again;) {
        CHECK(cudaMemset(changed, 0, sizeof(int)));
        relax<<<(count + 255) / 256, 256>>>(d_edges, count, distances, changed);
        CHECK(cudaMemcpy(&again, changed, sizeof(int), cudaMemcpyDeviceToHost));
    }
    for (int k = 0; k < n; ++k) through<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(pairs, n, k);
    CHECK_KERNEL();
    show("distances", to_host(distances, nodes));
    show("pairs", to_host(pairs, n * n));
    return 0;
}
