#define SHIFT 5
constexpr int kGroupBits = 5;
__global__ void by_macro(int* out) { out[threadIdx.x >> SHIFT] = __any_sync(0xffffffffffffffffull, out[0]); }
__global__ void by_constant(int* out) {
  const int bits = 5;
  const int tid = threadIdx.x;
  out[tid >> kGroupBits] = out[tid >> bits] + __any_sync(0xffffffffffffffffull, out[tid]);
}
# output
1 wrong-result: #define SHIFT 5
2 wrong-result: kGroupBits = 5
5 wrong-result: bits = 5
