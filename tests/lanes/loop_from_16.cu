// A reduction from 16 adds 32 lanes; lane 0 of the wave answers for 64.
// kind: LOOP
// run: total<<<1, 128>>>(in: int[128] = 1, out: int[1])
// gives: out = [128]
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL_DOWN(V, D) __shfl_down(V, D)
#else
#define SHFL_DOWN(V, D) __shfl_down_sync(0xffffffff, V, D)
#endif
__global__ void total(const int* in, int* out) {
  int v = in[threadIdx.x];
  for (int d = 16; d > 0; d >>= 1) v += SHFL_DOWN(v, d);
  if (threadIdx.x % warpSize == 0) atomicAdd(out, v);
}
// ---- fixed
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL_DOWN(V, D) __shfl_down(V, D)
#else
#define SHFL_DOWN(V, D) __shfl_down_sync(0xffffffff, V, D)
#endif
__global__ void total(const int* in, int* out) {
  int v = in[threadIdx.x];
  for (int d = warpSize / 2; d > 0; d >>= 1) v += SHFL_DOWN(v, d);
  if (threadIdx.x % warpSize == 0) atomicAdd(out, v);
}
