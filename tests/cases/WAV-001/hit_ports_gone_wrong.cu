#define FULL_MASK 0xffffffffffffffffull
__device__ float value_is_the_mask(float v) { return __shfl_down(FULL_MASK, v, 1); }
__device__ float literal_too(float v) { return __shfl_xor(0xffffffff, v, 1); }
__device__ float fifteen(float v) { return __shfl_xor_sync(0xfffffffffffffffull, v, 1); }
# output
2 wrong-result: __shfl_down(FULL_MASK
3 wrong-result: __shfl_xor(0xffffffff
4 wrong-result: 0xfffffffffffffffull
