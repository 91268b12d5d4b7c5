// The full mask of a wave in a block that fills only half of it: HIP's own check stops it.
// kind: MASK_32
// run: total<<<1, 32>>>(in: int[32] = i, out: int[1])
// gives: out = [496]
// at 64: divergent
// ---- original
__global__ void total(const int* in, int* out) {
  int v = in[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0ull, v, d);
  if (threadIdx.x == 0) out[0] = v;
}
// ---- fixed
__global__ void total(const int* in, int* out) {
  int v = in[threadIdx.x];
#if defined(__HIP_PLATFORM_AMD__)
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor(v, d, 32);
#else
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0ull, v, d);
#endif
  if (threadIdx.x == 0) out[0] = v;
}
