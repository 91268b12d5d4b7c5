// Fast Fourier transforms of 512 points in shared memory, one block each: forwards, a filter, and back.
#include "common.h"

constexpr int POINTS = 512, BITS = 9;

__device__ float2 times(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

__device__ void transform(float2 *values, float direction) {
    for (int size = 2; size <= POINTS; size *= 2) {
        __syncthreads();
        int pair = threadIdx.x, half = size / 2, offset = pair % half, low = pair / half * size + offset;
        float sine, cosine;
        sincospif(direction * 2.0f * offset / size, &sine, &cosine);
        float2 a = values[low], b = times(values[low + half], make_float2(cosine, sine));
        values[low] = make_float2(a.x + b.x, a.y + b.y);
        values[low + half] = make_float2(a.x - b.x, a.y - b.y);
    }
    __syncthreads();
}

__global__ void low_pass(const float *in, float2 *spectrum, float *out, int keep) {
    __shared__ float2 values[POINTS], other[POINTS];
    const float *signal = in + blockIdx.x * POINTS;
    for (int i = threadIdx.x; i < POINTS; i += blockDim.x) values[__brev(i) >> (32 - BITS)] = make_float2(signal[i], 0.0f);
    transform(values, -1.0f);
    for (int i = threadIdx.x; i < POINTS; i += blockDim.x) {
        spectrum[blockIdx.x * POINTS + i] = values[i];
        bool kept = i <= keep || i >= POINTS - keep;
        other[__brev(i) >> (32 - BITS)] = kept ? values[i] : make_float2(0.0f, 0.0f);
    }
    transform(other, 1.0f);
    for (int i = threadIdx.x; i < POINTS; i += blockDim.x) out[blockIdx.x * POINTS + i] = other[i].x / POINTS;
}

int main() {
    const int signals = 6, n = signals * POINTS;
    float *in = to_device(random_floats(n, -1, 1, 191)), *out = device_zeros<float>(n);
    float2 *spectrum = device_zeros<float2>(n);
    low_pass<<<signals, POINTS / 2>>>(in, spectrum, out, 40);
    CHECK_KERNEL();
    std::vector<float> power;
    for (float2 value : to_host(spectrum, n)) power.push_back(value.x * value.x + value.y * value.y);
    show("power", power);
    show("filtered", to_host(out, n));
    return 0;
}
