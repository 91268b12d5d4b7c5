__device__ float passed_on(float v, unsigned mask) { return __shfl_xor_sync(mask, v, 1); }
__device__ float with_default(float v, uint32_t active_mask = 0xffffffffu) { return __shfl_sync(active_mask, v, 0); }
__device__ float kept(float v) { unsigned int group = 0xf; return __shfl_sync(group, v, 0); }
__device__ float made(float v, int n) { return __shfl_sync((1u << n) - 1, v, 0); }
__device__ float narrowed(float v) {
  uint32_t mask = ((uint64_t)1 << (blockDim.x / warpSize)) - 1;
  return __shfl_xor_sync(mask, v, 1);
}
__device__ unsigned full_warp_mask() { return ~0u; }
__device__ float from_function(float v) { const auto mask = full_warp_mask(); return __shfl_sync(mask, v, 0); }
__device__ float my_shfl_xor(unsigned mask, float v, int lane_mask) { return helper(mask, v, lane_mask); }
template <typename T> __device__ T __shfl_up_sync(const unsigned mask, T v, unsigned delta) { return go(mask, v, delta); }
__device__ void meet(unsigned int members) { __syncwarp(members); }
__device__ float shifted(float v, int n) { return __shfl_sync(0xffffffffu >> n, v, 0); }
# output
1 build-fail: unsigned mask
2 build-fail: uint32_t active_mask
3 build-fail: unsigned int group
4 build-fail: __shfl_sync((1u << n) - 1
6 build-fail: uint32_t mask
7 build-fail: __shfl_xor_sync(mask
9 build-fail: unsigned full_warp_mask
10 info: __shfl_sync(mask
11 build-fail: unsigned mask
12 build-fail: unsigned mask
13 build-fail: unsigned int members
14 build-fail: __shfl_sync(0xffffffffu >> n
