// Blocks of 32 floats in 16 bytes of nibbles with a half for scale, and a product of such rows with a vector.
#include "common.h"
#include <cuda_fp16.h>

struct Block {
    __half scale;
    unsigned char nibbles[16];
};

__global__ void pack(const float *x, Block *out, int blocks) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= blocks) return;
    const float *values = x + i * 32;
    float most = 0.0f, signed_most = 0.0f;
    for (int j = 0; j < 32; ++j)
        if (fabsf(values[j]) > most) {
            most = fabsf(values[j]);
            signed_most = values[j];
        }
    __half scale = __float2half_rn(signed_most / -8.0f);
    float inverse = __half2float(scale) != 0.0f ? 1.0f / __half2float(scale) : 0.0f;
    out[i].scale = scale;
    for (int j = 0; j < 16; ++j) {
        int low = min(15, (int)(values[j] * inverse + 8.5f)), high = min(15, (int)(values[j + 16] * inverse + 8.5f));
        out[i].nibbles[j] = (unsigned char)(low | high << 4);
    }
}

__global__ void multiply(const Block *rows, const float *x, float *y, int blocks_per_row) {
    __shared__ float sums[64];
    float sum = 0.0f;
    for (int i = threadIdx.x; i < blocks_per_row; i += blockDim.x) {
        const Block &block = rows[blockIdx.x * blocks_per_row + i];
        float part = 0.0f;
        for (int j = 0; j < 16; ++j) {
            part += ((block.nibbles[j] & 15) - 8) * x[i * 32 + j];
            part += ((block.nibbles[j] >> 4) - 8) * x[i * 32 + j + 16];
        }
        sum += part * __half2float(block.scale);
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) sums[threadIdx.x] += sums[threadIdx.x + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0) y[blockIdx.x] = sums[0];
}

int main() {
    const int rows = 64, columns = 512, blocks = rows * columns / 32;
    float *matrix = to_device(random_floats(rows * columns, -1, 1, 351)), *x = to_device(random_floats(columns, -1, 1, 352));
    float *y = device_zeros<float>(rows);
    Block *packed;
    CHECK(cudaMalloc(&packed, blocks * sizeof(Block)));
    pack<<<(blocks + 127) / 128, 128>>>(matrix, packed, blocks);
    multiply<<<rows, 64>>>(packed, x, y, columns / 32);
    CHECK_KERNEL();
    std::vector<unsigned char> bytes(blocks * sizeof(Block));
    CHECK(cudaMemcpy(bytes.data(), packed, bytes.size(), cudaMemcpyDeviceToHost));
    show("bytes", bytes);
    show("y", to_host(y, rows));
    return 0;
}
