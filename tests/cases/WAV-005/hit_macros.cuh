#define REDUCE(v) \
  for (int o = 16; o > 0; o >>= 1) { \
    v += __shfl_down(v, o); \
  }
#define HALF_WARP 16
__device__ float by_half(float v) { for (int o = HALF_WARP; o > 0; o >>= 1) v += __shfl_xor(v, o); return v; }
# output
2 wrong-result: for (int o = 16; o > 0; o >>= 1)
6 wrong-result: for (int o = HALF_WARP; o > 0; o >>= 1)
