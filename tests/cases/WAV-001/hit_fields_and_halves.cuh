struct Group { unsigned mask; int rank; };
class Barrier { unsigned mask_; public: __device__ void wait() { __syncwarp(mask_); } };
__device__ int first(Group group, int v) { return __shfl_sync(group.mask, v, 0); }
__device__ float half_of_them(float v) { return __shfl_sync(0xffffffffull, v, 0); }
__device__ float last_argument(float v) { return warp_reduce_sum(v, 0xffffffff); }
__device__ float parted(float v) { return __shfl_sync(0xffff'ffffu, v, 0); }
# output
1 build-fail: unsigned mask
2 build-fail: unsigned mask_
3 build-fail: __shfl_sync(group.mask
4 wrong-result: __shfl_sync(0xffffffffull
5 build-fail: warp_reduce_sum(v, 0xffffffff
6 build-fail: __shfl_sync(0xffff'ffffu
