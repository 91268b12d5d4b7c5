// Warp-level building blocks: 32 lanes, one bit of a mask for each.
#pragma once

#include <cuda_runtime.h>

namespace warpnorm {

constexpr int kWarpSize = 32;
constexpr unsigned kFullMask = 0xffffffffu;

__device__ __forceinline__ unsigned lane_id() {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

// exp(x) as 2^(x * log2 e) on the special function unit.
__device__ __forceinline__ float fast_exp(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x * 1.4426950408889634f));
  return y;
}

__device__ __forceinline__ float warp_sum(float value) {
#pragma unroll
  for (int offset = kWarpSize / 2; offset > 0; offset >>= 1)
    value += __shfl_xor_sync(kFullMask, value, offset);
  return value;
}

// The sum over a block of up to 32 warps; every thread gets it.
__device__ __forceinline__ float block_sum(float value) {
  __shared__ float partial[kWarpSize];
  const int warp = threadIdx.x / kWarpSize;
  const int warps = (blockDim.x + kWarpSize - 1) / kWarpSize;
  value = warp_sum(value);
  if (lane_id() == 0) partial[warp] = value;
  __syncthreads();
  value = lane_id() < static_cast<unsigned>(warps) ? partial[lane_id()] : 0.0f;
  value = warp_sum(value);
  __syncthreads();
  return value;
}

// The highest value in a warp by a tree of shuffles, then in the block; every thread gets it.
__device__ __forceinline__ float block_max(float value) {
  __shared__ float partial[kWarpSize];
  for (int offset = 16; offset > 0; offset /= 2)
    value = fmaxf(value, __shfl_down_sync(kFullMask, value, offset));
  if ((threadIdx.x & 31) == 0) partial[threadIdx.x >> 5] = value;
  __syncthreads();
  const int warps = (blockDim.x + kWarpSize - 1) / kWarpSize;
  value = partial[0];
  for (int warp = 1; warp < warps; ++warp) value = fmaxf(value, partial[warp]);
  __syncthreads();
  return value;
}

// One atomicAdd for all lanes that hit the same bin: lanes with equal bins elect the lowest as leader.
__device__ __forceinline__ void warp_aggregated_add(int *bins, int bin) {
  const unsigned active = __activemask();
  const unsigned peers = __match_any_sync(active, bin);
  const int leader = __ffs(peers) - 1;
  if (lane_id() == static_cast<unsigned>(leader)) atomicAdd(&bins[bin], __popc(peers));
}

}  // namespace warpnorm
