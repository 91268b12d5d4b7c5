// Bounds for four warps of 32, and four waves launched.
// kind: LAUNCH_BOUNDS
// run: launch(out: int[4])
// gives: out = [1, 1, 1, 1]
// at 64: launch failure
// ---- original
__global__ void __launch_bounds__(4 * 32) mark(int* out) {
  if (threadIdx.x % warpSize == 0) out[threadIdx.x / warpSize] = 1;
}
void launch(int* out) {
  int width = 32;
#if defined(__HIP_PLATFORM_AMD__)
  hipDeviceGetAttribute(&width, hipDeviceAttributeWarpSize, 0);
#endif
  mark<<<1, 4 * width>>>(out);
}
// ---- fixed
#if defined(__HIP_PLATFORM_AMD__)
#define WIDEST 64
#else
#define WIDEST 32
#endif
__global__ void __launch_bounds__(4 * WIDEST) mark(int* out) {
  if (threadIdx.x % warpSize == 0) out[threadIdx.x / warpSize] = 1;
}
void launch(int* out) {
  int width = 32;
#if defined(__HIP_PLATFORM_AMD__)
  hipDeviceGetAttribute(&width, hipDeviceAttributeWarpSize, 0);
#endif
  mark<<<1, 4 * width>>>(out);
}
