// Lanes that left a branch and a loop come together again behind it.
// kind: none
// run: steps<<<1, 64>>>(out: int[64])
// gives: out = [sum(range(32)) + 32 * (i // 32 * 32) for i in range(64)]
// at 64: same
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL_XOR(V, D) __shfl_xor(V, D)
#else
#define SHFL_XOR(V, D) __shfl_xor_sync(0xffffffff, V, D)
#endif
__device__ int spread(int v) {
  for (int d = 16; d > 0; d /= 2) v += SHFL_XOR(v, d);
  return v;
}
__global__ void steps(int* out) {
  int v = threadIdx.x, turns = 0;
  while (turns < threadIdx.x % 5) {
    if (turns == 2) v += 0;
    ++turns;
  }
  if (threadIdx.x % 32 < 7) v -= 0;
  out[threadIdx.x] = spread(v);
}
