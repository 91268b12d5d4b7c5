// A tree in dynamic shared memory: sum, minimum and maximum, with a template over the operation.
#include "common.h"
#include <cfloat>

struct Sum {
    static constexpr float start = 0.0f;
    __host__ __device__ float operator()(float a, float b) const { return a + b; }
};
struct Least {
    static constexpr float start = FLT_MAX;
    __host__ __device__ float operator()(float a, float b) const { return a < b ? a : b; }
};
struct Greatest {
    static constexpr float start = -FLT_MAX;
    __host__ __device__ float operator()(float a, float b) const { return a > b ? a : b; }
};

template <typename Operation>
__global__ void reduce(const float *in, float *out, int n) {
    extern __shared__ float values[];
    Operation operation;
    float mine = Operation::start;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine = operation(mine, in[i]);
    values[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (threadIdx.x < stride) values[threadIdx.x] = operation(values[threadIdx.x], values[threadIdx.x + stride]);
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = values[0];
}

template <typename Operation>
void run(const char *label, const float *in, int n) {
    const int blocks = 24, threads = 256;
    float *partial = device_zeros<float>(blocks), *result = device_zeros<float>(1);
    reduce<Operation><<<blocks, threads, threads * sizeof(float)>>>(in, partial, n);
    reduce<Operation><<<1, 32, 32 * sizeof(float)>>>(partial, result, blocks);
    CHECK_KERNEL();
    show(label, to_host(result, 1));
    CHECK(cudaFree(partial));
    CHECK(cudaFree(result));
}

int main() {
    const int n = 123457;
    float *in = to_device(random_floats(n, -1, 3, 9));
    run<Sum>("sum", in, n);
    run<Least>("minimum", in, n);
    run<Greatest>("maximum", in, n);
    return 0;
}
