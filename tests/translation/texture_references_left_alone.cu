// compile: gfx1100, CDNA GPUs have no texture units
#include <cuda_runtime.h>

texture<float, 1, cudaReadModeElementType> table;

template <typename T>
__device__ T fetch(texture<T, 1, cudaReadModeElementType> from, int at) {
  return tex1Dfetch(from, at);
}

__global__ void look_up(float* out) { out[threadIdx.x] = fetch(table, threadIdx.x); }
// ---- HIP ----
#include <hip/hip_runtime.h>

texture<float, 1, hipReadModeElementType> table;

template <typename T>
__device__ T fetch(texture<T, 1, hipReadModeElementType> from, int at) {
  return tex1Dfetch(from, at);
}

__global__ void look_up(float* out) { out[threadIdx.x] = fetch(table, threadIdx.x); }
// ---- findings ----
// 3 noted texture
// 6 noted texture
// 7 unsupported tex1Dfetch
