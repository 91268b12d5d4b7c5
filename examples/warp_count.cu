// How many of each 32 numbers are multiples of three? One warp answers for its 32; a wave of an MI300X has 64 lanes.
#include <cstdio>
#include <vector>

__global__ void count(int *counts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned votes = __ballot_sync(0xffffffff, i % 3 == 0);
    if (threadIdx.x % 32 == 0) counts[i / 32] = __popc(votes);
}

int main() {
    const int warps = 4096;
    std::vector<int> counts(warps);
    int *device, wrong = 0;
    cudaMalloc(&device, warps * sizeof(int));
    count<<<warps / 8, 256>>>(device);
    cudaMemcpy(counts.data(), device, warps * sizeof(int), cudaMemcpyDeviceToHost);
    for (int w = 0; w < warps; w++) wrong += counts[w] != (32 * w + 34) / 3 - (32 * w + 2) / 3;
    printf("%d counts, %d wrong\n", warps, wrong);
    return wrong ? 1 : 0;
}
