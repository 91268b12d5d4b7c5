// 32 slots for coalesced threads, which are up to 64.
// kind: GROUPS
// run: ranks<<<1, 64>>>(out: int[64])
// gives: out = [1] * 64
// at 64: out of bounds
// ---- original
#include <cooperative_groups.h>
__global__ void ranks(int* out) {
  __shared__ int seen[32];
  auto group = cooperative_groups::coalesced_threads();
  seen[group.thread_rank()] = 1;
  __syncthreads();
  out[threadIdx.x] = seen[group.thread_rank()];
}
// ---- fixed
#include <cooperative_groups.h>
__global__ void ranks(int* out) {
  __shared__ int seen[64];
  auto group = cooperative_groups::coalesced_threads();
  seen[group.thread_rank()] = 1;
  __syncthreads();
  out[threadIdx.x] = seen[group.thread_rank()];
}
