// Shuffles with the width said.
// kind: none
// run: firsts<<<1, 64>>>(in: int[64] = i, out: int[64])
// gives: out = [i // 32 * 32 for i in range(64)]
// at 64: same
// ---- original
__global__ void firsts(const int* in, int* out) {
#if defined(__HIP_PLATFORM_AMD__)
  out[threadIdx.x] = __shfl(in[threadIdx.x], 0, 32);
#else
  out[threadIdx.x] = __shfl_sync(0xffffffff, in[threadIdx.x], 0, 32);
#endif
}
