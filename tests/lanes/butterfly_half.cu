// A butterfly over 32, then lane 0 speaks for the wave.
// kind: LOOP
// run: minimum<<<1, 64>>>(in: int[64] = 100 - i, out: int[1] = 1000)
// gives: out = [37]
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL_XOR(V, D) __shfl_xor(V, D)
#else
#define SHFL_XOR(V, D) __shfl_xor_sync(0xffffffff, V, D)
#endif
__global__ void minimum(const int* in, int* out) {
  int v = in[threadIdx.x];
#pragma unroll
  for (int m = 16; m; m >>= 1) v = min(v, SHFL_XOR(v, m));
  if (threadIdx.x % warpSize == 0) atomicMin(out, v);
}
// ---- fixed
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL_XOR(V, D) __shfl_xor(V, D)
#else
#define SHFL_XOR(V, D) __shfl_xor_sync(0xffffffff, V, D)
#endif
__global__ void minimum(const int* in, int* out) {
  int v = in[threadIdx.x];
#pragma unroll
  for (int m = warpSize / 2; m; m >>= 1) v = min(v, SHFL_XOR(v, m));
  if (threadIdx.x % warpSize == 0) atomicMin(out, v);
}
