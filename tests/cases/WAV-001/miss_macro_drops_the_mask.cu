#define __shfl_xor_sync(mask, v, offset, width) __shfl_xor(v, offset, width)
#define __any_sync(mask, p) __any(p)
__device__ float sum(float v) { return v + __shfl_xor_sync(0xffffffff, v, 1, 32); }
__device__ int some(int p) { return __any_sync(0xffffffff, p); }
# output
