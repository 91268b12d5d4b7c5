#include <hip/hip_runtime.h>
__device__ float total(float v) {
  for (int offset = 32; offset > 0; offset /= 2) v += __shfl_xor(v, offset);
  return v;
}
__device__ int prefix(int v, int lane) {
  for (int d = 1; d < 64; d <<= 1) {
    int other = __shfl_up(v, d);
    if (lane >= d) v += other;
  }
  return v;
}
__device__ float other_half(float v) { return __shfl_down(v, 32) + __shfl(v, 63); }
# output
3 info: for (int offset = 32; offset > 0; offset /= 2)
7 info: for (int d = 1; d < 64; d <<= 1)
13 info: __shfl_down(v, 32)
