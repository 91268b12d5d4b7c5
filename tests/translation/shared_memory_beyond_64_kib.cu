#define STAGES 3
#define TILE (32 * 1024)
constexpr int kept = 64 * 1024;

__global__ void dynamic(float* out) {
  extern __shared__ float tiles[];
  out[threadIdx.x] = tiles[threadIdx.x];
}

__global__ void fixed(double* out) {
  __shared__ double rows[128][128];
  __shared__ double fits[64][128];
  out[threadIdx.x] = rows[threadIdx.x][0] + fits[threadIdx.x % 64][0];
}

void run(float* out, double* rows, int stages) {
  cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, STAGES * TILE);
  dynamic<<<1, 64, STAGES * TILE>>>(out);
  // As much as there is, and what only the program knows.
  cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, kept);
  dynamic<<<1, 64, kept>>>(out);
  cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, stages * TILE);
  cudaFuncSetAttribute(dynamic, cudaFuncAttributePreferredSharedMemoryCarveout, 100 * 1024);
  dynamic<<<1, 64, stages * TILE>>>(out);
  fixed<<<1, 128>>>(rows);
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#define STAGES 3
#define TILE (32 * 1024)
constexpr int kept = 64 * 1024;

__global__ void dynamic(float* out) {
  extern __shared__ float tiles[];
  out[threadIdx.x] = tiles[threadIdx.x];
}

__global__ void fixed(double* out) {
  __shared__ double rows[128][128];
  __shared__ double fits[64][128];
  out[threadIdx.x] = rows[threadIdx.x][0] + fits[threadIdx.x % 64][0];
}

void run(float* out, double* rows, int stages) {
  hipFuncSetAttribute(reinterpret_cast<const void*>(dynamic), hipFuncAttributeMaxDynamicSharedMemorySize, STAGES * TILE);
  dynamic<<<1, 64, STAGES * TILE>>>(out);
  // As much as there is, and what only the program knows.
  hipFuncSetAttribute(reinterpret_cast<const void*>(dynamic), hipFuncAttributeMaxDynamicSharedMemorySize, kept);
  dynamic<<<1, 64, kept>>>(out);
  hipFuncSetAttribute(reinterpret_cast<const void*>(dynamic), hipFuncAttributeMaxDynamicSharedMemorySize, stages * TILE);
  hipFuncSetAttribute(reinterpret_cast<const void*>(dynamic), hipFuncAttributePreferredSharedMemoryCarveout, 100 * 1024);
  dynamic<<<1, 64, stages * TILE>>>(out);
  fixed<<<1, 128>>>(rows);
}
// ---- findings ----
// 11 unsupported shared memory
// 17 unsupported shared memory
// 18 unsupported shared memory
