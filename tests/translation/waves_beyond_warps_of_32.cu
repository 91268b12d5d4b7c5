#include <cooperative_groups.h>
#include <cub/cub.cuh>

namespace cg = cooperative_groups;

// A group as wide as the wave is cut to one warp.
__global__ void leaders(int* count) {
  auto group = cg::coalesced_threads();
  if (group.thread_rank() == 0) atomicAdd(count, group.size());
}

// The library's warps are the hardware's unless they are told that they have 32 lanes.
__global__ void sums(const float* in, float* out) {
  typedef cub::WarpReduce<float> Reduce;
  __shared__ Reduce::TempStorage temp[8];
  const int warp = threadIdx.x / 32;
  const float sum = Reduce(temp[warp]).Sum(in[threadIdx.x]);
  if (threadIdx.x % 32 == 0) out[warp] = sum;
}

// The header's warps of 32 lanes cover all of this: nothing to note.
__global__ void covered(const float* in, float* out) {
  __shared__ float sums[32];
  const int lane = threadIdx.x & 31;
  float sum = in[threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (lane == 0) sums[threadIdx.x >> 5] = sum;
  __syncthreads();
  const unsigned votes = __ballot_sync(0xffffffff, sum > 0);
  if (__popc(votes) == 32) out[lane] = sums[lane];
}
// ---- HIP ----
#include "rewarp_hip.h"
#include <hip/hip_cooperative_groups.h>
#include <hipcub/hipcub.hpp>

namespace cg = cooperative_groups;

// A group as wide as the wave is cut to one warp.
__global__ void leaders(int* count) {
  auto group = rewarp_warp_group(cg::coalesced_threads());
  if (group.thread_rank() == 0) atomicAdd(count, group.size());
}

// The library's warps are the hardware's unless they are told that they have 32 lanes.
__global__ void sums(const float* in, float* out) {
  typedef hipcub::WarpReduce<float, 32> Reduce;
  __shared__ Reduce::TempStorage temp[8];
  const int warp = threadIdx.x / 32;
  const float sum = Reduce(temp[warp]).Sum(in[threadIdx.x]);
  if (threadIdx.x % 32 == 0) out[warp] = sum;
}

// The header's warps of 32 lanes cover all of this: nothing to note.
__global__ void covered(const float* in, float* out) {
  __shared__ float sums[32];
  const int lane = threadIdx.x & 31;
  float sum = in[threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (lane == 0) sums[threadIdx.x >> 5] = sum;
  __syncthreads();
  const unsigned votes = __ballot_sync(0xffffffff, sum > 0);
  if (__popc(votes) == 32) out[lane] = sums[lane];
}
