#define SHFL_DOWN __shfl_down_sync
__device__ float a(float v) { return v + SHFL_DOWN(0xffffffff, v, 1); }
__device__ float b(float v) { return my_shfl_xor(0xffffffffu, v, 1); }
__device__ float c(float v, unsigned lane_mask) { return __shfl_sync(lane_mask, v, 0); }
# output
2 build-fail: SHFL_DOWN(0xffffffff
3 build-fail: my_shfl_xor(0xffffffffu
4 build-fail: unsigned lane_mask
