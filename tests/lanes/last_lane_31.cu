// The sum of a scan is in the last lane, which is not 31.
// kind: LANE_ARITHMETIC
// run: total<<<1, 64>>>(in: int[64] = 1, out: int[1])
// gives: out = [64]
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL_UP(V, D) __shfl_up(V, D)
#else
#define SHFL_UP(V, D) __shfl_up_sync(0xffffffff, V, D)
#endif
__global__ void total(const int* in, int* out) {
  int v = in[threadIdx.x], lane = threadIdx.x % warpSize;
  for (int d = 1; d < warpSize; d *= 2) {
    int below = SHFL_UP(v, d);
    if (lane >= d) v += below;
  }
  if (lane == 31) atomicAdd(out, v);
}
// ---- fixed
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL_UP(V, D) __shfl_up(V, D)
#else
#define SHFL_UP(V, D) __shfl_up_sync(0xffffffff, V, D)
#endif
__global__ void total(const int* in, int* out) {
  int v = in[threadIdx.x], lane = threadIdx.x % warpSize;
  for (int d = 1; d < warpSize; d *= 2) {
    int below = SHFL_UP(v, d);
    if (lane >= d) v += below;
  }
  if (lane == warpSize - 1) atomicAdd(out, v);
}
