// What a program may ask about kernels, and use without knowing the card: the launch is right whatever is answered.
#include "common.h"

__global__ void square(int *data, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) data[i] *= data[i];
}

__global__ void __launch_bounds__(128) shared_sum(const int *in, int *out, int n) {
    __shared__ int sums[128];
    sums[threadIdx.x] = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) sums[threadIdx.x] += in[i];
    __syncthreads();
    if (threadIdx.x == 0) {
        int total = 0;
        for (int i = 0; i < blockDim.x; ++i) total += sums[i];
        *out = total;
    }
}

int main() {
    const int n = 7000;
    int *data = to_device(random_ints(n, 300, 581)), *out = device_zeros<int>(1);
    int least = 0, threads = 0, active = 0;
    CHECK(cudaOccupancyMaxPotentialBlockSize(&least, &threads, square, 0, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&active, square, 256, 0));
    show("sensible", (int)(least > 0 && threads >= 64 && threads <= 1024 && active > 0));
    square<<<(n + threads - 1) / threads, threads>>>(data, n);
    shared_sum<<<1, 128>>>(data, out, n);
    CHECK_KERNEL();
    show("squares", to_host(data, n));
    show("sum", to_host(out, 1));
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, shared_sum));
    show("shared_bytes", attributes.sharedSizeBytes);
    show("max_threads", attributes.maxThreadsPerBlock);
    int count = 0, device = -1;
    CHECK(cudaGetDeviceCount(&count));
    CHECK(cudaGetDevice(&device));
    show("device", device);
    show("some", (int)(count >= 1));
    size_t free_bytes = 0, all_bytes = 0;
    CHECK(cudaMemGetInfo(&free_bytes, &all_bytes));
    show("memory", (int)(free_bytes > 0 && free_bytes <= all_bytes));
    cudaPointerAttributes pointer;
    CHECK(cudaPointerGetAttributes(&pointer, data));
    show("is_device_memory", (int)(pointer.type == cudaMemoryTypeDevice));
    return 0;
}
