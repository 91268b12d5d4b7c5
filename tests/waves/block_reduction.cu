// fix: safe
#pragma once
#define FULL_MASK 0xffffffff
#define WARP_SIZE 32

__device__ float warp_sum(float v) {
  for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_down_sync(FULL_MASK, v, offset);
  return v;
}

__global__ void block_sum(const float* in, float* out, int n) {
  __shared__ float partial[32];
  int lane = threadIdx.x % WARP_SIZE, warp = threadIdx.x / 32;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = warp_sum(i < n ? in[i] : 0);
  if (lane == 0) partial[warp] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / 32 ? partial[lane] : 0;
  if (warp == 0) v = warp_sum(v);
  if (threadIdx.x == 0) atomicAdd(out, v);
}
// output
// fix: safe
#pragma once
#include "rewarp_waves.h"
#define FULL_MASK 0xffffffff
#define WARP_SIZE 32

__device__ float warp_sum(float v) {
  for (int offset = 16; offset > 0; offset >>= 1) v += rewarp_warp32_shfl_down_sync(FULL_MASK, v, offset);
  return v;
}

__global__ void block_sum(const float* in, float* out, int n) {
  __shared__ float partial[32];
  int lane = threadIdx.x % WARP_SIZE, warp = threadIdx.x / 32;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = warp_sum(i < n ? in[i] : 0);
  if (lane == 0) partial[warp] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / 32 ? partial[lane] : 0;
  if (warp == 0) v = warp_sum(v);
  if (threadIdx.x == 0) atomicAdd(out, v);
}
