// fix: safe
namespace cg = cooperative_groups;
__device__ int next_free(int* counter) {
  cg::coalesced_group active = cg::coalesced_threads();
  int first = 0;
  if (active.thread_rank() == 0) first = atomicAdd(counter, active.size());
  return active.shfl(first, 0) + active.thread_rank();
}
__global__ void slots(int* counter, int* out) {
  __shared__ int seen[32];
  seen[::cooperative_groups::coalesced_threads().thread_rank()] = next_free(counter);
  __syncthreads();
  out[threadIdx.x] = seen[threadIdx.x % 32] + __any_sync(0xffffffff, out[threadIdx.x]);
}
// output
// fix: safe
#include "rewarp_waves.h"
namespace cg = cooperative_groups;
__device__ int next_free(int* counter) {
  cg::coalesced_group active = rewarp_warp32_group(cg::coalesced_threads());
  int first = 0;
  if (active.thread_rank() == 0) first = atomicAdd(counter, active.size());
  return active.shfl(first, 0) + active.thread_rank();
}
__global__ void slots(int* counter, int* out) {
  __shared__ int seen[32];
  seen[rewarp_warp32_group(::cooperative_groups::coalesced_threads()).thread_rank()] = next_free(counter);
  __syncthreads();
  out[threadIdx.x] = seen[threadIdx.x % 32] + rewarp_warp32_any_sync(0xffffffff, out[threadIdx.x]);
}
