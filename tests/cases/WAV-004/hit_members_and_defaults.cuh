struct Device {
  int mWarpSize = 32;
};
__device__ int threads(const Device &d) { return d.mWarpSize + __shfl_down_sync(~0ull, 1, 1); }
template <typename T> __device__ T shuffle_up(T v, unsigned by, int width = 32) { return __shfl_up_sync(~0ull, v, by, width); }
# output
2 wrong-result: mWarpSize = 32
5 info: width = 32
