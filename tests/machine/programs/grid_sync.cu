// One cooperative launch, many steps: the whole grid waits between them.
#include "common.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void relax(float *a, float *b, int n, int steps) {
    cg::grid_group grid = cg::this_grid();
    for (int step = 0; step < steps; ++step) {
        const float *in = step % 2 ? b : a;
        float *out = step % 2 ? a : b;
        for (int i = (int)grid.thread_rank(); i < n; i += (int)grid.size())
            out[i] = i == 0 || i == n - 1 ? in[i] : 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];
        grid.sync();
    }
}

__global__ void total(const int *in, int n, int *partial, int *out) {
    cg::grid_group grid = cg::this_grid();
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    for (int i = (int)grid.thread_rank(); i < n; i += (int)grid.size()) atomicAdd(&sum, in[i]);
    __syncthreads();
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
    grid.sync();
    if (grid.thread_rank() == 0) {
        int all = 0;
        for (int i = 0; i < gridDim.x; ++i) all += partial[i];
        *out = all;
    }
}

int main() {
    int n = 3000, steps = 25, count = 20000;
    std::vector<float> start(n, 0.0f);
    start[0] = 1.0f;
    start[n / 2] = 100.0f;
    float *a = to_device(start), *b = to_device(start);
    void *relax_arguments[] = {&a, &b, &n, &steps};
    CHECK(cudaLaunchCooperativeKernel((void *)relax, dim3(8), dim3(128), relax_arguments, 0, 0));
    CHECK_KERNEL();
    int *in = to_device(random_ints(count, 1000, 541)), *partial = device_zeros<int>(8), *out = device_zeros<int>(1);
    void *total_arguments[] = {&in, &count, &partial, &out};
    CHECK(cudaLaunchCooperativeKernel((void *)total, dim3(8), dim3(192), total_arguments, 0, 0));
    CHECK_KERNEL();
    show("relaxed", to_host(b, n));
    show("total", to_host(out, 1));
    return 0;
}
