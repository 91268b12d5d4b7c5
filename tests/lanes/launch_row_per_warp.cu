// The host counts four warps of 32 to a block, the kernel counts waves.
// kind: LAUNCH_GEOMETRY
// run: launch(in: int[256] = i / 32, out: int[8] = -1)
// gives: out = [32 * r for r in range(8)]
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL_DOWN(V, D) __shfl_down(V, D)
#else
#define SHFL_DOWN(V, D) __shfl_down_sync(0xffffffff, V, D)
#endif
__global__ void row_sums(const int* in, int* out, int rows) {
  int row = blockIdx.x * (blockDim.x / warpSize) + threadIdx.x / warpSize, lane = threadIdx.x % warpSize;
  if (row >= rows) return;
  int v = 0;
  for (int c = lane; c < 32; c += warpSize) v += in[row * 32 + c];
  for (int d = warpSize / 2; d > 0; d /= 2) v += SHFL_DOWN(v, d);
  if (lane == 0) out[row] = v;
}
void launch(const int* in, int* out) { row_sums<<<2, 4 * 32>>>(in, out, 8); }
// ---- fixed
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL_DOWN(V, D) __shfl_down(V, D)
#else
#define SHFL_DOWN(V, D) __shfl_down_sync(0xffffffff, V, D)
#endif
__global__ void row_sums(const int* in, int* out, int rows) {
  int row = blockIdx.x * (blockDim.x / warpSize) + threadIdx.x / warpSize, lane = threadIdx.x % warpSize;
  if (row >= rows) return;
  int v = 0;
  for (int c = lane; c < 32; c += warpSize) v += in[row * 32 + c];
  for (int d = warpSize / 2; d > 0; d /= 2) v += SHFL_DOWN(v, d);
  if (lane == 0) out[row] = v;
}
void launch(const int* in, int* out) {
  int width = 32;
#if defined(__HIP_PLATFORM_AMD__)
  hipDeviceGetAttribute(&width, hipDeviceAttributeWarpSize, 0);
#endif
  row_sums<<<2, 4 * width>>>(in, out, 8);
}
