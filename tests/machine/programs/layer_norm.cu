// Layer normalisation forwards (Welford's means, merged by shuffles) and backwards (sums by columns).
#include "common.h"

struct Moments {
    float mean, m2, count;
};

__device__ Moments merge(Moments a, Moments b) {
    float count = a.count + b.count;
    if (count == 0.0f) return a;
    float delta = b.mean - a.mean, share = b.count / count;
    return {a.mean + delta * share, a.m2 + b.m2 + delta * delta * a.count * share, count};
}

__global__ void forwards(const float *x, const float *gain, const float *bias, float *y, float *means, float *scales, int columns) {
    const float *row = x + blockIdx.x * columns;
    Moments mine = {0.0f, 0.0f, 0.0f};
    for (int i = threadIdx.x; i < columns; i += blockDim.x) {
        mine.count += 1.0f;
        float delta = row[i] - mine.mean;
        mine.mean += delta / mine.count;
        mine.m2 += delta * (row[i] - mine.mean);
    }
    for (int mask = 16; mask > 0; mask >>= 1) {
        Moments other = {__shfl_xor_sync(0xffffffff, mine.mean, mask, 32), __shfl_xor_sync(0xffffffff, mine.m2, mask, 32),
                         __shfl_xor_sync(0xffffffff, mine.count, mask, 32)};
        mine = merge(mine, other);
    }
    __shared__ Moments parts[32];
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = mine;
    __syncthreads();
    Moments all = {0.0f, 0.0f, 0.0f};
    for (int i = 0; i < blockDim.x / 32; ++i) all = merge(all, parts[i]);
    float scale = rsqrtf(all.m2 / columns + 1e-5f);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        y[blockIdx.x * columns + i] = (row[i] - all.mean) * scale * gain[i] + bias[i];
    if (threadIdx.x == 0) {
        means[blockIdx.x] = all.mean;
        scales[blockIdx.x] = scale;
    }
}

__global__ void gradients(const float *x, const float *dy, const float *means, const float *scales, float *dgain, float *dbias,
                          int rows, int columns) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    float gain = 0.0f, bias = 0.0f;
    for (int row = 0; row < rows; ++row) {
        float d = dy[row * columns + column];
        gain += d * (x[row * columns + column] - means[row]) * scales[row];
        bias += d;
    }
    dgain[column] = gain;
    dbias[column] = bias;
}

int main() {
    const int rows = 40, columns = 300;
    float *x = to_device(random_floats(rows * columns, 1, 5, 301)), *dy = to_device(random_floats(rows * columns, -1, 1, 302));
    float *gain = to_device(random_floats(columns, 0.5f, 1.5f, 303)), *bias = to_device(random_floats(columns, -1, 1, 304));
    float *y = device_zeros<float>(rows * columns), *means = device_zeros<float>(rows), *scales = device_zeros<float>(rows);
    float *dgain = device_zeros<float>(columns), *dbias = device_zeros<float>(columns);
    forwards<<<rows, 128>>>(x, gain, bias, y, means, scales, columns);
    gradients<<<(columns + 63) / 64, 64>>>(x, dy, means, scales, dgain, dbias, rows, columns);
    CHECK_KERNEL();
    show("y", to_host(y, rows * columns));
    show("means", to_host(means, rows));
    show("scales", to_host(scales, rows));
    show("dgain", to_host(dgain, columns));
    show("dbias", to_host(dbias, columns));
    return 0;
}
