// A ballot gives the mask of a branch; in 32 bits it names the wrong lanes.
// kind: MASK_32
// run: sum_of_odd<<<1, 64>>>(in: int[64] = i, out: int[1])
// gives: out = [sum(range(1, 64, 2))]
// at 64: compile error
// ---- original
__global__ void sum_of_odd(const int* in, int* out) {
  int v = in[threadIdx.x];
  unsigned odd = __ballot_sync(0xffffffff, v & 1);
  if (v & 1) {
    int sum = __reduce_add_sync(odd, v);
    if (__ffs(odd) - 1 == threadIdx.x % warpSize) atomicAdd(out, sum);
  }
}
// ---- fixed
#if defined(__HIP_PLATFORM_AMD__)
typedef unsigned long long lane_mask;
#define FIRST_LANE(MASK) (__ffsll(MASK) - 1)
#define FULL_MASK ~0ull
#else
typedef unsigned lane_mask;
#define FIRST_LANE(MASK) (__ffs(MASK) - 1)
#define FULL_MASK 0xffffffff
#endif
__global__ void sum_of_odd(const int* in, int* out) {
  int v = in[threadIdx.x];
  lane_mask odd = __ballot_sync(FULL_MASK, v & 1);
  if (v & 1) {
    int sum = __reduce_add_sync(odd, v);
    if (FIRST_LANE(odd) == threadIdx.x % warpSize) atomicAdd(out, sum);
  }
}
