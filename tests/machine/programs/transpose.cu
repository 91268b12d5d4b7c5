// A matrix transposed by padded tiles, 32 × 8 threads each, with edges; in floats, in doubles and in pairs of shorts.
#include "common.h"

constexpr int TILE = 32, ROWS = 8;

template <typename T>
__global__ void transpose(T *out, const T *in, int width, int height) {
    __shared__ T tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < height && y + j < width) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

template <typename T>
std::vector<T> run(const std::vector<T> &values, int width, int height) {
    T *in = to_device(values), *out = device_zeros<T>(values.size());
    transpose<<<dim3((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), dim3(TILE, ROWS)>>>(out, in, width, height);
    CHECK_KERNEL();
    return to_host(out, values.size());
}

int main() {
    const int width = 210, height = 155;
    std::vector<float> floats = random_floats(width * height, -1, 1, 181);
    show("floats", run(floats, width, height));
    show("doubles", run(std::vector<double>(floats.begin(), floats.end()), height, width));
    std::vector<short2> pairs(width * height);
    for (int i = 0; i < width * height; ++i) pairs[i] = make_short2((short)i, (short)(i * 7));
    std::vector<int> sums;
    for (short2 pair : run(pairs, width, height)) sums.push_back(pair.x * 3 + pair.y);
    show("pairs", sums);
    return 0;
}
