#if defined(USE_ROCM)
#define WARP_SIZE 64
#define FULL_MASK 0xffffffffffffffffull
#else
#define WARP_SIZE 32
#define FULL_MASK 0xffffffff
#endif
__device__ float sum(float v) {
  // offset = 16; __shfl_down_sync(0xffffffff, v, 16)
  for (int offset = warpSize / 2; offset > 0; offset >>= 1) v += __shfl_down_sync(FULL_MASK, v, offset);
  unsigned long long all = __ballot_sync(0xffffffffffffffffull, true);
  return v + __popcll(all);
}
# output
