// 31 - __clz is the last lane of 32.
// kind: BIT_COUNT
// run: last<<<1, 64>>>(in: int[64] = i % 10 == 0, out: int[1])
// gives: out = [60]
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define BALLOT(P) __ballot(P)
#else
#define BALLOT(P) __ballot_sync(0xffffffff, P)
#endif
__global__ void last(const int* in, int* out) {
  int lane = 31 - __clz(BALLOT(in[threadIdx.x]));
  if (threadIdx.x % warpSize == lane) atomicMax(out, (int)threadIdx.x);
}
// ---- fixed
#if defined(__HIP_PLATFORM_AMD__)
#define BALLOT(P) __ballot(P)
#else
#define BALLOT(P) __ballot_sync(0xffffffff, P)
#endif
__global__ void last(const int* in, int* out) {
  int lane = 63 - __clzll(BALLOT(in[threadIdx.x]));
  if (threadIdx.x % warpSize == lane) atomicMax(out, (int)threadIdx.x);
}
