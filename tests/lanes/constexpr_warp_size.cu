// A constant of the kernel's own, and a broadcast that knows nothing of it.
// kind: WIDTH_CONSTANT
// run: row_sums<<<1, 64>>>(in: int[64] = i, out: int[64])
// gives: out = [496] * 32 + [1520] * 32
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL(V, L) __shfl(V, L)
#define SHFL_DOWN(V, D) __shfl_down(V, D)
#else
#define SHFL(V, L) __shfl_sync(0xffffffff, V, L)
#define SHFL_DOWN(V, D) __shfl_down_sync(0xffffffff, V, D)
#endif
__global__ void row_sums(const int* in, int* out) {
  constexpr int kWarpSize = 32;
  int v = in[threadIdx.x];
  for (int d = kWarpSize / 2; d > 0; d /= 2) v += SHFL_DOWN(v, d);
  out[threadIdx.x] = SHFL(v, 0);
}
// ---- fixed
__global__ void row_sums(const int* in, int* out) {
  constexpr int kWarpSize = 32;
  int v = in[threadIdx.x];
#if defined(__HIP_PLATFORM_AMD__)
  for (int d = kWarpSize / 2; d > 0; d /= 2) v += __shfl_down(v, d, kWarpSize);
  out[threadIdx.x] = __shfl(v, 0, kWarpSize);
#else
  for (int d = kWarpSize / 2; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  out[threadIdx.x] = __shfl_sync(0xffffffff, v, 0);
#endif
}
