#define FULL_MASK 0xffffffff

__inline__ __device__ float sum(float v) {
  for (int offset = 16; offset > 0; offset >>= 1) {
    v += __shfl_down_sync(FULL_MASK, v, offset);
  }
  return __shfl_sync(0xffffffffu, v, 0);
}

__device__ int vote(bool p) {
  unsigned who = __ballot_sync(FULL_MASK, p);
  __syncwarp(~0u);
  return __popc(__ballot_sync(FULL_MASK, !p)) + who;
}
# output
1 build-fail: #define FULL_MASK 0xffffffff
5 build-fail: __shfl_down_sync(FULL_MASK
7 build-fail: __shfl_sync(0xffffffffu
11 build-fail: __ballot_sync(FULL_MASK
12 build-fail: __syncwarp(~0u
13 build-fail: __ballot_sync(FULL_MASK
