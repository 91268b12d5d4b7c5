// The upper half reads lane 0 of the whole wave: not its own.
__device__ float total(float v) {
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down(v, offset);
  return __shfl(v, 0);
}
# output
3 wrong-result: for (int offset = 16; offset > 0; offset /= 2)
