// fix: safe
#include <stdint.h>
__global__ void compact(const int* in, int* out, int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x & 31;
  bool keep = i < n && in[i] > 0;
  uint32_t votes = __ballot_sync(0xffffffffu, keep);  // __ballot_sync in a comment stays
  if (votes == 0xffffffffu && lane == 31) count[1] = 1;
  int base = 0;
  if (lane == __ffs(votes) - 1) base = atomicAdd(count, __popc(votes));
  base = __shfl_sync(0xffffffffu, base, __ffs(votes) - 1);
  if (keep) out[base + __popc(votes & ((1u << lane) - 1))] = in[i];
}
// output
// fix: safe
#include <stdint.h>
#include "rewarp_waves.h"
__global__ void compact(const int* in, int* out, int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x & 31;
  bool keep = i < n && in[i] > 0;
  uint32_t votes = rewarp_warp32_ballot_sync(0xffffffffu, keep);  // __ballot_sync in a comment stays
  if (votes == 0xffffffffu && lane == 31) count[1] = 1;
  int base = 0;
  if (lane == __ffs(votes) - 1) base = atomicAdd(count, __popc(votes));
  base = rewarp_warp32_shfl_sync(0xffffffffu, base, __ffs(votes) - 1);
  if (keep) out[base + __popc(votes & ((1u << lane) - 1))] = in[i];
}
