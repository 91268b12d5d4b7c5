static constexpr uint32_t kEverybody = 0xffffffffu;
template <typename T>
__device__ T sum(T value, uint32_t active_mask = kEverybody) {
  for (int d = 16; d > 0; d >>= 1) value = value + __shfl_xor_sync(active_mask, value, d, 32);
  return value;
}
# output
1 build-fail: uint32_t kEverybody = 0xffffffffu
3 build-fail: uint32_t active_mask
4 build-fail: __shfl_xor_sync(active_mask
