constexpr unsigned long long kEveryone = ~0ull;
__device__ float all(float v, uint64_t mask) {
  auto active = __activemask();
  const int lane = threadIdx.x % warpSize;
  bool first = (active & ((1ull << lane) - 1)) == 0;
  for (int i = 1; i < 32; i <<= 1) v += __shfl_xor_sync(kEveryone, v, i);
  return first ? __shfl_sync(mask, v, 0) : __shfl_sync(uint64_t(-1), v, 0);
}
# output
