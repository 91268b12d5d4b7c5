// #define WARP_SIZE 32 beside ballots of the hardware's width.
// kind: WIDTH_CONSTANT
// run: count<<<1, 96>>>(in: int[96] = i % 4 == 0, out: int[1])
// gives: out = [24]
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define BALLOT(P) __ballot(P)
#else
#define BALLOT(P) __ballot_sync(0xffffffff, P)
#endif
#define WARP_SIZE 32
__global__ void count(const int* in, int* out) {
  int n = __popcll(BALLOT(in[threadIdx.x]));
  if (threadIdx.x % WARP_SIZE == 0) atomicAdd(out, n);
}
// ---- fixed
#if defined(__HIP_PLATFORM_AMD__)
#define BALLOT(P) __ballot(P)
#else
#define BALLOT(P) __ballot_sync(0xffffffff, P)
#endif
#if defined(__HIP_PLATFORM_AMD__)
#define WARP_SIZE warpSize
#else
#define WARP_SIZE 32
#endif
__global__ void count(const int* in, int* out) {
  int n = __popcll(BALLOT(in[threadIdx.x]));
  if (threadIdx.x % WARP_SIZE == 0) atomicAdd(out, n);
}
