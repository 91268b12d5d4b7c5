// #define LOG_WARP 5 numbers warps, the ballot counts waves.
// kind: SHIFT_CONSTANT
// run: counts<<<1, 128>>>(in: int[128] = 1, out: int[4])
// gives: out = [32, 32, 32, 32]
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define BALLOT(P) __ballot(P)
#else
#define BALLOT(P) __ballot_sync(0xffffffff, P)
#endif
#define LOG_WARP 5
__global__ void counts(const int* in, int* out) {
  int n = __popcll(BALLOT(in[threadIdx.x]));
  out[threadIdx.x >> LOG_WARP] = n;
}
// ---- fixed
#if defined(__HIP_PLATFORM_AMD__)
#define BALLOT(P) __ballot(P)
#else
#define BALLOT(P) __ballot_sync(0xffffffff, P)
#endif
#define LOG_WARP 5
__global__ void counts(const int* in, int* out) {
#if defined(__HIP_PLATFORM_AMD__)
  int n = __popc((unsigned)(BALLOT(in[threadIdx.x]) >> (__lane_id() & 32)));
#else
  int n = __popcll(BALLOT(in[threadIdx.x]));
#endif
  out[threadIdx.x >> LOG_WARP] = n;
}
