// 32 ones are not everybody.
// kind: FULL_COMPARE
// run: everybody<<<1, 64>>>(in: int[64] = 1, out: int[1])
// gives: out = [64]
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define BALLOT(P) __ballot(P)
#else
#define BALLOT(P) __ballot_sync(0xffffffff, P)
#endif
__global__ void everybody(const int* in, int* out) {
  if (BALLOT(in[threadIdx.x]) == 0xffffffff) atomicAdd(out, 1);
}
// ---- fixed
#if defined(__HIP_PLATFORM_AMD__)
#define BALLOT(P) __ballot(P)
#else
#define BALLOT(P) __ballot_sync(0xffffffff, P)
#endif
__global__ void everybody(const int* in, int* out) {
#if defined(__HIP_PLATFORM_AMD__)
  if (BALLOT(in[threadIdx.x]) == BALLOT(1)) atomicAdd(out, 1);
#else
  if (BALLOT(in[threadIdx.x]) == 0xffffffff) atomicAdd(out, 1);
#endif
}
