// dim3(32, 4): a row of threads is a warp; in waves of 64 it is half of one.
// kind: LAUNCH_GEOMETRY
// run: counts<<<1, (32, 4)>>>(in: int[128] = i % 4 != 0, out: int[4])
// gives: out = [24] * 4
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define BALLOT(P) __ballot(P)
#else
#define BALLOT(P) __ballot_sync(0xffffffff, P)
#endif
__global__ void counts(const int* in, int* out) {
  auto votes = BALLOT(in[threadIdx.y * 32 + threadIdx.x]);
  if (threadIdx.x == 0) out[threadIdx.y] = __popcll(votes);
}
// ---- fixed
#if defined(__HIP_PLATFORM_AMD__)
#define BALLOT(P) __ballot(P)
#else
#define BALLOT(P) __ballot_sync(0xffffffff, P)
#endif
__global__ void counts(const int* in, int* out) {
  auto votes = BALLOT(in[threadIdx.y * 32 + threadIdx.x]);
#if defined(__HIP_PLATFORM_AMD__)
  votes = votes >> (__lane_id() & 32) & 0xffffffffull;
#endif
  if (threadIdx.x == 0) out[threadIdx.y] = __popcll(votes);
}
