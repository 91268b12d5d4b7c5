// A loop over the bits of a ballot stops at 32.
// kind: BALLOT_32
// run: sum_of_chosen<<<1, 64>>>(in: int[64] = i, out: int[1])
// gives: out = [sum(i for i in range(64) if i % 4 == 0)]
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define BALLOT(P) __ballot(P)
#define SHFL(V, L) __shfl(V, L)
#else
#define BALLOT(P) __ballot_sync(0xffffffff, P)
#define SHFL(V, L) __shfl_sync(0xffffffff, V, L)
#endif
__global__ void sum_of_chosen(const int* in, int* out) {
  int v = in[threadIdx.x], sum = 0;
  auto chosen = BALLOT(v % 4 == 0);
  for (int i = 0; i < 32; ++i) {
    int other = SHFL(v, i);
    if (chosen & (1ull << i)) sum += other;
  }
  if (threadIdx.x % warpSize == 0) atomicAdd(out, sum);
}
// ---- fixed
#if defined(__HIP_PLATFORM_AMD__)
#define BALLOT(P) __ballot(P)
#define SHFL(V, L) __shfl(V, L)
#else
#define BALLOT(P) __ballot_sync(0xffffffff, P)
#define SHFL(V, L) __shfl_sync(0xffffffff, V, L)
#endif
__global__ void sum_of_chosen(const int* in, int* out) {
  int v = in[threadIdx.x], sum = 0;
  auto chosen = BALLOT(v % 4 == 0);
  for (int i = 0; i < warpSize; ++i) {
    int other = SHFL(v, i);
    if (chosen & (1ull << i)) sum += other;
  }
  if (threadIdx.x % warpSize == 0) atomicAdd(out, sum);
}
