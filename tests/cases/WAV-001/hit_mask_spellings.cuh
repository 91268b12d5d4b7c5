namespace lanes {
constexpr unsigned kAll = 0xffffffff;
}
template <typename T>
CUTLASS_DEVICE T first(T value) {
  value = __shfl_sync(uint32_t(-1), value, 0);
  value = __shfl_sync(static_cast<unsigned>(-1), value, 0, 4);
  value = __shfl_xor_sync(0xffu, value, 1);
  return __shfl_sync(lanes::kAll, value, 0);
}
inline T half(T value, uint32_t members) { return __shfl_down_sync(members, value, 8, 16); }
# output
2 build-fail: unsigned kAll = 0xffffffff
6 build-fail: __shfl_sync(uint32_t(-1)
7 build-fail: __shfl_sync(static_cast<unsigned>(-1)
8 build-fail: __shfl_xor_sync(0xffu
9 build-fail: __shfl_sync(lanes::kAll
11 build-fail: uint32_t members
