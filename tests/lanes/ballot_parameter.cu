// A helper gives the ballot back as unsigned.
// kind: BALLOT_32
// run: count<<<1, 64>>>(in: int[64] = i > 20, out: int[1])
// gives: out = [43]
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define BALLOT(P) __ballot(P)
#else
#define BALLOT(P) __ballot_sync(0xffffffff, P)
#endif
__device__ unsigned who(bool p) { return BALLOT(p); }
__global__ void count(const int* in, int* out) {
  int n = __popcll(who(in[threadIdx.x]));
  if (threadIdx.x % warpSize == 0) atomicAdd(out, n);
}
// ---- fixed
#if defined(__HIP_PLATFORM_AMD__)
#define BALLOT(P) __ballot(P)
typedef unsigned long long lane_mask;
#else
#define BALLOT(P) __ballot_sync(0xffffffff, P)
typedef unsigned lane_mask;
#endif
__device__ lane_mask who(bool p) { return BALLOT(p); }
__global__ void count(const int* in, int* out) {
  int n = __popcll(who(in[threadIdx.x]));
  if (threadIdx.x % warpSize == 0) atomicAdd(out, n);
}
