#include <cuda_runtime.h>

constexpr int kWave = 64;
constexpr int kHalf = 32;

__device__ float whole(float v) {
  for (int offset = kWave / 2; offset > 0; offset >>= 1) v += __shfl_down(v, offset, kWave);
  return v;
}

__device__ float half_of_it(float v) {
  for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_down(v, offset, kHalf);
  return v;
}

__device__ float row(float v) {
  for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_down(v, offset, 32);
  return v;
}
# output
