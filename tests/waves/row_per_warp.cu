// fix: safe
constexpr int kWarpSize = 32;
__global__ void __launch_bounds__(4 * kWarpSize) row_max(const float* in, float* out, int rows, int n) {
  const int lane = threadIdx.x % kWarpSize;
  const int row = blockIdx.x * 4 + threadIdx.x / kWarpSize;
  if (row >= rows) return;
  float v = in[row * n];
  for (int i = lane; i < n; i += kWarpSize) v = fmaxf(v, in[row * n + i]);
  for (int mask = 16; mask > 0; mask >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, mask));
  if (lane == 0) out[row] = v;
}
void launch(const float* in, float* out, int rows, int n) {
  dim3 block(4 * kWarpSize);
  row_max<<<(rows + 3) / 4, block>>>(in, out, rows, n);
}
// output
// fix: safe
#include "rewarp_waves.h"
constexpr int kWarpSize = 32;
__global__ void __launch_bounds__(4 * kWarpSize) row_max(const float* in, float* out, int rows, int n) {
  const int lane = threadIdx.x % kWarpSize;
  const int row = blockIdx.x * 4 + threadIdx.x / kWarpSize;
  if (row >= rows) return;
  float v = in[row * n];
  for (int i = lane; i < n; i += kWarpSize) v = fmaxf(v, in[row * n + i]);
  for (int mask = 16; mask > 0; mask >>= 1) v = fmaxf(v, rewarp_warp32_shfl_xor_sync(0xffffffff, v, mask));
  if (lane == 0) out[row] = v;
}
void launch(const float* in, float* out, int rows, int n) {
  dim3 block(4 * kWarpSize);
  row_max<<<(rows + 3) / 4, block>>>(in, out, rows, n);
}
