// One 32-bit word per warp in shared memory; the readers take 32 lanes per word.
// kind: BALLOT_32
// run: kept<<<1, 128>>>(in: int[128] = i % 7 < 3, out: int[128])
// gives: out = [int(i % 7 < 3) for i in range(128)]
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define BALLOT(P) __ballot(P)
#else
#define BALLOT(P) __ballot_sync(0xffffffff, P)
#endif
__global__ void kept(const int* in, int* out) {
  __shared__ unsigned words[4];
  unsigned word = BALLOT(in[threadIdx.x]);
  if (threadIdx.x % 32 == 0) words[threadIdx.x / 32] = word;
  __syncthreads();
  out[threadIdx.x] = words[threadIdx.x / 32] >> (threadIdx.x % 32) & 1;
}
// ---- fixed
__global__ void kept(const int* in, int* out) {
  __shared__ unsigned words[4];
#if defined(__HIP_PLATFORM_AMD__)
  unsigned word = __ballot(in[threadIdx.x]) >> (__lane_id() / 32 * 32);
#else
  unsigned word = __ballot_sync(0xffffffff, in[threadIdx.x]);
#endif
  if (threadIdx.x % 32 == 0) words[threadIdx.x / 32] = word;
  __syncthreads();
  out[threadIdx.x] = words[threadIdx.x / 32] >> (threadIdx.x % 32) & 1;
}
