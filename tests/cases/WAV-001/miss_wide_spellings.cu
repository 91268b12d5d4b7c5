__device__ float a(float v) { return __shfl_xor_sync(0xffffffffffffffffull, v, 1); }
__device__ float b(float v) { return __shfl_xor_sync(~0ull, v, 1); }
__device__ float c(float v, unsigned long long mask) { return __shfl_sync(mask, v, 0); }
__device__ float d(float v, uint64_t members) { return __shfl_sync(members, v, 0); }
__device__ float e(float v) { auto active = __activemask(); return __shfl_sync(active, v, 0); }
__device__ float f(float v) { return __shfl_sync(__activemask(), v, 0); }
__device__ float g(float v) { return __shfl_sync(__ballot(1), v, 0); }
__device__ float h(float v) { unsigned long mask = ~0ul; return __shfl_sync(mask, v, 0); }
__device__ float i(float v) {
  const uint64_t mask = uint64_t(0xffffffff) << ((__lane_id() / 32) * 32);
  return __shfl_sync(mask, v, 0, 32);
}
__device__ float j(float v) { using lane_mask_t = unsigned long long; lane_mask_t m = ~lane_mask_t(0); return __shfl_sync(m, v, 0); }
__device__ float k(float v) { return __shfl_xor(v, 1); }
__device__ int l(int p) { return __any(p); }
__device__ void m() { __syncwarp(); }
# output
