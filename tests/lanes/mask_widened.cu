// A 32-bit mask widened to please the compiler leaves the upper half out.
// kind: MASK_32
// run: doubled<<<1, 64>>>(in: int[64] = i, out: int[64])
// gives: out = [i ^ 1 for i in range(64)]
// at 64: divergent
// ---- original
__global__ void doubled(const int* in, int* out) {
  const unsigned long long mask = 0xffffffffu;
  out[threadIdx.x] = __shfl_xor_sync(mask, in[threadIdx.x], 1);
}
// ---- fixed
__global__ void doubled(const int* in, int* out) {
  const unsigned long long mask = ~0ull;
  out[threadIdx.x] = __shfl_xor_sync(mask, in[threadIdx.x], 1);
}
