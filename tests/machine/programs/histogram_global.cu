// Floats binned by global atomics, with what lies outside counted apart; counts of 64 bits and weights of doubles.
#include "common.h"

struct Outside {
    unsigned below, above;
};

__global__ void bin(const float *values, int n, float low, float high, int bins, unsigned long long *counts,
                    double *weights, Outside *outside) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float value = values[i];
    if (value < low) {
        atomicAdd(&outside->below, 1u);
    } else if (value >= high) {
        atomicAdd(&outside->above, 1u);
    } else {
        int number = min((int)((value - low) / (high - low) * bins), bins - 1);
        atomicAdd(&counts[number], 1ull);
        atomicAdd(&weights[number], (double)value);
    }
}

int main() {
    const int n = 50000, bins = 50;
    float *values = to_device(random_floats(n, -5, 5, 81));
    unsigned long long *counts = device_zeros<unsigned long long>(bins);
    double *weights = device_zeros<double>(bins);
    Outside *outside = device_zeros<Outside>(1);
    bin<<<(n + 255) / 256, 256>>>(values, n, -4.0f, 4.0f, bins, counts, weights, outside);
    CHECK_KERNEL();
    show("counts", to_host(counts, bins));
    show("weights", to_host(weights, bins));
    Outside rest = to_host(outside, 1)[0];
    show("below", rest.below);
    show("above", rest.above);
    return 0;
}
