// __ffs of a ballot finds nobody where the first one stands in the upper half.
// kind: BIT_COUNT
// run: first<<<1, 64>>>(in: int[64] = i == 45, out: int[1] = -1)
// gives: out = [45]
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define BALLOT(P) __ballot(P)
#else
#define BALLOT(P) __ballot_sync(0xffffffff, P)
#endif
__global__ void first(const int* in, int* out) {
  int lane = __ffs(BALLOT(in[threadIdx.x])) - 1;
  if (lane >= 0 && threadIdx.x % warpSize == lane) out[0] = threadIdx.x;
}
// ---- fixed
#if defined(__HIP_PLATFORM_AMD__)
#define BALLOT(P) __ballot(P)
#else
#define BALLOT(P) __ballot_sync(0xffffffff, P)
#endif
__global__ void first(const int* in, int* out) {
  int lane = __ffsll(BALLOT(in[threadIdx.x])) - 1;
  if (lane >= 0 && threadIdx.x % warpSize == lane) out[0] = threadIdx.x;
}
