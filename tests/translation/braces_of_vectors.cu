// CUDA's vectors are plain structures: a list may leave their braces out. HIP's are not.
#include <cuda_runtime.h>

__constant__ uint2 pairs[2] = {1, 2, 0x3u, -4};
static const float3 points[] = {
  0.f, 1.f, 2.f,  // the first
  3.f, 4.f, .5e1f,
};
__constant__ int4 short_of_one[2] = {1, 2, 3, 4, 5};
__constant__ uint2 braced[2] = {{1, 2}, {3, 4}};
__constant__ int flat[4] = {1, 2, 3, 4};

__global__ void k(uint2 *x, float3 *y) {
  uint2 a = x[0], b = x[1];
  uint2 whole[2] = {a, b};
  x[0] = pairs[1];
  x[1] = whole[0];
  x[2].x = braced[0].x + flat[1] + short_of_one[1].x;
  y[0] = points[1];
}
// ---- HIP ----
// CUDA's vectors are plain structures: a list may leave their braces out. HIP's are not.
#include <hip/hip_runtime.h>

__constant__ uint2 pairs[2] = {{1, 2}, {0x3u, -4}};
static const float3 points[] = {
  {0.f, 1.f, 2.f},  // the first
  {3.f, 4.f, .5e1f},
};
__constant__ int4 short_of_one[2] = {{1, 2, 3, 4}, {5, 0, 0, 0}};
__constant__ uint2 braced[2] = {{1, 2}, {3, 4}};
__constant__ int flat[4] = {1, 2, 3, 4};

__global__ void k(uint2 *x, float3 *y) {
  uint2 a = x[0], b = x[1];
  uint2 whole[2] = {a, b};
  x[0] = pairs[1];
  x[1] = whole[0];
  x[2].x = braced[0].x + flat[1] + short_of_one[1].x;
  y[0] = points[1];
}
