#define SHIFT 5
constexpr int kGroupBits = 5;
#define SLOT (threadIdx.x % 32)
#define ROW (threadIdx.x / 32)
__device__ __forceinline__ int sub() { return threadIdx.x & 31; }
__device__ __forceinline__ int group() { int t = threadIdx.x; return t >> 5; }
__global__ void by_macro(int* out) { out[threadIdx.x >> SHIFT] = __any_sync(0xffffffffffffffffull, out[0]); }
__global__ void by_constant(int* out) {
  const int tid = threadIdx.x;
  out[tid >> kGroupBits] = __popcll(__ballot_sync(0xffffffffffffffffull, out[tid]));
}
__global__ void by_helper(int* out) {
  if (SLOT == 0) out[ROW] = __any_sync(0xffffffffffffffffull, out[sub() + group()]);
}
# output
3 wrong-result: threadIdx.x % 32
4 wrong-result: threadIdx.x / 32
5 wrong-result: threadIdx.x & 31
6 wrong-result: t >> 5
7 wrong-result: threadIdx.x >> SHIFT
10 wrong-result: tid >> kGroupBits
