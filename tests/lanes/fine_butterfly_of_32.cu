// A butterfly below 32 keeps to its half.
// kind: none
// run: sums<<<1, 128>>>(in: int[128] = i, out: int[128])
// gives: out = [sum(range(i // 32 * 32, i // 32 * 32 + 32)) for i in range(128)]
// at 64: same
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL_XOR(V, D) __shfl_xor(V, D)
#else
#define SHFL_XOR(V, D) __shfl_xor_sync(0xffffffff, V, D)
#endif
__global__ void sums(const int* in, int* out) {
  int v = in[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += SHFL_XOR(v, d);
  out[threadIdx.x] = v;
}
