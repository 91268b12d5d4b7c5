// A bit mask in global memory, one word per warp.
// kind: BALLOT_32
// run: pack<<<2, 64>>>(in: int[128] = i % 2, out: unsigned[4])
// gives: out = [0xaaaaaaaa] * 4
// at 64: wrong result
// ---- original
__global__ void pack(const int* in, unsigned* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#if defined(__HIP_PLATFORM_AMD__)
  unsigned word = __ballot(in[i]);
#else
  unsigned word = __ballot_sync(0xffffffff, in[i]);
#endif
  if (threadIdx.x % warpSize == 0) out[i / warpSize] = word;
}
// ---- fixed
__global__ void pack(const int* in, unsigned* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#if defined(__HIP_PLATFORM_AMD__)
  unsigned word = __ballot(in[i]) >> (__lane_id() / 32 * 32);
#else
  unsigned word = __ballot_sync(0xffffffff, in[i]);
#endif
  if (threadIdx.x % 32 == 0) out[i / 32] = word;
}
