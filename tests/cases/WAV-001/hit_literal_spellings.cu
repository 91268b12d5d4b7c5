__device__ float up(float v) { return __shfl_up_sync(0xFFFFFFFF, v, 1); }
__device__ float down(float v) { return __shfl_down_sync(0xffffffffu, v, 1, 32); }
__device__ float exchange(float v) { return __shfl_xor_sync(-1, v, 4); }
__device__ float first(float v) { return __shfl_sync(~0u, v, 0); }
__device__ int some(int p) { return __any_sync(4294967295u, p); }
__device__ int every(int p) { return __all_sync(UINT32_MAX, p); }
__device__ void wait() { __syncwarp(0xffffffff); }
__device__ unsigned same(int v) { return __match_any_sync(uint32_t(-1), v); }
__device__ unsigned total(unsigned v) { return __reduce_add_sync(static_cast<unsigned>(-1), v); }
__device__ int vote(int p) { return __ballot_sync((unsigned)0xffffffff, p) != 0; }
__device__ float quarter(float v) { return __shfl_sync(0xff, v, 0, 8); }
__device__ float half(float v) { return __shfl_xor_sync(0x0000ffff, v, 8); }
__device__ float separated(float v) { return __shfl_sync(0xff'ff'ff'ff, v, 0); }
__device__ float one_lane(float v) { return __shfl_sync(1, v, 0); }
# output
1 build-fail: __shfl_up_sync(0xFFFFFFFF
2 build-fail: __shfl_down_sync(0xffffffffu
3 build-fail: __shfl_xor_sync(-1
4 build-fail: __shfl_sync(~0u
5 build-fail: __any_sync(4294967295u
6 build-fail: __all_sync(UINT32_MAX
7 build-fail: __syncwarp(0xffffffff
8 build-fail: __match_any_sync(uint32_t(-1)
9 build-fail: __reduce_add_sync(static_cast<unsigned>(-1)
10 build-fail: __ballot_sync((unsigned)0xffffffff
11 build-fail: __shfl_sync(0xff
12 build-fail: __shfl_xor_sync(0x0000ffff
13 build-fail: __shfl_sync(0xff'ff'ff'ff
14 build-fail: __shfl_sync(1
