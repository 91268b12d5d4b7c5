// k-means: integer coordinates, so that sums by atomics are the same in any order.
#include "common.h"

constexpr int CLUSTERS = 8, DIMENSIONS = 3;
__constant__ int centres[CLUSTERS * DIMENSIONS];

__global__ void assign(const int *points, int n, int *labels, unsigned long long *sums, unsigned *counts) {
    __shared__ unsigned long long local_sums[CLUSTERS * DIMENSIONS];
    __shared__ unsigned local_counts[CLUSTERS];
    if (threadIdx.x < CLUSTERS * DIMENSIONS) local_sums[threadIdx.x] = 0;
    if (threadIdx.x < CLUSTERS) local_counts[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int best = 0;
        long long least = 0x7fffffffffffffffll;
        for (int cluster = 0; cluster < CLUSTERS; ++cluster) {
            long long distance = 0;
            for (int d = 0; d < DIMENSIONS; ++d) {
                long long difference = points[i * DIMENSIONS + d] - centres[cluster * DIMENSIONS + d];
                distance += difference * difference;
            }
            if (distance < least) {
                least = distance;
                best = cluster;
            }
        }
        labels[i] = best;
        atomicAdd(&local_counts[best], 1u);
        for (int d = 0; d < DIMENSIONS; ++d)
            atomicAdd(&local_sums[best * DIMENSIONS + d], (unsigned long long)points[i * DIMENSIONS + d]);
    }
    __syncthreads();
    if (threadIdx.x < CLUSTERS * DIMENSIONS) atomicAdd(&sums[threadIdx.x], local_sums[threadIdx.x]);
    if (threadIdx.x < CLUSTERS) atomicAdd(&counts[threadIdx.x], local_counts[threadIdx.x]);
}

int main() {
    const int n = 8000, size = CLUSTERS * DIMENSIONS;
    std::vector<int> values = random_ints(n * DIMENSIONS, 100000, 261), current(values.begin(), values.begin() + size);
    int *points = to_device(values), *labels = device_zeros<int>(n);
    unsigned long long *sums = device_zeros<unsigned long long>(size);
    unsigned *counts = device_zeros<unsigned>(CLUSTERS);
    for (int step = 0; step < 10; ++step) {
        CHECK(cudaMemcpyToSymbol(centres, current.data(), size * sizeof(int)));
        CHECK(cudaMemset(sums, 0, size * sizeof(unsigned long long)));
        CHECK(cudaMemset(counts, 0, CLUSTERS * sizeof(unsigned)));
        assign<<<(n + 255) / 256, 256>>>(points, n, labels, sums, counts);
        std::vector<unsigned long long> total = to_host(sums, size);
        std::vector<unsigned> count = to_host(counts, CLUSTERS);
        for (int i = 0; i < size; ++i)
            if (count[i / DIMENSIONS]) current[i] = (int)(total[i] / count[i / DIMENSIONS]);
    }
    CHECK_KERNEL();
    show("centres", current);
    show("counts", to_host(counts, CLUSTERS));
    show("labels", to_host(labels, n));
    return 0;
}
