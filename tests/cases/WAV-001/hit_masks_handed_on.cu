template <typename T> __device__ T warp_sum(T v, unsigned mask) {
  for (int o = warpSize / 2; o > 0; o >>= 1) v += __shfl_xor_sync(mask, v, o);
  return v;
}
template <typename T> __device__ T block_sum(T v, unsigned mask) { return warp_sum<T>(v, mask); }
template <typename T> __device__ T both(T v, T w, unsigned my_mask) { return block_sum(v, my_mask) + block_sum(w, my_mask); }
__global__ void widened(float *x) { unsigned long all = 0xffffffff; x[0] = __shfl_down_sync(all, x[1], 1); }
# output
1 build-fail: unsigned mask
2 build-fail: __shfl_xor_sync(mask
5 build-fail: unsigned mask
6 build-fail: unsigned my_mask
7 wrong-result: all = 0xffffffff
