// Variables on the GPU: constants, structures, arrays with initial values, addresses and sizes of symbols, statics.
#include "common.h"

struct Settings {
    float scale;
    int offsets[4];
    double bias;
};

__constant__ Settings settings;
__constant__ int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
__device__ int counter = 40;
__device__ float table[64];
static __device__ unsigned long long total;
__device__ int *pointer;

__global__ void use(double *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    table[i % 64] = primes[i % 8] * settings.scale;
    out[i] = settings.bias + settings.offsets[i % 4] + primes[i % 8];
    atomicAdd(&counter, 1);
    atomicAdd(&total, (unsigned long long)i * primes[i % 8]);
}

__global__ void through_pointer(int n) {
    static __shared__ int kept[8];
    if (threadIdx.x < 8) kept[threadIdx.x] = primes[7 - threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) pointer[i] = kept[i % 8] + counter;
}

int main() {
    const int n = 500;
    Settings chosen = {1.5f, {10, 20, 30, 40}, 0.125};
    CHECK(cudaMemcpyToSymbol(settings, &chosen, sizeof(chosen)));
    int changed = 23;
    CHECK(cudaMemcpyToSymbol(primes, &changed, sizeof(int), 7 * sizeof(int), cudaMemcpyHostToDevice));
    double *out = device_zeros<double>(n);
    use<<<(n + 63) / 64, 64>>>(out, n);
    int *data = device_zeros<int>(n), count = 0;
    CHECK(cudaMemcpyToSymbol(pointer, &data, sizeof(data)));
    through_pointer<<<(n + 63) / 64, 64>>>(n);
    CHECK_KERNEL();
    unsigned long long sum = 0;
    CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof(count)));
    CHECK(cudaMemcpyFromSymbol(&sum, total, sizeof(sum)));
    void *address = nullptr;
    size_t size = 0;
    CHECK(cudaGetSymbolAddress(&address, table));
    CHECK(cudaGetSymbolSize(&size, table));
    show("out", to_host(out, n));
    show("counter", count);
    show("total", sum);
    show("size", size);
    show("table", to_host(static_cast<float *>(address), 64));
    show("data", to_host(data, n));
    return 0;
}
