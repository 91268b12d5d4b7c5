// Is there a chosen lane above? The mask of the lanes above is made in 32 bits.
// kind: LANE_BIT
// run: last_of_chosen<<<1, 64>>>(in: int[64] = i % 5 == 0, out: int[64])
// gives: out = [0] * 60 + [1] + [0] * 3
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define BALLOT(P) __ballot(P)
#else
#define BALLOT(P) __ballot_sync(0xffffffff, P)
#endif
__global__ void last_of_chosen(const int* in, int* out) {
  __shared__ int seen;
  seen = 0;
  __syncthreads();
  int lane = threadIdx.x % warpSize, p = in[threadIdx.x];
  auto votes = BALLOT(p);
  if (p && threadIdx.x >= 32) atomicAdd(&seen, 1);
  __syncthreads();
  unsigned above = 0xfffffffeu << (lane & 31);
  bool last = p && !(votes & above) && (threadIdx.x >= 32 || !seen);
  out[threadIdx.x] = last;
}
// ---- fixed
#if defined(__HIP_PLATFORM_AMD__)
#define BALLOT(P) __ballot(P)
#else
#define BALLOT(P) __ballot_sync(0xffffffff, P)
#endif
__global__ void last_of_chosen(const int* in, int* out) {
  __shared__ int seen;
  seen = 0;
  __syncthreads();
  int lane = threadIdx.x % warpSize, p = in[threadIdx.x];
  auto votes = BALLOT(p);
  if (p && threadIdx.x >= 32) atomicAdd(&seen, 1);
  __syncthreads();
  unsigned long long above = lane == 63 ? 0 : ~0ull << (lane + 1);
  bool last = p && !(votes & above) && (threadIdx.x >= 32 || !seen);
  out[threadIdx.x] = last;
}
