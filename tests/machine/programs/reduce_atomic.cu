// Every block adds what it found with one atomic each: integers exactly, floats in any order.
#include "common.h"

__global__ void totals(const int *values, const float *weights, int n, unsigned long long *sum, int *least, int *most,
                       float *weight, unsigned *odd) {
    __shared__ unsigned long long block_sum;
    __shared__ int block_least, block_most;
    __shared__ float block_weight;
    __shared__ unsigned block_odd;
    if (threadIdx.x == 0) {
        block_sum = 0;
        block_least = 0x7fffffff;
        block_most = -0x7fffffff - 1;
        block_weight = 0.0f;
        block_odd = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&block_sum, (unsigned long long)values[i]);
        atomicMin(&block_least, values[i]);
        atomicMax(&block_most, values[i]);
        atomicAdd(&block_weight, weights[i]);
        if (values[i] & 1) atomicAdd(&block_odd, 1u);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(sum, block_sum);
        atomicMin(least, block_least);
        atomicMax(most, block_most);
        atomicAdd(weight, block_weight);
        atomicAdd(odd, block_odd);
    }
}

int main() {
    const int n = 60000;
    int *values = to_device(random_ints(n, 1 << 30, 11));
    float *weights = to_device(random_floats(n, 0, 1, 12));
    unsigned long long *sum = device_zeros<unsigned long long>(1);
    int *least = to_device(std::vector<int>{0x7fffffff}), *most = to_device(std::vector<int>{-0x7fffffff - 1});
    float *weight = device_zeros<float>(1);
    unsigned *odd = device_zeros<unsigned>(1);
    totals<<<20, 128>>>(values, weights, n, sum, least, most, weight, odd);
    CHECK_KERNEL();
    show("sum", to_host(sum, 1));
    show("least", to_host(least, 1));
    show("most", to_host(most, 1));
    show("weight", to_host(weight, 1));
    show("odd", to_host(odd, 1));
    return 0;
}
