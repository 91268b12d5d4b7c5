#define FULL_MASK 0xffffffff

__inline__ __device__ float warp_sum(float value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset >>= 1) value += __shfl_down_sync(FULL_MASK, value, offset);
  return __shfl_sync(0xffffffffu, value, 0);
}

__device__ int block_count(bool wanted) {
  __shared__ int counts[32];
  int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  unsigned votes = __ballot_sync(FULL_MASK, wanted);
  if (lane == 0) counts[warp] = __popc(votes);
  __syncthreads();
  return counts[0] + __ffs(votes);
}

__global__ void kernel(float* x, int* y) {
  unsigned active = __activemask();
  x[threadIdx.x] = warp_sum(x[threadIdx.x]) + __shfl_up_sync(active, 1.0f, 1, 16);
  y[threadIdx.x] = block_count(x[threadIdx.x] > 0) + __any_sync(active, 1) + __all_sync(~0, 1);
  y[0] = __reduce_add_sync(FULL_MASK, 3) + __match_any_sync(active, y[1]);
  __syncwarp(FULL_MASK);
  __syncwarp();
}
// ---- HIP ----
#include "rewarp_hip.h"
#define FULL_MASK 0xffffffff

__inline__ __device__ float warp_sum(float value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset >>= 1) value += __shfl_down_sync(FULL_MASK, value, offset);
  return __shfl_sync(0xffffffffu, value, 0);
}

__device__ int block_count(bool wanted) {
  __shared__ int counts[32];
  int lane = threadIdx.x % rewarp_warp_size, warp = threadIdx.x / rewarp_warp_size;
  unsigned votes = __ballot_sync(FULL_MASK, wanted);
  if (lane == 0) counts[warp] = __popc(votes);
  __syncthreads();
  return counts[0] + __ffs(votes);
}

__global__ void kernel(float* x, int* y) {
  unsigned active = rewarp_activemask();
  x[threadIdx.x] = warp_sum(x[threadIdx.x]) + __shfl_up_sync(active, 1.0f, 1, 16);
  y[threadIdx.x] = block_count(x[threadIdx.x] > 0) + __any_sync(active, 1) + __all_sync(~0, 1);
  y[0] = __reduce_add_sync(FULL_MASK, 3) + __match_any_sync(active, y[1]);
  __syncwarp(FULL_MASK);
  __syncwarp();
}
