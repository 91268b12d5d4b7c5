#define LOG_WARP_SIZE 5
#define WARP_SIZE (1 << 5)
template <typename T> struct Traits {
  static constexpr int kWarpSize = 1 << 5;
  static constexpr int kLogWarpSize = 5;
};
__device__ int scan(int value) {
  for (int d = 1; d < 32; d <<= 1) value += __shfl_up(value, d);
  return value;
}
# output
1 wrong-result: #define LOG_WARP_SIZE 5
2 wrong-result: #define WARP_SIZE (1 << 5)
4 wrong-result: kWarpSize = 1 << 5
5 wrong-result: kLogWarpSize = 5
