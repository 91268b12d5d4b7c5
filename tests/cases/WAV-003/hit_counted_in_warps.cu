template <int kNumWarps, int kUnroll>
__global__ void __launch_bounds__(256) copy(const int *x, int *y, int n, int num_warps, int begin) {
  const int lane_id = threadIdx.x & (warpSize - 1);
  __shared__ int rows[1024];
  const int num_threads = (num_warps - 1) * 32;
  int last = __shfl_down_sync(~0ull, x[lane_id], 1);
  for (int i = begin + lane_id; i < n; i += 32 * kNumWarps) y[i] = last;
  for (int i = n - 1; i >= begin; i -= 32) y[i - lane_id] += x[i];
  rows[num_threads] = x[last * 32 + lane_id];
  rows[num_warps] = y[lane_id + last * 32];
}
__device__ int second(const int *x, int lane, int n) {
  int a = __shfl_xor_sync(~0ull, x[lane], 1);
  if (lane + 32 < n) return a;
  return x[32 + lane];
}
__device__ int batch(const int *x, int left) {
  int taken = min(left, 32);
  return __any_sync(~0ull, x[taken]) ? min(32, left - taken) : taken;
}
__device__ int part(const int *x, int lane) {
  int v = __shfl_sync(~0ull, x[lane], 0);
  int k = 32 * TILES;
  return v + k;
}
#define WARP_COPY(LANE_ID, N, DST, SRC)             \
  for (int i = (LANE_ID); i < (N);                  \
       i += 32)                                     \
    DST[i] = SRC[i];
static constexpr int kThreads = 32 * kWarps;
__device__ int shares(int columns, int v) {
  int rows_per_warp = 32 / columns;
  return __shfl_down_sync(~0ull, v, 1) * rows_per_warp;
}
# output
5 wrong-result: * 32
7 wrong-result: i += 32 * kNumWarps
8 wrong-result: i -= 32
9 wrong-result: * 32
10 wrong-result: * 32
14 wrong-result: lane + 32
15 wrong-result: 32 + lane
18 info: min(left, 32)
19 info: min(32, left - taken)
23 info: 32
28 wrong-result: i += 32
30 wrong-result: kThreads = 32 * kWarps
32 wrong-result: rows_per_warp = 32 / columns
