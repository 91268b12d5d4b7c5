#include "rewarp_hip.h"
#define FULL_MASK 0xffffffff
__device__ float sum(float v) { for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(FULL_MASK, v, o); return v; }
__global__ void k(float *x, unsigned *y) {
  unsigned b = __ballot_sync(0xffffffff, x[threadIdx.x] > 0);
  y[threadIdx.x >> 5] = __popc(b);
  x[threadIdx.x & 31] = rewarp_shfl(sum(x[0]), 0);
}
# output
