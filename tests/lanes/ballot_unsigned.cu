// A ballot kept in 32 bits loses the upper half.
// kind: BALLOT_32
// run: count<<<1, 128>>>(in: int[128] = i % 3, out: int[1])
// gives: out = [43]
// at 64: wrong result
// ---- original
__global__ void count(const int* in, int* out) {
#if defined(__HIP_PLATFORM_AMD__)
  unsigned votes = __ballot(in[threadIdx.x] == 0);
#else
  unsigned votes = __ballot_sync(0xffffffff, in[threadIdx.x] == 0);
#endif
  if (threadIdx.x % warpSize == 0) atomicAdd(out, __popcll(votes));
}
// ---- fixed
__global__ void count(const int* in, int* out) {
#if defined(__HIP_PLATFORM_AMD__)
  unsigned long long votes = __ballot(in[threadIdx.x] == 0);
#else
  unsigned votes = __ballot_sync(0xffffffff, in[threadIdx.x] == 0);
#endif
  if (threadIdx.x % warpSize == 0) atomicAdd(out, __popcll(votes));
}
