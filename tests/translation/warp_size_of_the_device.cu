#include <cuda_runtime.h>

__global__ void kernel(int* x) { x[threadIdx.x] = __shfl_xor_sync(0xffffffff, threadIdx.x / warpSize, 1); }

int threads_for(int warps) {
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  return warps * properties.warpSize;
}
// ---- HIP ----
#include "rewarp_hip.h"
#include <hip/hip_runtime.h>

__global__ void kernel(int* x) { x[threadIdx.x] = __shfl_xor_sync(0xffffffff, threadIdx.x / rewarp_warp_size, 1); }

int threads_for(int warps) {
  hipDeviceProp_t properties;
  hipGetDeviceProperties(&properties, 0);
  return warps * properties.warpSize;
}
// ---- findings ----
// 8 noted warpSize
