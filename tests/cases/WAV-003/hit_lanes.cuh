constexpr int kWarpSize = 32;
enum { THREADS_PER_WARP = 32 };

template <typename T>
__device__ void each(T *out) {
  const int lane_id = threadIdx.x & 31;
  int warp = (threadIdx.y * blockDim.x + threadIdx.x) >> 5;
  auto warpIdx = threadIdx.x / 32;
  if ((threadIdx.x % 32) == 0) out[warpIdx] = __shfl_xor(out[lane_id], 1);
}
# output
6 info: threadIdx.x & 31
7 info: (threadIdx.y * blockDim.x + threadIdx.x) >> 5
8 info: threadIdx.x / 32
9 info: threadIdx.x % 32
