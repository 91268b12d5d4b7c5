// The rank of a lane among the chosen: 1u << lane has no bit for lane 40.
// kind: LANE_BIT
// run: compact<<<1, 64>>>(in: int[64] = i, out: int[64] = -1)
// gives: out = [i for i in range(64) if i % 3 == 0] + [-1] * 42
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define BALLOT(P) __ballot(P)
#else
#define BALLOT(P) __ballot_sync(0xffffffff, P)
#endif
__global__ void compact(const int* in, int* out) {
  __shared__ int base;
  if (threadIdx.x == 0) base = 0;
  __syncthreads();
  int v = in[threadIdx.x], lane = threadIdx.x % warpSize;
  bool keep = v % 3 == 0;
  auto votes = BALLOT(keep);
  int rank = __popc(votes & ((1u << (lane & 31)) - 1)), start = 0;
  for (int w = 0; w < blockDim.x / warpSize; ++w) {
    if (threadIdx.x / warpSize == w) start = base;
    __syncthreads();
    if (threadIdx.x == w * warpSize) base += __popcll(votes);
    __syncthreads();
  }
  if (keep) out[start + rank] = v;
}
// ---- fixed
#if defined(__HIP_PLATFORM_AMD__)
#define BALLOT(P) __ballot(P)
#else
#define BALLOT(P) __ballot_sync(0xffffffff, P)
#endif
__global__ void compact(const int* in, int* out) {
  __shared__ int base;
  if (threadIdx.x == 0) base = 0;
  __syncthreads();
  int v = in[threadIdx.x], lane = threadIdx.x % warpSize;
  bool keep = v % 3 == 0;
  auto votes = BALLOT(keep);
  int rank = __popcll(votes & ((1ull << lane) - 1)), start = 0;
  for (int w = 0; w < blockDim.x / warpSize; ++w) {
    if (threadIdx.x / warpSize == w) start = base;
    __syncthreads();
    if (threadIdx.x == w * warpSize) base += __popcll(votes);
    __syncthreads();
  }
  if (keep) out[start + rank] = v;
}
