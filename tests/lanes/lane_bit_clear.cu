// Chosen lanes are taken out of the ballot one by one; ~(1u << lane) takes the upper half out with the first.
// kind: LANE_BIT
// run: each_in_turn<<<1, 64>>>(in: int[64] = i % 2, out: int[1])
// gives: out = [32]
// at 64: wrong result
// ---- original
#if defined(__HIP_PLATFORM_AMD__)
#define BALLOT(P) __ballot(P)
#else
#define BALLOT(P) __ballot_sync(0xffffffff, P)
#endif
__global__ void each_in_turn(const int* in, int* out) {
  auto left = BALLOT(in[threadIdx.x]);
  int turns = 0;
  while (left) {
    int lane = __ffsll(left) - 1;
    left &= ~(1u << (lane & 31));
    ++turns;
  }
  if (threadIdx.x % warpSize == 0) atomicAdd(out, turns);
}
// ---- fixed
#if defined(__HIP_PLATFORM_AMD__)
#define BALLOT(P) __ballot(P)
#else
#define BALLOT(P) __ballot_sync(0xffffffff, P)
#endif
__global__ void each_in_turn(const int* in, int* out) {
  auto left = BALLOT(in[threadIdx.x]);
  int turns = 0;
  while (left) {
    int lane = __ffsll(left) - 1;
    left &= ~(1ull << lane);
    ++turns;
  }
  if (threadIdx.x % warpSize == 0) atomicAdd(out, turns);
}
