// A wave in a box: second order in time, seven points in space, marching along z with values kept in registers.
#include "common.h"
#include <utility>

__global__ void step(const float *now, const float *before, float *after, int nx, int ny, int nz, float c) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;
    int plane = nx * ny, i = y * nx + x;
    float below = now[i], here = now[i + plane];
    for (int z = 1; z < nz - 1; ++z) {
        i += plane;
        float above = now[i + plane];
        float laplace = below + above + now[i - 1] + now[i + 1] + now[i - nx] + now[i + nx] - 6.0f * here;
        after[i] = 2.0f * here - before[i] + c * laplace;
        below = here;
        here = above;
    }
}

int main() {
    const int nx = 40, ny = 36, nz = 24, count = nx * ny * nz;
    std::vector<float> start(count, 0.0f);
    start[(nz / 2 * ny + ny / 2) * nx + nx / 2] = 1.0f;
    float *before = to_device(start), *now = to_device(start), *after = device_zeros<float>(count);
    dim3 block(16, 8), grid((nx + 15) / 16, (ny + 7) / 8);
    for (int t = 0; t < 20; ++t) {
        step<<<grid, block>>>(now, before, after, nx, ny, nz, 0.1f);
        float *oldest = before;
        before = now;
        now = after;
        after = oldest;
    }
    CHECK_KERNEL();
    std::vector<float> box = to_host(now, count);
    show("box", box);
    show("middle", box.data() + (nz / 2 * ny + ny / 2) * nx + nx / 2 - 8, 16);
    return 0;
}
