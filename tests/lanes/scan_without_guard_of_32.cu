// A scan of warps of 32 without a width lets the upper half see the lower.
// kind: LOOP
// run: scan<<<1, 64>>>(in: int[64] = 1, out: int[64])
// gives: out = [i % 32 + 1 for i in range(64)]
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL_UP(V, D) __shfl_up(V, D)
#else
#define SHFL_UP(V, D) __shfl_up_sync(0xffffffff, V, D)
#endif
__global__ void scan(const int* in, int* out) {
  int v = in[threadIdx.x];
  for (int d = 1; d < 32; d *= 2) {
    int below = SHFL_UP(v, d);
    if (threadIdx.x % warpSize >= d) v += below;
  }
  out[threadIdx.x] = v;
}
// ---- fixed
__global__ void scan(const int* in, int* out) {
  int v = in[threadIdx.x];
  for (int d = 1; d < 32; d *= 2) {
#if defined(__HIP_PLATFORM_AMD__)
    int below = __shfl_up(v, d, 32);
#else
    int below = __shfl_up_sync(0xffffffff, v, d);
#endif
    if (threadIdx.x % 32 >= d) v += below;
  }
  out[threadIdx.x] = v;
}
