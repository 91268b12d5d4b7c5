#include <hip/hip_runtime.h>

__global__ void sum(float* x) {
  __shared__ float part[32];
  int lane = threadIdx.x % warpSize;
  float v = x[threadIdx.x];
  for (int d = warpSize / 2; d; d /= 2) v += __shfl_down(v, d);
  if (lane == 0) part[threadIdx.x / warpSize] = v;
  __syncthreads();
  float s = 0.f;
  if (lane < blockDim.x / warpSize) s = part[lane];
  for (int d = warpSize / 2; d; d /= 2) s += __shfl_down(s, d);
  if (threadIdx.x == 0) x[0] = s;
}

__global__ void most(float* x) {
  __shared__ float part[32];
  int lane = threadIdx.x % warpSize;
  float v = x[threadIdx.x];
  for (int d = warpSize / 2; d; d /= 2) v = max(v, __shfl_down(v, d));
  if (lane == 0) part[threadIdx.x / warpSize] = v;
  __syncthreads();
  float s = lane < blockDim.x / warpSize ? part[lane] : 0.f;
  for (int d = warpSize / 2; d; d /= 2) s = max(s, __shfl_down(s, d));
  if (threadIdx.x == 0) x[0] = s;
}
# output
4 info: __shared__ float part[32]
17 info: __shared__ float part[32]
