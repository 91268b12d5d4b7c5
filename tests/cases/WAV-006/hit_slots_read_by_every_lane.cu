#include <hip/hip_runtime.h>

__global__ void sum(float* x) {
  __shared__ float part[32];
  int lane = threadIdx.x % warpSize;
  float v = x[threadIdx.x];
  for (int d = warpSize / 2; d; d /= 2) v += __shfl_down(v, d);
  if (lane == 0) part[threadIdx.x / warpSize] = v;
  __syncthreads();
  float s = part[lane];
  for (int d = warpSize / 2; d; d /= 2) s += __shfl_down(s, d);
  if (threadIdx.x == 0) x[0] = s;
}

__global__ void copy(float* x) {
  __shared__ float part[32];
  int lane = threadIdx.x % warpSize;
  part[lane] = x[threadIdx.x];
  if (lane < blockDim.x / warpSize) x[0] = part[lane] + __shfl_down(x[0], 1);
}
# output
4 crash: __shared__ float part[32]
16 crash: __shared__ float part[32]
