// __popc of a ballot counts the lower half.
// kind: BIT_COUNT
// run: count<<<1, 64>>>(in: int[64] = i >= 10, out: int[1])
// gives: out = [54]
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define BALLOT(P) __ballot(P)
#else
#define BALLOT(P) __ballot_sync(0xffffffff, P)
#endif
__global__ void count(const int* in, int* out) {
  int n = __popc(BALLOT(in[threadIdx.x]));
  if (threadIdx.x % warpSize == 0) atomicAdd(out, n);
}
// ---- fixed
#if defined(__HIP_PLATFORM_AMD__)
#define BALLOT(P) __ballot(P)
#else
#define BALLOT(P) __ballot_sync(0xffffffff, P)
#endif
__global__ void count(const int* in, int* out) {
  int n = __popcll(BALLOT(in[threadIdx.x]));
  if (threadIdx.x % warpSize == 0) atomicAdd(out, n);
}
