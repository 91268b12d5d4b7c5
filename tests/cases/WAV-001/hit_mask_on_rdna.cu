#define WARP_SIZE 32
__device__ int first(int v) { return __shfl_sync(0xffffffff, v, 0); }
# output
arch: gfx1100
2 build-fail: __shfl_sync(0xffffffff
