// Warp numbers by >> 5, waves by hardware: two "warps" write the same counts.
// kind: LANE_ARITHMETIC
// run: counts<<<1, 128>>>(in: int[128] = i < 70, out: int[4])
// gives: out = [32, 32, 6, 0]
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define BALLOT(P) __ballot(P)
#else
#define BALLOT(P) __ballot_sync(0xffffffff, P)
#endif
__global__ void counts(const int* in, int* out) {
  int warp = threadIdx.x >> 5;
  int n = __popcll(BALLOT(in[threadIdx.x]));
  if ((threadIdx.x & 31) == 0) out[warp] = n;
}
// ---- fixed
#if defined(__HIP_PLATFORM_AMD__)
#define BALLOT(P) __ballot(P)
#else
#define BALLOT(P) __ballot_sync(0xffffffff, P)
#endif
__global__ void counts(const int* in, int* out) {
  int warp = threadIdx.x >> 5;
#if defined(__HIP_PLATFORM_AMD__)
  int n = __popc((unsigned)(BALLOT(in[threadIdx.x]) >> (__lane_id() & 32)));
#else
  int n = __popcll(BALLOT(in[threadIdx.x]));
#endif
  if ((threadIdx.x & 31) == 0) out[warp] = n;
}
