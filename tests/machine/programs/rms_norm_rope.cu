// Root-mean-square normalisation and rotary embeddings, as at the door of a transformer's layer.
#include "common.h"

__global__ void rms_norm(const float *x, const float *weight, float *y, int columns) {
    __shared__ float sums[256];
    float mine = 0.0f;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) mine += x[blockIdx.x * columns + i] * x[blockIdx.x * columns + i];
    sums[threadIdx.x] = mine;
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) sums[threadIdx.x] += sums[threadIdx.x + stride];
        __syncthreads();
    }
    float scale = rsqrtf(sums[0] / columns + 1e-6f);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        y[blockIdx.x * columns + i] = x[blockIdx.x * columns + i] * scale * weight[i];
}

__global__ void rope(float *x, int heads, int size, float base) {
    int position = blockIdx.x, head = blockIdx.y, pair = threadIdx.x, half = size / 2;
    if (pair >= half) return;
    float angle = position * powf(base, -2.0f * pair / size), sine, cosine;
    sincosf(angle, &sine, &cosine);
    float *row = x + (position * heads + head) * size;
    float a = row[pair], b = row[pair + half];
    row[pair] = a * cosine - b * sine;
    row[pair + half] = b * cosine + a * sine;
}

int main() {
    const int tokens = 32, heads = 4, size = 64, columns = heads * size;
    float *x = to_device(random_floats(tokens * columns, -2, 2, 311)), *weight = to_device(random_floats(columns, 0.5f, 1.5f, 312));
    float *y = device_zeros<float>(tokens * columns);
    rms_norm<<<tokens, 256>>>(x, weight, y, columns);
    CHECK_KERNEL();
    show("normal", to_host(y, tokens * columns));
    rope<<<dim3(tokens, heads), 32>>>(y, heads, size, 10000.0f);
    CHECK_KERNEL();
    show("rotated", to_host(y, tokens * columns));
    return 0;
}
