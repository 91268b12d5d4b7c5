// An image blurred by a separable filter in constant memory, then edges by Sobel's filter over clamped borders.
#include "common.h"

constexpr int RADIUS = 4;
__constant__ float filter[2 * RADIUS + 1];

__global__ void blur_rows(const float *in, float *out, int width, int height) {
    __shared__ float row[64 + 2 * RADIUS];
    int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y;
    for (int i = threadIdx.x; i < 64 + 2 * RADIUS; i += 64) {
        int column = blockIdx.x * 64 + i - RADIUS;
        row[i] = column >= 0 && column < width ? in[y * width + column] : 0.0f;
    }
    __syncthreads();
    if (x >= width) return;
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i <= 2 * RADIUS; ++i) sum += filter[i] * row[threadIdx.x + i];
    out[y * width + x] = sum;
}

__global__ void blur_columns(const float *in, float *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0.0f;
    for (int i = -RADIUS; i <= RADIUS; ++i)
        if (y + i >= 0 && y + i < height) sum += filter[i + RADIUS] * in[(y + i) * width + x];
    out[y * width + x] = sum;
}

__global__ void sobel(const float *in, unsigned char *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    auto at = [&](int dx, int dy) {
        return in[min(max(y + dy, 0), height - 1) * width + min(max(x + dx, 0), width - 1)];
    };
    float gx = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
    float gy = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
    out[y * width + x] = fabsf(gx) + fabsf(gy) > 0.25f ? 255 : 0;
}

int main() {
    const int width = 150, height = 110;
    float weights[2 * RADIUS + 1] = {1, 8, 28, 56, 70, 56, 28, 8, 1};
    for (float &weight : weights) weight /= 256.0f;
    CHECK(cudaMemcpyToSymbol(filter, weights, sizeof(weights)));
    std::vector<float> image(width * height);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) image[y * width + x] = (x / 25 + y / 20) % 2 ? 1.0f : 0.25f;
    float *in = to_device(image), *rows = device_zeros<float>(width * height), *blurred = device_zeros<float>(width * height);
    unsigned char *edges = device_zeros<unsigned char>(width * height);
    dim3 block(32, 8), grid((width + 31) / 32, (height + 7) / 8);
    blur_rows<<<dim3((width + 63) / 64, height), 64>>>(in, rows, width, height);
    blur_columns<<<grid, block>>>(rows, blurred, width, height);
    sobel<<<grid, block>>>(blurred, edges, width, height);
    CHECK_KERNEL();
    show("blurred", to_host(blurred, width * height));
    show("edges", to_host(edges, width * height));
    return 0;
}
