__device__ float total(float v) {
  unsigned long long mask = ~0ull;
  return ShuffleDownSync(mask, v, 1) + ShuffleXor(v, 2);
}
__device__ float xored(float v, int lane_mask) { return shuffle_xor(v, lane_mask); }
# output
