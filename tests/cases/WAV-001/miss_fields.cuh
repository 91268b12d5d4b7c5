struct Group { unsigned long long mask; unsigned bitmask; };
__device__ int first(Group group, int v) { return __shfl_sync(group.mask, v, 0); }
__device__ float all(float v) { return __shfl_sync(0xffffffffffffffffull, v, 0); }
__device__ float lower(float v) { return warp_reduce_sum(v, -1); }
# output
