// Prices of European options: the polynomial for the normal distribution, and the same with erfcf.
#include "common.h"

__device__ float normal(float d) {
    const float a1 = 0.31938153f, a2 = -0.356563782f, a3 = 1.781477937f, a4 = -1.821255978f, a5 = 1.330274429f;
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float tail = 0.39894228040143267794f * expf(-0.5f * d * d) * (k * (a1 + k * (a2 + k * (a3 + k * (a4 + k * a5)))));
    return d > 0 ? 1.0f - tail : tail;
}

__device__ float normal_erfc(float d) { return 0.5f * erfcf(-d * 0.70710678118654752440f); }

template <bool WithErfc>
__global__ void prices(const float *spot, const float *strike, const float *years, float rate, float volatility, int n,
                       float *call, float *put) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float root = sqrtf(years[i]);
    float d1 = (logf(spot[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / (volatility * root);
    float d2 = d1 - volatility * root;
    float n1 = WithErfc ? normal_erfc(d1) : normal(d1), n2 = WithErfc ? normal_erfc(d2) : normal(d2);
    float discounted = strike[i] * expf(-rate * years[i]);
    call[i] = spot[i] * n1 - discounted * n2;
    put[i] = discounted * (1.0f - n2) - spot[i] * (1.0f - n1);
}

int main() {
    const int n = 20000;
    float *spot = to_device(random_floats(n, 20, 30, 201)), *strike = to_device(random_floats(n, 15, 40, 202));
    float *years = to_device(random_floats(n, 0.25f, 10, 203)), *call = device_zeros<float>(n), *put = device_zeros<float>(n);
    prices<false><<<(n + 127) / 128, 128>>>(spot, strike, years, 0.02f, 0.30f, n, call, put);
    CHECK_KERNEL();
    show("call", to_host(call, n));
    show("put", to_host(put, n));
    prices<true><<<(n + 127) / 128, 128>>>(spot, strike, years, 0.02f, 0.30f, n, call, put);
    CHECK_KERNEL();
    show("call_erfc", to_host(call, n));
    show("put_erfc", to_host(put, n));
    return 0;
}
