inline __device__ int getWarpId(int thread) { return thread / 32; }
inline __device__ int lane_id(int thread) { return (thread % 32); }
__global__ void sum(const float *x, float *y, int first, int each) {
  float v = x[threadIdx.x];
  v += __shfl_down_sync(~0ull, v, 1);
  const int send_warp_id = first % each / 32;
  y[send_warp_id] = v;
}
template <int max_block_size> __device__ float block_sum(float v) {
  constexpr int warps = (max_block_size + 32 - 1) / 32;
  if (max_block_size > 32) v += __shfl_down_sync(~0ull, v, 1);
  return v * warps;
}
#define COPY_BY_WARP(LANE_ID, UNROLLED, N, DST, SRC)                       \
  for (int i = (LANE_ID); i < (N); i += 32 * (UNROLLED))                   \
    for (int j = 0; j < (UNROLLED); ++j) DST[i + j * 32] = SRC[i + j * 32];
__device__ void place(float *row, float v, int warp, int lane_idx) { row[warp * 32 + lane_idx] = v; }
__global__ void caller(float *x) { place(x, __shfl_down_sync(~0ull, x[0], 1), threadIdx.x / warpSize, threadIdx.x % warpSize); }
# output
1 wrong-result: thread / 32
2 wrong-result: thread % 32
6 wrong-result: each / 32
10 wrong-result: (max_block_size + 32 - 1) / 32
11 wrong-result: max_block_size > 32
15 wrong-result: i += 32 * (UNROLLED)
16 wrong-result: * 32
17 wrong-result: * 32
