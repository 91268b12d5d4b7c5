// Lanes and tables by 32, and a macro of the file that exchanges by xor among 32.
#define LIB_SHFL_FUNCTION(MASK, VAL, DELTA, WIDTH) VAL += __shfl_xor_sync(MASK, VAL, DELTA, WIDTH);
#define LIB_SHUFFLE_FIRST(MASK, VAL) __shfl_sync(MASK, VAL, 0)

__device__ float warp_sum(unsigned long long mask, float v) {
  for (int delta = 16; delta > 0; delta >>= 1) {
    LIB_SHFL_FUNCTION(mask, v, delta, 32)
  }
  return v;
}

__device__ float block_sum(unsigned long long mask, float v) {
  __shared__ float shm[32];
  int lane_id = threadIdx.x & 0x1f;
  int warp_id = threadIdx.x >> 5;
  v = warp_sum(mask, v);
  if (lane_id == 0) shm[warp_id] = v;
  __syncthreads();
  v = threadIdx.x < (blockDim.x >> 5) ? shm[lane_id] : 0.f;
  return warp_sum(mask, v);
}

__device__ float of_first(unsigned long long mask, float v) {
  int lane_id = threadIdx.x & 0x1f;
  if (lane_id == 0) v += 1.f;
  return LIB_SHUFFLE_FIRST(mask, v);
}
#undef LIB_SHUFFLE_FIRST
# output
14 info: threadIdx.x & 0x1f
15 info: threadIdx.x >> 5
19 info: blockDim.x >> 5
24 wrong-result: threadIdx.x & 0x1f
