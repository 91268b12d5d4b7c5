// Heat on a plate: Jacobi iterations with a tile and its halo in shared memory, two buffers changing places.
#include "common.h"
#include <utility>

constexpr int TILE = 16;

__global__ void jacobi(const float *in, float *out, int width, int height) {
    __shared__ float tile[TILE + 2][TILE + 2];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    auto at = [=](int column, int row) {
        column = min(max(column, 0), width - 1);
        row = min(max(row, 0), height - 1);
        return in[row * width + column];
    };
    tile[ty][tx] = at(x, y);
    if (threadIdx.x == 0) tile[ty][0] = at(x - 1, y);
    if (threadIdx.x == TILE - 1) tile[ty][TILE + 1] = at(x + 1, y);
    if (threadIdx.y == 0) tile[0][tx] = at(x, y - 1);
    if (threadIdx.y == TILE - 1) tile[TILE + 1][tx] = at(x, y + 1);
    __syncthreads();
    if (x >= width || y >= height) return;
    bool edge = x == 0 || y == 0 || x == width - 1 || y == height - 1;
    float mean = 0.25f * (tile[ty - 1][tx] + tile[ty + 1][tx] + tile[ty][tx - 1] + tile[ty][tx + 1]);
    out[y * width + x] = edge ? tile[ty][tx] : mean;
}

int main() {
    const int width = 130, height = 95;
    std::vector<float> plate(width * height, 0.0f);
    for (int x = 0; x < width; ++x) plate[x] = 100.0f;
    for (int y = 0; y < height; ++y) plate[y * width] = 50.0f;
    float *a = to_device(plate), *b = to_device(plate);
    dim3 block(TILE, TILE), grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    for (int step = 0; step < 40; ++step) {
        jacobi<<<grid, block>>>(a, b, width, height);
        std::swap(a, b);
    }
    CHECK_KERNEL();
    show("plate", to_host(a, width * height));
    return 0;
}
