constexpr int smem_of(int kWarpSize) { return kWarpSize == 32 ? 288 : 320; }
template <int kWarpSize> __device__ float merge(float v) {
  static_assert(kWarpSize == 32 || kWarpSize == 64, "a width that there is");
  if constexpr (kWarpSize == 32) return v;
  return v + __shfl_xor(v, 32);
}
bool small(int required_subwarp_size) { return required_subwarp_size == 32; }
#if WIDTH == 32
#define MY_WARP_BITSHIFT 5
#define MY_FULL_MASK 0xffffffff
#else
#define MY_WARP_BITSHIFT 6
#define MY_FULL_MASK 0xffffffffffffffff
#endif
__device__ float half(float v) { return __shfl_down_sync(MY_FULL_MASK, v, threadIdx.x >> MY_WARP_BITSHIFT); }
void launch(int* p) {
  if (warpSize == 32)
    k<5><<<1, 256>>>(p);
  else if (warpSize == 64)
    k<6><<<1, 256>>>(p);
}
# output
