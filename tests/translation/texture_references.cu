// compile: gfx1100, CDNA GPUs have no texture units
#include <cuda_runtime.h>

texture<float, 1, cudaReadModeElementType> table;

__global__ void look_up(float* out) { out[threadIdx.x] = tex1Dfetch(table, threadIdx.x); }

void bind(const float* values, size_t bytes) {
  table.addressMode[0] = cudaAddressModeClamp;
  cudaBindTexture(nullptr, table, values, bytes);
  cudaUnbindTexture(table);
}
// ---- HIP ----
#include <hip/hip_runtime.h>

texture<float, 1, hipReadModeElementType> table;

__global__ void look_up(float* out) { out[threadIdx.x] = tex1Dfetch(table, threadIdx.x); }

void bind(const float* values, size_t bytes) {
  table.addressMode[0] = hipAddressModeClamp;
  hipBindTexture(nullptr, table, values, bytes);
  hipUnbindTexture(table);
}
// ---- findings ----
// 3 noted texture
// 3 noted texture
// 5 noted tex1Dfetch
// 9 noted cudaBindTexture
// 10 noted cudaUnbindTexture
