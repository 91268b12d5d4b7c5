// All voted when 32 did.
// kind: FULL_COMPARE
// run: everybody<<<1, 64>>>(in: int[64] = i != 3, out: int[64])
// gives: out = [0] * 32 + [1] * 32
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define BALLOT(P) __ballot(P)
#else
#define BALLOT(P) __ballot_sync(0xffffffff, P)
#endif
__global__ void everybody(const int* in, int* out) {
  out[threadIdx.x] = __popcll(BALLOT(in[threadIdx.x])) == 32;
}
// ---- fixed
#if defined(__HIP_PLATFORM_AMD__)
#define BALLOT(P) __ballot(P)
#else
#define BALLOT(P) __ballot_sync(0xffffffff, P)
#endif
__global__ void everybody(const int* in, int* out) {
  auto votes = BALLOT(in[threadIdx.x]);
#if defined(__HIP_PLATFORM_AMD__)
  unsigned own = votes >> (__lane_id() / 32 * 32);
#else
  unsigned own = votes;
#endif
  out[threadIdx.x] = __popc(own) == 32;
}
