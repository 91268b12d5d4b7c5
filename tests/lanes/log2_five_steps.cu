// Five steps of a reduction: log2 of 32.
// kind: SHIFT_CONSTANT
// run: total<<<1, 128>>>(in: int[128] = i, out: int[1])
// gives: out = [8128]
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL_XOR(V, D) __shfl_xor(V, D)
#else
#define SHFL_XOR(V, D) __shfl_xor_sync(0xffffffff, V, D)
#endif
__global__ void total(const int* in, int* out) {
  int v = in[threadIdx.x];
  for (int i = 0; i < 5; ++i) v += SHFL_XOR(v, 1 << i);
  if (threadIdx.x % warpSize == 0) atomicAdd(out, v);
}
// ---- fixed
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL_XOR(V, D) __shfl_xor(V, D)
#else
#define SHFL_XOR(V, D) __shfl_xor_sync(0xffffffff, V, D)
#endif
__global__ void total(const int* in, int* out) {
  int v = in[threadIdx.x];
  for (int i = 0; 1 << i < warpSize; ++i) v += SHFL_XOR(v, 1 << i);
  if (threadIdx.x % warpSize == 0) atomicAdd(out, v);
}
