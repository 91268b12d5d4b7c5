// fix: safe
__device__ void tail(volatile float* s, int tid, int n) {
  if (n >= 64) s[tid] += s[tid + 32];
  if (n >= 32) s[tid] += s[tid + 16];
  s[tid] += s[tid + 8];
  s[tid] += s[tid + 4];
  s[tid] += s[tid + 2];
  s[tid] += s[tid + 1];
}

__global__ void nearest(float* d) {
  __shared__ float dists[256];
  const int tid = threadIdx.x;
  dists[tid] = d[tid];
  __syncthreads();
  if (tid < 32) {
    if (dists[tid] > dists[tid + 32]) {
      dists[tid] = dists[tid + 32];
    }
    if (dists[tid] > dists[tid + 16]) dists[tid] = dists[tid + 16];
    d[0] = dists[0];
  }
}

__global__ void looped(float* d) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  s[t] = d[t];
  __syncthreads();
  if (t < 32) {
    for (int o = 16; o > 0; o >>= 1) {
      s[t] += s[t + o];
    }
  }
  d[t] = s[0];
}
// output
// fix: safe
#include "rewarp_waves.h"
__device__ void tail(volatile float* s, int tid, int n) {
  if (n >= 64) s[tid] += s[tid + 32]; REWARP_WARP32_STEP
  if (n >= 32) s[tid] += s[tid + 16]; REWARP_WARP32_STEP
  s[tid] += s[tid + 8]; REWARP_WARP32_STEP
  s[tid] += s[tid + 4]; REWARP_WARP32_STEP
  s[tid] += s[tid + 2]; REWARP_WARP32_STEP
  s[tid] += s[tid + 1]; REWARP_WARP32_STEP
}

__global__ void nearest(float* d) {
  __shared__ float dists[256];
  const int tid = threadIdx.x;
  dists[tid] = d[tid];
  __syncthreads();
  if (tid < 32) {
    if (dists[tid] > dists[tid + 32]) {
      dists[tid] = dists[tid + 32];
    } REWARP_WARP32_STEP
    if (dists[tid] > dists[tid + 16]) dists[tid] = dists[tid + 16]; REWARP_WARP32_STEP
    d[0] = dists[0];
  }
}

__global__ void looped(float* d) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  s[t] = d[t];
  __syncthreads();
  if (t < 32) {
    for (int o = 16; o > 0; o >>= 1) {
      s[t] += s[t + o]; REWARP_WARP32_STEP
    }
  }
  d[t] = s[0];
}
