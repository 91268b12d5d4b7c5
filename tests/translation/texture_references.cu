#include <cuda_runtime.h>

texture<float, 1, cudaReadModeElementType> table;

__global__ void look_up(float* out) { out[threadIdx.x] = tex1Dfetch(table, threadIdx.x); }

void bind(const float* values, size_t bytes) {
  table.addressMode[0] = cudaAddressModeClamp;
  cudaBindTexture(nullptr, table, values, bytes);
  size_t offset;
  cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
  cudaBindTexture(&offset, table, values, channel, bytes);
  cudaBindTexture(&offset, &table, values, &channel, bytes);
  cudaBindTexture(0, table, values);
  cudaUnbindTexture(table);
}
// ---- HIP ----
#include "rewarp_hip.h"
#include <hip/hip_runtime.h>

static __device__ rewarp_texels<float> table_texels;
static rewarp_linear_texture<float, 1, hipReadModeElementType> table(table_texels);

__global__ void look_up(float* out) { out[threadIdx.x] = tex1Dfetch(table_texels, threadIdx.x); }

void bind(const float* values, size_t bytes) {
  table.addressMode[0] = hipAddressModeClamp;
  hipBindTexture(nullptr, table, values, bytes);
  size_t offset;
  hipChannelFormatDesc channel = hipCreateChannelDesc<float>();
  hipBindTexture(&offset, table, values, channel, bytes);
  hipBindTexture(&offset, &table, values, &channel, bytes);
  hipBindTexture(0, table, values);
  hipUnbindTexture(table);
}
// ---- findings ----
// 3 noted table
