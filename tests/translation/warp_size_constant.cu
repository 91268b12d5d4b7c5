#define WARP_SIZE 32

// Lanes of a CUDA warp stay 32 lanes: half a wave each.
template <int width = WARP_SIZE>
__device__ float sum(float value) {
  for (int mask = width / 2; mask > 0; mask >>= 1) value += __shfl_xor_sync(0xffffffff, value, mask, width);
  return value;
}

__global__ void rows(const float* in, float* out) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  float total = sum(in[row * WARP_SIZE + threadIdx.x]);
  if (threadIdx.x == 0) out[row] = total;
}

void launch(const float* in, float* out) { rows<<<4, dim3(WARP_SIZE, 8)>>>(in, out); }
// ---- HIP ----
#include "rewarp_hip.h"
#define WARP_SIZE 32

// Lanes of a CUDA warp stay 32 lanes: half a wave each.
template <int width = WARP_SIZE>
__device__ float sum(float value) {
  for (int mask = width / 2; mask > 0; mask >>= 1) value += __shfl_xor_sync(0xffffffff, value, mask, width);
  return value;
}

__global__ void rows(const float* in, float* out) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  float total = sum(in[row * WARP_SIZE + threadIdx.x]);
  if (threadIdx.x == 0) out[row] = total;
}

void launch(const float* in, float* out) { rows<<<4, dim3(WARP_SIZE, 8)>>>(in, out); }
