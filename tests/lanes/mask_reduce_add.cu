// A reduction instruction over a warp, one result per warp of 32.
// kind: MASK_32
// run: sums<<<1, 64>>>(in: int[64] = i, out: int[2])
// gives: out = [496, 1520]
// at 64: compile error
// unchecked: wrong result
// ---- original
__global__ void sums(const int* in, int* out) {
  int sum = __reduce_add_sync(0xffffffff, in[threadIdx.x]);
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = sum;
}
// ---- fixed
__global__ void sums(const int* in, int* out) {
  int sum = in[threadIdx.x];
#if defined(__HIP_PLATFORM_AMD__)
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor(sum, d, 32);
#else
  sum = __reduce_add_sync(0xffffffff, sum);
#endif
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = sum;
}
