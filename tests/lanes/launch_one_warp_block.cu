// A block of 32 is half a wave; the stride of a wave jumps over what nobody reads.
// kind: LAUNCH_GEOMETRY
// run: launch(in: int[128] = 1, out: int[2])
// gives: out = [64, 64]
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL_DOWN(V, D) __shfl_down(V, D)
#else
#define SHFL_DOWN(V, D) __shfl_down_sync(0xffffffff, V, D)
#endif
__global__ void row_sums(const int* in, int* out) {
  int v = 0;
  for (int c = threadIdx.x; c < 64; c += warpSize) v += in[blockIdx.x * 64 + c];
  for (int d = warpSize / 2; d > 0; d /= 2) v += SHFL_DOWN(v, d);
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}
void launch(const int* in, int* out) { row_sums<<<2, 32>>>(in, out); }
// ---- fixed
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL_DOWN(V, D) __shfl_down(V, D)
#else
#define SHFL_DOWN(V, D) __shfl_down_sync(0xffffffff, V, D)
#endif
__global__ void row_sums(const int* in, int* out) {
  int v = 0;
  for (int c = threadIdx.x; c < 64; c += warpSize) v += in[blockIdx.x * 64 + c];
  for (int d = warpSize / 2; d > 0; d /= 2) v += SHFL_DOWN(v, d);
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}
void launch(const int* in, int* out) {
  int width = 32;
#if defined(__HIP_PLATFORM_AMD__)
  hipDeviceGetAttribute(&width, hipDeviceAttributeWarpSize, 0);
#endif
  row_sums<<<2, width>>>(in, out);
}
