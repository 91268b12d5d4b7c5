__device__ float total(float v) {
  unsigned mask = 0u;
  CREATE_MASK(mask, true);
  for (int o = warpSize / 2; o; o /= 2) v += ShuffleDownSync(mask, v, o);
  return v;
}
__device__ float both(unsigned int mask, float v) { return warpReduceSum(mask, v) + __shfl_down(v, 1); }
# output
2 build-fail: unsigned mask
4 build-fail: ShuffleDownSync(mask
7 build-fail: unsigned int mask
