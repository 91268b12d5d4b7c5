// Two leaders add the count of one wave twice.
// kind: LANE_ARITHMETIC
// run: count<<<1, 128>>>(in: int[128] = i % 2, out: int[1])
// gives: out = [64]
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define BALLOT(P) __ballot(P)
#else
#define BALLOT(P) __ballot_sync(0xffffffff, P)
#endif
__global__ void count(const int* in, int* out) {
  int n = __popcll(BALLOT(in[threadIdx.x]));
  if (threadIdx.x % 32 == 0) atomicAdd(out, n);
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
