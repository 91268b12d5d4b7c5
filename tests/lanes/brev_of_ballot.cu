// Bits of 32 turned round: the last lane becomes the first of the wrong half.
// kind: BIT_COUNT
// run: last<<<1, 64>>>(in: int[64] = i < 50, out: int[1])
// gives: out = [49]
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define BALLOT(P) __ballot(P)
#else
#define BALLOT(P) __ballot_sync(0xffffffff, P)
#endif
__global__ void last(const int* in, int* out) {
  unsigned turned = __brev(BALLOT(in[threadIdx.x]));
  int from_end = __ffs(turned) - 1;
  if (from_end >= 0 && threadIdx.x % warpSize == warpSize - 1 - from_end) atomicMax(out, (int)threadIdx.x);
}
// ---- fixed
#if defined(__HIP_PLATFORM_AMD__)
#define BALLOT(P) __ballot(P)
#else
#define BALLOT(P) __ballot_sync(0xffffffff, P)
#endif
__global__ void last(const int* in, int* out) {
  unsigned long long turned = __brevll(BALLOT(in[threadIdx.x])) >> (64 - warpSize);
  int from_end = __ffsll(turned) - 1;
  if (from_end >= 0 && threadIdx.x % warpSize == warpSize - 1 - from_end) atomicMax(out, (int)threadIdx.x);
}
