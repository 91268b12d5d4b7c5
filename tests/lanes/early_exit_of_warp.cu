// The last warp has left; the rest of its wave shuffles zeros from it.
// kind: IMPLICIT_SYNC
// run: minimum<<<1, 128>>>(n: int = 96, out: int[1] = 1000)
// gives: out = [5]
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL_DOWN(V, D) __shfl_down(V, D)
#else
#define SHFL_DOWN(V, D) __shfl_down_sync(0xffffffff, V, D)
#endif
__global__ void minimum(int n, int* out) {
  if (threadIdx.x >= n) return;
  int v = threadIdx.x + 5;
  for (int d = warpSize / 2; d > 0; d /= 2) v = min(v, SHFL_DOWN(v, d));
  if (threadIdx.x % warpSize == 0) atomicMin(out, v);
}
// ---- fixed
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL_DOWN(V, D) __shfl_down(V, D)
#else
#define SHFL_DOWN(V, D) __shfl_down_sync(0xffffffff, V, D)
#endif
__global__ void minimum(int n, int* out) {
  int v = threadIdx.x < n ? threadIdx.x + 5 : 1000;
  for (int d = warpSize / 2; d > 0; d /= 2) v = min(v, SHFL_DOWN(v, d));
  if (threadIdx.x % warpSize == 0) atomicMin(out, v);
}
